//! How turns and residencies end.

use std::fmt;

use serde::{Deserialize, Serialize};

/// How a turn ended; each turn has exactly one such record (TURN-5).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TurnEnd {
    /// The model answered without asking for a tool.
    Completed,
    /// A limit of the model, or of its transcript, was reached.
    Ceiling,
    /// The model refused.
    Refusal,
    /// The model could not be asked, or the agent could not be brought back.
    Error,
    /// Somebody interrupted it.
    Interrupted,
    /// Its agent was put away, or nothing was left to begin it with.
    Aborted,
}

/// Why a residency ended, as the parent is told (SET-1).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum EndReason {
    /// Its work came to an end by itself.
    Completed,
    /// Its last turn hit a limit.
    Ceiling,
    /// Its model refused.
    Refusal,
    /// Its last turn failed.
    Error,
    /// It was closed, drained, or ended by force.
    Aborted,
}

impl EndReason {
    /// What the end of a residency is called, from how its last turn ended and whether somebody
    /// ended it. The bias is against claiming success: a failure stays one when a close follows.
    pub(crate) fn fold(last: Option<TurnEnd>, forced: bool) -> Self {
        match last {
            Some(TurnEnd::Ceiling) => Self::Ceiling,
            Some(TurnEnd::Refusal) => Self::Refusal,
            Some(TurnEnd::Error) => Self::Error,
            Some(TurnEnd::Completed) if !forced => Self::Completed,
            Some(TurnEnd::Completed | TurnEnd::Interrupted | TurnEnd::Aborted) | None => {
                Self::Aborted
            }
        }
    }
}

impl fmt::Display for TurnEnd {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::Completed => "completed",
            Self::Ceiling => "ceiling",
            Self::Refusal => "refusal",
            Self::Error => "error",
            Self::Interrupted => "interrupted",
            Self::Aborted => "aborted",
        })
    }
}

impl fmt::Display for EndReason {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::Completed => "completed",
            Self::Ceiling => "ceiling",
            Self::Refusal => "refusal",
            Self::Error => "error",
            Self::Aborted => "aborted",
        })
    }
}
