//! One small crew, whose ledger fails at each of its appends in turn, in both ways a ledger can;
//! once with a host that takes it up again, and once with a host that dies there.

use std::collections::BTreeMap;

use switchboard_core::{AgentId, Content, Event, MessageId, MessageKind, TurnEnd};
use switchboard_ledger::{Fault, Memory, Sqlite};
use switchboard_runtime::{Parts, Switchboard};

use crate::fakes::{
    FakeDriver, FakeTools, calls, count, descriptor, ends, events, lead, open, open_on, parts,
    quiet, said, say, soon,
};
use crate::fate::standings;
use crate::ledger::Gated;

/// The lead starts two helpers; each reports twice and comes to rest.
fn crew() -> Parts {
    let driver = FakeDriver::new(async |ask, _| match (ask.name.as_str(), said(&ask)) {
        ("lead", 0) => {
            let start = ("start", r#"{"agent":"helper"}"#);
            calls("", &[start, start])
        }
        ("lead", _) => say("Noted."),
        (_, 0) => {
            let report = |text| ("send", text);
            let first = report(r#"{"to":"parent","text":"first"}"#);
            calls("", &[first, report(r#"{"to":"parent","text":"second"}"#)])
        }
        (_, _) => say("Reported."),
    });
    parts(&driver, FakeTools::control())
}

/// Hands in the one instruction, unless it is there already.
async fn begin(board: &Switchboard) -> Option<AgentId> {
    let tools = ["send", "start"];
    let lead = board.register("lead", descriptor("lead", switchboard_core::Mode::Root, &tools));
    let lead = lead.await.ok()?;
    let heard = board.transcript(lead).await.ok()?;
    let waits = board.inspect(move |forest| !forest.agent(lead).unwrap().inbox.is_empty()).await;
    if heard.is_empty() && !waits.ok()? {
        board.instruct(lead, Content::text("Begin.")).await.ok()?;
    }
    Some(lead)
}

/// What must be true of the ledger in the end, whatever happened on the way.
fn check(ledger: &Memory, case: &str) {
    assert_eq!(count(ledger, "start-admitted"), 2, "{case}");
    let mut relays: BTreeMap<MessageId, usize> = BTreeMap::new();
    for event in events(ledger) {
        match event {
            Event::Accepted { message, .. } if message.kind == MessageKind::Relay => {
                relays.insert(message.id, 0);
            }
            Event::StepRecorded { consumed, .. } => {
                consumed.iter().for_each(|id| *relays.entry(*id).or_default() += 1);
            }
            _ => (),
        }
    }
    assert!(relays.values().all(|times| *times == 1), "FATE-1, {case}: {relays:?}");
    let is_report = |event: &Event| match event {
        Event::Accepted { message, .. } => message.kind == MessageKind::Relay,
        _ => false,
    };
    let reports = events(ledger).into_iter().filter(is_report).count();
    assert_eq!(reports, 4, "SEND-2, {case}");
    assert_eq!(count(ledger, "turn-opened"), ends(ledger).len(), "TURN-5, {case}");
    assert!(ends(ledger).iter().all(|end| *end == TurnEnd::Completed), "{case}");
}

/// How often a run without faults appends.
async fn appends() -> u64 {
    let ledger = Memory::new();
    let (board, _) = open(&ledger, crew());
    lead(&board).await;
    begin(&board).await.unwrap();
    quiet(&board).await;
    board.stop().await;
    check(&ledger, "no fault");
    ledger.len() as u64
}

/// The next host; it, too, dies at its start if the fault was not met before.
fn restart(ledger: &Memory) -> Switchboard {
    let opened = || Switchboard::open(Box::new(ledger.clone()), crew()).ok();
    opened().or_else(opened).unwrap().0
}

/// Goes on to the end, where the machine and the ledger say the same of every message (FATE-1).
async fn finish(board: &Switchboard, ledger: &Memory) {
    while begin(board).await.is_none() {}
    quiet(board).await;
    standings(board, ledger).await;
    soon(board.stop()).await;
}

#[tokio::test]
async fn led_3_wherever_an_append_fails_each_report_is_accepted_once_and_read_once() {
    for nth in 1..appends().await {
        for fault in [Fault::BeforeStoring, Fault::AfterStoring] {
            let ledger = Memory::new();
            let (board, _) = open(&ledger, crew());
            ledger.fail_append(nth, fault);
            soon(finish(&board, &ledger)).await;
            check(&ledger, &format!("append {nth}, {fault:?}"));
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn led_4_wherever_a_host_dies_the_next_one_brings_every_report_to_its_reader_once() {
    for nth in 1..appends().await {
        for fault in [Fault::BeforeStoring, Fault::AfterStoring] {
            let ledger = Memory::new();
            let dying = Gated::new(&ledger).cannot_be_reopened();
            let (board, _) = open_on(Box::new(dying), crew());
            ledger.fail_append(nth, fault);
            begin(&board).await;
            let _ = soon(board.until_quiet()).await;
            soon(board.stop()).await;
            let board = restart(&ledger);
            soon(finish(&board, &ledger)).await;
            check(&ledger, &format!("death at {nth}, {fault:?}"));
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn led_4_the_crew_runs_on_sqlite_and_its_file_is_taken_up_by_the_next_host() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("crew.db");
    let (board, _) = open_on(Box::new(Sqlite::create(&file).unwrap()), crew());
    let lead = begin(&board).await.unwrap();
    quiet(&board).await;
    let before = board.transcript(lead).await.unwrap();
    drop(soon(board.stop()).await);

    let (board, recovery) = open_on(Box::new(Sqlite::open(&file).unwrap()), crew());
    assert_eq!((recovery.agents, recovery.open_turns, recovery.mail_waiting), (1, 0, 0));
    quiet(&board).await;
    assert_eq!(board.transcript(lead).await.unwrap(), before);
    drop(soon(board.stop()).await);
}
