//! The engine, and what becomes of it.

use std::fs;

use switchboard_runtime::Outcome;
use switchboard_sandbox::{Allocation, Grants, LoadRequest, Sandbox, SandboxConfig};

use crate::guest::{ECHO, Guest};
use crate::host::{bytes, config, run, sandbox};

/// Whether a thread of this process has this name.
fn runs(thread: &str) -> bool {
    let threads = fs::read_dir("/proc/self/task").unwrap();
    let mut names = threads.flatten().flat_map(|task| fs::read_to_string(task.path().join("comm")));
    names.any(|name| name.trim_end() == thread)
}

#[test]
fn the_ticker_goes_with_its_engine() {
    let sandbox = sandbox();
    let thread = sandbox.posture().engine.ticker.clone();
    while !runs(&thread) {
        std::thread::yield_now();
    }
    drop(sandbox);
    while runs(&thread) {
        std::thread::yield_now();
    }
}

#[tokio::test]
async fn without_a_pool_tools_run_all_the_same_and_the_reason_is_kept() {
    let sandbox = Sandbox::new(SandboxConfig { pooling: false, ..config() }).unwrap();
    let allocation = &sandbox.posture().engine.allocation;
    assert!(matches!(allocation, Allocation::OnDemand { .. }));
    assert_eq!(allocation.to_string(), "on demand (the pool is switched off)");
    let source = bytes("a test", Guest::new(ECHO).build());
    sandbox.load(LoadRequest::new(source, Grants::default())).await.unwrap();
    assert_eq!(run(&sandbox, "hello").await.outcome, Outcome::Done);
}

#[test]
fn a_pool_that_cannot_be_had_falls_back_and_says_why() {
    let impossible = SandboxConfig { most_memory: 1 << 46, ..config() };
    let sandbox = Sandbox::new(impossible).unwrap();
    let allocation = sandbox.posture().engine.allocation.to_string();
    assert!(allocation.starts_with("on demand (no page scan: "), "{allocation}");
}

#[test]
fn what_the_engine_can_do_here_can_be_told() {
    let sandbox = Sandbox::new(SandboxConfig::default()).unwrap();
    let posture = sandbox.posture();
    println!("{}", posture.engine.allocation);
    assert_eq!((posture.engine.instances, posture.engine.stack), (256, 512 << 10));
    assert_eq!(posture.cache, Err("none is set".to_owned()));
}
