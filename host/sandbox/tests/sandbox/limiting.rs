//! Each limit, passed (SAND-3).

use std::sync::Arc;
use std::time::Duration;

use switchboard_runtime::{Outcome, ToolHost};
use switchboard_sandbox::{Grants, LoadError, LoadRequest, Sandbox, SandboxConfig, ToolLimits};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use crate::guest::{ECHO, Guest, SPIN, send};
use crate::host::{bytes, call, config, in_time, limited, run, run_on, sandbox, with};
use crate::plane::{Next, Plane};

fn usual() -> ToolLimits {
    ToolLimits::default()
}

#[tokio::test]
async fn sand_3_a_guest_that_computes_too_long_is_stopped() {
    let limits = ToolLimits { computing: Duration::from_millis(20), ..usual() };
    let sandbox = limited(Guest::new(SPIN), Grants::default(), limits).await;
    let result = run(&sandbox, "").await;
    assert_eq!(result.outcome, Outcome::ComputedTooLong);
    assert_eq!(result.text, "the tool was stopped: it computed for longer than 20ms");
}

#[tokio::test]
async fn sand_3_a_guest_that_computes_while_it_starts_is_stopped() {
    let limits = ToolLimits { computing: Duration::from_millis(20), ..usual() };
    let start = "(func $start (loop $again (br $again)))";
    let guest = Guest::new(ECHO).with(start).with("(start $start)");
    let sandbox = limited(guest, Grants::default(), limits).await;
    assert_eq!(run(&sandbox, "").await.outcome, Outcome::ComputedTooLong);
}

#[tokio::test]
async fn sand_3_many_that_spin_are_all_stopped_on_one_thread() {
    let limits = ToolLimits { computing: Duration::from_millis(20), ..usual() };
    let sandbox = limited(Guest::new(SPIN), Grants::default(), limits).await;
    let (a, b, c) = tokio::join!(run(&sandbox, ""), run(&sandbox, ""), run(&sandbox, ""));
    for result in [a, b, c] {
        assert_eq!(result.outcome, Outcome::ComputedTooLong);
    }
}

#[tokio::test]
async fn sand_3_a_guest_that_waits_too_long_in_the_host_is_stopped() {
    let limits = ToolLimits { wall: Duration::from_millis(20), ..usual() };
    let sandbox = limited(Guest::sending(send("")), Grants::content(), limits).await;
    let plane = Arc::new(Plane::default().next(Next::Hang));
    let result = run_on(&sandbox, "hello", &plane).await;
    assert_eq!(result.outcome, Outcome::TimedOut);
    let said = "it took longer than 20ms. It had asked the host for something, which may have \
                been done all the same: look before doing it again";
    assert!(result.text.ends_with(said), "sand_4: uncertain is said so: {}", result.text);
}

#[tokio::test]
async fn sand_3_a_guest_that_wants_too_much_memory_is_stopped() {
    let guest = || {
        Guest::new("(drop (memory.grow (i32.const 16))) (call $say (i32.const 64) (i32.const 3))")
    };
    let limits = |pages: u64| ToolLimits { memory: pages << 16, ..usual() };
    let enough = limited(guest(), Grants::default(), limits(18)).await;
    assert_eq!(run(&enough, "").await.outcome, Outcome::Done);
    let too_little = limited(guest(), Grants::default(), limits(17)).await;
    let result = run(&too_little, "").await;
    assert_eq!(result.outcome, Outcome::OutOfMemory);
    assert_eq!(result.usage.peak_memory, 2 << 16, "what it was refused is not counted");
}

#[tokio::test]
async fn sand_3_a_guest_that_begins_with_too_much_memory_is_stopped() {
    let limits = ToolLimits { memory: 2 << 16, ..usual() };
    let sandbox = limited(Guest::new(ECHO).pages(3), Grants::default(), limits).await;
    assert_eq!(run(&sandbox, "").await.outcome, Outcome::OutOfMemory);
}

#[tokio::test]
async fn sand_3_a_guest_that_wants_too_large_a_table_is_stopped() {
    let limits = ToolLimits { table_elements: 100, ..usual() };
    let guest = Guest::new(
        "(drop (table.grow (ref.null func) (i32.const 91)))
        (call $say (i32.const 64) (i32.const 3))",
    )
    .with("(table 10 funcref)");
    let sandbox = limited(guest, Grants::default(), limits).await;
    let result = run(&sandbox, "").await;
    assert_eq!(result.outcome, Outcome::OutOfMemory);
    assert_eq!(result.text, "the tool was stopped: it wanted more than 100 table elements");
}

#[tokio::test]
async fn sand_3_tables_are_counted_together_and_a_word_of_its_own_only_fails() {
    let limits = ToolLimits { table_elements: 100, ..usual() };
    let growing = |tables: &str| {
        let guest = Guest::new(
            "(if (i32.ne (table.grow 0 (ref.null func) (i32.const 60)) (i32.const -1))
                (then (return (call $say (i32.const 64) (i32.const 3)))))
            (call $say (i32.const 68) (i32.const 2))",
        );
        limited(guest.with(tables), Grants::default(), limits.clone())
    };
    let said = async |tables| run(&growing(tables).await, "").await;
    assert_eq!(said("(table 30 funcref)").await.text, "yes");
    assert_eq!(said("(table 50 99 funcref)").await.text, "no");
    assert_eq!(said("(table 30 funcref) (table 20 funcref)").await.outcome, Outcome::OutOfMemory);
}

#[tokio::test]
async fn sand_3_a_memory_that_may_grow_no_further_by_its_own_word_only_fails_to() {
    let limits = ToolLimits { memory: 8 << 16, ..usual() };
    let guest = Guest::new(
        "(if (i32.ne (memory.grow (i32.const 30)) (i32.const -1)) (then (unreachable)))
        (call $say (i32.const 68) (i32.const 2))",
    );
    let sandbox = limited(guest.at_most(4), Grants::default(), limits).await;
    assert_eq!(run(&sandbox, "").await.text, "no");
}

#[tokio::test]
async fn sand_3_how_deep_a_guest_may_call_is_what_is_set() {
    let deep = "(func $deep (param i32) (result i32)
        (if (i32.eqz (local.get 0)) (then (return (i32.const 0))))
        (i32.add (call $deep (i32.sub (local.get 0) (i32.const 1))) (i32.const 1)))";
    let body = "(drop (call $deep (i32.const 8000))) (call $say (i32.const 64) (i32.const 3))";
    for (stack, outcome) in [(64 << 10, Outcome::Trapped), (1 << 20, Outcome::Done)] {
        let sandbox = Sandbox::new(SandboxConfig { stack, ..config() }).unwrap();
        let source = bytes("a test", Guest::new(body).with(deep).build());
        sandbox.load(LoadRequest::new(source, Grants::default())).await.unwrap();
        assert_eq!(run(&sandbox, "").await.outcome, outcome, "{stack} bytes");
    }
}

#[tokio::test]
async fn sand_3_a_guest_that_calls_the_control_plane_too_often_is_stopped() {
    let limits = ToolLimits { control_calls: 3, ..usual() };
    let forever =
        format!("(loop $again (drop (block (result i32) {})) (br $again)) (unreachable)", send(""));
    let sandbox = limited(Guest::sending(forever), Grants::content(), limits).await;
    let plane = Arc::default();
    let result = run_on(&sandbox, "hello", &plane).await;
    assert_eq!((result.outcome, result.usage.host_calls), (Outcome::TooManyHostCalls, 3));
    assert_eq!(plane.asked().len(), 3);
}

#[tokio::test]
async fn sand_3_waiting_for_the_host_is_not_computing() {
    let limits = ToolLimits { computing: Duration::from_millis(3), ..usual() };
    let watch = "(call $watch (local.get $args) (local.get $args_len)
        (i32.const 15) (i32.const 4096))";
    let folder = tempfile::tempdir().unwrap();
    let guest = Guest::reading(format!("{} {ECHO}", watch.repeat(9)));
    let sandbox = limited(guest, Grants::reading(folder.path()), limits).await;
    let result = run(&sandbox, "file").await;
    assert_eq!((result.outcome, result.usage.host_calls), (Outcome::Done, 9), "{}", result.text);
}

#[tokio::test]
async fn sand_3_a_guest_that_calls_the_host_too_often_is_stopped() {
    let limits = ToolLimits { host_calls: 5, ..usual() };
    let watch = "(loop $again
        (call $watch (local.get $args) (local.get $args_len) (i32.const 0) (i32.const 4096))
        (br $again)) (unreachable)";
    let folder = tempfile::tempdir().unwrap();
    let sandbox = limited(Guest::reading(watch), Grants::reading(folder.path()), limits).await;
    let result = run(&sandbox, "file").await;
    assert_eq!((result.outcome, result.usage.host_calls), (Outcome::TooManyHostCalls, 5));
}

#[tokio::test]
async fn sand_3_an_answer_that_is_too_large_is_an_outcome_of_its_own() {
    let limits = ToolLimits { output: 100_000, shown: 1_000, ..usual() };
    let guest = Guest::new("(call $say (i32.const 8192) (i32.const 100001))");
    let sandbox = limited(guest, Grants::default(), limits).await;
    let result = run(&sandbox, "").await;
    assert_eq!(result.outcome, Outcome::OutputTooLarge);
    assert!(result.text.contains("100001 bytes, 100000 are allowed"), "{}", result.text);
}

#[tokio::test]
async fn sand_3_a_model_is_shown_a_part_and_told_so() {
    let limits = ToolLimits { output: 100, shown: 10, ..usual() };
    let sandbox = limited(Guest::new(ECHO), Grants::default(), limits).await;
    let result = run(&sandbox, "123456789\u{e4}bcdef").await;
    assert_eq!(result.outcome, Outcome::Done);
    assert_eq!(result.text, "123456789\n[cut: these are the first 9 of 16 bytes]");
}

#[tokio::test]
async fn sand_3_the_same_bytes_handed_over_again_and_again_are_stopped() {
    // A hundred blocks, each all of the memory.
    let guest = Guest::new(
        "(local $at i32)
        (local.set $at (i32.const 8192))
        (loop $next
            (i32.store offset=4 (local.get $at) (i32.const 0))
            (i32.store offset=8 (local.get $at) (i32.const 131072))
            (local.set $at (i32.add (local.get $at) (i32.const 20)))
            (br_if $next (i32.lt_u (local.get $at) (i32.const 10192))))
        (i32.store (i32.const 1032) (i32.const 8192))
        (i32.store (i32.const 1036) (i32.const 100))
        (i32.const 1024)",
    );
    let limits = ToolLimits { memory: 2 << 16, ..usual() };
    let sandbox = limited(guest, Grants::default(), limits).await;
    assert_eq!(run(&sandbox, "").await.outcome, Outcome::InvalidData);
}

#[tokio::test]
async fn sand_3_arguments_that_are_too_large_start_nothing() {
    let limits = ToolLimits { arguments: 4, ..usual() };
    let sandbox = limited(Guest::new(ECHO), Grants::default(), limits).await;
    assert_eq!(run(&sandbox, "1234").await.outcome, Outcome::Done);
    assert_eq!(run(&sandbox, "12345").await.outcome, Outcome::Refused);
}

#[tokio::test]
async fn lim_limits_that_cannot_be_kept_are_refused_at_load() {
    let limits = ToolLimits { memory: 1 << 40, ..usual() };
    let source = bytes("a test", Guest::new(ECHO).build());
    let request = LoadRequest { limits, ..LoadRequest::new(source, Grants::default()) };
    let error = sandbox().load(request).await.unwrap_err();
    assert!(matches!(&error, LoadError::Limits { .. }), "{error}");
    assert!(error.to_string().contains("limit `memory` must be at most 67108864"), "{error}");
}

#[tokio::test]
async fn sand_3_a_call_that_finds_no_room_is_refused_and_the_one_that_has_it_goes_on() {
    let config = SandboxConfig { instances: 1, patience: Duration::from_millis(20), ..config() };
    let sandbox = Sandbox::new(config).unwrap();
    let guest = bytes("a test", Guest::sending(send("")).build());
    sandbox.load(LoadRequest::new(guest, Grants::content())).await.unwrap();
    let plane = Arc::new(Plane::default().next(Next::Wait));
    let second = async {
        plane.reached.notified().await;
        let refused = run(&sandbox, "two").await;
        plane.go.notify_one();
        refused
    };
    let (held, refused) = tokio::join!(run_on(&sandbox, "one", &plane), second);
    assert_eq!((held.outcome, refused.outcome), (Outcome::Done, Outcome::Refused));
    assert!(refused.text.contains("too many are running"), "{}", refused.text);
}

#[tokio::test]
async fn sand_3_calls_beyond_the_room_wait_for_it_and_the_pool_is_never_exhausted() {
    let sandbox = Arc::new(with(Guest::sending(send("")), Grants::content()).await);
    let planes: Vec<_> = (0..8).map(|_| Arc::new(Plane::default().next(Next::Wait))).collect();
    let mut calls = JoinSet::new();
    for plane in planes.clone() {
        let sandbox = Arc::clone(&sandbox);
        calls.spawn(async move { run_on(&sandbox, "hello", &plane).await });
    }
    // Spawned later, none of them lets a call go before all had their chance to come in.
    for plane in planes {
        tokio::spawn(async move {
            plane.reached.notified().await;
            plane.go.notify_one();
        });
    }
    for result in calls.join_all().await {
        assert_eq!(result.outcome, Outcome::Done, "{}", result.text);
    }
}

#[tokio::test]
async fn sand_3_a_guest_that_waits_for_the_host_holds_no_place_among_those_that_compute() {
    let places = std::thread::available_parallelism().map_or(1, usize::from);
    let config = SandboxConfig { instances: 2 * places as u32 + 2, ..config() };
    let sandbox = Arc::new(Sandbox::new(config).unwrap());
    // It computes for many ticks, so that it has a place, before it sends.
    let works = "(local $left i32)
        (local.set $left (i32.const 30000000))
        (loop $again
            (local.set $left (i32.sub (local.get $left) (i32.const 1)))
            (br_if $again (local.get $left)))";
    let guests = [
        ("waits", Guest::sending(format!("{works} {}", send(""))), usual().wall),
        ("spins", Guest::new(SPIN), Duration::from_millis(20)),
    ];
    for (name, guest, computing) in guests {
        let names = [("tool".to_owned(), name.to_owned())].into();
        let limits = ToolLimits { computing, wall: Duration::from_secs(3_600), ..usual() };
        let request = LoadRequest::new(bytes(name, guest.build()), Grants::content());
        sandbox.load(LoadRequest { names, limits, ..request }).await.unwrap();
    }
    let mut waiting = Vec::new();
    for _ in 0..places {
        let plane = Arc::new(Plane::default().next(Next::Hang));
        let (sandbox, asked) = (Arc::clone(&sandbox), Arc::clone(&plane));
        waiting.push(tokio::spawn(async move {
            sandbox.call(call("waits", "hello", &asked), CancellationToken::new()).await
        }));
        in_time(plane.reached.notified()).await;
    }
    let spins = sandbox.call(call("spins", "", &Arc::default()), CancellationToken::new());
    assert_eq!(in_time(spins).await.outcome, Outcome::ComputedTooLong);
    waiting.iter().for_each(tokio::task::JoinHandle::abort);
}

#[tokio::test]
async fn sand_3_a_guest_that_asks_the_host_for_little_between_computes_no_longer() {
    let limits = ToolLimits { computing: Duration::from_millis(20), ..usual() };
    let again = "(local $n i32) (local $k i32)
        (loop $again
            (call $log (i32.const 0) (i32.const 64) (i32.const 3))
            (local.set $k (i32.const 0))
            (loop $spin
                (local.set $k (i32.add (local.get $k) (i32.const 1)))
                (br_if $spin (i32.lt_u (local.get $k) (i32.const 200000))))
            (local.set $n (i32.add (local.get $n) (i32.const 1)))
            (br_if $again (i32.lt_u (local.get $n) (i32.const 4000))))
        (call $say (i32.const 64) (i32.const 3))";
    let diag = Grants { diag: true, ..Grants::default() };
    let sandbox = limited(Guest::telling(again), diag, limits).await;
    let result = run(&sandbox, "").await;
    assert_eq!(result.outcome, Outcome::ComputedTooLong, "{result:?}");
}
