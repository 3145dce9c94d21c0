//! How long something took, also when it was dropped before its end; and how much of a call's time
//! is computing.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use crate::limits::TICK;

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

/// The ticks a guest has computed. One that passed while it waited for the host is none of them:
/// the time it waited pays for whole ticks, so that asking the host for a moment in each pays for
/// no more than those moments.
#[derive(Debug, Default)]
pub(crate) struct Computed {
    ticks: u64,
    /// How long it had waited by the last tick.
    waited: Duration,
    /// What of that has paid for no tick yet.
    left: Duration,
}

/// Ticks a wait can pay for: the one it ends in, and one it was a part of. The others it lasted for
/// were never counted, because no guest ran to see them.
const PAID: u32 = 2;

impl Computed {
    /// A tick has passed, and so much was waited by now. Gives how many were computed.
    pub(crate) fn tick(&mut self, waited: Duration) -> u64 {
        let more = waited.saturating_sub(self.waited);
        self.waited = waited;
        self.left = self.left.saturating_add(more).min(PAID * TICK);
        match self.left.checked_sub(TICK) {
            Some(left) => self.left = left,
            None => self.ticks += 1,
        }
        self.ticks
    }
}

#[cfg(test)]
mod tests {
    use super::{Computed, Duration, TICK};

    /// Ticks computed after a thousand, in each of which so much was waited.
    fn of_a_thousand(waited: Duration) -> u64 {
        let mut computed = Computed::default();
        (1..=1_000).fold(0, |_, tick| computed.tick(waited * tick))
    }

    #[test]
    fn sand_3_what_was_waited_in_a_tick_pays_for_no_more_than_it_took() {
        assert_eq!(of_a_thousand(Duration::ZERO), 1_000);
        assert_eq!(of_a_thousand(TICK / 1_000), 999);
        assert_eq!(of_a_thousand(TICK / 4), 750);
        assert_eq!(of_a_thousand(TICK), 0);
        assert_eq!(of_a_thousand(TICK * 100), 0);
    }

    #[test]
    fn sand_3_a_long_wait_saves_up_no_computing() {
        let (mut computed, hour) = (Computed::default(), Duration::from_secs(3_600));
        assert_eq!((0..100).fold(0, |_, _| computed.tick(hour)), 98);
    }
}
