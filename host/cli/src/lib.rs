//! The `switchboard` command: arguments, the crew file, what is shown, and the place where all
//! parts of a host are put together. `main` parses, calls, and exits; everything else is here.
#![warn(missing_docs)]

pub mod arguments;
pub mod assemble;
pub mod commands;
pub mod console;
pub mod crew;
pub mod exit;
pub mod failure;
pub mod files;
pub mod interrupts;
pub mod ledgers;
pub mod live;
pub mod log;
pub mod output;
pub mod run;
pub mod show;
pub mod verify;
