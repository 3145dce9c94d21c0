//! How many sends one core decides and applies in a second, and whether that depends on how many
//! agents there are. `cargo bench -p switchboard-core`
//!
//! Every tenth agent is a root, the others are its children, each in a turn that never ends. A
//! round is each root writing to each of its children, which then take what they got; only the
//! sends are timed.
//!
//! Each number of agents has its turn several times, and its best counts. A core that is given to
//! another process in the middle of a send makes that one send as long as ten thousand, and what
//! the other process left in the caches makes the next ones slow; which number of agents that
//! happens to says nothing about the machine, and it never makes one faster. The median is printed
//! beside it: where the two are far apart, there was no quiet time to measure in.

mod families;

use std::time::{Duration, Instant};

use families::Bench;

const AIM: f64 = 500_000.0;
const FLAT: f64 = 1.3;
const SENDS: usize = 400_000;
const AGENTS: [usize; 4] = [10, 100, 1_000, 10_000];
const PASSES: usize = 7;

fn main() {
    println!("decide + apply, one core, {SENDS} sends of 100 bytes from parents to children");
    println!("best of {PASSES} passes");
    println!("{:>8} {:>14} {:>10} {:>12}", "agents", "sends/s", "ns/send", "median ns");
    let passes: Vec<[f64; AGENTS.len()]> = (0..PASSES).map(|_| AGENTS.map(send_time)).collect();
    let mut rates = Vec::new();
    for (place, agents) in AGENTS.into_iter().enumerate() {
        let mut times: Vec<f64> = passes.iter().map(|pass| pass[place]).collect();
        times.sort_by(f64::total_cmp);
        let (best, median) = (times[0], times[PASSES / 2]);
        let rate = 1e9 / best;
        println!("{agents:>8} {rate:>14.0} {best:>10.0} {median:>12.0}");
        rates.push(rate);
    }
    let best = rates.iter().copied().fold(0.0, f64::max);
    let worst = rates.iter().copied().fold(f64::MAX, f64::min);
    println!(
        "slowest {worst:.0}/s, aim {AIM:.0}/s; fastest/slowest {:.2}, aim {FLAT}",
        best / worst
    );
}

/// How long a send takes among so many agents, in nanoseconds.
fn send_time(agents: usize) -> f64 {
    let mut bench = Bench::new();
    let families = bench.families(agents);
    let sends = SENDS / agents.max(1) * agents.max(1);
    let mut timed = Duration::ZERO;
    let mut done = 0;
    while done < sends {
        bench.now += 10_000;
        for (parent, children) in &families {
            for child in children {
                let send = bench.send(*parent, *child);
                let begun = Instant::now();
                let step = bench.decide(send);
                timed += begun.elapsed();
                families::check(&step);
                done += 1;
                bench.step_once(*child);
            }
        }
    }
    timed.as_nanos() as f64 / done as f64
}
