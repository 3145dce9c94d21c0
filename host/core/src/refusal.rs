//! Refusals: a stable code, and a text that says what to do next.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::time::Millis;

macro_rules! codes {
    ($($(#[$doc:meta])* $name:ident = $text:literal, $retry:literal;)*) => {
        /// Why something was refused. On the wire it is its text, and the set is open there.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(rename_all = "kebab-case")]
        pub enum Code { $($(#[$doc])* $name,)* }

        impl Code {
            /// Every code there is.
            pub const ALL: &[Self] = &[$(Self::$name),*];

            /// The code as it stands on the wire.
            pub fn as_str(self) -> &'static str {
                match self { $(Self::$name => $text,)* }
            }

            /// Whether the same call may succeed later.
            pub fn retry(self) -> bool {
                match self { $(Self::$name => $retry,)* }
            }
        }
    };
}

codes! {
    /// The caller is not the live holder of the agent it speaks for, or not in the standing to
    /// send (ID-2, SEND-8).
    Unauthorized = "unauthorized", false;
    /// The host is about to stop (SEND-3, DRAIN-1).
    Draining = "draining", true;
    /// The call itself is wrong.
    InvalidArgument = "invalid-argument", false;
    /// The body is over a limit (SEND-4).
    MessageTooLarge = "message-too-large", false;
    /// Not there, or not for this caller: one answer for both (REACH-4).
    Unreachable = "unreachable", false;
    /// The address fits several agents (SEND-5).
    Ambiguous = "ambiguous", false;
    /// Whoever had this name is deleted, and another has it now (ID-5).
    StaleName = "stale-name", false;
    /// The target is gone for good (SEND-10, DELETE-1).
    Deleted = "deleted", false;
    /// An agent's message to itself (SEND-6).
    SelfMessage = "self-message", false;
    /// The sender is being put away (SEND-8).
    ActivationClosing = "activation-closing", false;
    /// The sender's parent cannot get mail (SEND-8).
    ParentUnavailable = "parent-unavailable", false;
    /// Too much waits for the target (SEND-11).
    InboxFull = "inbox-full", true;
    /// The sender sends this target too often (SEND-11).
    RateLimited = "rate-limited", true;
    /// A chain of messages has gone on for too long (SEND-17).
    BudgetExhausted = "budget-exhausted", false;
    /// No room for one more agent (START-2, RES-5).
    Capacity = "capacity", true;
    /// The target's model takes no images (SEND-9).
    ModelDoesNotSupportImages = "model-does-not-support-images", false;
    /// The target could not be brought up (RES-2).
    StartFailed = "start-failed", true;
    /// The target cannot be messaged again (SEND-10).
    NotResumable = "not-resumable", false;
    /// It waited as long as it may; nothing was accepted (SEND-13).
    TimedOut = "timed-out", true;
    /// The tool's grant does not have it (SAND-2).
    NotGranted = "not-granted", false;
    /// The caller may change nothing until its plan is approved (HAND-2).
    ReadOnly = "read-only", false;
    /// The request has its answer (HAND-3).
    AlreadyAnswered = "already-answered", false;
    /// Those who wait would wait for one another (HAND-4).
    WouldDeadlock = "would-deadlock", false;
    /// The caller is paused, and starts nothing (PAUSE-1).
    Paused = "paused", true;
    /// There is no such thing for this caller.
    NotFound = "not-found", false;
    /// The ledger cannot be written (LED-3).
    LedgerUnavailable = "ledger-unavailable", true;
    /// The host's own fault.
    Internal = "internal", true;
}

impl fmt::Display for Code {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.as_str())
    }
}

/// Somebody the caller can reach instead.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Candidate {
    /// How to address it.
    pub address: String,
    /// What it is to the caller.
    pub relation: String,
}

/// A refusal. Nothing was done, unless it is marked uncertain.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, thiserror::Error)]
#[error("{code}: {text}")]
pub struct Refusal {
    /// The stable code.
    pub code: Code,
    /// What to do next, in words.
    pub text: String,
    /// After how long trying again can help.
    pub retry_after: Option<Millis>,
    /// The host cannot say whether it happened.
    pub uncertain: bool,
    /// Who can be reached instead; at most [`Limits::candidates`](crate::Limits::candidates).
    pub candidates: Vec<Candidate>,
}

impl Refusal {
    /// A plain refusal.
    pub fn new(code: Code, text: impl Into<String>) -> Self {
        Self { code, text: text.into(), retry_after: None, uncertain: false, candidates: vec![] }
    }

    /// The same, with when to try again.
    #[must_use]
    pub fn after(self, wait: Millis) -> Self {
        Self { retry_after: Some(wait), ..self }
    }

    /// The same, with those who can be reached.
    #[must_use]
    pub fn with_candidates(self, candidates: Vec<Candidate>) -> Self {
        Self { candidates, ..self }
    }

    /// The same, marked as possibly done all the same.
    #[must_use]
    pub fn uncertain(self) -> Self {
        Self { uncertain: true, ..self }
    }
}
