//! Looking at agents through a guest: what a tool may ask, and what it may not do besides.

use std::sync::Arc;

use switchboard_core::Code;
use switchboard_runtime::{Outcome, ToolHost};
use switchboard_sandbox::{Grants, ImportProblem, LoadError, LoadRequest, ToolLimits};
use tokio_util::sync::CancellationToken;

use crate::guest::{Guest, SAY_CODE, send};
use crate::host::{bytes, call, in_time, limited, run_on, sandbox, with};
use crate::plane::{Next, Plane, refusal};

/// Lists children, with so many keys beside that, and says the code of a refusal, or `yes`.
fn listing(keys: u32) -> String {
    format!(
        "(call $list (i32.const 80) (i32.const 8) (i32.const 0) (i32.const 0)
            (i32.const 0) (i32.const 0) (i32.const 0)
            (i32.const 9000) (i32.const {keys}) (i32.const 4096)) {SAY_CODE}"
    )
}

/// Asks for the messages of its arguments; of the cursor there are so many bytes of zeros.
fn reading(keys: u32, cursor: Option<u32>) -> String {
    let (given, cursor) = (u32::from(cursor.is_some()), cursor.unwrap_or_default());
    format!(
        "(call $recent (local.get $args) (local.get $args_len) (i32.const 0) (i32.const 0)
            (i32.const 0) (i32.const 0) (i32.const {given}) (i32.const 9000) (i32.const {cursor})
            (i32.const 9000) (i32.const {keys}) (i32.const 4096)) {SAY_CODE}"
    )
}

/// What the tool says, and how often the control plane was asked.
async fn said(body: String, arguments: &str) -> (String, usize) {
    let sandbox = with(Guest::looking(body), Grants::observing()).await;
    let plane = Arc::default();
    let result = run_on(&sandbox, arguments, &plane).await;
    assert_eq!(result.outcome, Outcome::Done, "{}", result.text);
    (result.text, plane.asked().len())
}

fn refused() -> (String, usize) {
    ("invalid-argument".to_owned(), 0)
}

#[tokio::test]
async fn a_look_with_a_key_nobody_knows_is_refused_and_never_ignored() {
    assert_eq!(said(listing(0), "").await, ("yes".to_owned(), 1));
    assert_eq!(said(listing(1), "").await, refused());
    assert_eq!(said(reading(0, None), "lead").await, ("yes".to_owned(), 1));
    assert_eq!(said(reading(1, None), "lead").await, refused());
}

#[tokio::test]
async fn obs_1_what_is_longer_than_any_name_or_cursor_does_not_get_to_the_control_plane() {
    assert_eq!(said(reading(0, None), &"n".repeat(256)).await, ("yes".to_owned(), 1));
    assert_eq!(said(reading(0, None), &"n".repeat(257)).await, refused());
    for length in [0, 3, 257, 60_000] {
        assert_eq!(said(reading(0, Some(length)), "lead").await, refused(), "{length}");
    }
}

#[tokio::test]
async fn obs_2_a_tool_granted_observe_alone_cannot_import_what_changes_something() {
    let guests = [
        Guest::sending(send("")),
        Guest::starting("(unreachable)"),
        Guest::reading("(unreachable)"),
        Guest::telling("(unreachable)"),
    ];
    for guest in guests {
        let request = LoadRequest::new(bytes("a test", guest.build()), Grants::observing());
        let error = sandbox().load(request).await.unwrap_err();
        let LoadError::Imports { problems, .. } = error else { panic!("{error}") };
        assert!(matches!(problems[..], [ImportProblem::NotGranted { .. }]), "{problems:?}");
    }
}

#[tokio::test]
async fn obs_2_looking_has_to_be_granted() {
    let folder = tempfile::tempdir().unwrap();
    for grants in [Grants::default(), Grants::content(), Grants::reading(folder.path())] {
        let request = LoadRequest::new(bytes("a test", Guest::looking(listing(0)).build()), grants);
        let error = sandbox().load(request).await.unwrap_err().to_string();
        assert!(error.contains("grants = { observe = true }"), "{error}");
    }
}

#[tokio::test]
async fn sand_3_looks_count_as_calls_of_the_host() {
    let limits = ToolLimits { host_calls: 5, ..ToolLimits::default() };
    let forever = format!(
        "(loop $again (drop (block (result i32) {})) (br $again)) (unreachable)",
        listing(0)
    );
    let sandbox = limited(Guest::looking(forever), Grants::observing(), limits).await;
    let plane = Arc::default();
    let result = run_on(&sandbox, "", &plane).await;
    assert_eq!((result.outcome, result.usage.host_calls), (Outcome::TooManyHostCalls, 5));
    assert_eq!(plane.asked().len(), 5);
    assert!(!result.text.contains("carried out"), "nothing was: {}", result.text);
}

#[tokio::test]
async fn sand_4_a_look_that_is_cut_leaves_nothing_uncertain() {
    let sandbox = with(Guest::looking(listing(0)), Grants::observing()).await;
    let plane = Arc::new(Plane::default().next(Next::Hang));
    let cancel = CancellationToken::new();
    let running = sandbox.call(call("tool", "", &plane), cancel.clone());
    let script = async {
        plane.reached.notified().await;
        cancel.cancel();
    };
    let (result, ()) = in_time(async { tokio::join!(running, script) }).await;
    assert_eq!(result.outcome, Outcome::Cancelled);
    assert!(!result.text.contains("may have been done"), "{}", result.text);
}

#[tokio::test]
async fn drain_1_a_look_refused_because_the_host_drains_says_so() {
    let sandbox = with(Guest::looking(listing(0)), Grants::observing()).await;
    for (code, draining) in [(Code::Draining, true), (Code::Unreachable, false)] {
        let plane = Arc::new(Plane::default().next(Next::Refuse(refusal(code))));
        let result = run_on(&sandbox, "", &plane).await;
        assert_eq!((result.text.as_str(), result.draining), (code.as_str(), draining));
    }
}
