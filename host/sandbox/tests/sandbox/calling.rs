//! What a call comes to.

use switchboard_runtime::{Outcome, ToolHost};
use switchboard_sandbox::Grants;

use crate::guest::{ECHO, Guest};
use crate::host::{call, in_time, run, with};

const TRAP_ON_X: &str = r#"
    (if (i32.eq (i32.load8_u (local.get $args)) (i32.const 120)) (then (unreachable)))
    (call $say (local.get $args) (local.get $args_len))"#;

#[tokio::test]
async fn a_tool_gets_its_arguments_and_its_answer_comes_back() {
    let sandbox = with(Guest::new(ECHO), Grants::default()).await;
    let result = run(&sandbox, r#"{"a": 1}"#).await;
    assert_eq!((result.outcome, result.text.as_str()), (Outcome::Done, r#"{"a": 1}"#));
    assert_eq!((result.usage.host_calls, result.usage.peak_memory), (0, 2 << 16));
}

#[tokio::test]
async fn a_tool_that_could_not_do_it_says_why() {
    let guest = Guest::new("(call $fail (local.get $args) (local.get $args_len))");
    let sandbox = with(guest, Grants::default()).await;
    let result = run(&sandbox, "because").await;
    assert_eq!((result.outcome, result.text.as_str()), (Outcome::Failed, "yes: because"));
}

#[tokio::test]
async fn sand_4_after_a_trap_the_next_call_is_fine() {
    let sandbox = with(Guest::new(TRAP_ON_X), Grants::default()).await;
    let trapped = run(&sandbox, "x").await;
    assert_eq!(trapped.outcome, Outcome::Trapped);
    assert_eq!(
        trapped.text, "the tool crashed (wasm trap: wasm `unreachable` instruction executed)",
        "sand_5: nothing about the host"
    );
    assert_eq!(run(&sandbox, "y").await.outcome, Outcome::Done);
}

#[tokio::test]
async fn sand_3_recursion_without_end_is_a_crash_of_the_guest_alone() {
    let recursion = "(func $deep (param i32) (result i32)
        (i32.add (call $deep (local.get 0)) (i32.const 1)))";
    let guest = Guest::new("(call $deep (i32.const 0))").with(recursion);
    let sandbox = with(guest, Grants::default()).await;
    let result = run(&sandbox, "").await;
    assert_eq!(result.outcome, Outcome::Trapped);
    assert_eq!(result.text, "the tool crashed (wasm trap: call stack exhausted)");
}

#[tokio::test]
async fn a_tool_that_is_not_there_is_refused() {
    let sandbox = with(Guest::new(ECHO), Grants::default()).await;
    let result = in_time(sandbox.call(call("other", "", &Default::default()), Default::default()));
    let result = result.await;
    assert_eq!(result.outcome, Outcome::Refused);
    assert_eq!(result.text, "there is no tool `other` here");
}

#[tokio::test]
async fn text_that_is_not_utf_8_is_invalid_data() {
    let guest = Guest::new(
        "(i32.store8 (i32.const 5000) (i32.const 255)) (call $say (i32.const 5000) (i32.const 1))",
    );
    let result = run(&with(guest, Grants::default()).await, "").await;
    assert_eq!(result.outcome, Outcome::InvalidData);
    assert_eq!(result.text, "the tool is faulty: it handed over text that is not UTF-8");
}

#[tokio::test]
async fn an_answer_outside_its_memory_is_invalid_data() {
    let guest = Guest::new("(call $say (i32.const 131070) (i32.const 100))");
    let result = run(&with(guest, Grants::default()).await, "").await;
    assert_eq!(result.outcome, Outcome::InvalidData);
}

#[tokio::test]
async fn an_allocator_that_gives_nonsense_is_invalid_data() {
    for nonsense in ["(i32.const -8)", "(i32.const 131071)"] {
        let guest = Guest::new(ECHO).allocating(nonsense);
        let result = run(&with(guest, Grants::default()).await, "hello").await;
        assert_eq!(result.outcome, Outcome::InvalidData, "{nonsense}");
    }
}

#[tokio::test]
async fn tool_3_a_ticket_nobody_gave_is_invalid_data() {
    let guest = Guest::new("(i32.store (i32.const 1028) (i32.const 1)) (i32.const 1024)");
    let result = run(&with(guest, Grants::default()).await, "").await;
    assert_eq!(result.outcome, Outcome::InvalidData);
}
