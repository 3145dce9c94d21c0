//! Starting agents, putting them away, and having them gone for good.

pub use crate::generated::switchboard::plugin::delegation::{
    Candidate, Closed, ForkRequest, Refusal, StartRequest, Started,
};

use crate::object::Object;
use crate::{Output, Reply};

/// A host that starts and ends agents. Inside a component it is the import, in a test
/// [`fake::Delegation`](crate::fake::Delegation). Each function is granted by itself; a component
/// imports those that it calls.
pub trait Delegation {
    /// Starts a child of the calling agent.
    fn start(&self, request: &StartRequest) -> Result<Started, Refusal>;
    /// Starts one that knows what the calling agent knew at the end of its last completed turn.
    fn fork(&self, request: &ForkRequest) -> Result<Started, Refusal>;
    /// Puts an agent away, with all below it; a message brings it back. `target` is an address as a
    /// model writes it.
    fn close(&self, target: &str) -> Result<Closed, Refusal>;
    /// Has an agent gone for good, with all below it.
    fn delete(&self, target: &str) -> Result<Closed, Refusal>;
}

#[cfg(target_arch = "wasm32")]
mod imported {
    use super::*;
    use crate::generated::switchboard::plugin::delegation as import;

    impl Delegation for crate::component::Host {
        fn start(&self, request: &StartRequest) -> Result<Started, Refusal> {
            import::start(request)
        }
        fn fork(&self, request: &ForkRequest) -> Result<Started, Refusal> {
            import::fork(request)
        }
        fn close(&self, target: &str) -> Result<Closed, Refusal> {
            import::close(target)
        }
        fn delete(&self, target: &str) -> Result<Closed, Refusal> {
            import::delete(target)
        }
    }
}

/// In the foreground the result is what the child comes to. In the background it is, in words, what
/// was started and how to reach it; as data, its id and its name.
impl From<Started> for Reply {
    fn from(started: Started) -> Self {
        let Started { agent, name, ticket, repeated, .. } = started;
        if let Some(ticket) = ticket {
            return Self::Later(ticket);
        }
        let verb = if repeated { "Had started already:" } else { "Started" };
        let text = format!(
            "{verb} {name} ({agent}). It works on its own; what it finds comes as messages."
        );
        let data = Object::default()
            .text("agent_id", &agent)
            .text("name", &name)
            .flag("repeated", repeated);
        Output::text(text).with_structured(data).into()
    }
}

impl Closed {
    /// In words, what was done to it and to those below it; as data, what it was doing.
    pub fn told(self, done: &str) -> Output {
        let Closed { agent, name, was, below, repeated, .. } = self;
        let had = if repeated { "had been done already: " } else { "" };
        let with_it = match below {
            0 => String::new(),
            1 => ", and one agent below it".to_owned(),
            many => format!(", and {many} agents below it"),
        };
        let text = format!("{name} ({agent}) {had}{done}{with_it}. It was {was}.");
        let data = Object::default()
            .text("agent_id", &agent)
            .text("name", &name)
            .text("was", &was)
            .number("below", below)
            .flag("repeated", repeated);
        Output::text(text).with_structured(data)
    }
}
