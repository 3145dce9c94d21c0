//! Looking at agents.

mod words;

pub use crate::generated::switchboard::plugin::observation::{
    Candidate, Message, MessageState, Page, Query, Recent, Refusal, Request, Row, Sender, ToolCall,
};

/// A host that shows agents. Inside a component it is the import, in a test
/// [`fake::Observation`](crate::fake::Observation). Looking changes nothing and wakes nobody.
pub trait Observation {
    /// Lists agents, a page at a time.
    fn list_agents(&self, query: &Query) -> Result<Page, Refusal>;
    /// Shows one agent, by an address as a model writes it.
    fn get_agent(&self, target: &str) -> Result<Row, Refusal>;
    /// Shows what an agent has read and written last.
    fn recent_messages(&self, request: &Request) -> Result<Recent, Refusal>;
    /// Says what became of a message that the calling agent sent or got.
    fn message_status(&self, message: &str) -> Result<MessageState, Refusal>;
    /// Gives a ticket to answer with ([`Reply::Later`](crate::Reply::Later)): the tool has its
    /// result when a message comes, and at the latest after so many milliseconds.
    fn wait(&self, deadline_ms: Option<u64>) -> Result<String, Refusal>;
}

#[cfg(target_arch = "wasm32")]
mod imported {
    use super::*;
    use crate::generated::switchboard::plugin::observation as import;

    impl Observation for crate::component::Host {
        fn list_agents(&self, query: &Query) -> Result<Page, Refusal> {
            import::list_agents(query)
        }
        fn get_agent(&self, target: &str) -> Result<Row, Refusal> {
            import::get_agent(target)
        }
        fn recent_messages(&self, request: &Request) -> Result<Recent, Refusal> {
            import::recent_messages(request)
        }
        fn message_status(&self, message: &str) -> Result<MessageState, Refusal> {
            import::message_status(message)
        }
        fn wait(&self, deadline_ms: Option<u64>) -> Result<String, Refusal> {
            import::wait(deadline_ms)
        }
    }
}
