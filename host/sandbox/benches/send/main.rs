//! What a message costs on its whole way: a fresh instance of the real `send_message` component,
//! the import, the owner task, the machine, a ledger in memory, and back; beside wasmtime alone
//! calling the same component with a host function that does nothing. One run, call by call in
//! turns: neither finds the caches as it left them, and no tool of a host does either.
//!
//! The ledger is an immediate one, used in place: there is no disk here that would hide what a
//! change of threads costs, and `cargo bench -p switchboard-runtime` has the thread and the disk.
//!
//! `cargo bench -p switchboard-sandbox`
#![allow(clippy::unwrap_used, reason = "a benchmark that cannot run has nothing to say")]

mod bare;
mod message;
mod whole;

use std::time::{Duration, Instant};

const CALLS: usize = 10_000;
const AIM: f64 = 1.3;
fn main() {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    let (mut ours, mut plain) = runtime.block_on(async {
        let whole = whole::Whole::new(CALLS).await;
        let bare = bare::Bare::new();
        tokio::spawn(taking_turns(whole, bare)).await.unwrap()
    });
    println!("{:<40}{:>10}{:>10}", "one send through the guest", "p50 us", "p99 us");
    let ratio = row("wasmtime alone", &mut plain).recip() * row("the whole way", &mut ours);
    println!("ratio of the medians {ratio:.2}, aim <= {AIM}");
}

async fn taking_turns(mut whole: whole::Whole, bare: bare::Bare) -> (Vec<Duration>, Vec<Duration>) {
    let (mut ours, mut plain) = (Vec::new(), Vec::new());
    for _ in 0..CALLS {
        let arguments = message::arguments("agt_00000-1");
        let begun = Instant::now();
        bare.call(&arguments).await;
        plain.push(begun.elapsed());
        let call = whole.next_call();
        let begun = Instant::now();
        whole.call(call).await;
        ours.push(begun.elapsed());
    }
    (ours, plain)
}

fn row(name: &str, times: &mut [Duration]) -> f64 {
    times.sort();
    let at = |share: f64| times[(times.len() as f64 * share) as usize].as_secs_f64() * 1e6;
    println!("{name:<40}{:>10.1}{:>10.1}", at(0.5), at(0.99));
    at(0.5)
}
