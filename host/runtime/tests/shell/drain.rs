//! Stopping gently.

use std::sync::Arc;

use switchboard_core::{Content, Stamp, TurnEnd};
use switchboard_ledger::Memory;
use switchboard_runtime::{Clock, DriverError, SystemClock, ToolClass};

use crate::fakes::{
    FakeDriver, FakeTools, call, count, done, ends, frames, instruct, lead, open, open_on,
    outcomes, parts, quiet, said, say, soon,
};
use crate::gate::Gate;
use crate::ledger::Gated;

#[tokio::test]
async fn drain_1_an_ask_in_flight_is_cut_and_asked_again_after_the_restart() {
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
    soon(board.drain()).await.unwrap();
    let refused = board.instruct(lead, Content::text("More.")).await.unwrap_err();
    assert_eq!(refused.code, switchboard_core::Code::Draining);
    soon(board.stop()).await;
    assert!(ends(&ledger).is_empty());
    assert_eq!(count(&ledger, "step-recorded"), 0);

    gate.open();
    let (board, recovery) = open(&ledger, parts(&driver, FakeTools::default()));
    assert_eq!((recovery.agents, recovery.open_turns), (1, 1));
    quiet(&board).await;
    assert_eq!(ends(&ledger), [TurnEnd::Completed]);
    assert_eq!(frames(&board.transcript(lead).await.unwrap()).len(), 1);
}

#[tokio::test]
async fn drain_1_a_call_in_flight_finishes_and_is_recorded_and_the_turn_stays_open() {
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
    let ledger = Memory::new();
    let (board, _) = open(&ledger, parts(&driver, tools.clone()));
    let lead = lead(&board).await;
    instruct(&board, lead, "Go.").await;
    soon(called.pass()).await;
    let drain = tokio::spawn({
        let board = board.clone();
        async move { board.drain().await }
    });
    board.inspect(|_| ()).await.unwrap();
    gate.open();
    soon(drain).await.unwrap().unwrap();
    soon(board.stop()).await;
    assert_eq!(outcomes(&ledger), ["done"]);
    assert!(ends(&ledger).is_empty());

    let (board, _) = open(&ledger, parts(&driver, tools));
    quiet(&board).await;
    assert_eq!(outcomes(&ledger), ["done"]);
    assert_eq!(ends(&ledger), [TurnEnd::Completed]);
}

#[tokio::test]
async fn drain_1_calls_that_do_not_finish_in_time_are_cut_and_their_turn_stays_open() {
    let driver = FakeDriver::new(async |ask, _| match said(&ask) {
        0 => call("touch", "{}"),
        _ => say("Done."),
    });
    let tools = FakeTools::default()
        .with("touch", ToolClass::Effectful, async |_, _| std::future::pending().await);
    let ledger = Memory::new();
    let mut parts = parts(&driver, tools);
    parts.limits.drain = switchboard_core::Millis(20);
    let (board, _) = open(&ledger, parts);
    let lead = lead(&board).await;
    instruct(&board, lead, "Go.").await;
    let mut watch = board.watch();
    while count(&ledger, "step-recorded") == 0 {
        soon(watch.recv()).await.unwrap();
    }
    soon(board.drain()).await.unwrap();
    soon(board.stop()).await;
    assert!(outcomes(&ledger).is_empty());
    assert!(ends(&ledger).is_empty());
}

#[tokio::test]
async fn drain_1_a_call_refused_draining_is_not_recorded_and_is_made_again() {
    let (gate, called) = (Gate::shut(), Gate::shut());
    let (at_gate, told) = (gate.clone(), called.clone());
    let driver = FakeDriver::new(async |ask, _| match (ask.name.as_str(), said(&ask)) {
        ("lead", 0) => call("start", r#"{"agent":"helper"}"#),
        ("lead", _) => say("Read."),
        (_, 0) => call("late", r#"{"to":"parent","text":"here"}"#),
        (_, _) => say("Sent."),
    });
    let tools = FakeTools::control().with("late", ToolClass::Control, move |call, _| {
        let (gate, told) = (at_gate.clone(), told.clone());
        async move {
            told.open();
            gate.pass().await;
            crate::fakes::send(call).await
        }
    });
    let ledger = Memory::new();
    let make = || {
        let mut parts = parts(&driver, tools.clone());
        let helper =
            crate::fakes::descriptor("helper", switchboard_core::Mode::Continuable, &["late"]);
        parts.kinds.insert("helper".to_owned(), std::sync::Arc::new(helper));
        parts
    };
    let (board, _) = open(&ledger, make());
    let lead = lead(&board).await;
    instruct(&board, lead, "Go.").await;
    soon(called.pass()).await;
    let drain = tokio::spawn({
        let board = board.clone();
        async move { board.drain().await }
    });
    board.inspect(|_| ()).await.unwrap();
    gate.open();
    soon(drain).await.unwrap().unwrap();
    soon(board.stop()).await;
    let before = outcomes(&ledger);

    let (board, _) = open(&ledger, make());
    quiet(&board).await;
    assert_eq!(outcomes(&ledger).len(), before.len() + 1, "{:?}", outcomes(&ledger));
    let read = frames(&board.transcript(lead).await.unwrap()).concat();
    assert_eq!(read.matches("here").count(), 1);
}

#[tokio::test]
async fn drain_1_a_model_that_fails_as_the_drain_begins_does_not_keep_it_from_its_end() {
    let (thinks, appends, ledger) = (Gate::shut(), Gate::shut(), Memory::new());
    let at_gate = thinks.clone();
    let driver = FakeDriver::new(move |_, _| {
        let thinks = at_gate.clone();
        async move {
            thinks.pass().await;
            Err(DriverError::Failed("no such model".to_owned()))
        }
    });
    appends.open();
    let gated = Gated::new(&ledger).appends_wait_at(&appends);
    let decided = Gate::shut();
    decided.open();
    let mut parts = parts(&driver, FakeTools::default());
    parts.clock = Arc::new(Counts(SystemClock::new(), decided.clone()));
    let (board, _) = open_on(Box::new(gated), parts);
    let lead = lead(&board).await;
    instruct(&board, lead, "Go.").await;
    soon(thinks.reached(1)).await;
    appends.close();
    let before = appends.came();
    let busy = tokio::spawn({
        let board = board.clone();
        async move { board.instruct(lead, Content::text("More.")).await }
    });
    soon(appends.reached(before + 1)).await;
    // Nobody hears of the drain before the append is done, and by then the model has failed.
    let before = decided.came();
    let fails = async {
        decided.reached(before + 1).await;
        thinks.open();
        decided.reached(before + 2).await;
        appends.open();
    };
    let (drained, ()) = soon(async { tokio::join!(board.drain(), fails) }).await;
    drained.unwrap();
    soon(busy).await.unwrap().unwrap();
    assert_eq!(ends(&ledger), [], "its turn stays open");
    soon(board.stop()).await;
}

/// A clock that counts what is decided.
struct Counts(SystemClock, Gate);
impl Clock for Counts {
    fn stamp(&self) -> Stamp {
        self.1.pass_blocking();
        self.0.stamp()
    }
}
