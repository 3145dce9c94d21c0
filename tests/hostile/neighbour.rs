//! The tool next door: called over and over while something else is attacked.

use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use crate::ground::Ground;

/// One that is being called.
pub(crate) struct Neighbour {
    enough: CancellationToken,
    calls: JoinHandle<Lived>,
}

/// What its calls came to. All of them have to succeed; how long they took is only shown.
pub(crate) struct Lived {
    times: Vec<Duration>,
    pub(crate) faults: Vec<String>,
}

impl Neighbour {
    /// Begins to call it, so often at least.
    pub(crate) fn of(ground: &Arc<Ground>, least: usize) -> Self {
        let (ground, enough) = (Arc::clone(ground), CancellationToken::new());
        let told = enough.clone();
        let calls = tokio::spawn(async move {
            let mut lived = Lived { times: vec![], faults: vec![] };
            while lived.faults.is_empty() && (lived.times.len() < least || !told.is_cancelled()) {
                let begun = Instant::now();
                lived.faults.extend(ground.call_good().await.err());
                lived.times.push(begun.elapsed());
            }
            lived.times.sort();
            lived
        });
        Self { enough, calls }
    }

    /// Calls it no more.
    pub(crate) async fn left_alone(self) -> Lived {
        self.enough.cancel();
        self.calls.await.unwrap()
    }
}

impl Lived {
    fn percentile(&self, percent: usize) -> Duration {
        self.times[(self.times.len() - 1) * percent / 100]
    }
}

impl fmt::Display for Lived {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (half, most) = (self.percentile(50), self.percentile(99));
        write!(out, "{half:>9.1?} {most:>9.1?} of {}", self.times.len())
    }
}
