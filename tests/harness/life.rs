//! The life of a host process: what it is started for, and where it kills itself.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use rustix::process::{Signal, getpid, kill_process};
use serde::{Deserialize, Serialize};
use switchboard_cli::arguments::Show;
use switchboard_cli::console::Console;
use switchboard_cli::crew::resolve::Overrides;
use switchboard_cli::failure::Failure;
use switchboard_cli::interrupts::Interrupts;
use switchboard_cli::live::Live;
use switchboard_cli::run::{self, End, Outcome, Run, keep, kept};
use switchboard_cli::show::paint::Choice;
use switchboard_cli::{assemble, crew};
use switchboard_ledger::{LedgerError, Sqlite};
use switchboard_runtime::{FailPoint, FailPoints};

/// The environment variable that makes a process a host: its task, as JSON.
pub(crate) const TASK: &str = "SWITCHBOARD_TEST_TASK";

/// The classes of fail points by name, in the order a batch comes by them.
pub(crate) const CLASSES: [(&str, FailPoint); 3] = [
    ("appended", FailPoint::Appended),
    ("answered", FailPoint::Answered),
    ("performed", FailPoint::Performed),
];

/// The longest life of a host that nobody ends: one that is stuck does not keep its test.
const LONGEST: Duration = Duration::from_secs(60);

/// What a host process is started for.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Task {
    /// A built-in crew, or a crew file.
    pub(crate) crew: String,
    /// The folder its tools read.
    pub(crate) workspace: PathBuf,
    /// Its ledger.
    pub(crate) ledger: PathBuf,
    /// The ledger is there, and gone on with.
    pub(crate) resume: bool,
    /// Where the process ends.
    pub(crate) death: Option<Death>,
}

/// The point at which a process kills itself: as a batch that holds the nth event of a kind comes
/// by a fail point of a class.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Death {
    /// A name of [`CLASSES`].
    pub(crate) class: String,
    /// Which events are counted.
    pub(crate) kind: String,
    /// From 1.
    pub(crate) nth: usize,
}

/// Lives and ends as a host, if this process was started to be one.
///
/// # Panics
/// The run could not be made, or did not come to its end.
pub(crate) fn live_if_asked() {
    let Ok(task) = std::env::var(TASK) else { return };
    let task: Task = serde_json::from_str(&task).expect("a task is readable");
    match task.perform() {
        Ok(outcome) => assert_eq!(outcome.end, End::Quiet, "it comes to its end by itself"),
        Err(failure) => panic!("{failure}"),
    }
}

impl Task {
    fn perform(&self) -> Result<Outcome, Failure> {
        let console = Console::new(Choice::Never);
        let run = self.run()?;
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .enable_all()
            .build()
            .expect("threads can be had");
        let mut live = Live::new(&console, Show { json: true, quiet: false });
        let mut interrupts = Interrupts::listen()?;
        let living = async {
            let mut parts = assemble::parts(&run.crew, &console).await?;
            parts.fail_points = self.death.clone().map(Killer::of);
            run::run(parts, run, &mut live, &mut interrupts, |_| ()).await
        };
        let ran = runtime.block_on(async { tokio::time::timeout(LONGEST, living).await });
        runtime.shutdown_background();
        ran.unwrap_or_else(|_| Err(Failure::new("it does not come to an end")))
    }

    fn run(&self) -> Result<Run, Failure> {
        let path = self.ledger.clone();
        if self.resume {
            let mut ledger = Sqlite::open(&path).map_err(|error| unusable(&error))?;
            let crew = kept(&mut ledger, &path)?;
            return Ok(Run { crew, ledger, path });
        }
        let workspace = Some(self.workspace.clone());
        let crew = crew::read(&self.crew, Overrides { workspace, input: None })?;
        let mut ledger = Sqlite::create(&path).map_err(|error| unusable(&error))?;
        keep(&mut ledger, &crew)?;
        Ok(Run { crew, ledger, path })
    }
}

fn unusable(error: &LedgerError) -> Failure {
    Failure::new("cannot use the ledger").because(error)
}

/// Kills the process it is in.
struct Killer {
    death: Death,
    seen: AtomicUsize,
}

impl Killer {
    fn of(death: Death) -> Arc<dyn FailPoints> {
        Arc::new(Self { death, seen: AtomicUsize::new(0) })
    }
}

impl FailPoints for Killer {
    fn reached(&self, point: FailPoint, kinds: &[&'static str]) {
        if !CLASSES.contains(&(self.death.class.as_str(), point)) {
            return;
        }
        let here = kinds.iter().filter(|kind| **kind == self.death.kind).count();
        let before = self.seen.fetch_add(here, Ordering::Relaxed);
        if (before + 1..=before + here).contains(&self.death.nth) {
            // Nothing is flushed, closed or told after this.
            let _ = kill_process(getpid(), Signal::KILL);
        }
    }
}
