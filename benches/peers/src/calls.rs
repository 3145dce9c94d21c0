//! One call with one host call in it, by each contender in turns.

use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::bare::{self, Bare};
use crate::ours::{self, Ours, Plane};
use crate::peer::{Compiled, Reused};

const ROUNDS: usize = 10_000;
/// What is cold is not what is asked about.
const WARMING: usize = 200;

/// In the order of their rows. That there are five, which is prime, is what `order` needs.
const NAMES: [&str; 5] = [
    "ours: a fresh instance",
    "wasmtime alone: a fresh instance",
    "Extism: a fresh plugin",
    "Extism: a fresh plugin, pooled",
    "Extism: one plugin, reused",
];
const OURS: usize = 0;
const BARE: usize = 1;
const FRESH: usize = 2;
const POOLED: usize = 3;
const REUSED: usize = 4;

struct Contenders {
    ours: Arc<Ours>,
    plane: Arc<Plane>,
    bare: Bare,
    fresh: Compiled,
    pooled: Compiled,
    reused: Reused,
    arguments: String,
}

pub(crate) async fn measure(ours: Arc<Ours>) {
    let mut contenders = Contenders::new(ours);
    let mut times = NAMES.map(|_| Vec::with_capacity(ROUNDS));
    for round in 0..WARMING + ROUNDS {
        for which in order(round) {
            let took = contenders.call(which).await;
            if round >= WARMING {
                times[which].push(took);
            }
        }
    }
    println!("{:<44}{:>10}{:>10}", "one call with one host call", "p50 us", "p99 us");
    let medians: Vec<f64> =
        NAMES.iter().zip(&mut times).map(|(name, times)| row(name, times)).collect();
    let ratio = |above: usize, below: usize| medians[above] / medians[below];
    println!("  Extism fresh / ours {:>22.1}   aim >= 8", ratio(FRESH, OURS));
    println!("  Extism fresh, pooled / ours {:>14.1}", ratio(POOLED, OURS));
    println!("  ours / wasmtime alone {:>20.2}   aim <= 1.3", ratio(OURS, BARE));
    println!("  ours / Extism reused {:>21.2}   prize <= 1", ratio(OURS, REUSED));
}

/// Whose turn it is in this round: each in another step around the circle, so that over four
/// rounds each comes after every other equally often, and finds the caches as any of them left
/// them.
fn order(round: usize) -> impl Iterator<Item = usize> {
    let count = NAMES.len();
    let stride = 1 + round % (count - 1);
    (0..count).map(move |place| (round + place * stride) % count)
}

impl Contenders {
    fn new(ours: Arc<Ours>) -> Self {
        let fresh = Compiled::new();
        Self {
            ours,
            plane: Plane::at_once(),
            bare: Bare::new(),
            reused: fresh.plugin(),
            fresh,
            pooled: Compiled::pooled(),
            arguments: bare::arguments("agt_00000-1"),
        }
    }

    /// From the call to the end of all that was made for it.
    async fn call(&mut self, which: usize) -> Duration {
        let arguments = &self.arguments;
        let call = ours::call(arguments, &self.plane);
        let begun = Instant::now();
        match which {
            OURS => self.ours.call(call).await,
            BARE => self.bare.call(arguments).await,
            FRESH => self.fresh.plugin().call(arguments),
            POOLED => self.pooled.plugin().call(arguments),
            _ => self.reused.call(arguments),
        }
        begun.elapsed()
    }
}

fn row(name: &str, times: &mut [Duration]) -> f64 {
    times.sort();
    let at = |share: f64| times[(times.len() as f64 * share) as usize].as_secs_f64() * 1e6;
    println!("{name:<44}{:>10.1}{:>10.1}", at(0.5), at(0.99));
    at(0.5)
}
