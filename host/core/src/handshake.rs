//! Requests that want one answer (HAND): what is asked, what may be said to it, how it ends, and
//! when an answer is due.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use crate::ids::{AgentId, MessageId, RequestId};
use crate::limits::Limits;
use crate::name::AgentName;
use crate::receipt::Receipt;
use crate::refusal::{Code, Refusal};
use crate::time::{Millis, WallTime};

/// What somebody asks for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, Hash)]
#[serde(rename_all = "kebab-case")]
pub enum RequestBody {
    /// That an agent comes to an end (HAND-1).
    Shutdown {
        /// Why.
        reason: String,
        /// What it is to put in order before.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        cleanup: Option<String>,
        /// How long it has from the moment it reads this; what is usual if none.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        grace: Option<Millis>,
    },
    /// That a plan is approved (HAND-2).
    Plan {
        /// What is to be done.
        plan: String,
        /// What could be done instead.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        alternatives: Vec<String>,
        /// What the asking agent would choose.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        recommendation: Option<String>,
    },
}

/// What is asked for, without the words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, Hash)]
#[serde(rename_all = "kebab-case")]
pub enum Handshake {
    /// That an agent comes to an end.
    Shutdown,
    /// That a plan is approved.
    Plan,
}

/// The most alternatives of a plan.
const ALTERNATIVES: usize = 16;

impl RequestBody {
    /// Which kind it is.
    pub fn kind(&self) -> Handshake {
        match self {
            Self::Shutdown { .. } => Handshake::Shutdown,
            Self::Plan { .. } => Handshake::Plan,
        }
    }

    /// Every text of it, in order.
    fn texts(&self) -> impl Iterator<Item = &str> {
        let (first, more, last) = match self {
            Self::Shutdown { reason, cleanup, .. } => (reason, [].as_slice(), cleanup),
            Self::Plan { plan, alternatives, recommendation } => {
                (plan, alternatives.as_slice(), recommendation)
            }
        };
        let texts = std::iter::once(first).chain(more).chain(last);
        texts.map(String::as_str)
    }

    /// Bytes of its texts.
    pub fn bytes(&self) -> usize {
        self.texts().map(str::len).sum()
    }

    /// What tells one plan from another: an approval is for the one with this digest alone.
    pub fn digest(&self) -> Digest {
        let kind = match self {
            Self::Shutdown { .. } => "shutdown",
            Self::Plan { .. } => "plan",
        };
        Digest::of(std::iter::once(kind).chain(self.texts()))
    }

    /// Refuses what says nothing or is too large; nothing is ever cut (SEND-4).
    ///
    /// # Errors
    /// `invalid-argument` or `message-too-large`, with both numbers.
    pub fn check(&self, limits: &Limits) -> Result<(), Refusal> {
        let invalid = |text: &str| Err(Refusal::new(Code::InvalidArgument, text));
        match self {
            Self::Shutdown { reason, .. } if reason.trim().is_empty() => {
                return invalid("the request gives no reason; say why the agent is to end");
            }
            Self::Plan { plan, .. } if plan.trim().is_empty() => {
                return invalid("the plan is empty; write what you would do");
            }
            Self::Shutdown { grace: Some(grace), .. }
                if *grace == Millis(0) || *grace > limits.longest_grace =>
            {
                let text = format!(
                    "an agent may be given 1 ms to {} to answer, not {grace}",
                    limits.longest_grace
                );
                return invalid(&text);
            }
            Self::Plan { alternatives, .. } if alternatives.len() > ALTERNATIVES => {
                return invalid(&format!("a plan has at most {ALTERNATIVES} alternatives"));
            }
            Self::Shutdown { .. } | Self::Plan { .. } => (),
        }
        check_size(self.texts(), limits)
    }

    /// How long whoever is asked has to answer.
    pub(crate) fn within(&self, limits: &Limits) -> Millis {
        match self {
            Self::Shutdown { grace, .. } => grace.unwrap_or(limits.grace),
            Self::Plan { .. } => limits.plan_answer,
        }
    }
}

/// Refuses more text than a message may have (SEND-4).
fn check_size<'a>(texts: impl Iterator<Item = &'a str>, limits: &Limits) -> Result<(), Refusal> {
    let (mut chars, mut bytes) = (0, 0);
    for text in texts {
        chars += text.chars().count();
        bytes += text.len();
    }
    if chars <= limits.message_chars && bytes <= limits.message_bytes {
        return Ok(());
    }
    let text = format!(
        "this has {chars} characters and {bytes} bytes; {} characters and {} bytes are allowed. \
         Shorten it",
        limits.message_chars, limits.message_bytes
    );
    Err(Refusal::new(Code::MessageTooLarge, text))
}

/// What is said to a request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, Hash)]
#[serde(rename_all = "kebab-case")]
pub enum Reply {
    /// To being asked to come to an end.
    Shutdown {
        /// Whether it agrees; then it is put away.
        approve: bool,
        /// Whether it has put in order what it was to.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        cleaned_up: bool,
        /// What it says to that.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        report: Option<String>,
    },
    /// To a plan.
    Plan {
        /// Whether it may be carried out.
        approve: bool,
        /// What is said to it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        feedback: Option<String>,
    },
}

impl Reply {
    /// Which kind of request it answers.
    pub fn kind(&self) -> Handshake {
        match self {
            Self::Shutdown { .. } => Handshake::Shutdown,
            Self::Plan { .. } => Handshake::Plan,
        }
    }

    /// Whether it says yes.
    pub fn approves(&self) -> bool {
        match self {
            Self::Shutdown { approve, .. } | Self::Plan { approve, .. } => *approve,
        }
    }

    /// What tells it from another.
    pub(crate) fn digest(&self) -> Digest {
        let said = match self {
            Self::Shutdown { approve: true, cleaned_up: true, .. } => "leaves in order",
            Self::Shutdown { approve: true, .. } => "leaves",
            Self::Shutdown { .. } => "stays",
            Self::Plan { approve: true, .. } => "approves",
            Self::Plan { .. } => "refuses",
        };
        Digest::of(std::iter::once(said).chain(self.words()))
    }

    /// What is said besides yes or no.
    pub fn words(&self) -> Option<&str> {
        match self {
            Self::Shutdown { report: words, .. } | Self::Plan { feedback: words, .. } => {
                words.as_deref()
            }
        }
    }

    /// Refuses what is too large.
    ///
    /// # Errors
    /// `message-too-large`, with both numbers.
    pub fn check(&self, limits: &Limits) -> Result<(), Refusal> {
        check_size(self.words().into_iter(), limits)
    }
}

/// A request as it is shown to whoever is to answer it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, Hash)]
pub struct Request {
    /// Its id, by which it is answered.
    pub id: RequestId,
    /// What is asked for.
    pub body: RequestBody,
    /// How long there is for an answer: to come to an end, from when this is first read; to a
    /// plan, from when this was asked.
    pub within: Millis,
    /// An earlier request of the same kind that nobody has to answer any more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replaces: Option<RequestId>,
}

/// How a request ended. It ends once (HAND-3).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, Hash)]
#[serde(rename_all = "kebab-case")]
pub enum RequestEnd {
    /// Whoever was asked has answered.
    Answered(Reply),
    /// An agent that did not read it, or did not answer, in time was put away.
    Forced,
    /// A plan nobody answered in time; that is a no.
    Unanswered,
    /// The agent that was to come to an end was put away already.
    AlreadySettled,
    /// The agent that was to come to an end did otherwise, or never came up.
    Ended,
    /// The same agent asked anew.
    Superseded(RequestId),
    /// Whoever asked, or was asked, is deleted (DELETE-1).
    Cancelled,
}

/// The answer to a request: that it was asked. What is said to it comes as a message (HAND-3).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Requested {
    /// The request.
    pub request: RequestId,
    /// Who was asked.
    pub asked: Asked,
    /// It is the first answer of this key again.
    pub repeated: bool,
}

/// Who is to answer a request.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Asked {
    /// An agent; the request waits in its inbox.
    Agent(Receipt),
    /// The person.
    Person,
    /// Nobody: the agent that was to come to an end is put away already (HAND-1).
    Settled(AgentId, AgentName),
}

/// The answer to a response: that it counts (HAND-3).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Responded {
    /// The request that has its answer.
    pub request: RequestId,
    /// Who asked, and is told; none is the person.
    pub to: Option<AgentId>,
    /// It is the first answer of this key again.
    pub repeated: bool,
}

/// A request that is still to be answered.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct OpenRequest {
    /// What is asked for.
    pub request: Request,
    /// Who asks; none is the person.
    pub by: Option<AgentId>,
    /// Who is to answer; none is the person.
    pub asked: Option<AgentId>,
    /// The message it is read as; none for the person.
    pub message: Option<MessageId>,
    /// When that one was asked.
    pub at: WallTime,
    /// When it was first read.
    pub claimed: Option<WallTime>,
}

impl OpenRequest {
    /// When it ends without an answer. One that is to come to an end has its grace from when it
    /// reads that, and only so long to read it (HAND-1).
    pub fn due(&self, limits: &Limits) -> WallTime {
        match (self.request.body.kind(), self.claimed) {
            (Handshake::Shutdown, Some(claimed)) => claimed + self.request.within,
            (Handshake::Shutdown, None) => self.at + limits.shutdown_unread,
            (Handshake::Plan, _) => self.at + self.request.within,
        }
    }
}

/// Tells one plan from another: 64 bits (FNV-1a). What an approval is for, the request's id says,
/// and the ledger has its words; this is to see it by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Digest(u64);

impl Digest {
    fn of<'a>(texts: impl Iterator<Item = &'a str>) -> Self {
        // A byte that is in no text keeps those apart that would read the same in a row.
        let bytes = texts.flat_map(|text| text.bytes().chain([0xff]));
        let mixed = |mixed: u64, byte| (mixed ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        Self(bytes.fold(0xcbf2_9ce4_8422_2325, mixed))
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{:016x}", self.0)
    }
}

impl Serialize for Digest {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Digest {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = std::borrow::Cow::<str>::deserialize(deserializer)?;
        u64::from_str_radix(&text, 16).map(Digest).map_err(de::Error::custom)
    }
}
