//! One host at a time, whatever became of the one before.

use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};

use switchboard_ledger::{Ledger, Sqlite};

use crate::events::{AT, all, batch};

/// Names the ledger to the process that is to hold it.
const HELD: &str = "SWITCHBOARD_TEST_HELD_LEDGER";

/// No test of its own: what the other process does, until its input ends or it is killed.
#[test]
#[ignore = "runs in a process of its own, for the tests below"]
fn hold_a_ledger_and_append_to_it() {
    let Some(path) = std::env::var_os(HELD) else { return };
    let mut host = Sqlite::open(PathBuf::from(path)).unwrap();
    let mut out = std::io::stdout();
    for line in std::io::stdin().lock().lines() {
        let last = host.append(AT, &batch(&[&line.unwrap(), "and its end"])).unwrap();
        writeln!(out, "appended {last}").unwrap();
    }
}

/// Another process that has the ledger open and appends what it is told to.
struct Holder {
    process: Child,
    answers: BufReader<ChildStdout>,
}

impl Holder {
    fn of(path: &Path) -> Self {
        let mut process = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "lock::hold_a_ledger_and_append_to_it", "--ignored", "--nocapture"])
            .env(HELD, path)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let answers = BufReader::new(process.stdout.take().unwrap());
        let mut holder = Self { process, answers };
        holder.append("the first");
        holder
    }

    /// Returns when the other process says that it is durable.
    fn append(&mut self, words: &str) {
        writeln!(self.process.stdin.as_mut().unwrap(), "{words}").unwrap();
        let mut line = String::new();
        while !line.contains("appended") {
            line.clear();
            assert_ne!(self.answers.read_line(&mut line).unwrap(), 0, "it died");
        }
    }

    fn kill(mut self) {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
    }

    fn finish(mut self) {
        drop(self.process.stdin.take());
        self.answers.read_to_string(&mut String::new()).unwrap();
        assert!(self.process.wait().unwrap().success());
    }
}

fn made() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.db");
    drop(Sqlite::create(&path).unwrap());
    (folder, path)
}

#[test]
fn a_second_host_is_refused_with_the_pid_of_the_first_and_readers_are_not() {
    let (_folder, path) = made();
    let holder = Holder::of(&path);
    let refused = Sqlite::open(&path).unwrap_err();
    let pid = holder.process.id();
    assert!(refused.problem.contains(&format!("process {pid}")), "{refused}");
    assert!(refused.problem.contains(&format!("kill {pid}")), "{refused}");
    let mut reader = Sqlite::open_reader(&path).unwrap();
    assert_eq!(all(&mut reader), batch(&["the first", "and its end"]));
    holder.finish();
    Sqlite::open(&path).unwrap();
}

#[test]
fn send_12_a_killed_host_frees_the_lock_and_leaves_all_it_had_confirmed() {
    let (_folder, path) = made();
    let mut holder = Holder::of(&path);
    holder.append("the second");
    holder.kill();
    let mut next = Sqlite::open(&path).unwrap();
    assert_eq!(all(&mut next), batch(&["the first", "and its end", "the second", "and its end"]));
    assert_eq!(next.append(AT, &batch(&["the third"])).unwrap(), 5);
}

#[test]
fn a_second_host_in_the_same_process_is_refused_too() {
    let (_folder, path) = made();
    let first = Sqlite::open(&path).unwrap();
    let refused = Sqlite::open(&path).unwrap_err();
    assert!(refused.problem.contains(&std::process::id().to_string()), "{refused}");
    drop(first);
    Sqlite::open(&path).unwrap();
}

#[test]
#[cfg(unix)]
fn a_link_to_a_ledger_meets_the_lock_of_the_ledger() {
    let (folder, path) = made();
    let link = folder.path().join("link.db");
    std::os::unix::fs::symlink(&path, &link).unwrap();
    let host = Sqlite::open(&link).unwrap();
    assert_eq!(host.path(), path.canonicalize().unwrap());
    Sqlite::open(&path).unwrap_err();
}

#[test]
fn opening_again_keeps_the_lock() {
    let (_folder, path) = made();
    let mut host = Sqlite::open(&path).unwrap();
    host.reopen().unwrap();
    Sqlite::open(&path).unwrap_err();
    host.append(AT, &batch(&["a"])).unwrap();
}
