//! Starting agents.

pub use crate::generated::switchboard::plugin::delegation::{Refusal, StartRequest, Started};

use crate::Output;
use crate::object::Object;

/// A host that starts agents. Inside a component it is the import, in a test
/// [`fake::Delegation`](crate::fake::Delegation).
pub trait Delegation {
    /// Starts a child of the calling agent.
    fn start(&self, request: &StartRequest) -> Result<Started, Refusal>;
}

#[cfg(target_arch = "wasm32")]
impl Delegation for crate::component::Host {
    fn start(&self, request: &StartRequest) -> Result<Started, Refusal> {
        crate::generated::switchboard::plugin::delegation::start(request)
    }
}

/// In words, what was started and how to reach it; as data, its id and its name.
impl From<Started> for Output {
    fn from(started: Started) -> Self {
        let Started { agent, name, repeated, .. } = started;
        let verb = if repeated { "Had started already:" } else { "Started" };
        let text = format!(
            "{verb} {name} ({agent}). It works on its own; what it finds comes as messages."
        );
        let data = Object::default()
            .text("agent_id", &agent)
            .text("name", &name)
            .flag("repeated", repeated);
        Output::text(text).with_structured(data)
    }
}
