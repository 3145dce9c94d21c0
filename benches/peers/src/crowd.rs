//! How many calls a second there are with so many callers at once.

use std::sync::Arc;
use std::time::Instant;

use crate::bare;
use crate::ours::{self, Ours, Plane};

const CALLERS: [usize; 3] = [1, 16, 64];
const CALLS: usize = 32_000;
const PASSES: usize = 5;

/// Each number of callers has its turn several times: the best is what the host can do, and a
/// median far from it says that there was no quiet time to measure in.
pub(crate) async fn measure(ours: Arc<Ours>) {
    let mut rates = CALLERS.map(|_| Vec::with_capacity(PASSES));
    for _ in 0..PASSES {
        for (callers, rates) in CALLERS.into_iter().zip(&mut rates) {
            let begun = Instant::now();
            calls(&ours, callers, CALLS).await;
            rates.push(CALLS as f64 / begun.elapsed().as_secs_f64());
        }
    }
    println!("{:<44}{:>10}{:>10}", "ours, calls a second", "best", "median");
    for (callers, mut rates) in CALLERS.into_iter().zip(rates) {
        rates.sort_by(f64::total_cmp);
        let (best, median) = (rates[PASSES - 1], rates[PASSES / 2]);
        println!("{:<44}{best:>10.0}{median:>10.0}", format!("callers at once: {callers}"));
    }
}

/// Makes this many calls, shared among the callers.
pub(crate) async fn calls(ours: &Arc<Ours>, callers: usize, count: usize) {
    let plane = Plane::at_once();
    let mut tasks = tokio::task::JoinSet::new();
    for _ in 0..callers {
        let (ours, plane) = (Arc::clone(ours), Arc::clone(&plane));
        tasks.spawn(async move {
            let arguments = bare::arguments("agt_00000-1");
            for _ in 0..count / callers {
                ours.call(ours::call(&arguments, &plane)).await;
            }
        });
    }
    while let Some(ended) = tasks.join_next().await {
        ended.unwrap();
    }
}
