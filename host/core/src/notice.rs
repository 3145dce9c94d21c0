//! The host's own words (SET-4), as what happened: how they are said is `frame`'s.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::cause::Cause;
use crate::ending::EndReason;
use crate::handshake::{Digest, Handshake, RequestEnd};
use crate::ids::{AgentId, MessageId, RequestId};
use crate::name::AgentName;
use crate::receipt::Fate;

/// The host's own words.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, Hash)]
#[serde(rename_all = "kebab-case")]
pub enum Notice {
    /// A child's residency ended (SET-1).
    Settled {
        /// Which child.
        child: AgentId,
        /// Its name.
        name: AgentName,
        /// Why it ended.
        reason: EndReason,
        /// The last thing it wrote, if it wrote any.
        closing: Option<Arc<str>>,
        /// How many messages it read that were to be acknowledged, and were not (FATE-4).
        #[serde(default, skip_serializing_if = "is_zero")]
        unacknowledged: u32,
        /// Whether it can be written to.
        #[serde(default, skip_serializing_if = "Afterwards::is_stored")]
        afterwards: Afterwards,
    },
    /// Messages of the reader ended without being consumed (FATE-2).
    Fates {
        /// Which, for whom, and how.
        ended: Vec<(MessageId, AgentName, Fate)>,
    },
    /// A child was interrupted by somebody else than the reader (INT-7).
    ChildInterrupted {
        /// Which child.
        child: AgentId,
        /// Its name.
        name: AgentName,
    },
    /// A message of the reader that asked for it is acknowledged (FATE-4).
    Acknowledged {
        /// Which message.
        message: MessageId,
        /// Who acknowledges it.
        by: AgentId,
        /// Its name.
        name: AgentName,
        /// What it says to that.
        note: Option<Arc<str>>,
    },
    /// An agent came to rest without acknowledging messages of the reader (FATE-4).
    Unacknowledged {
        /// Who owes it.
        by: AgentId,
        /// Its name.
        name: AgentName,
        /// Which messages.
        messages: Vec<MessageId>,
    },
    /// What the reader sends has come a long way, and is stopped if it goes on (SEND-17).
    LongChain {
        /// How far it has come.
        cause: Cause,
        /// How many hops are allowed.
        most: u32,
    },
    /// A request of the reader has ended (HAND-3).
    RequestClosed {
        /// Which.
        request: RequestId,
        /// What was asked for.
        kind: Handshake,
        /// Its digest: which plan it was.
        digest: Digest,
        /// Who was asked, with its name; none is the person.
        asked: Option<(AgentId, AgentName)>,
        /// How it ended.
        end: RequestEnd,
    },
    /// A child could not be brought up (START-1).
    StartFailed {
        /// Which child.
        child: AgentId,
        /// The name it would have had; free again.
        name: AgentName,
        /// Why, without anything about the host.
        why: Arc<str>,
    },
}

/// What there is of an agent after its stay.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, Hash)]
#[serde(rename_all = "kebab-case")]
pub enum Afterwards {
    /// It is stored, and a message brings it back.
    #[default]
    Stored,
    /// It ran one task and takes no messages.
    OneShot,
    /// It is gone for good.
    Deleted,
}

impl Afterwards {
    fn is_stored(&self) -> bool {
        *self == Self::Stored
    }
}

impl Notice {
    /// The agent it tells of, if it is one.
    pub fn about(&self) -> Option<AgentId> {
        match self {
            Self::Settled { child: about, .. }
            | Self::ChildInterrupted { child: about, .. }
            | Self::StartFailed { child: about, .. }
            | Self::Acknowledged { by: about, .. }
            | Self::Unacknowledged { by: about, .. } => Some(*about),
            Self::RequestClosed { asked, .. } => asked.as_ref().map(|(asked, _)| *asked),
            Self::Fates { .. } | Self::LongChain { .. } => None,
        }
    }
}

fn is_zero(number: &u32) -> bool {
    *number == 0
}
