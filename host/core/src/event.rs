//! The facts that are stored. This is the only file with a storage format: each event is a JSON
//! object whose `event` says what it is. An optional field that an older host may ignore keeps the
//! format; anything else, a new kind of event too, raises [`FORMAT`], because a host that does not
//! know a fact must not write behind it.

mod kinds;

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::answer::Interruption;
use crate::command::{CallRecord, ToolUse};
use crate::descriptor::Descriptor;
use crate::ending::{EndReason, TurnEnd};
use crate::handshake::{Digest, Request, RequestEnd};
use crate::ids::{AgentId, Incarnation, LedgerTag, MessageId, Nonce, RequestId, TurnId};
use crate::key::HostKey;
use crate::message::Message;
use crate::name::AgentName;
use crate::receipt::{Delivery, DropReason};
use crate::time::WallTime;

/// The version of the format below. A ledger of a newer one is refused, not guessed at.
pub const FORMAT: u32 = 2;

/// What a receipt says beyond its message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Terms {
    /// The host key of the sending call, if it may be repeated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<HostKey>,
    /// Whether it started a turn.
    pub delivery: Delivery,
    /// How many waited then.
    pub pending: u32,
    /// How many more the pair could send.
    pub budget_left: u32,
    /// It is one of several messages that one call sent (SEND-15).
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub one_of_many: bool,
    /// Its target was paused (PAUSE-1).
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub paused: bool,
}

/// One message as a claim shows it: its id, and the how-manieth showing this is (FATE-3).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shown {
    /// Which.
    pub id: MessageId,
    /// From 1.
    pub delivery: u32,
}

/// What a boundary took from an inbox.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Claim {
    /// The messages, in order of acceptance.
    pub messages: Vec<Shown>,
    /// How many more wait.
    pub left: u32,
    /// What their frames are bounded with (FRAME-2).
    pub nonce: Nonce,
    /// When.
    pub at: WallTime,
}

/// Why a subtree is put away.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ClosingCause {
    /// It came to rest by itself (RES-3).
    Settled,
    /// Somebody closed it (CLOSE-1).
    Closed,
    /// It had been parked for long (RES-3).
    PutAway,
    /// It could not be brought back (RES-2).
    Lost,
    /// It was asked to come to an end, and agreed or did not answer in time (HAND-1).
    ShutDown,
    /// It is deleted (DELETE-1).
    Deleted,
    /// Its tree was drained (DRAIN-1).
    Drained,
}

/// A fact. Replaying all facts of a ledger gives the machine's state (LED-2).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "kebab-case")]
pub enum Event {
    /// The first of every ledger.
    ForestOpened {
        /// The format of what follows.
        format: u32,
        /// The tag in all its ids.
        tag: LedgerTag,
    },
    /// A host process took the ledger up; nobody is in memory.
    HostStarted,
    /// A host program brought a root.
    AgentRegistered {
        /// The root.
        agent: AgentId,
        /// Its name among roots.
        name: AgentName,
        /// What it is.
        descriptor: Arc<Descriptor>,
    },
    /// A child's start was admitted, with its first message (START-1).
    StartAdmitted {
        /// The child.
        agent: AgentId,
        /// Who started it.
        parent: AgentId,
        /// Its name among its siblings.
        name: AgentName,
        /// What it is.
        descriptor: Arc<Descriptor>,
        /// Its first message.
        prompt: Message,
        /// The key of the call that started it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        key: Option<HostKey>,
        /// It goes on from what its parent knew at the end of this turn (START-3).
        #[serde(default, skip_serializing_if = "Option::is_none")]
        seed: Option<TurnId>,
    },
    /// An admitted start came to nothing: the name is free again, the prompt dropped.
    StartWithdrawn {
        /// The child that will not be.
        agent: AgentId,
        /// Why its prompt was dropped.
        reason: DropReason,
    },
    /// The agent is to be brought into memory: for a cold resume (RES-1), or again after a
    /// restart or a failure (RES-2).
    ResumeOrdered {
        /// Whom.
        agent: AgentId,
        /// The stay that begins (ID-2).
        incarnation: Incarnation,
    },
    /// The agent is in memory.
    Published {
        /// Whom.
        agent: AgentId,
        /// Which stay.
        incarnation: Incarnation,
    },
    /// The agent could not be brought into memory.
    ResumeFailed {
        /// Whom.
        agent: AgentId,
        /// Which stay.
        incarnation: Incarnation,
        /// Why.
        why: String,
    },
    /// A message is in its target's inbox.
    Accepted {
        /// The message.
        message: Message,
        /// What its sender was told; none for the host's own.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        terms: Option<Terms>,
    },
    /// A turn began, with what woke it.
    TurnOpened {
        /// Whose.
        agent: AgentId,
        /// Which stay.
        incarnation: Incarnation,
        /// The turn.
        turn: TurnId,
        /// What it begins with.
        claim: Claim,
    },
    /// A running turn took what waited.
    Claimed {
        /// Whose.
        agent: AgentId,
        /// Which turn.
        turn: TurnId,
        /// The step that will see it, from 0.
        step: u32,
        /// What it took.
        claim: Claim,
    },
    /// A claim no step was made from went back to the front of the inbox (FATE-3).
    ClaimReturned {
        /// Whose.
        agent: AgentId,
        /// Which turn.
        turn: TurnId,
        /// Which messages.
        messages: Vec<MessageId>,
        /// Whether it counts against them.
        attempt: bool,
    },
    /// A model answered; all calls it asks for count as started (TURN-3).
    StepRecorded {
        /// Whose.
        agent: AgentId,
        /// Which turn.
        turn: TurnId,
        /// Which step, from 0.
        step: u32,
        /// What it wrote.
        text: Arc<str>,
        /// The calls it asks for.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        calls: Vec<ToolUse>,
        /// The messages it was made from (TURN-2).
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        consumed: Vec<MessageId>,
    },
    /// A tool call ended.
    CallEnded {
        /// Whose.
        agent: AgentId,
        /// Which turn.
        turn: TurnId,
        /// Which step.
        step: u32,
        /// Which call of it.
        call: u32,
        /// How.
        record: CallRecord,
    },
    /// A turn is over; the only such record it has (TURN-5).
    TurnEnded {
        /// Whose.
        agent: AgentId,
        /// Which turn.
        turn: TurnId,
        /// How.
        end: TurnEnd,
        /// Claimed messages no step was made from, given up with it (TURN-4).
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        dropped: Vec<MessageId>,
        /// Claimed messages no step was made from, back in the inbox.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        returned: Vec<MessageId>,
        /// Calls that were in flight, by their place in the step.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        cut: Vec<u32>,
        /// The cut calls were recorded and never started (INT-6).
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        never_started: bool,
        /// Why, or what had been written so far.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        note: Option<String>,
    },
    /// An interrupt was admitted and answered, whatever it found (INT-2, INT-4).
    InterruptAdmitted {
        /// Who wanted it; none is the person.
        by: Option<AgentId>,
        /// The key of the call.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        key: Option<HostKey>,
        /// What was answered.
        answer: Interruption,
        /// Mail accepted up to here waits for a newer wake at each stopped agent (INT-3).
        mark: u64,
        /// Why.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reason: Option<String>,
    },
    /// A request was made that no agent has to read: the person is asked, anew or instead of an
    /// agent that is gone, or the agent that is to come to an end is put away already (HAND).
    RequestRaised {
        /// Whose plan it is, or who is to come to an end.
        agent: AgentId,
        /// The request.
        request: Request,
        /// Who asks; none is the person.
        by: Option<AgentId>,
        /// The key of the call, if it was just made.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        key: Option<HostKey>,
        /// When.
        at: WallTime,
    },
    /// A request has ended; the only such record it has (HAND-3).
    RequestClosed {
        /// Whose plan it was, or who was to come to an end.
        agent: AgentId,
        /// Which request.
        request: RequestId,
        /// How.
        end: RequestEnd,
        /// What it asked for, in short: which plan is approved.
        digest: Digest,
        /// Who answered; none is the person or the host.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        by: Option<AgentId>,
        /// The key of the call that answered.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        key: Option<HostKey>,
    },
    /// Messages were given up outside of a turn's end.
    Dropped {
        /// Whose inbox they were in.
        agent: AgentId,
        /// Which.
        messages: Vec<MessageId>,
        /// Why.
        reason: DropReason,
    },
    /// A subtree is being put away (RES-4).
    Closing {
        /// Its top.
        agent: AgentId,
        /// All of it that is in memory or on its way there, from the top down.
        subtree: Vec<AgentId>,
        /// Why.
        cause: ClosingCause,
        /// Mail accepted up to here no longer wakes them; none leaves their marks alone.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        mark: Option<u64>,
        /// The agent that wanted it, if one did.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        by: Option<AgentId>,
        /// The key of its call.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        key: Option<HostKey>,
    },
    /// An agent and all below it are gone for good; what of them is in memory is put away behind
    /// this (DELETE-1).
    Deleted {
        /// The top of them.
        agent: AgentId,
        /// The agent that wanted it, if one did.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        by: Option<AgentId>,
        /// The key of its call.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        key: Option<HostKey>,
    },
    /// The person paused these (PAUSE-1).
    Paused {
        /// The top of them.
        agent: AgentId,
        /// Those that were not paused before, from the top down.
        agents: Vec<AgentId>,
    },
    /// The person lets these go on (PAUSE-1).
    Resumed {
        /// The top of them.
        agent: AgentId,
        /// Those that were paused, from the top down.
        agents: Vec<AgentId>,
    },
    /// The agent is out of memory, and its parent told in the same breath (SET-2).
    Released {
        /// Whom.
        agent: AgentId,
        /// Which stay ended.
        incarnation: Incarnation,
        /// How it is called.
        reason: EndReason,
        /// What the parent is told, if anything.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        notice: Option<Message>,
        /// Putting it away took too long and was given up.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        abandoned: bool,
    },
}
