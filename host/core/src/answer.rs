//! What is answered, once it is durable.

use serde::{Deserialize, Serialize};

use crate::activity::Activity;
use crate::ending::TurnEnd;
use crate::handshake::{Requested, Responded};
use crate::ids::{AgentId, TurnId};
use crate::name::AgentName;
use crate::receipt::{Receipt, Recipient};
use crate::refusal::Refusal;
use crate::wait::Waited;

/// What became of a turn somebody wanted stopped (INT-4).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, Hash)]
#[serde(rename_all = "kebab-case")]
pub enum Stop {
    /// This turn is being stopped.
    Cancelling(TurnId),
    /// No turn was open.
    AlreadyIdle,
    /// The agent is being put away, or is.
    AlreadyFinished,
    /// The expected turn is over; this one runs.
    TurnMoved(TurnId),
    /// Its start was withdrawn before it was up.
    NotStarted,
}

/// One agent and what became of its turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, Hash)]
pub struct Stopped {
    /// Whose.
    pub agent: AgentId,
    /// What became of it.
    pub stop: Stop,
}

/// The answer to an interrupt (INT-4).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, Hash)]
pub struct Interruption {
    /// The target.
    pub target: Stopped,
    /// Those below it, if asked for.
    pub below: Vec<Stopped>,
    /// Those below it that go on.
    pub still_running: Vec<AgentId>,
    /// The tool calls that were in flight.
    pub calls_cut: Vec<String>,
    /// How many messages now wait behind the mark.
    pub parked: u32,
}

/// The answer to an admitted start (START-1).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, Hash)]
pub struct Started {
    /// The child.
    pub agent: AgentId,
    /// The name it goes by among its siblings.
    pub name: AgentName,
    /// It is the first answer of this key again.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub repeated: bool,
}

/// The answer to a close or a delete (CLOSE-1, DELETE-1).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Closed {
    /// The agent.
    pub agent: AgentId,
    /// Its name.
    pub name: AgentName,
    /// What it was doing.
    pub was: Activity,
    /// How many below it go with it.
    pub below: u32,
    /// It is the first answer of this key again.
    pub repeated: bool,
}

/// What came of draining trees (DRAIN-1).
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct DrainedTrees {
    /// Who is out of memory by it, in order.
    pub released: Vec<AgentId>,
    /// Those of them whose putting away took too long and was given up.
    pub abandoned: Vec<AgentId>,
}

/// What a loop is told to do next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LoopAnswer {
    /// Go on; a claim took this many messages.
    GoOn(Claimed),
    /// The turn is over; the loop ends.
    TurnOver(TurnEnd),
    /// Stop without ending the turn (DRAIN-1), or because the caller is a stale loop (ID-2).
    Stop,
}

/// What a boundary brought.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Claimed {
    /// How many messages were taken.
    pub messages: u32,
}

/// What the one who waits is told, once it is durable (SEND-12).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// The root.
    Registered(AgentId),
    /// The message is in the inbox.
    Accepted(Receipt),
    /// What became of it at each of those it was for, in order of their ids (SEND-15).
    FannedOut(Vec<Recipient>),
    /// What the interrupt did.
    Interrupted(Interruption),
    /// The request is asked, or its target put away already.
    Requested(Requested),
    /// The request has its answer.
    Responded(Responded),
    /// The child is admitted.
    Started(Started),
    /// The agent is being put away, or was already.
    Closed(Closed),
    /// The agent is gone for good, or was already.
    Deleted(Closed),
    /// What came of waiting.
    Waited(Waited),
    /// To a loop.
    Loop(LoopAnswer),
    /// These are paused now, or go on; those that were so before are not named.
    Paused(Vec<AgentId>),
    /// The trees are out of memory.
    TreesDrained(DrainedTrees),
    /// Nothing runs any more.
    Drained,
    /// No, and why.
    Refused(Refusal),
}
