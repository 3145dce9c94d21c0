//! `run` and `resume`.

use std::path::{Path, PathBuf};
use std::time::Duration;

use switchboard_core::TurnEnd;
use switchboard_ledger::Sqlite;
use switchboard_runtime::{Parts, Recovery};
use tokio::runtime::Runtime;

use crate::arguments::{Resume, Run as RunArguments, Show};
use crate::assemble;
use crate::console::Console;
use crate::crew::resolve::Overrides;
use crate::crew::resolved::ResolvedCrew;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::interrupts::Interrupts;
use crate::ledgers::{Shelf, instead, read};
use crate::live::Live;
use crate::run::{End, Outcome, Run, keep, kept, run as go};
use crate::show::diagram::diagram;
use crate::show::paint::Role;
use crate::show::safe;
use crate::show::summary::summary;
use crate::show::unfinished::unfinished;
use crate::show::words::count;

/// Arrows in the picture at the end; the story has all of them.
const ARROWS: usize = 40;
/// Agents that are warned of by name.
const WARNED: usize = 8;
/// How long threads that did not hear that all is over are waited for.
const LEFT: Duration = Duration::from_secs(1);
/// How long a stopped run waits for its last lines to be read; the ledger has them all.
const UNREAD: Duration = Duration::from_millis(500);

pub(super) fn run(arguments: RunArguments, console: &Console) -> Result<Exit, Failure> {
    let RunArguments { crew: asked, workspace, ledger, new, input, show } = arguments;
    let crew = crate::crew::read(&asked, Overrides { workspace, input })?;
    let path = place(&crew, ledger, new)?;
    let host = Host::start(&crew, console)?;
    // Made last: a crew that is refused leaves nothing behind.
    let ledger = made(&path, &crew)?;
    perform(host, Run { crew, ledger, path }, show, console)
}

fn made(path: &Path, crew: &ResolvedCrew) -> Result<Sqlite, Failure> {
    let mut ledger = Sqlite::create(path).map_err(|error| {
        Failure::new(format!("cannot make the ledger `{}`", path.display()))
            .because(error.problem)
            .next("go on with it, if it is one: `switchboard resume FILE`")
            .next("name a new file: `--ledger FILE`")
    })?;
    keep(&mut ledger, crew)?;
    Ok(ledger)
}

pub(super) fn resume(arguments: Resume, console: &Console) -> Result<Exit, Failure> {
    let path = match arguments.ledger {
        Some(path) => path,
        None => newest_unfinished()?,
    };
    if read(&path).is_ok_and(|reading| !reading.events.is_empty() && reading.is_over()) {
        let path = path.display();
        console.note(&format!("the run in `{path}` is over; nothing is left to do"));
        console.note(&format!("next: look at it: `switchboard ledger show {path}`"));
        return Ok(Exit::Done);
    }
    let mut ledger = Sqlite::open(&path).map_err(|error| {
        let failure = Failure::new(format!("cannot go on with `{}`", path.display()));
        let failure = failure.because(error.problem);
        match instead(&path) {
            Some(instead) => failure.next(instead),
            None => {
                failure.next(format!("look at it: `switchboard ledger show {}`", path.display()))
            }
        }
    })?;
    let crew = kept(&mut ledger, &path)?;
    let host = Host::start(&crew, console)?;
    perform(host, Run { crew, ledger, path }, arguments.show, console)
}

/// Where a new run's ledger lies. A run that is not over is not left lying by accident.
fn place(crew: &ResolvedCrew, named: Option<PathBuf>, new: bool) -> Result<PathBuf, Failure> {
    if let Some(path) = named {
        return Ok(path);
    }
    let shelf = Shelf::here();
    let before = shelf.newest_of(&crew.name).filter(|_| !new);
    match before.filter(|path| is_unfinished(path)) {
        None => shelf.next_of(&crew.name),
        Some(path) => {
            let path = path.display();
            Err(Failure::new(format!("the last run of `{}` is not over: `{path}`", crew.name))
                .next(format!("switchboard resume {path}"))
                .next(format!("switchboard run {} --new", crew.asked))
                .exiting(Exit::Unfinished))
        }
    }
}

fn newest_unfinished() -> Result<PathBuf, Failure> {
    Shelf::here().all().into_iter().find(|path| is_unfinished(path)).ok_or_else(|| {
        Failure::new("there is no run here that is not over")
            .next("begin one: `switchboard run review`")
            .next("name its ledger: `switchboard resume LEDGER`")
    })
}

/// Something happened in it, and more is to happen. A ledger that cannot be read, or was left
/// before anything happened, keeps nobody from beginning another.
fn is_unfinished(path: &Path) -> bool {
    read(path).is_ok_and(|reading| !reading.events.is_empty() && !reading.is_over())
}

/// What runs a crew, with its tools loaded.
struct Host {
    runtime: Runtime,
    parts: Parts,
}

impl Host {
    fn start(crew: &ResolvedCrew, console: &Console) -> Result<Self, Failure> {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .enable_all()
            .build()
            .map_err(|error| Failure::new("cannot start the threads of a host").because(error))?;
        let parts = runtime.block_on(assemble::parts(crew, console))?;
        Ok(Self { runtime, parts })
    }

    fn run(self, run: Run, show: Show, console: &Console) -> Result<Outcome, Failure> {
        let mut interrupts = Interrupts::listen()?;
        console.note(&format!("ledger {}", run.path.display()));
        let greet = |recovery: &Recovery| recovered(recovery, console);
        let outcome = self.runtime.block_on(async {
            let mut live = Live::new(console, show);
            let outcome = go(self.parts, run, &mut live, &mut interrupts, greet).await;
            // From here on a Ctrl-C ends the process: there is only something left to write.
            drop(interrupts);
            // Who stops a run does not wait for a reader that has stopped reading.
            let quiet = matches!(&outcome, Ok(Outcome { end: End::Quiet, .. }));
            let most = if quiet { Duration::MAX } else { UNREAD };
            tokio::time::timeout(most, live.end()).await.unwrap_or_default();
            outcome
        });
        self.runtime.shutdown_timeout(LEFT);
        outcome
    }
}

fn perform(host: Host, run: Run, show: Show, console: &Console) -> Result<Exit, Failure> {
    let (path, asked) = (run.path.clone(), run.crew.asked.clone());
    let outcome = host.run(run, show, console)?;
    if outcome.end != End::Quiet {
        return Ok(stopped(&outcome, &path, console));
    }
    if !show.json {
        report(&outcome, &path, &asked, console);
    }
    warn(&outcome, console);
    if show.json {
        look(&outcome, &path, console);
    }
    Ok(verdict(&outcome, console))
}

/// What a ledger that was taken up held.
fn recovered(recovery: &Recovery, console: &Console) {
    if recovery.new {
        return;
    }
    let told = [
        (recovery.agents, "agent", "brought back"),
        (recovery.open_turns, "open turn", "going on"),
        (recovery.mail_waiting, "message", "waiting"),
        (recovery.claims_returned, "message", "to be shown again"),
        (recovery.mail_lost, "message", "given up"),
    ];
    let told = told.iter().filter(|(number, _, _)| *number > 0);
    let told: Vec<_> =
        told.map(|(number, noun, what)| format!("{} {what}", count(*number, noun))).collect();
    if told.is_empty() {
        console.note("recovered: nothing was under way");
    } else {
        console.note(&format!("recovered: {}", told.join(", ")));
    }
    for bad in &recovery.quarantined {
        let problem = safe::line(&bad.problem, 160);
        console.warn(&format!("record {} cannot be read and was skipped: {problem}", bad.seq));
    }
}

fn stopped(outcome: &Outcome, path: &Path, console: &Console) -> Exit {
    let how = match outcome.end {
        End::Stopped => "stopped at once",
        End::Quiet | End::Drained => "stopped",
    };
    console.note(&format!("{how}; nothing that was said is lost"));
    console.note(&format!("next: switchboard resume {}", path.display()));
    if outcome.end == End::Stopped { Exit::Stopped } else { Exit::Unfinished }
}

/// Says who did not complete.
fn warn(outcome: &Outcome, console: &Console) {
    let unfinished = unfinished(&outcome.chronicle);
    for one in unfinished.iter().take(WARNED) {
        console.warn(&one.words(&outcome.chronicle, outcome.root));
    }
    if unfinished.len() > WARNED {
        console.warn(&format!("so did {}", count(unfinished.len() - WARNED, "more agent")));
    }
}

/// Says where to look for why somebody did not complete.
fn look(outcome: &Outcome, path: &Path, console: &Console) {
    if let Some(first) = unfinished(&outcome.chronicle).first() {
        let who = outcome.chronicle.book.label(first.agent);
        console.note(&format!("next: switchboard ledger show {} --agent {who}", path.display()));
    }
}

fn verdict(outcome: &Outcome, console: &Console) -> Exit {
    match outcome.verdict() {
        Some(TurnEnd::Completed) => Exit::Done,
        Some(_) => Exit::Failed,
        None => {
            console.warn("the root has run no turn to its end");
            Exit::Failed
        }
    }
}

/// Somebody whose part of the ledger is worth reading: whose last turn did not complete, or else
/// the first child, if there is one.
fn worth_reading(outcome: &Outcome) -> String {
    let book = &outcome.chronicle.book;
    let unfinished = unfinished(&outcome.chronicle).first().map(|one| one.agent);
    let child = || book.agents().find(|agent| *agent != outcome.root);
    book.label(unfinished.or_else(child).unwrap_or(outcome.root))
}

/// The report, then how it came about.
fn report(outcome: &Outcome, path: &Path, asked: &str, console: &Console) {
    let strong = |text: &str| console.paint.paint(Role::Strong, text);
    console.line("");
    match outcome.report() {
        Some(report) => console.line(&safe::paragraphs(report.trim())),
        None => console.line("The root said nothing at the end."),
    }
    console.line("");
    console.line(&strong("Who said what to whom"));
    console.line("");
    console.lines(diagram(&outcome.chronicle, console.paint, ARROWS));
    console.line("");
    for (what, numbers) in summary(&outcome.chronicle) {
        console.line(&format!("{} {numbers}", strong(&format!("{what:<10}"))));
    }
    let (path, asked) = (safe::name(&path.display().to_string()), safe::name(asked));
    let records = count(outcome.chronicle.events, "record");
    console.line(&format!("{} {path}, {records}", strong(&format!("{:<10}", "ledger"))));
    let next = [
        format!("switchboard ledger verify {path} --story"),
        format!("switchboard ledger show {path} --agent {}", worth_reading(outcome)),
        format!("switchboard run {asked} --input \"...\""),
    ];
    for (place, command) in next.iter().enumerate() {
        let lead = if place == 0 { "next" } else { "" };
        console.line(&format!("{} {command}", strong(&format!("{lead:<10}"))));
    }
}
