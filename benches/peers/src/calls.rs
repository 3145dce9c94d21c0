//! One call with one host call in it, by each contender in turns.

use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::bare::{self, Bare};
use crate::ours::{self, Ours, Plane};
use crate::peer::{Compiled, Reused};

const CALLS: usize = 10_000;
/// What is cold is not what is asked about.
const WARMING: usize = 200;
/// How many calls one turn has. After a single one each finds the caches as another left them; in
/// a turn of many it finds them as it left them itself.
const TURNS: [usize; 2] = [1, 100];

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

/// Of the medians: what, by what, and what it should be.
const RATIOS: [(&str, usize, usize, &str); 4] = [
    ("Extism fresh / ours", FRESH, OURS, "aim >= 8"),
    ("Extism fresh, pooled / ours", POOLED, OURS, ""),
    ("ours / wasmtime alone", OURS, BARE, "aim <= 1.3"),
    ("ours / Extism reused", OURS, REUSED, "prize <= 1"),
];

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
    contenders.take_turns(WARMING, 1).await;
    let mut measured = Vec::with_capacity(TURNS.len());
    for calls in TURNS {
        measured.push(contenders.take_turns(CALLS, calls).await.map(Summary::of));
    }
    print(&measured);
}

fn print(measured: &[Row]) {
    let columns = |cell: &dyn Fn(&Row) -> String| measured.iter().map(cell).collect::<String>();
    let turns: String =
        TURNS.iter().map(|calls| format!("{:>20}", format!("turns of {calls}"))).collect();
    println!("{:<44}{turns}", "one call with one host call");
    println!("{:<44}{}", "", columns(&|_| format!("{:>10}{:>10}", "p50 us", "p99 us")));
    for (which, name) in NAMES.iter().enumerate() {
        let cell = |row: &Row| format!("{:>10.1}{:>10.1}", row[which].median, row[which].p99);
        println!("{name:<44}{}", columns(&cell));
    }
    for (name, above, below, aim) in RATIOS {
        let cell = |row: &Row| format!("{:>10.2}{:10}", row[above].median / row[below].median, "");
        println!("  {name:<42}{}{aim}", columns(&cell));
    }
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

    /// How long each one's calls took.
    async fn take_turns(&mut self, calls: usize, each: usize) -> [Vec<Duration>; NAMES.len()] {
        let mut times = NAMES.map(|_| Vec::with_capacity(calls));
        for round in 0..calls / each {
            for which in order(round) {
                for _ in 0..each {
                    times[which].push(self.call(which).await);
                }
            }
        }
        times
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

/// One summary a contender.
type Row = [Summary; NAMES.len()];

/// In microseconds.
struct Summary {
    median: f64,
    p99: f64,
}

impl Summary {
    fn of(mut times: Vec<Duration>) -> Self {
        times.sort();
        let at = |share: f64| times[(times.len() as f64 * share) as usize].as_secs_f64() * 1e6;
        Self { median: at(0.5), p99: at(0.99) }
    }
}
