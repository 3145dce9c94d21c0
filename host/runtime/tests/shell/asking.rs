//! Models that are away for a while. The ledger is used in place: a paused clock would run ahead of
//! a thread.

use std::time::Duration;

use switchboard_core::TurnEnd;
use switchboard_ledger::Memory;
use switchboard_runtime::DriverError;
use tokio::time::Instant;

use crate::fakes::{
    FakeDriver, FakeTools, Reply, count, ends, frames, instruct, lead, note, open, parts, quiet,
    say, soon,
};

fn away(after: Option<Duration>) -> Reply {
    Err(DriverError::Unavailable { after, why: "too many requests".to_owned() })
}

/// A driver whose first attempts fail like this, and then answers.
fn away_at_first(attempts: usize, after: Option<Duration>) -> FakeDriver {
    let left = std::sync::Mutex::new(attempts);
    FakeDriver::new(move |_, _| {
        let mut left = left.lock().unwrap();
        let there = *left == 0;
        *left = left.saturating_sub(1);
        std::future::ready(if there { say("Here.") } else { away(after) })
    })
}

#[tokio::test(start_paused = true)]
async fn fate_3_an_outage_that_passes_ends_no_turn_and_loses_no_mail() {
    let (ledger, driver) = (Memory::immediate(), away_at_first(2, None));
    let (board, _) = open(&ledger, parts(&driver, FakeTools::default()));
    let lead = lead(&board).await;
    let begun = Instant::now();
    instruct(&board, lead, "Go.").await;
    quiet(&board).await;
    // A quarter of a second and a half, each at least half of it and at most all.
    let waited = begun.elapsed();
    assert!((375..800).contains(&waited.as_millis()), "{waited:?}");
    assert_eq!(ends(&ledger), [TurnEnd::Completed]);
    assert_eq!((count(&ledger, "dropped"), count(&ledger, "claim-returned")), (0, 0));
    for attempt in 0..3 {
        let read = frames(&driver.transcript(attempt));
        assert_eq!(read.len(), 1, "{read:?}");
    }
    assert_eq!(frames(&board.transcript(lead).await.unwrap()).len(), 1);
    soon(board.stop()).await;
}

#[tokio::test(start_paused = true)]
async fn a_provider_that_says_when_to_come_back_is_left_alone_until_then() {
    let driver = away_at_first(1, Some(Duration::from_secs(5)));
    let ledger = Memory::immediate();
    let (board, _) = open(&ledger, parts(&driver, FakeTools::default()));
    let lead = lead(&board).await;
    let begun = Instant::now();
    instruct(&board, lead, "Go.").await;
    quiet(&board).await;
    assert!(begun.elapsed() >= Duration::from_secs(5));
    assert_eq!(ends(&ledger), [TurnEnd::Completed]);
}

#[tokio::test(start_paused = true)]
async fn start_4_an_outage_that_outlasts_the_deadline_ends_the_turn_as_error_with_the_reason() {
    let driver = FakeDriver::new(async |_, _| away(None));
    let ledger = Memory::immediate();
    let mut parts = parts(&driver, FakeTools::default());
    parts.deadlines.model_call = Duration::from_secs(2);
    let (board, _) = open(&ledger, parts);
    let lead = lead(&board).await;
    let begun = Instant::now();
    instruct(&board, lead, "Go.").await;
    quiet(&board).await;
    let ends = ends(&ledger);
    assert!(ends.iter().all(|end| *end == TurnEnd::Error), "{ends:?}");
    assert!(begun.elapsed() <= Duration::from_secs(2) * ends.len() as u32);
    assert!(note(&ledger).contains("too many requests"), "{}", note(&ledger));
}

#[tokio::test(start_paused = true)]
async fn int_6_an_interrupt_ends_the_wait_for_a_model_at_once() {
    let driver = FakeDriver::new(async |_, _| away(Some(Duration::from_secs(600))));
    let ledger = Memory::immediate();
    let (board, _) = open(&ledger, parts(&driver, FakeTools::default()));
    let lead = lead(&board).await;
    let begun = Instant::now();
    instruct(&board, lead, "Go.").await;
    while driver.asked.lock().unwrap().is_empty() {
        tokio::task::yield_now().await;
    }
    board.interrupt(lead, None, false, None).await.unwrap();
    quiet(&board).await;
    assert!(begun.elapsed() < Duration::from_secs(1));
    assert_eq!(ends(&ledger), [TurnEnd::Interrupted]);
}
