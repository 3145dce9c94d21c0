//! Drivers: what answers when an agent's model is asked.
//!
//! [`Models`] is the one [`Driver`](switchboard_runtime::Driver) a host needs. Which model is
//! meant stands in front of its name: `script:lead` is the [`Script`] called `lead`, which needs
//! no network and answers the same every time. Nothing outside this crate knows which is used.
#![warn(missing_docs)]

mod memory;
mod models;
mod script;

pub use models::Models;
pub use script::{CallTable, RuleTable, Script, ScriptError, ScriptTable};
