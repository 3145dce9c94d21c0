//! Interrupts, as loops and guests feel them.

use switchboard_core::{Event, Stop, TurnEnd};
use switchboard_ledger::Memory;
use switchboard_runtime::{Entry, ToolClass};

use crate::fakes::{
    FakeDriver, FakeTools, call, done, ends, events, instruct, lead, open, outcomes, parts, quiet,
    say, soon,
};
use crate::gate::Gate;

fn cut(ledger: &Memory) -> (Vec<u32>, Option<String>) {
    let cut = |event| match event {
        Event::TurnEnded { cut, note, .. } => Some((cut, note)),
        _ => None,
    };
    events(ledger).into_iter().find_map(cut).unwrap()
}

#[tokio::test]
async fn int_6_the_ask_in_flight_is_cut_and_what_was_written_is_kept_in_the_record() {
    let asked = Gate::shut();
    let reached = asked.clone();
    let driver = FakeDriver::new(move |ask, cancel| {
        let asked = asked.clone();
        async move {
            if ask.transcript.contains(&Entry::Interrupted) {
                return say("Again.");
            }
            tokio::select! { () = asked.pass() => (), () = cancel.cancelled() => () }
            say("Half a sent")
        }
    });
    let ledger = Memory::new();
    let (board, _) = open(&ledger, parts(&driver, FakeTools::default()));
    let lead = lead(&board).await;
    instruct(&board, lead, "Go.").await;
    reached.reached(1).await;
    let answer = board.interrupt(lead, None, false, None).await.unwrap();
    assert!(matches!(answer.target.stop, Stop::Cancelling(_)), "{answer:?}");
    quiet(&board).await;
    assert_eq!(ends(&ledger), [TurnEnd::Interrupted]);
    assert_eq!(cut(&ledger).1.as_deref(), Some("Half a sent"));
    // The claim without a step was dropped, and the model never answered it.
    assert_eq!(board.transcript(lead).await.unwrap(), [Entry::Interrupted]);

    instruct(&board, lead, "On.").await;
    quiet(&board).await;
    assert_eq!(ends(&ledger), [TurnEnd::Interrupted, TurnEnd::Completed]);
}

#[tokio::test]
async fn int_6_a_guest_is_cut_its_result_is_not_recorded_and_no_further_call_starts() {
    let (hanging, reached) = (Gate::shut(), Gate::shut());
    let told = reached.clone();
    let driver = FakeDriver::new(async |ask, _| match ask.step {
        0 => call("hang", "{}"),
        _ => say("Never."),
    });
    let tools = FakeTools::default().with("hang", ToolClass::Effectful, move |_, cancel| {
        let (hanging, told) = (hanging.clone(), told.clone());
        async move {
            told.open();
            tokio::select! { () = hanging.pass() => (), () = cancel.cancelled() => () }
            done("too late")
        }
    });
    let ledger = Memory::new();
    let (board, _) = open(&ledger, parts(&driver, tools));
    let lead = lead(&board).await;
    instruct(&board, lead, "Go.").await;
    soon(reached.pass()).await;
    let answer = board.interrupt(lead, None, false, None).await.unwrap();
    assert_eq!(answer.calls_cut, ["hang"]);
    quiet(&board).await;
    assert_eq!(cut(&ledger).0, [0]);
    assert!(outcomes(&ledger).is_empty());
    let transcript = board.transcript(lead).await.unwrap();
    let [.., Entry::Returned { failed: true, text, .. }, Entry::Interrupted] =
        transcript.as_slice()
    else {
        panic!("{transcript:?}");
    };
    assert!(text.contains("not known"));
}

#[tokio::test]
async fn close_1_an_agent_that_works_is_closed_its_turn_ends_aborted_and_it_can_come_back() {
    let asked = Gate::shut();
    let reached = asked.clone();
    let driver = FakeDriver::new(move |ask, _| {
        let asked = asked.clone();
        async move {
            if ask.transcript.len() == 1 && ends_with(&ask.transcript, "Go.") {
                asked.pass().await;
            }
            say("Done.")
        }
    });
    let ledger = Memory::new();
    let (board, _) = open(&ledger, parts(&driver, FakeTools::default()));
    let lead = lead(&board).await;
    instruct(&board, lead, "Go.").await;
    reached.reached(1).await;
    board.close(lead).await.unwrap();
    quiet(&board).await;
    assert_eq!(ends(&ledger), [TurnEnd::Aborted]);
    asked_again(&board, lead).await;
    assert_eq!(ends(&ledger).last(), Some(&TurnEnd::Completed));
}

fn ends_with(transcript: &[Entry], words: &str) -> bool {
    crate::fakes::frames(transcript).len() == 1
        && crate::fakes::frames(transcript)[0].contains(words)
}

async fn asked_again(board: &switchboard_runtime::Switchboard, lead: switchboard_core::AgentId) {
    soon(board.instruct(lead, switchboard_core::Content::text("Back."))).await.unwrap();
    quiet(board).await;
}
