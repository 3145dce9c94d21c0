//! An event as JSON, for programs.

use serde::Serialize;
use switchboard_core::{Event, WallTime};
use switchboard_ledger::Stored;

/// One object: `seq`, `at` in milliseconds since 1970, and the fields of the event as the ledger
/// has them.
#[derive(Debug, Serialize)]
pub struct Record<'a> {
    seq: u64,
    at: WallTime,
    #[serde(flatten)]
    event: &'a Event,
}

impl<'a> From<&'a Stored> for Record<'a> {
    fn from(stored: &'a Stored) -> Self {
        Self { seq: stored.seq, at: stored.at, event: &stored.event }
    }
}
