//! Results that are still to come when their tool has ended (TOOL-3), and children in the foreground.

use switchboard_core::{Event, TurnEnd};
use switchboard_ledger::Memory;

use crate::fakes::{
    FakeDriver, FakeTools, calls, count, ends, instruct, lead, open, outcomes, parts, quiet,
    results, said, say, soon,
};
use crate::gate::Gate;

/// A lead that has a child do something in the foreground, and says what came of it.
fn delegating(at: &Gate) -> FakeDriver {
    let at = at.clone();
    FakeDriver::new(move |ask, _| {
        let gate = at.clone();
        async move {
            match (ask.name.as_str(), said(&ask)) {
                ("lead", 0) => calls("", &[("start", r#"{"agent":"helper","background":false}"#)]),
                ("lead", _) => say("So."),
                (_, _) => {
                    gate.pass().await;
                    say("Found it.")
                }
            }
        }
    })
}

#[tokio::test]
async fn start_1_the_result_of_a_call_in_the_foreground_is_what_the_child_wrote_at_its_end() {
    let (ledger, gate) = (Memory::new(), Gate::shut());
    let driver = delegating(&gate);
    let (board, _) = open(&ledger, parts(&driver, FakeTools::waiting()));
    let lead = lead(&board).await;
    instruct(&board, lead, "Go.").await;
    gate.reached(1).await;
    assert!(outcomes(&ledger).is_empty(), "the call is under way");
    gate.open();
    quiet(&board).await;
    assert_eq!(results(&board.transcript(lead).await.unwrap()), ["Found it."]);
    assert_eq!(outcomes(&ledger), ["done"]);
    assert_eq!(ends(&ledger), [TurnEnd::Completed, TurnEnd::Completed]);
}

#[tokio::test]
async fn turn_3_a_host_that_is_gone_while_a_child_works_in_the_foreground_starts_no_second_one() {
    let (ledger, gate) = (Memory::new(), Gate::shut());
    let driver = delegating(&gate);
    let (board, _) = open(&ledger, parts(&driver, FakeTools::waiting()));
    let root = lead(&board).await;
    instruct(&board, root, "Go.").await;
    gate.reached(1).await;
    soon(board.stop()).await;
    gate.open();
    let (board, _) = open(&ledger, parts(&driver, FakeTools::waiting()));
    quiet(&board).await;
    assert_eq!(count(&ledger, "start-admitted"), 1);
    assert_eq!(results(&board.transcript(root).await.unwrap()), ["Found it."]);
}

#[tokio::test]
async fn drain_1_a_drain_does_not_wait_for_what_a_call_waits_for() {
    let (ledger, gate) = (Memory::new(), Gate::shut());
    let driver = delegating(&gate);
    let (board, _) = open(&ledger, parts(&driver, FakeTools::waiting()));
    let root = lead(&board).await;
    instruct(&board, root, "Go.").await;
    gate.reached(1).await;
    soon(board.drain()).await.unwrap();
    soon(board.stop()).await;
    assert!(outcomes(&ledger).is_empty(), "the call is made again");
    gate.open();
    let (board, _) = open(&ledger, parts(&driver, FakeTools::waiting()));
    quiet(&board).await;
    assert_eq!(results(&board.transcript(root).await.unwrap()), ["Found it."]);
}

#[tokio::test]
async fn int_6_an_interrupt_cuts_a_call_that_waits() {
    let (ledger, gate) = (Memory::new(), Gate::shut());
    let driver = delegating(&gate);
    let (board, _) = open(&ledger, parts(&driver, FakeTools::waiting()));
    let root = lead(&board).await;
    instruct(&board, root, "Go.").await;
    gate.reached(1).await;
    let answer = board.interrupt(root, None, false, None).await.unwrap();
    assert_eq!(answer.calls_cut, ["start"]);
    gate.open();
    quiet(&board).await;
    assert_eq!(ends(&ledger)[0], TurnEnd::Interrupted);
    let told = board.inspect(move |forest| forest.agent(root).unwrap().inbox.len()).await.unwrap();
    assert_eq!(told, 1, "what the child came to waits for it");
}

#[tokio::test]
async fn obs_3_a_wait_ends_with_a_message_that_the_next_step_reads() {
    let (ledger, gate) = (Memory::new(), Gate::shut());
    let at = gate.clone();
    let driver = FakeDriver::new(move |ask, _| {
        let gate = at.clone();
        async move {
            match (ask.name.as_str(), said(&ask)) {
                ("lead", 0) => calls("", &[("start", r#"{"agent":"helper"}"#), ("wait", "{}")]),
                ("helper", 0) => {
                    gate.pass().await;
                    calls("", &[("send", r#"{"to":"parent","text":"Found it."}"#)])
                }
                (_, _) => say("So."),
            }
        }
    });
    let (board, _) = open(&ledger, parts(&driver, FakeTools::waiting()));
    let root = lead(&board).await;
    instruct(&board, root, "Go.").await;
    gate.reached(1).await;
    gate.open();
    quiet(&board).await;
    let results = results(&board.transcript(root).await.unwrap());
    assert_eq!(results[1], "A message is there. You read it with your next step.");
    let asked = driver.asked.lock().unwrap();
    let second = asked.iter().find(|ask| ask.name.as_str() == "lead" && said(ask) == 1).unwrap();
    assert!(format!("{:?}", second.transcript).contains("Found it."));
}

#[tokio::test]
async fn obs_3_a_wait_says_so_when_nobody_is_at_work() {
    let ledger = Memory::new();
    let driver = FakeDriver::new(async |ask, _| match said(&ask) {
        0 => calls("", &[("wait", "{}")]),
        _ => say("So."),
    });
    let (board, _) = open(&ledger, parts(&driver, FakeTools::waiting()));
    let root = lead(&board).await;
    instruct(&board, root, "Go.").await;
    quiet(&board).await;
    let results = results(&board.transcript(root).await.unwrap());
    assert!(results[0].starts_with("Nobody who could write to you is at work"), "{results:?}");
}

#[tokio::test]
async fn start_3_a_fork_knows_what_its_parent_knew_also_after_a_restart() {
    let ledger = Memory::new();
    let driver = FakeDriver::new(async |ask, _| match (ask.name.as_str(), said(&ask)) {
        ("lead", 0) => say("The answer is 42."),
        ("lead", 1) => calls("Not this.", &[("start", r#"{"fork":true}"#)]),
        (_, _) => say("So."),
    });
    let (board, _) = open(&ledger, parts(&driver, FakeTools::waiting()));
    let root = lead(&board).await;
    instruct(&board, root, "What is it?").await;
    quiet(&board).await;
    instruct(&board, root, "Split up.").await;
    quiet(&board).await;
    let fork = board.inspect(move |forest| forest.agent(root).unwrap().children[0]).await.unwrap();
    let knows = |transcript: &[switchboard_runtime::Entry]| {
        let text = format!("{transcript:?}");
        assert!(text.contains("The answer is 42.") && text.contains("Do it."), "{text}");
        assert!(!text.contains("Not this.") && !text.contains("Split up."), "{text}");
    };
    let asked = driver.asked.lock().unwrap().clone();
    knows(&asked.iter().find(|ask| ask.agent == fork).unwrap().transcript);
    soon(board.stop()).await;
    let (board, _) = open(&ledger, parts(&driver, FakeTools::waiting()));
    knows(&board.transcript(fork).await.unwrap());
    let seeded = crate::fakes::events(&ledger)
        .into_iter()
        .any(|event| matches!(event, Event::StartAdmitted { seed: Some(_), .. }));
    assert!(seeded);
}
