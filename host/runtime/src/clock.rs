//! Where the machine's time and chance come from.

use std::time::{Instant, SystemTime, UNIX_EPOCH};

use switchboard_core::{Monotonic, Stamp, WallTime};

/// Reads the clocks and draws the random bits a command is stamped with. The machine has no other
/// source of either, so a test that supplies its own decides both.
pub trait Clock: Send + Sync + 'static {
    /// The time now, and 128 bits nobody could foresee: they bound frames against imitation
    /// (FRAME-2).
    fn stamp(&self) -> Stamp;
}

/// The clocks and the entropy of the operating system.
#[derive(Clone, Copy, Debug)]
pub struct SystemClock {
    started: Instant,
}

impl SystemClock {
    /// A clock whose monotonic time begins now.
    pub fn new() -> Self {
        Self { started: Instant::now() }
    }
}

impl Default for SystemClock {
    fn default() -> Self {
        Self::new()
    }
}

impl Clock for SystemClock {
    fn stamp(&self) -> Stamp {
        let since_1970 = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Stamp {
            wall: WallTime(millis(since_1970)),
            now: Monotonic(millis(self.started.elapsed())),
            entropy: entropy(),
        }
    }
}

fn entropy() -> u128 {
    let mut bits = [0; 16];
    // A host without it must not go on: frames would have boundaries a sender can guess.
    getrandom::fill(&mut bits).expect("the operating system gives random bits");
    u128::from_ne_bytes(bits)
}

fn millis(length: std::time::Duration) -> u64 {
    u64::try_from(length.as_millis()).unwrap_or(u64::MAX)
}
