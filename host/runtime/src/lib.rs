//! The shell around the machine: one task that owns the [`Forest`](switchboard_core::Forest), the
//! loop every turn runs in, and recovery.
//!
//! The seams are three traits: a [`Driver`] is one model call, a [`ToolHost`] one tool call, and
//! the [`ControlPlane`] is what a running tool may ask of the host. None of them knows another.
#![warn(missing_docs)]

mod driver;
mod plane;
mod tools;

pub use driver::{Answered, Ask, Driver, DriverError, Entry, MailSignal};
pub use plane::{ControlPlane, StartDraft};
pub use tools::{BoxFuture, Outcome, ToolCall, ToolClass, ToolHost, ToolResult, ToolSpec, Usage};
