//! Pausing and letting go on, and putting a tree away for a while.

use switchboard_core::{Activity, Content, TurnEnd, Whom};
use switchboard_ledger::Memory;
use switchboard_runtime::ToolClass;

use crate::fakes::{
    FakeDriver, FakeTools, call, count, done, ends, instruct, lead, open, parts, quiet, say, soon,
};
use crate::gate::Gate;

/// A model that touches something once, and a tool that waits at a gate.
fn touching() -> (FakeDriver, FakeTools, Gate, Gate) {
    let (gate, called) = (Gate::shut(), Gate::shut());
    let (at_gate, told) = (gate.clone(), called.clone());
    let driver = FakeDriver::new(async |ask, _| match ask.step {
        0 => call("touch", "{}"),
        _ => say("Done."),
    });
    let tools = FakeTools::default().with("touch", ToolClass::Effectful, move |_, _| {
        let (gate, told) = (at_gate.clone(), told.clone());
        async move {
            told.open();
            gate.pass().await;
            done("touched")
        }
    });
    (driver, tools, gate, called)
}

#[tokio::test]
async fn pause_1_a_call_in_flight_finishes_and_the_model_is_asked_again_once_it_is_resumed() {
    let (driver, tools, gate, called) = touching();
    let ledger = Memory::new();
    let (board, _) = open(&ledger, parts(&driver, tools.clone()));
    let lead = lead(&board).await;
    let mut stored = board.watch();
    instruct(&board, lead, "Go.").await;
    soon(called.pass()).await;
    assert_eq!(soon(board.pause(Whom::Tree(lead))).await.unwrap(), [lead]);
    let receipt = soon(board.instruct(lead, Content::text("More."))).await.unwrap();
    assert!(receipt.paused);
    gate.open();
    while soon(stored.recv()).await.unwrap().event.kind() != "call-ended" {}
    assert_eq!(count(&ledger, "step-recorded"), 1);
    soon(board.stop()).await;

    let (board, recovery) = open(&ledger, parts(&driver, tools));
    assert_eq!(recovery.open_turns, 1);
    let activity = board.inspect(move |forest| forest.agent(lead).unwrap().activity());
    assert_eq!(soon(activity).await.unwrap(), Activity::Paused, "it outlives the host");
    assert_eq!(soon(board.resume(Whom::All)).await.unwrap(), [lead]);
    quiet(&board).await;
    assert_eq!(ends(&ledger), [TurnEnd::Completed; 2]);
    assert_eq!(count(&ledger, "call-ended"), 2, "one in each turn");
}

#[tokio::test]
async fn pause_1_an_interrupt_ends_the_turn_of_a_paused_agent() {
    let (driver, tools, gate, called) = touching();
    let ledger = Memory::new();
    let (board, _) = open(&ledger, parts(&driver, tools));
    let lead = lead(&board).await;
    instruct(&board, lead, "Go.").await;
    soon(called.pass()).await;
    soon(board.pause(Whom::All)).await.unwrap();
    gate.open();
    soon(board.interrupt(lead, None, false, None)).await.unwrap();
    quiet(&board).await;
    assert_eq!(ends(&ledger), [TurnEnd::Interrupted]);
}

#[tokio::test]
async fn drain_1_a_tree_is_put_away_and_what_it_was_at_is_not_lost() {
    let gate = Gate::shut();
    let at_gate = gate.clone();
    let driver = FakeDriver::new(move |_, cancel| {
        let gate = at_gate.clone();
        async move {
            tokio::select! { () = gate.pass() => (), () = cancel.cancelled() => () }
            say("Done.")
        }
    });
    let ledger = Memory::new();
    let (board, _) = open(&ledger, parts(&driver, FakeTools::default()));
    let lead = lead(&board).await;
    instruct(&board, lead, "Go.").await;
    gate.reached(1).await;
    let drained = soon(board.drain_trees(vec![lead])).await.unwrap();
    assert_eq!((drained.released, drained.abandoned), (vec![lead], vec![]));
    gate.open();
    quiet(&board).await;
    assert_eq!(ends(&ledger), [TurnEnd::Aborted, TurnEnd::Completed]);
}
