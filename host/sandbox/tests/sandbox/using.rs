//! What a call used, and that it is told (SAND-3).

use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::{Value, to_value};
use switchboard_core::Usage;
use switchboard_runtime::{Outcome, ToolHost};
use switchboard_sandbox::{Grants, LoadRequest, Sandbox, SandboxConfig};
use tokio_util::sync::CancellationToken;

use crate::guest::{ECHO, Guest, send};
use crate::host::{bytes, call, config, in_time, run, run_on, with};
use crate::meter::{Meter, Told};
use crate::plane::{Next, Plane};

/// The numbers of it under the names they are stored and told by.
fn numbers(usage: Usage) -> Vec<(String, u64)> {
    let Value::Object(fields) = to_value(usage).unwrap() else { panic!("{usage:?}") };
    fields.into_iter().map(|(name, value)| (name, value.as_u64().unwrap())).collect()
}

fn sum(told: &Told, name: &str) -> u64 {
    told.series.get(name).unwrap_or_else(|| panic!("`{name}` was not told")).sum
}

const COMPUTE: &str = "(local $left i32)
    (local.set $left (i32.const 3000000))
    (loop $again
        (local.set $left (i32.sub (local.get $left) (i32.const 1)))
        (br_if $again (local.get $left)))";

#[tokio::test]
async fn sand_3_what_one_call_used_is_measured_and_no_longer_than_it_took() {
    let folder = tempfile::tempdir().unwrap();
    let watch = "(call $watch (local.get $args) (local.get $args_len)
        (i32.const 5) (i32.const 4096))";
    let guest =
        Guest::reading(format!("{COMPUTE} (drop (memory.grow (i32.const 1))) {watch} {ECHO}"));
    let sandbox = with(guest, Grants::reading(folder.path())).await;
    let begun = Instant::now();
    let result = run(&sandbox, "file").await;
    let (took, used) = (begun.elapsed(), result.usage);
    assert_eq!((used.bytes_in, used.bytes_out), (4, 4));
    assert_eq!((used.host_calls, used.peak_memory), (1, 3 << 16));
    assert!(used.instantiating.0 > 0 && used.guest.0 > 0, "{used:?}");
    assert!(used.host.0 >= 5_000, "it watched for five milliseconds: {used:?}");
    assert!(u128::from((used.queued + used.ran()).0) <= took.as_micros(), "{used:?} in {took:?}");
}

#[tokio::test]
async fn sand_3_a_call_that_asks_the_host_for_nothing_waits_for_nothing() {
    let sandbox = with(Guest::new(ECHO), Grants::default()).await;
    let used = run(&sandbox, "hello").await.usage;
    assert_eq!((used.host.0, used.host_calls), (0, 0));
}

#[tokio::test]
async fn sand_3_a_call_that_finds_no_room_has_waited_and_used_nothing_else() {
    let meter = Meter::default();
    let _listening = meter.listen();
    let patience = Duration::from_millis(5);
    let sandbox = Sandbox::new(SandboxConfig { instances: 1, patience, ..config() }).unwrap();
    let guest = bytes("a test", Guest::sending(send("")).build());
    sandbox.load(LoadRequest::new(guest, Grants::content())).await.unwrap();
    let plane = Arc::new(Plane::default().next(Next::Wait));
    let second = async {
        plane.reached.notified().await;
        let refused = run(&sandbox, "two").await;
        assert_eq!(sum(&meter.told(), "queued_us"), refused.usage.queued.0, "it is told");
        plane.go.notify_one();
        refused
    };
    let (held, refused) = tokio::join!(run_on(&sandbox, "one", &plane), second);
    assert_eq!((held.outcome, refused.outcome), (Outcome::Done, Outcome::Refused));
    let used = refused.usage;
    assert!(used.queued.0 >= 5_000, "{used:?}");
    assert_eq!(used, Usage { queued: used.queued, ..Usage::default() });
    assert_eq!(meter.told().outcomes, [("done".to_owned(), 1), ("refused".to_owned(), 1)].into());
}

#[tokio::test]
async fn a_subscriber_can_add_up_all_that_the_ledger_keeps_of_calls() {
    let meter = Meter::default();
    let _listening = meter.listen();
    let sandbox = with(Guest::sending(send("")), Grants::content()).await;
    let mut all = Usage::default();
    for arguments in ["one", "and another"] {
        all = all + run(&sandbox, arguments).await.usage;
    }
    let told = meter.told();
    let page = include_str!("../../../../docs/embedding.md");
    let unnamed = |name: &&&str| !page.contains(&format!("`{name}`"));
    assert_eq!(told.series.keys().find(unnamed), None, "the page names each");
    for (name, total) in numbers(all) {
        let series = &told.series[&*name];
        assert_eq!((series.count, series.digits.values().sum::<u64>()), (2, 2), "{name}");
        // The most memory of both is no sum.
        let of_both = if name == "peak_memory" { 2 * total } else { total };
        assert_eq!(series.sum, of_both, "{name}");
    }
}

#[tokio::test]
async fn int_6_what_a_call_used_that_was_stopped_is_told_with_its_numbers() {
    let meter = Meter::default();
    let _listening = meter.listen();
    let sandbox = with(Guest::sending(format!("{COMPUTE} {}", send(""))), Grants::content()).await;
    let plane = Arc::new(Plane::default().next(Next::Wait));
    let cancel = CancellationToken::new();
    let running = sandbox.call(call("tool", "hello", &plane), cancel.clone());
    let script = async {
        plane.reached.notified().await;
        cancel.cancel();
        tokio::task::yield_now().await;
        plane.go.notify_one();
    };
    let (result, ()) = in_time(async { tokio::join!(running, script) }).await;
    let told = meter.told();
    assert_eq!(told.outcomes, [("cancelled".to_owned(), 1)].into());
    for (name, number) in numbers(result.usage) {
        assert_eq!(sum(&told, &name), number, "{name}");
    }
    assert_eq!(sum(&told, "host_calls"), 1);
}

#[tokio::test]
async fn int_6_what_a_call_used_that_nobody_waits_for_any_more_is_told() {
    let meter = Meter::default();
    let _listening = meter.listen();
    let sandbox = with(Guest::sending(format!("{COMPUTE} {}", send(""))), Grants::content()).await;
    let plane = Arc::new(Plane::default().next(Next::Hang));
    let running = sandbox.call(call("tool", "hello", &plane), CancellationToken::new());
    in_time(async {
        tokio::select! {
            _ = running => panic!("nobody answers it"),
            () = plane.reached.notified() => (),
        }
    })
    .await;
    let told = meter.told();
    assert_eq!(told.outcomes, [("dropped".to_owned(), 1)].into());
    assert_eq!((sum(&told, "host_calls"), sum(&told, "bytes_in")), (1, 5));
    assert!(sum(&told, "guest_us") > 0 && sum(&told, "instantiating_us") > 0);
}
