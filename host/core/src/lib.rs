//! The pure machine of Switchboard.
//!
//! A [`Forest`] is every agent of one ledger: who they are, what waits in their inboxes, which
//! turns are open. [`Forest::step`] takes a [`Command`] and answers with the [`Event`]s to store,
//! the [`Effect`]s to perform and the [`Answer`]s to give. It knows no clock, no randomness, no
//! I/O: a command brings the time and the entropy it may use ([`Stamp`]).
//!
//! The modules stand in reading order; each imports only from those above it.
#![warn(missing_docs)]

mod agent;
mod budget;
mod command;
mod descriptor;
mod desk;
mod effect;
mod ending;
mod event;
mod forest;
mod frame;
mod ids;
mod inbox;
mod kinship;
mod limits;
mod message;
mod refusal;
mod time;

pub use agent::{Activity, Agent, Life, OpenTurn, Residency};
pub use command::{
    Activation, Answer, CallRecord, Caller, Claimed, Command, HostKey, Interruption, LoopAnswer,
    Stamp, StartRequest, Started, StepRecord, Stop, Stopped, Ticket, Timer, ToolUse,
};
pub use descriptor::{Descriptor, Mode, ReportTool};
pub use effect::{CancelCause, Effect};
pub use ending::{EndReason, TurnEnd};
pub use event::{Claim, ClosingCause, Event, FORMAT, Shown, Terms};
pub use forest::{Forest, Step};
pub use frame::render;
pub use ids::{
    AgentId, AgentName, Id, IdError, Incarnation, Kind, LedgerTag, MessageId, NameError, Nonce,
    RequestId, TurnId,
};
pub use inbox::{Inbox, Item};
pub use kinship::{Kinship, ReachPolicy, Relationship, Verb, may, relationship};
pub use limits::{LimitError, Limits};
pub use message::{
    Attachment, Block, Content, Delivery, Draft, DropReason, Fate, Message, MessageKind, Notice,
    Receipt, Relation, Schedule, Sender, Target,
};
pub use refusal::{Candidate, Code, Refusal};
pub use time::{Millis, Monotonic, WallTime};
