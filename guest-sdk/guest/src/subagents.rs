//! Sending envelopes: the one door of the control plane.

pub use crate::generated::switchboard::plugin::subagents::{
    Acknowledgement, Answer, Attachment, Block, Body, Candidate, Content, Data, Delivery, Envelope,
    Interrupt, Interruption, Member, Outcome, PlanRequest, PlanResponse, Receipt, Recipient,
    Refusal, Relation, ShutdownRequest, ShutdownResponse, Stop, Stopped, Target, Urgency,
};

/// A host that takes envelopes. Inside a component it is the import, in a test
/// [`fake::Subagents`](crate::fake::Subagents).
pub trait Subagents {
    /// Hands the host an envelope, and gives what the host says to it.
    fn send_message(&self, envelope: &Envelope) -> Result<Answer, Refusal>;
}

#[cfg(target_arch = "wasm32")]
impl Subagents for crate::component::Host {
    fn send_message(&self, envelope: &Envelope) -> Result<Answer, Refusal> {
        crate::generated::switchboard::plugin::subagents::send_message(envelope)
    }
}

impl Envelope {
    /// An envelope with no key of its own; the host gives it the key of the tool call.
    pub fn new(to: Target, body: impl Into<Body>) -> Self {
        Self { to, body: body.into(), key: None, extra: Vec::new() }
    }
}

impl Answer {
    /// The request it is about. It is a ticket too ([`Reply::Later`](crate::Reply::Later)): with it
    /// the tool has its result when the request is answered, or comes to an end without.
    pub fn request(&self) -> Option<String> {
        match self {
            Self::Accepted(receipt) => receipt.request.clone(),
            Self::Other(data) => {
                let data: crate::Value = serde_json::from_str(&data.json).ok()?;
                Some(data.get("request_id")?.as_str()?.to_owned())
            }
            Self::FannedOut(_) | Self::Interrupted(_) => None,
        }
    }

    /// What a tool says that has asked for something: if it waits, whatever comes of it.
    pub fn told(self, wait: bool) -> crate::Reply {
        match self.request().filter(|_| wait) {
            Some(ticket) => crate::Reply::Later(ticket),
            None => crate::Output::from(self).into(),
        }
    }
}

impl Target {
    /// An address as a model writes it: an id, a name, `parent`, a role and a name.
    pub fn spoken(address: impl Into<String>) -> Self {
        Self::Spoken(address.into())
    }
}

impl Content {
    /// One block of text that wakes its reader.
    pub fn text(text: impl Into<String>) -> Self {
        Self {
            blocks: vec![Block::Text(text.into())],
            summary: None,
            reply_to: None,
            after: None,
            expires_in_ms: None,
            acknowledge: false,
            urgency: Urgency::Wake,
        }
    }
}

impl Interrupt {
    /// Stops whichever turn is running, and nothing below the target.
    pub fn current_turn() -> Self {
        Self { turn: None, cascade: false, reason: None }
    }
}

impl ShutdownRequest {
    /// Asks an agent to come to an end, with the time for its answer that is usual.
    pub fn because(reason: impl Into<String>) -> Self {
        Self { reason: reason.into(), cleanup: None, grace_ms: None }
    }
}

impl PlanRequest {
    /// Asks for this plan to be approved.
    pub fn new(plan: impl Into<String>) -> Self {
        Self { plan: plan.into(), alternatives: Vec::new(), recommendation: None }
    }
}

macro_rules! bodies {
    ($($said:ident => $kind:ident),*) => {$(
        impl From<$said> for Body {
            fn from(said: $said) -> Self {
                Self::$kind(said)
            }
        }
    )*};
}

bodies! {
    ShutdownRequest => ShutdownRequest,
    ShutdownResponse => ShutdownResponse,
    PlanRequest => PlanRequest,
    PlanResponse => PlanResponse
}

impl From<Content> for Body {
    fn from(content: Content) -> Self {
        Self::Content(content)
    }
}

impl From<Interrupt> for Body {
    fn from(interrupt: Interrupt) -> Self {
        Self::Interrupt(interrupt)
    }
}
