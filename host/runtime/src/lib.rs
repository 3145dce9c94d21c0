//! The shell around the machine: one task that owns the [`Forest`](switchboard_core::Forest), the
//! loop every turn runs in, and recovery.
//!
//! A host program holds a [`Switchboard`]. The seams are three traits: a [`Driver`] is one model
//! call, a [`ToolHost`] one tool call, and the [`ControlPlane`] is what a running tool may ask of
//! the host. None of them knows another.
#![warn(missing_docs)]

mod switchboard;

mod clock;
mod driver;
mod parts;
mod plane;
mod tools;

mod baton;
mod batch;
mod caught;
mod control;
mod fate;
mod handshake;
mod lanes;
mod lineage;
mod mail;
mod observe;
mod owner;
mod recent;
mod recovery;
mod reins;
mod residents;
mod screen;
mod transcript;
mod turn;
mod writer;

pub use caught::{Panicked, caught};
pub use clock::{Clock, SystemClock};
pub use driver::{Answered, Ask, Driver, DriverError, Entry, MailSignal};
pub use fate::MessageStanding;
pub use mail::{Mail, Mailbag, Showing, Standing};
pub use parts::{Deadlines, FailPoint, FailPoints, Pace, Parts};
pub use plane::{ControlPlane, Sent, StartDraft};
pub use recent::{Place, Recent, RecentMessage, RecentQuery, What};
pub use recovery::{OpenError, Recovery};
pub use switchboard::Switchboard;
pub use tools::{BoxFuture, Later, Outcome, ToolCall, ToolClass, ToolHost, ToolResult, ToolSpec};
