//! Taking a ledger up after its host was stopped in the middle of things.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use switchboard_core::{Code, Content, Event, TurnEnd};
use switchboard_ledger::Memory;
use switchboard_runtime::{ToolClass, ToolResult};

use crate::fakes::{
    FakeDriver, FakeTools, caller, calls, count, done, ends, frames, instruct, key, lead, open,
    outcomes, parts, quiet, results, said, say, soon,
};
use crate::gate::Gate;

#[tokio::test]
async fn turn_3_a_turn_without_a_step_takes_its_mail_again_and_shows_it_once() {
    let gate = Gate::shut();
    let at_gate = gate.clone();
    let driver = FakeDriver::new(move |_, _| {
        let gate = at_gate.clone();
        async move {
            gate.pass().await;
            say("Done.")
        }
    });
    let ledger = Memory::new();
    let (board, _) = open(&ledger, parts(&driver, FakeTools::default()));
    let lead = lead(&board).await;
    instruct(&board, lead, "Go.").await;
    gate.reached(1).await;
    soon(board.stop()).await;

    gate.open();
    let (board, recovery) = open(&ledger, parts(&driver, FakeTools::default()));
    assert!(!recovery.new);
    assert_eq!((recovery.agents, recovery.open_turns, recovery.claims_returned), (1, 1, 1));
    assert_eq!(recovery.mail_waiting, 1);
    quiet(&board).await;
    assert_eq!(ends(&ledger), [TurnEnd::Completed]);
    let read = frames(&driver.transcript(1));
    assert_eq!(read.len(), 1, "FATE-3: {read:?}");
    assert!(read[0].contains("shown for the 2. time"), "{read:?}");
}

#[tokio::test]
async fn turn_3_calls_without_a_result_run_again_if_they_may_and_are_unknown_otherwise() {
    let (gate, looked, touched) =
        (Gate::shut(), Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let driver = FakeDriver::new(async |ask, _| match (ask.name.as_str(), said(&ask)) {
        ("lead", 0) => {
            let start = ("start", r#"{"agent":"helper"}"#);
            calls("", &[("touch", "{}"), ("look", "{}"), start])
        }
        ("lead", _) => say("So."),
        (_, _) => say("Here."),
    });
    let tools = hanging_after_the_work(&gate, &looked, &touched);
    let ledger = Memory::new();
    let (board, _) = open(&ledger, parts(&driver, tools.clone()));
    let lead = lead(&board).await;
    instruct(&board, lead, "Go.").await;
    gate.reached(3).await;
    soon(board.stop()).await;
    assert_eq!(count(&ledger, "start-admitted"), 1);
    assert!(outcomes(&ledger).is_empty());

    gate.open();
    let (board, _) = open(&ledger, parts(&driver, tools));
    quiet(&board).await;
    assert_eq!(looked.load(Ordering::SeqCst), 2);
    assert_eq!(touched.load(Ordering::SeqCst), 1);
    assert_eq!(count(&ledger, "start-admitted"), 1, "the same key gets its first answer");
    let results = results(&board.transcript(lead).await.unwrap());
    assert!(results[0].contains("not known what it did"), "{results:?}");
    assert_eq!(results[1], "seen");
    assert!(results[2].contains("repeated"), "{results:?}");
}

#[tokio::test]
async fn turn_3_a_call_whose_tool_is_gone_after_a_crash_is_unknown_and_not_refused() {
    let (gate, counter) = (Gate::shut(), Arc::new(AtomicUsize::new(0)));
    let driver = FakeDriver::new(async |ask, _| match said(&ask) {
        0 => calls("", &[("touch", "{}")]),
        _ => say("So."),
    });
    let tools = hanging_after_the_work(&gate, &counter, &counter);
    let ledger = Memory::new();
    let (board, _) = open(&ledger, parts(&driver, tools));
    let lead = lead(&board).await;
    instruct(&board, lead, "Go.").await;
    gate.reached(1).await;
    soon(board.stop()).await;

    let (board, _) = open(&ledger, parts(&driver, FakeTools::default()));
    quiet(&board).await;
    assert_eq!(outcomes(&ledger), ["unknown"]);
    let results = results(&board.transcript(lead).await.unwrap());
    assert!(results[0].contains("not known what it did"), "{results:?}");
}

/// Tools that do their work and then hang at the gate, so that it is done and not on record.
fn hanging_after_the_work(
    gate: &Gate,
    looked: &Arc<AtomicUsize>,
    touched: &Arc<AtomicUsize>,
) -> FakeTools {
    let counting = |gate: &Gate, counter: &Arc<AtomicUsize>| {
        let (gate, counter) = (gate.clone(), counter.clone());
        move || {
            let gate = gate.clone();
            counter.fetch_add(1, Ordering::SeqCst);
            async move {
                gate.pass().await;
                done("seen")
            }
        }
    };
    let (look, touch, at_gate) = (counting(gate, looked), counting(gate, touched), gate.clone());
    FakeTools::control()
        .with("look", ToolClass::ReadOnly, move |_, _| look())
        .with("touch", ToolClass::Effectful, move |_, _| touch())
        .with("start", ToolClass::Control, move |call, _| {
            let gate = at_gate.clone();
            async move {
                let draft = switchboard_runtime::StartDraft {
                    agent: "helper".to_owned(),
                    description: String::new(),
                    prompt: "Do it.".to_owned(),
                    background: true,
                    fork: false,
                };
                let started = call.plane.start(caller(&call), key(&call), draft).await;
                gate.pass().await;
                match started {
                    Ok(started) if started.repeated => done("repeated"),
                    other => ToolResult::plain(
                        switchboard_runtime::Outcome::Failed,
                        format!("{other:?}"),
                    ),
                }
            }
        })
}

#[tokio::test]
async fn led_4_a_restart_says_what_was_restored_and_what_could_not_be_read() {
    let driver = FakeDriver::new(async |_, _| say("Done."));
    let ledger = Memory::new();
    let (board, _) = open(&ledger, parts(&driver, FakeTools::default()));
    let lead = lead(&board).await;
    instruct(&board, lead, "Go.").await;
    quiet(&board).await;
    soon(board.stop()).await;
    let spoilt = {
        let mut events = crate::fakes::events(&ledger).into_iter();
        1 + events.position(|event| matches!(event, Event::TurnEnded { .. })).unwrap() as u64
    };
    assert!(ledger.spoil(spoilt, "{"));

    let (board, recovery) = open(&ledger, parts(&driver, FakeTools::default()));
    assert_eq!(recovery.quarantined.len(), 1);
    assert_eq!(recovery.quarantined[0].seq, spoilt);
    quiet(&board).await;
}

#[tokio::test]
async fn delete_1_what_a_parent_was_told_of_a_deleted_child_is_still_in_its_transcript() {
    let driver = FakeDriver::new(async |ask, _| match (ask.name.as_str(), said(&ask)) {
        ("lead", 0) => calls("", &[("start", r#"{"agent":"helper"}"#)]),
        (_, _) => say("Done."),
    });
    let ledger = Memory::new();
    let (board, _) = open(&ledger, parts(&driver, FakeTools::control()));
    let lead = lead(&board).await;
    instruct(&board, lead, "Go.").await;
    quiet(&board).await;
    let child = board.inspect(move |forest| forest.agent(lead).unwrap().children[0]).await.unwrap();
    let before = board.transcript(lead).await.unwrap();
    assert!(format!("{before:?}").contains("has come to rest: completed"), "{before:?}");
    board.delete(child).await.unwrap();
    assert!(board.delete(child).await.unwrap().repeated);
    let again = Content::text("Hello?");
    assert_eq!(board.instruct(child, again).await.unwrap_err().code, Code::Deleted);
    soon(board.stop()).await;

    let (board, _) = open(&ledger, parts(&driver, FakeTools::control()));
    assert_eq!(board.transcript(lead).await.unwrap(), before);
    instruct(&board, lead, "And now?").await;
    quiet(&board).await;
    let asked = driver.asked.lock().unwrap().last().unwrap().transcript.clone();
    assert!(format!("{asked:?}").contains("has come to rest: completed"), "{asked:?}");
}
