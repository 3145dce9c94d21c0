//! Host processes: the test binary again, told by its environment to be a host.

use std::io::{BufRead, BufReader, Read};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};

use super::folder::Folder;
use super::life::{Death, TASK, Task};

const SIGKILL: i32 = 9;

/// Starts hosts.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Host {
    /// The test that calls [`live_if_asked`](crate::live_if_asked) and nothing else.
    pub(crate) test: &'static str,
    /// Where compiled tools are kept between hosts.
    pub(crate) cache: &'static str,
}

/// How a host ended.
#[derive(Debug)]
pub(crate) struct Ended {
    /// As the system says it.
    pub(crate) status: ExitStatus,
    /// What it wrote to standard error.
    pub(crate) complaint: String,
}

impl Ended {
    /// Nobody let it come to its end.
    pub(crate) fn was_killed(&self) -> bool {
        self.status.signal() == Some(SIGKILL)
    }
}

impl Host {
    /// Runs the built-in review over a folder, to its end or to a death.
    pub(crate) fn review(&self, folder: &Folder, ledger: &Path, death: Option<Death>) -> Ended {
        let task = Task { death, ..review(folder, ledger) };
        self.perform(&task, usize::MAX)
    }

    /// Runs the built-in crew of this name over a folder, to its end.
    pub(crate) fn built_in(&self, name: &str, folder: &Folder, ledger: &Path) -> Ended {
        let task = Task { crew: name.to_owned(), ..review(folder, ledger) };
        self.perform(&task, usize::MAX)
    }

    /// The same, to a death.
    pub(crate) fn built_in_to(
        &self,
        name: &str,
        folder: &Folder,
        ledger: &Path,
        death: Death,
    ) -> Ended {
        let (crew, death) = (name.to_owned(), Some(death));
        self.perform(&Task { crew, death, ..review(folder, ledger) }, usize::MAX)
    }

    /// Runs the crew of this text over a folder, to its end.
    pub(crate) fn crew(&self, folder: &Folder, crew: &str, ledger: &Path) -> Ended {
        let crew = folder.crew(crew).to_string_lossy().into_owned();
        self.perform(&Task { crew, ..review(folder, ledger) }, usize::MAX)
    }

    /// A review, killed from outside once it has shown so many events.
    pub(crate) fn review_shot(&self, folder: &Folder, ledger: &Path, after: usize) -> Ended {
        self.perform(&review(folder, ledger), after)
    }

    /// Goes on with a ledger to its end.
    pub(crate) fn resume(&self, folder: &Folder, ledger: &Path) -> Ended {
        self.resume_shot(folder, ledger, usize::MAX)
    }

    /// The same, killed from outside once it has shown so many events.
    pub(crate) fn resume_shot(&self, folder: &Folder, ledger: &Path, after: usize) -> Ended {
        self.perform(&Task { resume: true, ..review(folder, ledger) }, after)
    }

    /// Performs a task; the process is killed once it has shown so many events.
    ///
    /// # Panics
    /// No process can be started.
    pub(crate) fn perform(&self, task: &Task, shot_after: usize) -> Ended {
        let mut child = self.start(task);
        watch(&mut child, shot_after);
        let mut complaint = String::new();
        if let Some(mut stream) = child.stderr.take() {
            // What cannot be read is missing in a message of a test that failed anyway.
            let _ = stream.read_to_string(&mut complaint);
        }
        Ended { status: child.wait().expect("a child ends"), complaint }
    }

    fn start(&self, task: &Task) -> Child {
        let task = serde_json::to_string(task).expect("a task is writable");
        let this = std::env::current_exe().expect("a test knows its binary");
        let mut command = Command::new(this);
        command.args([self.test, "--exact", "--nocapture"]);
        command.env(TASK, task).env("XDG_CACHE_HOME", self.cache).env_remove("RUST_LOG");
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command.spawn().expect("a process can be started")
    }
}

/// Counts the events a host shows, and kills it after so many.
fn watch(child: &mut Child, shot_after: usize) {
    let stream = child.stdout.take().expect("its output is piped");
    let mut shown = 0;
    for line in BufReader::new(stream).split(b'\n') {
        let line = line.expect("a pipe can be read");
        shown += usize::from(line.windows(EVENT.len()).any(|part| part == EVENT));
        if shown >= shot_after {
            // It may have ended by itself; its status tells.
            let _ = child.kill();
            return;
        }
    }
}

/// How the line of an event begins; the first one stands behind the words of the test runner.
const EVENT: &[u8] = br#"{"seq":"#;

fn review(folder: &Folder, ledger: &Path) -> Task {
    Task {
        crew: "review".to_owned(),
        workspace: folder.files(),
        ledger: ledger.to_owned(),
        resume: false,
        death: None,
    }
}
