//! The embedding API.

use std::sync::{Arc, Mutex};

use switchboard_core::{Code, Content, Mode};
use switchboard_ledger::Memory;
use switchboard_runtime::{Entry, FailPoint, FailPoints, Switchboard};

use crate::fakes::{
    FakeDriver, FakeTools, count, descriptor, instruct, lead, open, open_on, parts, quiet, say,
    soon,
};
use crate::gate::Gate;
use crate::ledger::Gated;

#[tokio::test]
async fn an_instruction_starts_a_turn_whose_answer_is_the_closing_text() {
    let (ledger, driver) = (Memory::new(), FakeDriver::new(async |_, _| say("All is well.")));
    let (board, recovery) = open(&ledger, parts(&driver, FakeTools::default()));
    assert!(recovery.new);
    let lead = lead(&board).await;
    instruct(&board, lead, "How is it?").await;
    quiet(&board).await;

    assert_eq!(board.closing_text(lead).await.unwrap().as_deref(), Some("All is well."));
    let transcript = board.transcript(lead).await.unwrap();
    let [Entry::Read(frames), Entry::Said { text, .. }] = transcript.as_slice() else {
        panic!("{transcript:?}");
    };
    assert!(frames[0].contains("How is it?"));
    assert_eq!(&**text, "All is well.");
    soon(board.stop()).await.unwrap();
}

#[tokio::test]
async fn id_5_a_root_that_is_registered_again_is_the_same_one() {
    let driver = FakeDriver::new(async |_, _| say(""));
    let (board, _) = open(&Memory::new(), parts(&driver, FakeTools::default()));
    assert_eq!(lead(&board).await, lead(&board).await);
    let refused = board.register("Not a name!", descriptor("lead", Mode::Root, &[])).await;
    assert_eq!(refused.unwrap_err().code, Code::InvalidArgument);
}

#[tokio::test]
async fn those_who_watch_hear_of_every_event_in_order_once_it_is_stored() {
    let (ledger, driver) = (Memory::new(), FakeDriver::new(async |_, _| say("Done.")));
    let parts = parts(&driver, FakeTools::default());
    let mut watch = parts.watch();
    let (board, _) = open(&ledger, parts);
    let lead = lead(&board).await;
    instruct(&board, lead, "Go.").await;
    quiet(&board).await;
    let first = watch.recv().await.unwrap();
    let mut last = first.seq;
    while let Ok(stored) = watch.try_recv() {
        assert_eq!(stored.seq, last + 1);
        last = stored.seq;
    }
    assert_eq!((first.seq, first.event.kind()), (1, "forest-opened"));
    assert_eq!(last, ledger.len() as u64);
}

#[tokio::test]
async fn send_12_fail_points_show_that_answers_follow_the_append_and_effects_the_answers() {
    #[derive(Default)]
    struct Points(Mutex<Vec<(FailPoint, Vec<&'static str>)>>);
    impl FailPoints for Points {
        fn reached(&self, point: FailPoint, kinds: &[&'static str]) {
            self.0.lock().unwrap().push((point, kinds.to_vec()));
        }
    }
    let points = Arc::new(Points::default());
    let driver = FakeDriver::new(async |_, _| say(""));
    let mut parts = parts(&driver, FakeTools::default());
    parts.fail_points = Some(points.clone());
    let (board, _) = open(&Memory::new(), parts);
    lead(&board).await;
    soon(board.stop()).await;

    let reached = points.0.lock().unwrap();
    let of_first = reached.iter().filter(|(_, kinds)| kinds == &["agent-registered"]);
    let order: Vec<FailPoint> = of_first.map(|(point, _)| *point).collect();
    assert_eq!(order, [FailPoint::Appended, FailPoint::Answered, FailPoint::Performed]);
}

#[tokio::test]
async fn send_13_a_caller_that_goes_while_it_is_parked_leaves_nothing_behind() {
    let (ledger, gate) = (Memory::new(), Gate::shut());
    let driver = FakeDriver::new(async |_, _| say(""));
    let gated = Gated::new(&ledger).reads_wait_at(&gate);
    let (board, _) = open_on(Box::new(gated), parts(&driver, FakeTools::default()));
    gate.open();
    let lead = lead(&board).await;
    quiet(&board).await;
    board.close(lead).await.unwrap();
    quiet(&board).await;

    // The root is only stored, so the instruction is parked until it is back in memory.
    gate.close();
    let mut parked = Box::pin(board.instruct(lead, Content::text("Go.")));
    let waits = std::future::poll_fn(|context| {
        std::task::Poll::Ready(parked.as_mut().poll(context).is_pending())
    });
    assert!(waits.await);
    gate.reached(2).await;
    drop(parked);
    board.inspect(|_| ()).await.unwrap();
    gate.open();
    quiet(&board).await;
    assert_eq!(count(&ledger, "accepted"), 0);
}

#[tokio::test]
async fn send_13_thousands_of_callers_that_go_at_once_harm_nobody() {
    let (ledger, gate) = (Memory::new(), Gate::shut());
    let driver = FakeDriver::new(async |_, _| say("Done."));
    let gated = Gated::new(&ledger).appends_wait_at(&gate);
    gate.open();
    let (board, _) = open_on(Box::new(gated), parts(&driver, FakeTools::default()));
    let lead = lead(&board).await;
    quiet(&board).await;

    // While the ledger is busy, both lanes and the batch are filled to the brim.
    gate.close();
    let mut crowd = tokio::task::JoinSet::new();
    for _ in 0..5_000 {
        let board = board.clone();
        crowd.spawn(async move { board.instruct(lead, Content::text("Go.")).await });
    }
    tokio::task::yield_now().await;
    crowd.abort_all();
    while crowd.join_next().await.is_some() {}
    gate.open();
    quiet(&board).await;
    board.instruct(lead, Content::text("Is anybody there?")).await.unwrap();
    quiet(&board).await;
    assert!(count(&ledger, "accepted") <= 2 * 20 + 1);
}

#[tokio::test]
async fn a_stopped_board_refuses_everybody_and_gives_its_ledger_back_once() {
    let driver = FakeDriver::new(async |_, _| say(""));
    let (board, _) = open(&Memory::new(), parts(&driver, FakeTools::default()));
    let lead = lead(&board).await;
    assert!(soon(board.stop()).await.is_some());
    assert!(soon(board.stop()).await.is_none());
    let refused = |board: Switchboard| async move {
        board.instruct(lead, Content::text("Go.")).await.unwrap_err().code
    };
    assert_eq!(refused(board.clone()).await, Code::Draining);
    assert_eq!(board.until_quiet().await.unwrap_err().code, Code::Draining);
    assert_eq!(board.inspect(|_| ()).await.unwrap_err().code, Code::Draining);
}

#[tokio::test]
async fn stopping_returns_only_when_a_driver_that_ignores_its_token_is_gone() {
    let asked = Gate::shut();
    let reached = asked.clone();
    let driver = FakeDriver::new(move |_, _| {
        let asked = asked.clone();
        async move {
            asked.pass().await;
            say("")
        }
    });
    let (board, _) = open(&Memory::new(), parts(&driver, FakeTools::default()));
    let lead = lead(&board).await;
    instruct(&board, lead, "Go.").await;
    reached.reached(1).await;
    assert!(soon(board.stop()).await.is_some());
}
