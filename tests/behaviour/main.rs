//! The whole, through its public doors.
#![allow(clippy::unwrap_used, reason = "a broken expectation ends a test")]

#[path = "../harness/mod.rs"]
mod harness;

mod cases;
mod family;
mod grants;
mod handshakes;
mod killed;
mod observe;
mod pages;
mod reach;
mod shape;
mod story;

use crate::harness::Host;

/// Hosts that share the tools one of them compiled.
const HOST: Host = Host { test: "a_host_process", cache: env!("CARGO_TARGET_TMPDIR") };

/// What the others start in a process of its own. Without a task it is over at once.
#[test]
fn a_host_process() {
    crate::harness::live_if_asked();
}
