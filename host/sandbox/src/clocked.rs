//! How long something took, also when it was dropped before its end.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// The time taken by all that was begun here and is over.
#[derive(Debug, Default)]
pub(crate) struct Clocked(AtomicU64);

/// Counts from its making to its drop.
pub(crate) struct Counting<'a>(&'a Clocked, Instant);

impl Clocked {
    /// Begins to count.
    pub(crate) fn begin(&self) -> Counting<'_> {
        Counting(self, Instant::now())
    }

    pub(crate) fn total(&self) -> Duration {
        Duration::from_nanos(self.0.load(Ordering::Relaxed))
    }
}

impl Drop for Counting<'_> {
    fn drop(&mut self) {
        let took = u64::try_from(self.1.elapsed().as_nanos()).unwrap_or(u64::MAX);
        self.0.0.fetch_add(took, Ordering::Relaxed);
    }
}
