//! All chance of a history: one stream of bits, begun by its seed.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// Where every decision of a history comes from. A clone draws from the same stream.
#[derive(Clone, Debug)]
pub(crate) struct Chance(Arc<AtomicU64>);

/// The step of SplitMix64.
const STEP: u64 = 0x9e37_79b9_7f4a_7c15;

impl Chance {
    pub(crate) fn of(seed: u64) -> Self {
        Self(Arc::new(AtomicU64::new(seed)))
    }

    pub(crate) fn bits(&self) -> u64 {
        let mut bits = self.0.fetch_add(STEP, Ordering::Relaxed).wrapping_add(STEP);
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        bits ^ (bits >> 31)
    }

    /// A number below this one.
    pub(crate) fn below(&self, most: u64) -> u64 {
        self.bits() % most
    }

    /// Whether something happens that does so many times in a thousand.
    pub(crate) fn strikes(&self, per_mille: u64) -> bool {
        self.below(1_000) < per_mille
    }

    /// One of these.
    ///
    /// # Panics
    /// There is none.
    pub(crate) fn pick<'a, Choice>(&self, choices: &'a [Choice]) -> &'a Choice {
        let place = self.below(choices.len() as u64);
        &choices[usize::try_from(place).expect("a place in a slice")]
    }

    /// A time up to this one, in whole milliseconds.
    pub(crate) fn up_to(&self, longest: Duration) -> Duration {
        let most = u64::try_from(longest.as_millis()).unwrap_or(u64::MAX - 1);
        Duration::from_millis(self.below(most + 1))
    }

    /// How long something takes: mostly nothing, often moments, sometimes minutes.
    pub(crate) fn while_at_work(&self) -> Duration {
        match self.below(20) {
            0..8 => Duration::ZERO,
            8..14 => self.up_to(Duration::from_millis(100)),
            14..18 => self.up_to(Duration::from_secs(10)),
            _ => self.up_to(Duration::from_secs(180)),
        }
    }
}
