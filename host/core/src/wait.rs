//! What a turn may wait for between two of its steps (TOOL-3, OBS-3), and what comes of it.

use std::sync::Arc;

use crate::ending::EndReason;
use crate::ids::{AgentId, RequestId};

/// What the result of a tool call waits for, whose guest has long ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum WaitFor {
    /// Something that its next step will read.
    Mail,
    /// What a child comes to that was started in the foreground (START-1).
    Child(AgentId),
    /// The answer to a request (HAND).
    Answer(RequestId),
}

/// What a one-shot child came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// Why it ended.
    pub reason: EndReason,
    /// The last thing it wrote, if it wrote any.
    pub closing: Option<Arc<str>>,
}

/// What came of waiting.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Waited {
    /// So many messages wait; the next step reads them.
    Mail(u32),
    /// The child came to this.
    Ended(Outcome),
    /// The request is answered, or came to its end without an answer; its notice says how.
    Answered,
    /// Nobody who could write is at work, so waiting does not help.
    Nobody,
    /// Nothing came in time.
    TimedOut,
}
