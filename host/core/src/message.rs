//! Messages: what a sender hands in, what was accepted, and how it ended.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::ending::EndReason;
use crate::handshake::{Digest, Handshake, Request, RequestEnd};
use crate::ids::{AgentId, MessageId, RequestId};
use crate::kinship::Relationship;
use crate::limits::Limits;
use crate::name::AgentName;
use crate::receipt::Fate;
use crate::refusal::{Code, Refusal};
use crate::time::{Millis, WallTime};

/// What kin somebody is, as a sender says it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Relation {
    /// The one above.
    Parent,
    /// One below.
    Child,
    /// One beside, with the same parent.
    Sibling,
}

/// Whom a sender means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// This agent.
    Agent(AgentId),
    /// A parent, or a child or sibling by name.
    Member(Relation, Option<String>),
    /// An address as a model writes it: an id, a name, `parent`, `child:name`.
    Spoken(String),
    /// Everybody it may send to.
    Everyone,
    /// Whoever woke the sender.
    Origin,
}

/// Something the host keeps, by handle.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Attachment {
    /// Its handle.
    pub handle: String,
    /// Its media type.
    pub media_type: String,
}

/// One part of a message.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Block {
    /// Words.
    Text(String),
    /// A JSON value of a named kind.
    Data {
        /// What it is.
        kind: String,
        /// The value, as JSON text.
        json: String,
    },
    /// An image the host keeps.
    Image(Attachment),
    /// Another file the host keeps.
    Attached(Attachment),
}

/// What a message says.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Content {
    /// Its parts, in order.
    pub blocks: Vec<Block>,
    /// A line for people; never shown to a model as the message, never routed on (FRAME-3).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
    /// Which message it answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reply_to: Option<MessageId>,
    /// How long it may wait before it is claimed; afterwards nobody reads it (FATE-5).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_in: Option<Millis>,
    /// Its reader is asked to acknowledge it (FATE-4).
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub acknowledge: bool,
    /// It wakes nobody by itself and wants no answer (FATE-6).
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub reply_optional: bool,
}

/// Tells contents apart without keeping them. It is never stored: replay makes it anew.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ContentDigest(u64, u64);

/// The most parts of one message, and the most characters of a kind, a handle or a media type.
const BLOCKS: usize = 64;
const LABEL_CHARS: usize = 256;
/// The most characters of a summary (FRAME-3).
const SUMMARY_CHARS: usize = 200;

impl Content {
    /// What tells it from another.
    pub(crate) fn digest(&self) -> ContentDigest {
        let hash = |salt: u8| {
            let mut hasher = DefaultHasher::new();
            hasher.write_u8(salt);
            self.hash(&mut hasher);
            hasher.finish()
        };
        ContentDigest(hash(0), hash(1))
    }

    /// A message of words alone.
    pub fn text(words: impl Into<String>) -> Self {
        Self { blocks: vec![Block::Text(words.into())], ..Self::default() }
    }

    /// All words and data of it, one after the other.
    pub fn plain(&self) -> String {
        let parts = self.blocks.iter().map(|block| match block {
            Block::Text(words) => words.clone(),
            Block::Data { kind, json } => format!("{kind}: {json}"),
            Block::Image(kept) | Block::Attached(kept) => {
                format!("[{}: {}]", kept.media_type, kept.handle)
            }
        });
        parts.collect::<Vec<_>>().join("\n")
    }

    /// Whether it holds an image (SEND-9).
    pub fn has_image(&self) -> bool {
        self.blocks.iter().any(|block| matches!(block, Block::Image(_)))
    }

    /// Bytes of text and data.
    pub fn bytes(&self) -> usize {
        self.texts().map(str::len).sum()
    }

    /// Refuses what is empty or too large (SEND-4). Nothing is ever cut.
    ///
    /// # Errors
    /// `invalid-argument` or `message-too-large`, with both numbers.
    pub fn check(&self, limits: &Limits) -> Result<(), Refusal> {
        if self.is_empty() {
            return Err(Refusal::new(
                Code::InvalidArgument,
                "the message is empty; write what the other agent should know or do",
            ));
        }
        self.check_labels()?;
        if self.expires_in == Some(Millis(0)) {
            return Err(Refusal::new(
                Code::InvalidArgument,
                "a message that expires at once is read by nobody; give it at least 1 ms",
            ));
        }
        let bytes = self.bytes();
        let chars: usize = if bytes <= limits.message_chars {
            bytes
        } else {
            self.texts().map(|text| text.chars().count()).sum()
        };
        if chars > limits.message_chars || bytes > limits.message_bytes {
            return Err(Refusal::new(
                Code::MessageTooLarge,
                format!(
                    "the message has {chars} characters and {bytes} bytes; {} characters and {} \
                     bytes are allowed. Shorten it, or send it in parts",
                    limits.message_chars, limits.message_bytes
                ),
            ));
        }
        Ok(())
    }

    fn is_empty(&self) -> bool {
        self.blocks.iter().all(|block| match block {
            Block::Text(text) | Block::Data { json: text, .. } => text.trim().is_empty(),
            Block::Image(_) | Block::Attached(_) => false,
        })
    }

    /// What stands around the words is short.
    fn check_labels(&self) -> Result<(), Refusal> {
        let over = |text: &str, most: usize| text.len() > most && text.chars().count() > most;
        let long_label = |block: &Block| match block {
            Block::Text(_) => false,
            Block::Data { kind, .. } => over(kind, LABEL_CHARS),
            Block::Image(kept) | Block::Attached(kept) => {
                over(&kept.handle, LABEL_CHARS) || over(&kept.media_type, LABEL_CHARS)
            }
        };
        let what = if self.blocks.len() > BLOCKS {
            format!("the message has {} parts; {BLOCKS} are allowed", self.blocks.len())
        } else if self.blocks.iter().any(long_label) {
            format!("a kind, a handle and a media type have at most {LABEL_CHARS} characters")
        } else if self.summary.as_ref().is_some_and(|summary| over(summary, SUMMARY_CHARS)) {
            format!("a summary has at most {SUMMARY_CHARS} characters")
        } else {
            return Ok(());
        };
        Err(Refusal::new(Code::MessageTooLarge, what))
    }

    fn texts(&self) -> impl Iterator<Item = &str> {
        self.blocks.iter().flat_map(|block| match block {
            Block::Text(text) => [text.as_str(), ""],
            Block::Data { kind, json } => [kind.as_str(), json.as_str()],
            // Bounded by its labels.
            Block::Image(_) | Block::Attached(_) => ["", ""],
        })
    }
}

/// What a sender hands in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Draft {
    /// For whom.
    pub to: Target,
    /// What it says.
    pub content: Content,
}

/// Who speaks in a message, as its reader is told.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Sender {
    /// Another agent, and what it is to the reader.
    Agent {
        /// Its id.
        id: AgentId,
        /// Its name.
        name: AgentName,
        /// What it is to the reader.
        relationship: Relationship,
    },
    /// The person (ID-6).
    User,
    /// The host itself.
    Host,
}

/// At which boundary a message is claimed (DEL-1).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Schedule {
    /// At the next step, in the middle of a running turn.
    NextStep,
    /// At the start of a turn, one at a time.
    NextTurn,
}

/// What a message is (SET-4): the ledger never merges an agent's words with the host's.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum MessageKind {
    /// What an agent chose to say to another.
    Relay,
    /// The first message of a child, from the one who started it.
    Prompt,
    /// What the person says to an agent.
    Instruction,
    /// What wants one answer, by its id (HAND-3).
    Request(Request),
    /// What the host says.
    Notice(Notice),
}

/// The host's own words.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
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
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
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

/// What a message follows from: which message began it all, and how many stand between (SEND-17).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cause {
    /// The first of the chain.
    pub chain: MessageId,
    /// How many messages this is behind the first.
    pub hop: u32,
}

impl Cause {
    /// What follows from this.
    #[must_use]
    pub fn next(self) -> Self {
        Self { hop: self.hop.saturating_add(1), ..self }
    }
}

/// An accepted message.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Message {
    /// Its id; ids of one ledger are in order of acceptance.
    pub id: MessageId,
    /// Who speaks.
    pub from: Sender,
    /// Whose inbox it is in.
    pub to: AgentId,
    /// What it is.
    pub kind: MessageKind,
    /// What it says; empty for a notice and a request, whose words are made when they are shown.
    pub content: Arc<Content>,
    /// At which boundary it is claimed.
    pub schedule: Schedule,
    /// Whether it may start a turn.
    pub wakes: bool,
    /// When it was accepted.
    pub at: WallTime,
    /// What it follows from; none if it is the first of its chain (SEND-17).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cause: Option<Cause>,
}

impl Message {
    /// Its place in its chain.
    pub fn place_in_chain(&self) -> Cause {
        self.cause.unwrap_or(Cause { chain: self.id, hop: 0 })
    }

    /// When nobody may claim it any more, if it was never claimed (FATE-5). What the host says, and
    /// what an agent was started for, stays; a request has a deadline of its own.
    pub fn expires(&self, limits: &Limits) -> Option<WallTime> {
        match self.kind {
            MessageKind::Relay | MessageKind::Instruction => {
                let most = limits.unclaimed;
                Some(self.at + self.content.expires_in.map_or(most, |wanted| wanted.min(most)))
            }
            MessageKind::Prompt | MessageKind::Request(_) | MessageKind::Notice(_) => None,
        }
    }
}

fn is_zero(number: &u32) -> bool {
    *number == 0
}
