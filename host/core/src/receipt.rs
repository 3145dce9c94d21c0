//! What a sender is told of a message: its receipt, and how it ended.

use serde::{Deserialize, Serialize};

use crate::ids::{AgentId, MessageId};
use crate::name::AgentName;
use crate::refusal::Refusal;
use crate::time::WallTime;

/// What became of a receipt's message at the moment of acceptance (DEL-6).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Delivery {
    /// The target was idle; a turn starts with it.
    Delivered,
    /// It waits behind current work, or for a place.
    Queued,
}

/// Confirms acceptance, never an answer (DEL-6).
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Receipt {
    /// The accepted message.
    pub message: MessageId,
    /// Its target.
    pub to: AgentId,
    /// The target's name.
    pub name: AgentName,
    /// Whether it starts a turn or waits.
    pub delivery: Delivery,
    /// When it was accepted.
    pub at: WallTime,
    /// How many messages now wait at the target.
    pub pending: u32,
    /// How many more this pair may send at once.
    pub budget_left: u32,
    /// It is the first receipt of this key again (SEND-2).
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub repeated: bool,
    /// The target was paused: it reads this once the person resumes it (PAUSE-1).
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub paused: bool,
}

/// What became of one of several messages that one call sent (SEND-15).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Recipient {
    /// Whom it was for.
    pub to: AgentId,
    /// That agent's name.
    pub name: AgentName,
    /// Whether it was accepted there.
    pub outcome: Result<Receipt, Refusal>,
}

/// How an accepted message ended (FATE-1).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Fate {
    /// A step was made from it.
    Consumed,
    /// It was too old to be claimed.
    Expired,
    /// It was given up.
    Dropped(DropReason),
}

/// Why a message was given up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum DropReason {
    /// It had been claimed by a turn that was interrupted before a step was made from it.
    Interrupted,
    /// Its target could not be brought up.
    StartFailed,
    /// It was shown as often as it may without a step being made from it (FATE-3).
    Poison,
    /// Its target is deleted.
    Deleted,
    /// What it asks was answered, or is not asked of its reader any more (HAND-3).
    Moot,
    /// It had waited as long as it may; its fate is [`Fate::Expired`] (FATE-5).
    Expired,
}

impl DropReason {
    /// The word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Interrupted => "interrupted",
            Self::StartFailed => "start-failed",
            Self::Poison => "poison",
            Self::Deleted => "deleted",
            Self::Moot => "moot",
            Self::Expired => "expired",
        }
    }

    /// The fate of what is given up for it.
    pub fn fate(self) -> Fate {
        match self {
            Self::Expired => Fate::Expired,
            Self::Interrupted | Self::StartFailed | Self::Poison | Self::Deleted | Self::Moot => {
                Fate::Dropped(self)
            }
        }
    }
}
