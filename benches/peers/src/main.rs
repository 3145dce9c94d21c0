//! Our sandbox beside its peers, in one run: wasmtime alone, which is the least a sandboxed call
//! can cost, and Extism, which is what one would take instead. What is compared takes turns, call
//! by call, so that whatever else the machine does hits all alike.
//!
//! `cargo bench --manifest-path benches/peers/Cargo.toml` prints the tables;
//! `… -- --soak` makes a million calls instead and watches the memory, `… -- --soak 100000` fewer.
#![allow(clippy::unwrap_used, reason = "a benchmark that cannot run has nothing to say")]

mod ours;
#[path = "../../../host/sandbox/benches/send/bare.rs"]
mod bare;
mod peer;
mod calls;
mod crowd;
mod start;
mod memory;

use std::sync::Arc;

const COMPONENT: &[u8] = include_bytes!("../../../plugins/dist/send-message.wasm");
const SOAK: usize = 1_000_000;

fn main() {
    let words: Vec<String> = std::env::args().collect();
    let soak = words.iter().position(|word| word == "--soak");
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let ran = match soak {
            Some(place) => {
                let calls = words.get(place + 1).and_then(|word| word.parse().ok());
                tokio::spawn(memory::soak(calls.unwrap_or(SOAK)))
            }
            None => tokio::spawn(all()),
        };
        ran.await.unwrap();
    });
}

async fn all() {
    // First, while nothing has yet been kept for later.
    memory::measure().await;
    println!();
    let ours = Arc::new(ours::Ours::new().await);
    calls::measure(Arc::clone(&ours)).await;
    println!();
    crowd::measure(ours).await;
    println!();
    start::measure().await;
}
