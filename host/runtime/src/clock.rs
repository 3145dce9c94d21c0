//! Where the machine's time and chance come from.

use std::sync::{Mutex, PoisonError};
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
#[derive(Debug)]
pub struct SystemClock {
    started: Instant,
    entropy: Mutex<Entropy>,
}

impl SystemClock {
    /// A clock whose monotonic time begins now.
    pub fn new() -> Self {
        Self { started: Instant::now(), entropy: Mutex::default() }
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
            entropy: self.entropy.lock().unwrap_or_else(PoisonError::into_inner).draw(),
        }
    }
}

/// Bytes drawn at once: of 64 stamps.
const DRAWN: usize = 1_024;

/// Random bits, drawn some at a time: a system call for each command would be the dearest part of
/// it.
#[derive(Default)]
struct Entropy(Vec<u128>);

impl std::fmt::Debug for Entropy {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // What is still to be used is nobody's to read, in a log neither (FRAME-2).
        out.write_str("Entropy")
    }
}

impl Entropy {
    fn draw(&mut self) -> u128 {
        if self.0.is_empty() {
            let mut bits = [0; DRAWN];
            // A host without it must not go on: frames would have boundaries a sender can guess.
            getrandom::fill(&mut bits).expect("the operating system gives random bits");
            let (drawn, _) = bits.as_chunks();
            self.0.extend(drawn.iter().map(|drawn| u128::from_ne_bytes(*drawn)));
        }
        self.0.pop().expect("it was filled")
    }
}

fn millis(length: std::time::Duration) -> u64 {
    u64::try_from(length.as_millis()).unwrap_or(u64::MAX)
}
