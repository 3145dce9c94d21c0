//! The pure machine of Switchboard.
//!
//! A [`Forest`] is every agent of one ledger: who they are, what waits in their inboxes, which
//! turns are open. [`Forest::step`] takes a [`Command`] and answers with the [`Event`]s to store,
//! the [`Effect`]s to perform and the [`Answer`]s to give. It knows no clock, no randomness, no
//! I/O: a command brings the time and the entropy it may use ([`Stamp`]).
//!
//! The modules stand in reading order; each imports only from those above it.
#![warn(missing_docs)]

mod spelling;
mod ids;
mod name;
mod time;
mod limits;
mod refusal;
mod ending;
mod kinship;
mod receipt;
mod handshake;
mod requests;
mod cause;
mod notice;
mod message;
mod descriptor;
mod usage;
mod wait;
mod inbox;
mod activity;
mod key;
mod command;
mod answer;
mod effect;
mod event;
mod kept;
mod agent;
mod roster;
mod budget;
mod frame;
mod facts;
mod waits;
mod desk;
mod forest;

pub use activity::Activity;
pub use agent::{Agent, Life, Obligation, OpenTurn, Residency};
pub use answer::{
    Answer, Claimed, Closed, DrainedTrees, Interruption, LoopAnswer, Started, Stop, Stopped,
};
pub use cause::Cause;
pub use command::{
    Activation, CallRecord, Caller, Command, Stamp, StartRequest, StepRecord, Ticket, Timer,
    ToolUse, Whom,
};
pub use descriptor::{Descriptor, Mode, ReportTool};
pub use effect::{CancelCause, Effect};
pub use ending::{EndReason, TurnEnd};
pub use event::{Claim, ClosingCause, Event, FORMAT, Shown, Terms};
pub use forest::{Forest, Step, Unfit};
pub use frame::{render, words};
pub use handshake::{
    Asked, Digest, Handshake, OpenRequest, Reply, Request, RequestBody, RequestEnd, Requested,
    Responded,
};
pub use ids::{
    AgentId, Id, IdError, Incarnation, Kind, LedgerTag, MessageId, Nonce, RequestId, TurnId,
};
pub use inbox::{Inbox, Item};
pub use key::HostKey;
pub use kinship::{Kinship, ReachPolicy, Relationship, Verb, may, relationship};
pub use limits::{LimitError, Limits};
pub use message::{
    Attachment, Block, Content, Draft, Message, MessageKind, Relation, Schedule, Sender, Target,
};
pub use name::{AgentName, NameError};
pub use notice::{Afterwards, Notice};
pub use receipt::{Delivery, DropReason, Fate, Receipt, Recipient};
pub use refusal::{Candidate, Code, Refusal};
pub use roster::{Roster, RosterQuery, Row, Scope};
pub use time::{Micros, Millis, Monotonic, WallTime};
pub use usage::Usage;
pub use wait::{Outcome, WaitFor, Waited};
