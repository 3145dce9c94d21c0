//! Ledgers that fail, and machines that do.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use switchboard_core::{AgentId, Code, Content, Event, Millis, Stamp, TurnEnd, WallTime};
use switchboard_ledger::{Fault, Ledger, LedgerError, Memory, Quarantined, Visit};
use switchboard_runtime::{Clock, FailPoint, FailPoints, SystemClock};

use crate::fakes::{
    FakeDriver, FakeTools, count, ends, events, frames, instruct, lead, open, open_on, parts,
    quiet, say, soon,
};
use crate::gate::Gate;

#[tokio::test]
async fn led_3_a_failed_append_is_told_as_uncertain_and_the_ledger_is_taken_up_again() {
    let faults = [(Fault::BeforeStoring, 0), (Fault::AfterStoring, 1)];
    let ledgers = [Memory::new as fn() -> Memory, Memory::immediate];
    for ((fault, accepted), ledger) in
        faults.into_iter().flat_map(|fault| ledgers.map(|ledger| (fault, ledger())))
    {
        let driver = FakeDriver::new(async |_, _| say("Done."));
        let (board, _) = open(&ledger, parts(&driver, FakeTools::default()));
        let lead = lead(&board).await;
        quiet(&board).await;
        ledger.fail_append(1, fault);
        let refused = soon(board.instruct(lead, Content::text("Go."))).await.unwrap_err();
        assert_eq!(refused.code, Code::LedgerUnavailable);
        assert!(refused.uncertain);
        quiet(&board).await;
        assert_eq!(count(&ledger, "accepted"), accepted, "{fault:?}");
        assert_eq!(count(&ledger, "host-started"), 2);

        instruct(&board, lead, "Once more.").await;
        quiet(&board).await;
        let read = frames(&board.transcript(lead).await.unwrap());
        assert_eq!(read.len(), accepted + 1);
        assert!(ends(&ledger).iter().all(|end| *end == TurnEnd::Completed));
        soon(board.stop()).await;
    }
}

#[tokio::test]
async fn led_3_those_who_watch_miss_nothing_of_a_batch_that_was_stored_all_the_same() {
    let driver = FakeDriver::new(async |_, _| say("Done."));
    let ledger = Memory::new();
    let (board, _) = open(&ledger, parts(&driver, FakeTools::default()));
    let lead = lead(&board).await;
    quiet(&board).await;
    let mut watch = board.watch();
    ledger.fail_append(1, Fault::AfterStoring);
    board.instruct(lead, Content::text("Go.")).await.unwrap_err();
    quiet(&board).await;
    let mut heard = Vec::new();
    while let Ok(stored) = watch.try_recv() {
        heard.push(stored.seq);
    }
    let last = ledger.len() as u64;
    assert_eq!(heard, (heard[0]..=last).collect::<Vec<_>>());
    assert!(heard.len() > 3);
}

#[tokio::test]
async fn led_3_a_turn_that_runs_when_the_ledger_fails_is_cut_and_goes_on_from_its_record() {
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
    ledger.fail_append(1, Fault::BeforeStoring);
    board.instruct(lead, Content::text("More.")).await.unwrap_err();
    soon(gate.reached(2)).await;
    gate.open();
    quiet(&board).await;
    assert_eq!(ends(&ledger), [TurnEnd::Completed]);
    assert_eq!(count(&ledger, "claim-returned"), 1);
}

#[tokio::test]
async fn led_3_a_ledger_that_stays_away_stops_the_board_and_everybody_is_told_why() {
    let driver = FakeDriver::new(async |_, _| say("Done."));
    let ledger = Memory::new();
    let gated = Gated::new(&ledger).cannot_be_reopened();
    let (board, _) = open_on(Box::new(gated), parts(&driver, FakeTools::default()));
    let lead = lead(&board).await;
    quiet(&board).await;
    ledger.fail_append(1, Fault::BeforeStoring);
    board.instruct(lead, Content::text("Go.")).await.unwrap_err();
    let why = soon(board.until_quiet()).await.unwrap_err();
    assert_eq!(why.code, Code::LedgerUnavailable);
    assert!(why.text.contains("its log says why"), "{why}");
    assert!(!why.text.contains("the disk is gone"), "SAND-5: {why}");
    let again = board.instruct(lead, Content::text("Go.")).await.unwrap_err();
    assert_eq!(again, why);
    assert!(soon(board.stop()).await.is_some());
}

#[tokio::test]
async fn led_3_what_was_being_stored_when_the_board_stopped_and_failed_is_told_as_uncertain() {
    let (ledger, gate) = (Memory::new(), Gate::shut());
    let driver = FakeDriver::new(async |_, _| say("Done."));
    gate.open();
    let gated = Gated::new(&ledger).appends_wait_at(&gate);
    let (board, _) = open_on(Box::new(gated), parts(&driver, FakeTools::default()));
    let lead = lead(&board).await;
    quiet(&board).await;
    gate.close();
    ledger.fail_append(1, Fault::AfterStoring);
    let before = gate.came();
    let stop = async {
        gate.reached(before + 1).await;
        let (stopped, ()) = tokio::join!(board.stop(), async { gate.open() });
        stopped
    };
    let told = board.instruct(lead, Content::text("Go."));
    let (told, stopped) = soon(async { tokio::join!(told, stop) }).await;
    let refused = told.unwrap_err();
    assert_eq!((refused.code, refused.uncertain), (Code::LedgerUnavailable, true));
    assert!(stopped.is_some());
    assert_eq!(count(&ledger, "accepted"), 1);
}

#[tokio::test]
async fn led_2_a_machine_that_panics_is_rebuilt_and_nothing_of_its_step_is_done() {
    let armed = Arc::new(AtomicBool::new(false));
    let driver = FakeDriver::new(async |_, _| say("Done."));
    let ledger = Memory::new();
    let mut parts = parts(&driver, FakeTools::default());
    parts.clock = Arc::new(Trap(SystemClock::new(), armed.clone()));
    let (board, _) = open(&ledger, parts);
    let lead = lead(&board).await;
    quiet(&board).await;
    armed.store(true, Ordering::SeqCst);
    let refused = soon(board.instruct(lead, Content::text("Go."))).await.unwrap_err();
    assert_eq!((refused.code, refused.uncertain), (Code::Internal, false));
    quiet(&board).await;
    instruct(&board, lead, "Again.").await;
    quiet(&board).await;
    assert_eq!(frames(&board.transcript(lead).await.unwrap()).len(), 1);
}

#[tokio::test]
async fn a_machine_that_panics_again_and_again_stops_the_board() {
    let armed = Arc::new(AtomicBool::new(false));
    let driver = FakeDriver::new(async |_, _| say("Done."));
    let mut parts = parts(&driver, FakeTools::default());
    parts.clock = Arc::new(Trap(SystemClock::new(), armed.clone()));
    let (board, _) = open(&Memory::new(), parts);
    let lead = lead(&board).await;
    for _ in 0..5 {
        quiet(&board).await;
        armed.store(true, Ordering::SeqCst);
        soon(board.instruct(lead, Content::text("Go."))).await.unwrap_err();
    }
    quiet(&board).await;
    armed.store(true, Ordering::SeqCst);
    soon(board.instruct(lead, Content::text("Go."))).await.unwrap_err();
    let why = soon(board.until_quiet()).await.unwrap_err();
    assert_eq!(why.code, Code::Internal);
    assert!(why.text.contains("too often"), "{why}");
}

/// A place the embedder's own code runs at, and fails.
struct Fails(AtomicBool);
impl FailPoints for Fails {
    fn reached(&self, point: FailPoint, _: &[&'static str]) {
        let fails = point == FailPoint::Appended && self.0.swap(false, Ordering::SeqCst);
        assert!(!fails, "as the test wants it");
    }
}

#[tokio::test]
async fn led_3_after_the_owner_panicked_everybody_is_told_that_the_host_has_stopped() {
    let points = Arc::new(Fails(AtomicBool::new(false)));
    let driver = FakeDriver::new(async |_, _| std::future::pending().await);
    let mut parts = parts(&driver, FakeTools::default());
    parts.fail_points = Some(points.clone());
    let (board, _) = open(&Memory::new(), parts);
    let lead = lead(&board).await;
    instruct(&board, lead, "Think for ever.").await;
    points.0.store(true, Ordering::SeqCst);
    let asked = soon(board.instruct(lead, Content::text("Go."))).await.unwrap_err();
    assert_eq!((asked.code, asked.uncertain), (Code::Internal, true), "it was stored");
    let ledger = soon(board.stop()).await;
    assert!(ledger.is_some(), "no loop runs on behind it");
    let later = soon(board.until_quiet()).await.unwrap_err();
    assert_eq!((later.code, later.uncertain), (Code::Internal, false));
    assert!(later.text.contains("has stopped"), "{later}");
}

#[tokio::test]
async fn res_2_an_agent_whose_record_cannot_be_read_at_first_is_brought_up_by_a_later_try() {
    let driver = FakeDriver::new(async |_, _| say("Done."));
    let ledger = Memory::new();
    let mut parts = parts(&driver, FakeTools::default());
    parts.limits.rebuild_backoff = Millis(1);
    let gated = Gated::new(&ledger).first_reads_fail(2);
    let (board, _) = open_on(Box::new(gated), parts);
    let lead = lead(&board).await;
    instruct(&board, lead, "Go.").await;
    quiet(&board).await;
    assert_eq!(count(&ledger, "resume-failed"), 2);
    assert!(!format!("{:?}", events(&ledger)).contains("the disk hums"), "SAND-5");
    assert_eq!(ends(&ledger), [TurnEnd::Completed]);
}

/// A clock that panics once whenever it is armed, in the middle of a step.
struct Trap(SystemClock, Arc<AtomicBool>);
impl Clock for Trap {
    fn stamp(&self) -> Stamp {
        assert!(!self.1.swap(false, Ordering::SeqCst), "the clock is broken");
        self.0.stamp()
    }
}

/// A ledger in memory whose reads or appends wait at a gate, whose first reads fail, or those of
/// one agent, or that cannot be opened again.
pub(crate) struct Gated {
    ledger: Memory,
    reads: Option<Gate>,
    appends: Option<Gate>,
    failing_reads: usize,
    unreadable: Option<u64>,
    reopens: bool,
}

impl Gated {
    pub(crate) fn new(ledger: &Memory) -> Self {
        let ledger = ledger.clone();
        let (reads, appends, unreadable) = (None, None, None);
        Self { ledger, reads, appends, failing_reads: 0, unreadable, reopens: true }
    }

    pub(crate) fn reads_wait_at(self, gate: &Gate) -> Self {
        Self { reads: Some(gate.clone()), ..self }
    }

    pub(crate) fn appends_wait_at(self, gate: &Gate) -> Self {
        Self { appends: Some(gate.clone()), ..self }
    }

    fn first_reads_fail(self, failing_reads: usize) -> Self {
        Self { failing_reads, ..self }
    }

    /// The records of the so-manieth agent cannot be read.
    pub(crate) fn cannot_read_agent(self, number: u64) -> Self {
        Self { unreadable: Some(number), ..self }
    }

    pub(crate) fn cannot_be_reopened(self) -> Self {
        Self { reopens: false, ..self }
    }
}

impl Ledger for Gated {
    fn append(&mut self, at: WallTime, batch: &[Event]) -> Result<u64, LedgerError> {
        self.appends.iter().for_each(Gate::pass_blocking);
        self.ledger.append(at, batch)
    }

    fn replay(&mut self, visit: Visit<'_>) -> Result<Vec<Quarantined>, LedgerError> {
        self.ledger.replay(visit)
    }

    fn agent_events(
        &mut self,
        agent: AgentId,
        visit: Visit<'_>,
    ) -> Result<Vec<Quarantined>, LedgerError> {
        self.reads.iter().for_each(Gate::pass_blocking);
        if let Some(left) = self.failing_reads.checked_sub(1) {
            self.failing_reads = left;
            return Err(broken("reading the ledger", "the disk hums"));
        }
        if self.unreadable == Some(agent.number()) {
            return Err(broken("reading the ledger", "the disk hums"));
        }
        self.ledger.agent_events(agent, visit)
    }

    fn put_document(&mut self, name: &str, text: &str) -> Result<(), LedgerError> {
        self.ledger.put_document(name, text)
    }

    fn document(&mut self, name: &str) -> Result<Option<String>, LedgerError> {
        self.ledger.document(name)
    }

    fn reopen(&mut self) -> Result<(), LedgerError> {
        match self.reopens {
            true => self.ledger.reopen(),
            false => Err(broken("opening the ledger", "the disk is gone")),
        }
    }
}

fn broken(doing: &str, problem: &str) -> LedgerError {
    LedgerError { doing: doing.to_owned(), problem: problem.to_owned() }
}
