//! What comes in at the door, and what is answered.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::descriptor::Descriptor;
use crate::ending::TurnEnd;
use crate::handshake::{Reply, RequestBody};
use crate::ids::{AgentId, Incarnation, MessageId, RequestId, TurnId};
use crate::key::HostKey;
use crate::message::{Draft, Target};
use crate::name::AgentName;
use crate::time::{Millis, Monotonic, WallTime};
use crate::usage::Usage;
use crate::wait::WaitFor;

/// The time and the chance a command may use.
#[derive(Clone, Copy, Debug)]
pub struct Stamp {
    /// The wall clock, for people.
    pub wall: WallTime,
    /// The clock that never goes back, for rates and waits.
    pub now: Monotonic,
    /// Random bits nobody could know before, for frame boundaries (FRAME-2).
    pub entropy: u128,
}

/// Names somebody who waits for an answer, in this process only.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Ticket(pub u64);

/// Who is calling, as the host knows it (ID-1).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Caller {
    /// An agent, in one of its stays.
    Agent {
        /// Which.
        agent: AgentId,
        /// Which stay the caller belongs to (ID-2).
        incarnation: Incarnation,
    },
    /// The person (ID-6).
    User,
}

/// Which loop is speaking: a turn of a stay of an agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Activation {
    /// Whose.
    pub agent: AgentId,
    /// Which stay.
    pub incarnation: Incarnation,
    /// Which turn.
    pub turn: TurnId,
}

/// One tool call as a model asked for it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, Hash)]
pub struct ToolUse {
    /// The tool's name.
    pub tool: String,
    /// Its arguments: a JSON object, as text.
    pub arguments: String,
}

/// One model answer, to be recorded as a step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StepRecord {
    /// What the model wrote.
    pub text: Arc<str>,
    /// The tools it asks for, in its order; none ends the turn.
    pub calls: Vec<ToolUse>,
    /// How the turn ends if there are no calls: `completed`, `ceiling` or `refusal`.
    pub end: TurnEnd,
}

/// How one tool call ended, to be recorded.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CallRecord {
    /// One word of a closed set: `done`, `failed`, `trapped`, `timed-out`, ...
    pub outcome: String,
    /// What the model is told.
    pub text: String,
    /// What it used.
    #[serde(default)]
    pub usage: Usage,
}

/// A start as it is handed in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StartRequest {
    /// Which kind of agent, in the starter's words.
    pub kind: String,
    /// What that kind is, if the host knows it.
    pub descriptor: Option<Arc<Descriptor>>,
    /// What this one is for, in a line; what its kind is for, if it says nothing.
    pub description: String,
    /// Its first message.
    pub prompt: String,
    /// Whether the starter goes on meanwhile. In the foreground it is a one-shot child, and the
    /// call waits for what it comes to.
    pub background: bool,
    /// Whether it goes on from what its starter knows, as another of its kind (START-3).
    pub fork: bool,
}

/// Whom the person pauses or lets go on (PAUSE-1).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Whom {
    /// This one alone.
    Agent(AgentId),
    /// This one and all below it.
    Tree(AgentId),
    /// All there are now.
    All,
}

/// What a timer was set for. One that no longer applies does nothing when it comes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Timer {
    /// A parked call has waited as long as it may (SEND-13).
    Parking(Ticket),
    /// It is time to try bringing this agent back again (RES-2).
    Rebuild(AgentId, Incarnation),
    /// Bringing this agent into memory has taken too long (START-4).
    Publication(AgentId, Incarnation),
    /// A parked agent has been left alone long enough to be put away (RES-3).
    PutAway(AgentId, Incarnation),
    /// Putting this agent away has taken too long (RES-4).
    Disposal(AgentId, Incarnation),
    /// A call has waited as long as it may (OBS-3).
    Waiting(Ticket),
    /// Calls in flight have had their time (DRAIN-1).
    Drain,
    /// A request may have waited long enough for its answer (HAND-3).
    Request(RequestId),
    /// Something that waits for this agent may have waited too long (FATE-5).
    Expiry(AgentId),
}

/// Everything that can happen to the machine.
#[derive(Clone, Debug)]
pub enum Command {
    /// The host process started on this ledger; what was live is to be brought back (LED-4).
    HostStarted,
    /// A host program brings a root. A root of that name is answered as it is.
    Register {
        /// Who waits.
        ticket: Ticket,
        /// Its name among roots.
        name: AgentName,
        /// What it is.
        descriptor: Arc<Descriptor>,
    },
    /// Somebody hands in a message (SEND).
    Send {
        /// Who waits.
        ticket: Ticket,
        /// Who speaks.
        caller: Caller,
        /// The key of this call, if it may be repeated.
        key: Option<HostKey>,
        /// The message.
        draft: Draft,
        /// How long it may be parked (SEND-13).
        patience: Millis,
    },
    /// An agent acknowledges a message it read (FATE-4).
    Acknowledge {
        /// Who waits.
        ticket: Ticket,
        /// Who acknowledges.
        caller: Caller,
        /// The key of this call, if it may be repeated.
        key: Option<HostKey>,
        /// Which message.
        message: MessageId,
        /// What it says to that.
        note: Option<String>,
    },
    /// Somebody asks for something that wants one answer (HAND).
    Request {
        /// Who waits.
        ticket: Ticket,
        /// Who asks.
        caller: Caller,
        /// The key of this call, if it may be repeated.
        key: Option<HostKey>,
        /// Who is to come to an end. Who is to look at a plan, the machine knows.
        to: Target,
        /// What is asked for.
        body: RequestBody,
    },
    /// Somebody answers a request (HAND-3).
    Respond {
        /// Who waits.
        ticket: Ticket,
        /// Who answers.
        caller: Caller,
        /// The key of this call, if it may be repeated.
        key: Option<HostKey>,
        /// Which request.
        request: RequestId,
        /// What is said to it.
        reply: Reply,
    },
    /// Somebody wants a turn stopped (INT).
    Interrupt {
        /// Who waits.
        ticket: Ticket,
        /// Who wants it.
        caller: Caller,
        /// The key of this call, if it may be repeated.
        key: Option<HostKey>,
        /// Whose turn.
        target: Target,
        /// Only if this turn is the current one.
        turn: Option<TurnId>,
        /// Also the turns of all below.
        cascade: bool,
        /// Why, for the record.
        reason: Option<String>,
    },
    /// An agent starts a child (START).
    Start {
        /// Who waits.
        ticket: Ticket,
        /// Who starts it.
        caller: Caller,
        /// The key of this call, if it may be repeated.
        key: Option<HostKey>,
        /// What is to be started.
        request: StartRequest,
    },
    /// Somebody puts an agent away, with all below it (CLOSE-1).
    Close {
        /// Who waits.
        ticket: Ticket,
        /// Who wants it.
        caller: Caller,
        /// The key of this call, if it may be repeated.
        key: Option<HostKey>,
        /// Whom.
        target: Target,
    },
    /// Somebody wants an agent gone for good, with all below it (DELETE-1).
    Delete {
        /// Who waits.
        ticket: Ticket,
        /// Who wants it.
        caller: Caller,
        /// The key of this call, if it may be repeated.
        key: Option<HostKey>,
        /// Whom.
        target: Target,
    },
    /// The caller of this ticket is gone; if it is parked, nothing will have happened.
    Withdraw {
        /// Whose wait ends.
        ticket: Ticket,
    },
    /// A loop is at a step boundary and takes what waits (DEL-3).
    Claim {
        /// Who waits.
        ticket: Ticket,
        /// Which loop.
        activation: Activation,
    },
    /// A loop has a model answer (TURN-1).
    RecordStep {
        /// Who waits.
        ticket: Ticket,
        /// Which loop.
        activation: Activation,
        /// The answer.
        record: StepRecord,
    },
    /// A loop has the result of a tool call.
    RecordCall {
        /// Who waits.
        ticket: Ticket,
        /// Which loop.
        activation: Activation,
        /// Which call of the last recorded step.
        call: u32,
        /// The result.
        record: CallRecord,
    },
    /// A tool call of a loop has ended, and its result waits for something (TOOL-3).
    Wait {
        /// Who waits.
        ticket: Ticket,
        /// Which loop.
        activation: Activation,
        /// For what.
        on: WaitFor,
        /// How long.
        patience: Millis,
    },
    /// A loop ends its turn otherwise than by an answer without calls.
    EndTurn {
        /// Who waits.
        ticket: Ticket,
        /// Which loop.
        activation: Activation,
        /// How.
        end: TurnEnd,
        /// Why, or what had been written so far.
        note: Option<String>,
    },
    /// A loop stopped and leaves its turn open (DRAIN-1).
    LoopStopped {
        /// Which loop.
        activation: Activation,
    },
    /// The agent is in memory.
    Published {
        /// Whom.
        agent: AgentId,
        /// Which stay.
        incarnation: Incarnation,
    },
    /// The agent could not be brought into memory.
    MaterialiseFailed {
        /// Whom.
        agent: AgentId,
        /// Which stay.
        incarnation: Incarnation,
        /// Why, without anything about the host.
        why: String,
    },
    /// The agent is out of memory.
    Disposed {
        /// Whom.
        agent: AgentId,
        /// Which stay.
        incarnation: Incarnation,
    },
    /// A timer came.
    Timer(Timer),
    /// The person has agents take nothing up, or lets them go on (PAUSE-1).
    Pause {
        /// Who waits.
        ticket: Ticket,
        /// Whom.
        whom: Whom,
        /// Whether they are paused from now on.
        paused: bool,
    },
    /// Somebody puts whole trees away for a while; what waits for them has them go on behind it
    /// (DRAIN-1).
    DrainTrees {
        /// Who waits until all of them are out of memory.
        ticket: Ticket,
        /// Who wants it: the person, or one above them.
        caller: Caller,
        /// The tops of them.
        targets: Vec<AgentId>,
    },
    /// The host is about to stop (DRAIN-1).
    Drain {
        /// Who waits until nothing runs any more.
        ticket: Ticket,
    },
}
