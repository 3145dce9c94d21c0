//! Running a crew on a ledger until nothing is left to do, or until somebody stops it.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use switchboard_core::{AgentId, Content, Descriptor, Forest, Refusal, TurnEnd};
use switchboard_ledger::{Ledger, Sqlite, Stored};
use switchboard_runtime::{Parts, Recovery, Switchboard};
use tokio::sync::broadcast::Receiver;
use tokio::sync::broadcast::error::RecvError;

use crate::crew::resolved::ResolvedCrew;
use crate::failure::Failure;
use crate::interrupts::Interrupts;
use crate::live::Live;
use crate::show::chronicle::Chronicle;

/// How long a run that is stopped at once may take to close its ledger.
const CLOSING: Duration = Duration::from_millis(500);

/// A run: its crew, and its ledger opened as the host.
#[derive(Debug)]
pub struct Run {
    /// Who.
    pub crew: ResolvedCrew,
    /// Its ledger.
    pub ledger: Sqlite,
    /// The ledger's path as a person would type it.
    pub path: PathBuf,
}

/// How it came to an end.
#[derive(Debug)]
pub struct Outcome {
    /// Why it ended.
    pub end: End,
    /// Everything that happened, from the ledger's first record.
    pub chronicle: Chronicle,
    /// The root.
    pub root: AgentId,
}

/// Why a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// Nothing runs or is due.
    Quiet,
    /// Somebody pressed Ctrl-C or sent SIGTERM, and calls in flight had their time.
    Drained,
    /// Somebody did so twice.
    Stopped,
}

impl Outcome {
    /// How the root's last turn ended.
    pub fn verdict(&self) -> Option<TurnEnd> {
        let (_, turn) = self.chronicle.last_turn(self.root)?;
        turn.end.as_ref().map(|(end, _)| *end)
    }

    /// What the root said last.
    pub fn report(&self) -> Option<Arc<str>> {
        let (_, turn) = self.chronicle.last_turn(self.root)?;
        Some(turn.said.clone()).filter(|said| !said.trim().is_empty())
    }
}

/// Runs it. What happens goes to `live` as it happens.
///
/// # Errors
/// Its ledger cannot be used, or the host failed.
pub async fn run(
    parts: Parts,
    run: Run,
    live: &mut Live<'_>,
    interrupts: &mut Interrupts,
    greet: impl FnOnce(&Recovery),
) -> Result<Outcome, Failure> {
    let Run { crew, mut ledger, path } = run;
    let root = crew.root_descriptor().ok_or_else(|| Failure::new("the crew has no root"))?;
    let mut chronicle = Chronicle::default();
    let before = ledger.replay(&mut |stored| chronicle.take(&stored));
    before.map_err(|error| unusable(&path, &error))?;
    live.catch_up(&chronicle);
    let (board, recovery) =
        Switchboard::open(Box::new(ledger), parts).map_err(|error| unusable(&path, &error))?;
    greet(&recovery);
    let mut watcher = Watcher { events: board.watch(), path: &path, chronicle, live };
    // What was stored between reading and watching is read by the watcher itself.
    watcher.catch_up()?;
    let root = begin(&board, &crew, root).await.map_err(|refusal| refused(&path, &refusal))?;
    let end = watcher.follow(&board, interrupts).await?;
    close(&board, end).await;
    watcher.catch_up()?;
    Ok(Outcome { end, chronicle: watcher.chronicle, root })
}

/// Stops the board and closes its ledger. Somebody who pressed Ctrl-C twice does not wait for
/// what hangs: all that was confirmed is stored.
async fn close(board: &Switchboard, end: End) {
    let most = if end == End::Stopped { CLOSING } else { Duration::MAX };
    drop(tokio::time::timeout(most, board.stop()).await);
}

/// Brings the root, and tells it what the person wants unless that was done before a stop.
async fn begin(
    board: &Switchboard,
    crew: &ResolvedCrew,
    descriptor: Descriptor,
) -> Result<AgentId, Refusal> {
    let root = board.register(&crew.root, descriptor).await?;
    let begun = board.inspect(move |forest: &Forest| has_begun(forest, root)).await?;
    if !begun {
        board.instruct(root, Content::text(crew.input.clone())).await?;
    }
    Ok(root)
}

/// It has mail, a turn, or had one.
fn has_begun(forest: &Forest, root: AgentId) -> bool {
    forest.agent(root).is_some_and(|agent| {
        let ran = agent.residency.announced || agent.residency.last_end.is_some();
        ran || agent.turn.is_some() || !agent.inbox.is_empty()
    })
}

/// Follows what is stored.
struct Watcher<'a, 'b> {
    events: Receiver<Arc<Stored>>,
    path: &'a Path,
    chronicle: Chronicle,
    live: &'a mut Live<'b>,
}

impl Watcher<'_, '_> {
    /// Tells what happens until nothing more will, or until somebody has had enough.
    async fn follow(
        &mut self,
        board: &Switchboard,
        interrupts: &mut Interrupts,
    ) -> Result<End, Failure> {
        let path = self.path;
        let quiet = board.until_quiet();
        tokio::pin!(quiet);
        loop {
            // What is not read yet keeps nothing more from happening, only from being told.
            let behind = self.live.is_behind();
            tokio::select! {
                event = self.events.recv(), if !behind => self.heard(event)?,
                () = self.live.wait(), if behind => {}
                done = &mut quiet => {
                    return done.map(|()| End::Quiet).map_err(|refusal| refused(path, &refusal));
                }
                () = interrupts.next() => return self.drain(board, interrupts).await,
            }
        }
    }

    async fn drain(
        &mut self,
        board: &Switchboard,
        interrupts: &mut Interrupts,
    ) -> Result<End, Failure> {
        let path = self.path;
        let drained = board.drain();
        tokio::pin!(drained);
        self.live.draining();
        loop {
            let behind = self.live.is_behind();
            tokio::select! {
                event = self.events.recv(), if !behind => self.heard(event)?,
                () = self.live.wait(), if behind => {}
                done = &mut drained => {
                    return done.map(|()| End::Drained).map_err(|refusal| refused(path, &refusal));
                }
                () = interrupts.next() => return Ok(End::Stopped),
            }
        }
    }

    fn heard(&mut self, event: Result<Arc<Stored>, RecvError>) -> Result<(), Failure> {
        match event {
            Ok(stored) => self.take(&stored),
            // One who fell behind finds what was lost in the ledger.
            Err(RecvError::Lagged(_)) => self.catch_up(),
            // The board is gone; whoever waits for it is told why.
            Err(RecvError::Closed) => Ok(()),
        }
    }

    /// Tells an event, unless it was told already.
    fn take(&mut self, stored: &Stored) -> Result<(), Failure> {
        if stored.seq <= self.chronicle.last {
            return Ok(());
        }
        if stored.seq > self.chronicle.last + 1 {
            return self.catch_up();
        }
        self.chronicle.take(stored);
        self.live.tell(&self.chronicle.book, stored)
    }

    /// Reads what is stored and was not told yet.
    fn catch_up(&mut self) -> Result<(), Failure> {
        let told = self.chronicle.last;
        let mut missed = Vec::new();
        Sqlite::open_reader(self.path)
            .and_then(|mut reader| reader.replay_after(told, &mut |stored| missed.push(stored)))
            .map_err(|error| unusable(self.path, &error))?;
        for stored in missed {
            self.chronicle.take(&stored);
            self.live.tell(&self.chronicle.book, &stored)?;
        }
        Ok(())
    }
}

fn unusable(path: &Path, error: &dyn std::fmt::Display) -> Failure {
    Failure::new(format!("cannot use the ledger `{}`", path.display()))
        .because(error)
        .next(format!("see how it stands: `switchboard ledger verify {}`", path.display()))
}

fn refused(path: &Path, refusal: &Refusal) -> Failure {
    Failure::new("the run broke off")
        .because(refusal)
        .next(format!("go on with it: `switchboard resume {}`", path.display()))
}

/// The documents a ledger needs so that nothing else is needed to go on.
///
/// # Errors
/// They cannot be written.
pub fn keep(ledger: &mut Sqlite, crew: &ResolvedCrew) -> Result<(), Failure> {
    let cannot = || Failure::new("cannot keep the crew in its ledger");
    let text = serde_json::to_string(crew).map_err(|error| cannot().because(error))?;
    ledger.put_document(ResolvedCrew::DOCUMENT, &text).map_err(|error| cannot().because(error))
}

/// The crew of a ledger.
///
/// # Errors
/// It has none, or one of another version.
pub fn kept(ledger: &mut Sqlite, path: &Path) -> Result<ResolvedCrew, Failure> {
    let cannot = || {
        Failure::new(format!("`{}` cannot be gone on with", path.display()))
            .next("begin anew: `switchboard run CREW --new`")
    };
    let text = ledger
        .document(ResolvedCrew::DOCUMENT)
        .map_err(|error| cannot().because(error))?
        .ok_or_else(|| without_crew(ledger, path))?;
    serde_json::from_str(&text).map_err(|error| cannot().because(error))
}

/// A ledger keeps its crew from its beginning on, unless the beginning was cut short, or it is
/// another program's.
fn without_crew(ledger: &mut Sqlite, path: &Path) -> Failure {
    let cannot = Failure::new(format!("`{}` cannot be gone on with", path.display()));
    let mut empty = true;
    match ledger.replay(&mut |_| empty = false) {
        Ok(bad) if empty && bad.is_empty() => cannot
            .because("its making was cut short: nothing is in it, so nothing is lost")
            .next(format!("remove `{}`, and begin anew: `switchboard run CREW`", path.display())),
        _ => cannot
            .because("it keeps no crew; a host program made it")
            .next("begin anew: `switchboard run CREW --new`"),
    }
}
