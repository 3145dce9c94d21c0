//! What calls keep in memory: one that waits in a host call, and a million that are over.

use std::sync::Arc;
use std::time::Instant;

use crate::bare;
use crate::crowd;
use crate::ours::{self, Ours, Plane};
use crate::peer::Compiled;

const HELD: usize = 64;
const POINTS: usize = 10;
const CALLERS: usize = 16;

/// Each in a sandbox that has served one call, since the pool keeps what calls have touched.
pub(crate) async fn measure() {
    println!("{:<44}{:>10}", format!("resident, each of {HELD} held at once"), "KiB");
    parked().await;
    reused();
}

async fn parked() {
    let ours = Arc::new(Ours::new().await);
    crowd::calls(&ours, 1, 1).await;
    let plane = Plane::gated();
    let arguments = bare::arguments("agt_00000-1");
    let before = resident();
    let mut tasks = tokio::task::JoinSet::new();
    for _ in 0..HELD {
        let (ours, call) = (Arc::clone(&ours), ours::call(&arguments, &plane));
        tasks.spawn(async move { ours.call(call).await });
    }
    plane.arrived(HELD as u32).await;
    row("ours, waiting in a host call", before);
    plane.let_go(HELD);
    while let Some(ended) = tasks.join_next().await {
        ended.unwrap();
    }
    row("ours, once they have ended", before);
}

/// What it costs not to make a plugin for each call.
fn reused() {
    let compiled = Compiled::new();
    let arguments = bare::arguments("agt_00000-1");
    compiled.plugin().call(&arguments);
    let before = resident();
    let mut plugins: Vec<_> = (0..HELD).map(|_| compiled.plugin()).collect();
    plugins.iter_mut().for_each(|plugin| plugin.call(&arguments));
    row("Extism, a plugin kept for its next call", before);
}

fn row(name: &str, before: u64) {
    println!("{name:<44}{:>10}", resident().saturating_sub(before) / HELD as u64);
}

/// Call after call, and what the process has in memory meanwhile.
pub(crate) async fn soak(calls: usize) {
    let ours = Arc::new(Ours::new().await);
    println!("{:>12}{:>16}{:>12}", "calls", "resident KiB", "calls/s");
    let mut sizes = Vec::with_capacity(POINTS);
    for point in 1..=POINTS {
        let begun = Instant::now();
        crowd::calls(&ours, CALLERS, calls / POINTS).await;
        let rate = (calls / POINTS) as f64 / begun.elapsed().as_secs_f64();
        sizes.push(resident());
        println!("{:>12}{:>16}{rate:>12.0}", calls / POINTS * point, sizes[point - 1]);
    }
    let growth = sizes[POINTS - 1] as f64 / sizes[1] as f64;
    println!("last / second {growth:.3}, aim within 5 %");
}

/// What of this process is in memory, in KiB, as Linux counts it.
fn resident() -> u64 {
    let rollup = std::fs::read_to_string("/proc/self/smaps_rollup").unwrap();
    let line = rollup.lines().find_map(|line| line.strip_prefix("Rss:")).unwrap();
    line.trim().trim_end_matches("kB").trim().parse().unwrap()
}
