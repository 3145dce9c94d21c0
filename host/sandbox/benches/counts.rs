//! How many instructions a send through the guest takes, the guest's own and the host's together:
//! see `scripts/instructions` and host/core/benches/counts.rs. Under valgrind there is no pool, so
//! what an instance needs is made for each call.
#![allow(clippy::unwrap_used, reason = "a benchmark that cannot run has nothing to say")]

#[path = "send/message.rs"]
mod message;
#[path = "send/whole.rs"]
mod whole;

use std::hint::black_box;

const CALLS: usize = 400;

fn main() {
    // What `cargo bench` says, which runs everything: here that is nothing.
    if std::env::args().nth(1).as_deref() != Some("send") {
        return;
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let mut whole = runtime.block_on(whole::Whole::new(CALLS));
    for _ in 0..CALLS {
        let call = whole.next_call();
        measured(|| runtime.block_on(whole.call(call)));
    }
    println!("{CALLS}");
}

/// Callgrind knows it by its name.
#[inline(never)]
fn measured<Made>(work: impl FnOnce() -> Made) -> Made {
    black_box(work())
}
