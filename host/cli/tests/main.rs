//! The command as people and scripts use it, and what it shows. One binary, a module for each
//! thing it does.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

#[path = "main/command.rs"]
mod command;

#[path = "main/crew_files.rs"]
mod crew_files;
#[path = "main/events.rs"]
mod events;
#[path = "main/help.rs"]
mod help;
#[path = "main/hints.rs"]
mod hints;
#[path = "main/ledgers.rs"]
mod ledgers;
#[path = "main/messages.rs"]
mod messages;
#[path = "main/requests.rs"]
mod requests;
#[path = "main/runs.rs"]
mod runs;
#[path = "main/showing.rs"]
mod showing;
#[path = "main/stopping.rs"]
mod stopping;
