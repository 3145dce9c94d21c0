//! The one order of a ledger.

use switchboard_core::{Event, FORMAT};
use switchboard_ledger::Stored;

use super::Check;

/// Records are numbered without gaps, and the first one says the format.
#[derive(Default)]
pub(super) struct Order {
    last: u64,
}

impl Check for Order {
    fn promise(&self) -> &'static str {
        "records stand in one order without gaps, behind one that says a known format"
    }

    fn see(&mut self, stored: &Stored, found: &mut Vec<String>) {
        let seq = stored.seq;
        if seq != self.last + 1 {
            found.push(format!("record {seq} follows record {}", self.last));
        }
        match (&stored.event, self.last) {
            (Event::ForestOpened { format, .. }, 0) if *format > FORMAT => {
                found.push(format!("its format is {format}, up to {FORMAT} is known"));
            }
            (Event::ForestOpened { .. }, 0) => {}
            (Event::ForestOpened { .. }, _) => found.push(format!("record {seq} begins it again")),
            (_, 0) => found.push("its first record does not begin a forest".to_owned()),
            _ => {}
        }
        self.last = seq;
    }
}
