//! Stopping a call, wherever it is (INT-6, SAND-4).

use std::sync::Arc;
use std::time::Duration;

use switchboard_runtime::{Outcome, ToolHost};
use switchboard_sandbox::{Grants, LoadRequest, Sandbox, SandboxConfig, ToolLimits};
use tokio_util::sync::CancellationToken;

use crate::guest::{ECHO, Guest, SPIN, send};
use crate::host::{bytes, call, config, in_time, limited, run, with};
use crate::plane::{Next, Plane};

fn patient() -> ToolLimits {
    let long = Duration::from_secs(3_600);
    ToolLimits { computing: long, wall: long, ..ToolLimits::default() }
}

#[tokio::test]
async fn int_6_a_call_that_has_not_started_never_does() {
    let config = SandboxConfig { instances: 1, patience: Duration::from_secs(3_600), ..config() };
    let sandbox = Sandbox::new(config).unwrap();
    let guest = Guest::sending(send("")).build();
    sandbox.load(LoadRequest::new(bytes("a test", guest), Grants::content())).await.unwrap();
    let holder = Arc::new(Plane::default().next(Next::Wait));
    let waiter = Arc::new(Plane::default());
    let cancel = CancellationToken::new();
    let holding = sandbox.call(call("tool", "one", &holder), CancellationToken::new());
    let waiting = sandbox.call(call("tool", "two", &waiter), cancel.clone());
    let script = async {
        holder.reached.notified().await;
        cancel.cancel();
    };
    let waits_after = async {
        script.await;
        let result = waiting.await;
        holder.go.notify_one();
        result
    };
    let (held, waited) = in_time(async { tokio::join!(holding, waits_after) }).await;
    assert_eq!((held.outcome, waited.outcome), (Outcome::Done, Outcome::Cancelled));
    assert!(waiter.asked().is_empty());
}

#[tokio::test]
async fn int_6_a_guest_that_computes_is_stopped() {
    let sandbox = limited(Guest::new(SPIN), Grants::default(), patient()).await;
    let cancel = CancellationToken::new();
    let running = sandbox.call(call("tool", "", &Arc::default()), cancel.clone());
    let script = async {
        tokio::task::yield_now().await;
        cancel.cancel();
    };
    let (result, ()) = in_time(async { tokio::join!(running, script) }).await;
    assert_eq!(result.outcome, Outcome::Cancelled);
    assert_eq!(result.text, "the tool was stopped, because the turn was");
}

#[tokio::test]
async fn sand_4_a_control_call_under_way_is_waited_for_and_nothing_follows_it() {
    let twice = format!("(drop (block (result i32) {})) {}", send(""), send(""));
    let sandbox = limited(Guest::sending(twice), Grants::content(), patient()).await;
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
    assert_eq!(result.outcome, Outcome::Cancelled);
    assert!(!result.text.contains("may have been done"), "it came to its end: {}", result.text);
    assert!(result.text.contains("Before that, 1 of its requests"), "{}", result.text);
    assert_eq!(plane.asked().len(), 1, "the second is never made");
}

// The clock stands still while anything runs, so the answer comes after the call's time is over.
#[tokio::test(start_paused = true)]
async fn sand_4_a_control_call_under_way_when_the_time_is_over_is_waited_for_and_is_the_last() {
    let twice = format!("(drop (block (result i32) {})) {}", send(""), send(""));
    let limits = ToolLimits { wall: Duration::from_millis(20), ..patient() };
    let sandbox = limited(Guest::sending(twice), Grants::content(), limits).await;
    let plane = Arc::new(Plane::default().next(Next::Wait));
    let running = sandbox.call(call("tool", "hello", &plane), CancellationToken::new());
    let script = async {
        tokio::time::sleep(Duration::from_millis(500)).await;
        plane.go.notify_one();
    };
    let (result, ()) = in_time(async { tokio::join!(running, script) }).await;
    assert_eq!(result.outcome, Outcome::TimedOut);
    assert!(result.text.contains("Before that, 1 of its requests"), "{}", result.text);
    assert_eq!(plane.asked().len(), 1, "the second is never made");
}

#[tokio::test]
async fn sand_4_a_control_call_that_does_not_end_is_dropped_and_said_to_be_uncertain() {
    let sandbox = limited(Guest::sending(send("")), Grants::content(), patient()).await;
    let plane = Arc::new(Plane::default().next(Next::Hang));
    let cancel = CancellationToken::new();
    let running = sandbox.call(call("tool", "hello", &plane), cancel.clone());
    let script = async {
        plane.reached.notified().await;
        cancel.cancel();
    };
    let (result, ()) = in_time(async { tokio::join!(running, script) }).await;
    assert_eq!(result.outcome, Outcome::Cancelled);
    assert!(result.text.contains("may have been done all the same"), "{}", result.text);
}

// The clock stands still while anything runs, so the cancel comes when the guest has waited long.
#[tokio::test(start_paused = true)]
async fn int_6_a_guest_that_watches_a_file_is_stopped() {
    let folder = tempfile::tempdir().unwrap();
    let watch = "
        (call $watch (local.get $args) (local.get $args_len) (i32.const 3000000) (i32.const 4096))
        (unreachable)";
    let sandbox = limited(Guest::reading(watch), Grants::reading(folder.path()), patient()).await;
    let cancel = CancellationToken::new();
    let running = sandbox.call(call("tool", "file", &Arc::default()), cancel.clone());
    let script = async {
        tokio::time::sleep(Duration::from_secs(1)).await;
        cancel.cancel();
    };
    let (result, ()) = in_time(async { tokio::join!(running, script) }).await;
    assert_eq!((result.outcome, result.usage.host_calls), (Outcome::Cancelled, 1));
}

#[tokio::test]
async fn sand_4_a_call_nobody_waits_for_any_more_frees_its_room() {
    let config = SandboxConfig { instances: 1, patience: Duration::from_secs(3_600), ..config() };
    let sandbox = Sandbox::new(config).unwrap();
    for (name, guest) in [("spin", SPIN), ("echo", ECHO)] {
        let names = [("tool".to_owned(), name.to_owned())].into();
        let source = bytes(name, Guest::new(guest).build());
        let request = LoadRequest::new(source, Grants::default());
        sandbox.load(LoadRequest { names, limits: patient(), ..request }).await.unwrap();
    }
    let spinning = sandbox.call(call("spin", "", &Arc::default()), CancellationToken::new());
    let gave_up = tokio::time::timeout(Duration::from_millis(20), spinning).await;
    assert!(gave_up.is_err());
    let next = sandbox.call(call("echo", "hello", &Arc::default()), CancellationToken::new());
    assert_eq!(in_time(next).await.outcome, Outcome::Done);
}

#[tokio::test]
async fn sand_4_a_panic_of_the_host_costs_one_call_and_leaves_what_was_asked_uncertain() {
    let sandbox = with(Guest::sending(send("")), Grants::content()).await;
    let plane = Arc::new(Plane::default().next(Next::Panic));
    let result = in_time(sandbox.call(call("tool", "hello", &plane), Default::default())).await;
    assert_eq!(result.outcome, Outcome::Internal);
    let told = "the host failed to run the tool; its log says why. It had asked the host for \
                something, which may have been done all the same: look before doing it again";
    assert_eq!(result.text, told);
    assert_eq!(run(&sandbox, "hello").await.outcome, Outcome::Done);
}
