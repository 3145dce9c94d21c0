//! Tool calls, and drivers that fail.

use std::time::Duration;

use switchboard_core::{Event, TurnEnd, Usage};
use switchboard_ledger::Memory;
use switchboard_runtime::{DriverError, ToolClass, ToolResult};
use tokio_util::sync::CancellationToken;

use crate::fakes::{
    FakeDriver, FakeTools, call, calls, ends, events, instruct, lead, note, open, outcomes, parts,
    quiet, results, say,
};

async fn run(driver: &FakeDriver, tools: FakeTools) -> (Memory, Vec<String>) {
    let ledger = Memory::new();
    let mut parts = parts(driver, tools);
    parts.deadlines.tool_call = Duration::from_millis(50);
    parts.deadlines.model_call = Duration::from_millis(50);
    let (board, _) = open(&ledger, parts);
    let lead = lead(&board).await;
    instruct(&board, lead, "Go.").await;
    quiet(&board).await;
    let transcript = board.transcript(lead).await.unwrap();
    board.stop().await;
    (ledger, results(&transcript))
}

#[tokio::test]
async fn a_call_of_a_tool_the_agent_does_not_have_is_refused_and_names_those_it_has() {
    let driver = FakeDriver::new(async |ask, _| match ask.step {
        0 => calls("", &[("fly", "{}"), ("look", "{}")]),
        _ => say("Then not."),
    });
    let (ledger, results) = run(&driver, FakeTools::default()).await;
    assert_eq!(outcomes(&ledger), ["refused", "refused"]);
    assert!(
        results[0].contains("Your tools are: send, start, wait, look, touch, hang."),
        "{results:?}"
    );
    assert!(results[1].contains("not installed"), "{results:?}");
    assert_eq!(ends(&ledger), [TurnEnd::Completed]);
}

#[tokio::test]
async fn arguments_that_are_no_json_object_fail_with_what_is_wrong() {
    let driver = FakeDriver::new(async |ask, _| match ask.step {
        0 => calls("", &[("send", "[1]"), ("send", "{\"to\":")]),
        _ => say(""),
    });
    let (ledger, results) = run(&driver, FakeTools::control()).await;
    assert_eq!(outcomes(&ledger), ["failed", "failed"]);
    assert!(results[0].contains("not a JSON object"), "{results:?}");
    assert!(results[1].contains("EOF"), "{results:?}");
}

#[tokio::test]
async fn start_4_a_tool_that_takes_too_long_is_stopped_and_one_that_panics_harms_nobody() {
    let driver = FakeDriver::new(async |ask, _| match ask.step {
        0 => calls("", &[("hang", "{}"), ("touch", "{}"), ("look", "{}")]),
        _ => say("Well."),
    });
    let tools = FakeTools::default()
        .with("hang", ToolClass::Effectful, async |_, _| std::future::pending().await)
        .with("touch", ToolClass::Effectful, async |_, _| -> ToolResult { panic!("in a tool") })
        .with("look", ToolClass::ReadOnly, async |_, _| crate::fakes::done("seen"));
    let (ledger, results) = run(&driver, tools).await;
    let mut outcomes = outcomes(&ledger);
    outcomes.sort();
    assert_eq!(outcomes, ["done", "internal", "timed-out"]);
    assert_eq!(results[2], "seen");
    assert!(!results[1].contains("in a tool"), "SAND-5: {results:?}");
    assert_eq!(ends(&ledger), [TurnEnd::Completed]);
}

#[tokio::test]
async fn start_4_what_a_tool_used_that_took_too_long_is_on_record() {
    let driver = FakeDriver::new(async |ask, _| match ask.step {
        0 => call("touch", "{}"),
        _ => say("Well."),
    });
    let usage = Usage { host_calls: 7, ..Usage::default() };
    let tools = FakeTools::default().with(
        "touch",
        ToolClass::Effectful,
        move |_, cancel: CancellationToken| async move {
            cancel.cancelled().await;
            ToolResult { usage, ..crate::fakes::done("too late") }
        },
    );
    let (ledger, results) = run(&driver, tools).await;
    assert_eq!(outcomes(&ledger), ["timed-out"]);
    assert!(results[0].contains("took longer than 50ms"), "{results:?}");
    let recorded = events(&ledger).into_iter().find_map(|event| match event {
        Event::CallEnded { record, .. } => Some(record.usage),
        _ => None,
    });
    assert_eq!(recorded, Some(usage));
}

#[tokio::test]
async fn a_model_that_cannot_be_asked_ends_the_turn_as_error_with_the_reason() {
    let driver = FakeDriver::new(async |_, _| Err(DriverError::Failed("no such model".to_owned())));
    let (ledger, _) = run(&driver, FakeTools::default()).await;
    assert_eq!(ends(&ledger)[0], TurnEnd::Error);
    assert_eq!(note(&ledger), "no such model");
}

#[tokio::test]
async fn start_4_a_model_that_does_not_answer_in_time_ends_the_turn_as_error() {
    let driver = FakeDriver::new(async |_, _| std::future::pending().await);
    let (ledger, _) = run(&driver, FakeTools::default()).await;
    assert_eq!(ends(&ledger)[0], TurnEnd::Error);
    assert!(note(&ledger).contains("50ms"));
}

#[tokio::test]
async fn a_driver_that_panics_ends_the_turn_as_error_and_says_nothing_of_the_host() {
    let driver = FakeDriver::new(async |_, _| panic!("secret"));
    let (ledger, _) = run(&driver, FakeTools::default()).await;
    assert_eq!(ends(&ledger)[0], TurnEnd::Error);
    assert!(!note(&ledger).contains("secret"));
}

#[tokio::test]
async fn start_1_only_kinds_the_starter_lists_are_started() {
    let driver = FakeDriver::new(async |ask, _| match ask.step {
        0 => calls(
            "",
            &[
                ("start", r#"{"agent":"stranger"}"#),
                ("start", r#"{"agent":"stranger","background":false}"#),
            ],
        ),
        _ => say("I do it myself."),
    });
    let (_, results) = run(&driver, FakeTools::control()).await;
    assert!(results[0].contains("invalid-argument"), "{results:?}");
    assert!(results[0].contains("you may start helper"), "{results:?}");
    assert!(results[1].contains("you may start helper"), "in the foreground too: {results:?}");
}

#[tokio::test]
async fn a_tools_answer_is_what_the_model_reads_next() {
    let driver = FakeDriver::new(async |ask, _| match ask.step {
        0 => call("look", "{}"),
        _ => say("Seen."),
    });
    let tools = FakeTools::default()
        .with("look", ToolClass::ReadOnly, async |_, _| crate::fakes::done("a tree"));
    let (_, told) = run(&driver, tools).await;
    assert_eq!(told, ["a tree"]);
    assert_eq!(results(&driver.transcript(1)), ["a tree"]);
}
