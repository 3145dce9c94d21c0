#![doc = include_str!("../README.md")]
#![warn(missing_docs)]

pub mod delegation;
pub mod diag;
pub mod observation;
pub mod subagents;
pub mod workspace;

mod answer;
mod argument;
mod invalid;
mod object;
mod refusal;
#[cfg(doctest)]
mod refused;
mod reply;
mod schema;

pub mod fake;

#[doc(hidden)]
pub mod component;
#[doc(hidden)]
pub mod generated;

pub use serde_json::{Value, json};
pub use switchboard_guest_macros::{Argument, Arguments, tool, tools};

pub use argument::{Argument, Arguments, Fields, TextOrObject};
pub use delegation::Delegation;
pub use invalid::Invalid;
pub use observation::Observation;
pub use reply::{Block, Failure, Output, Reply};
pub use schema::{Property, Schema};
pub use subagents::Subagents;
pub use workspace::Workspace;
