//! Runs that are stopped, broken off, and gone on with.

use std::io::{BufRead, BufReader, PipeReader};
use std::process::{Child, ChildStderr, ChildStdout, Command, Stdio};

use crate::command::{Folder, Said, WATCHES, crew_of_one};

/// A run under way.
pub(crate) struct Running {
    child: Child,
    lines: BufReader<ChildStdout>,
    notes: BufReader<ChildStderr>,
    /// What it noted so far.
    noted: String,
}

impl Running {
    pub(crate) fn start(folder: &Folder, arguments: &[&str]) -> Self {
        let mut command = folder.command(arguments);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap());
        let notes = BufReader::new(child.stderr.take().unwrap());
        Self { child, lines, notes, noted: String::new() }
    }

    /// Reads until a line has this in it.
    pub(crate) fn until(&mut self, wanted: &str) {
        let mut line = String::new();
        while !line.contains(wanted) {
            line.clear();
            assert!(self.lines.read_line(&mut line).unwrap() > 0, "`{wanted}` never came");
        }
    }

    /// Reads until it says that it stops, so that what follows comes after that.
    fn until_it_stops(&mut self) {
        while !self.noted.contains("stopping: ") {
            assert!(self.notes.read_line(&mut self.noted).unwrap() > 0, "{}", self.noted);
        }
    }

    /// Presses Ctrl-C.
    fn interrupt(&self) {
        self.signal("-INT");
    }

    fn signal(&self, signal: &str) {
        let pid = self.child.id().to_string();
        assert!(Command::new("kill").args([signal, &pid]).status().unwrap().success());
    }

    pub(crate) fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    fn end(mut self) -> Said {
        let mut rest = String::new();
        std::io::Read::read_to_string(&mut self.lines, &mut rest).unwrap();
        std::io::Read::read_to_string(&mut self.notes, &mut self.noted).unwrap();
        let said: Said = self.child.wait_with_output().unwrap().into();
        Said { out: rest, err: self.noted, ..said }
    }
}

fn watching() -> (Folder, Running) {
    let folder = Folder::new();
    folder.write("crew.toml", &crew_of_one(WATCHES));
    let mut run = Running::start(&folder, &["run", "crew.toml"]);
    run.until("calls watch_file");
    (folder, run)
}

/// The report of a run, which begins after the last event.
fn report(said: &Said) -> &str {
    let report = said.out.find("# Review").map(|start| &said.out[start..]);
    report.and_then(|text| text.split("Who said what").next()).unwrap_or_default()
}

#[test]
fn a_killed_run_is_gone_on_with_to_the_same_report() {
    let folder = Folder::new();
    folder.write("src/main.rs", "// FIXME: wrong\n// TODO: more\n");
    let whole = folder.switchboard(&["run", "review", "--quiet"]);
    let mut run = Running::start(&folder, &["run", "review"]);
    run.until("steered with");
    run.kill();
    let resumed = folder.switchboard(&["resume", "--quiet"]);
    assert_eq!(resumed.code, 0, "{resumed:?}");
    assert!(resumed.err.contains("recovered: 3 agents brought back"), "{}", resumed.err);
    assert!(!report(&whole).is_empty());
    assert_eq!(report(&whole), report(&resumed));
    assert_eq!(folder.switchboard(&["ledger", "verify"]).code, 0);
}

#[test]
fn a_record_that_cannot_be_read_is_skipped_and_said_and_nothing_is_told_twice() {
    let (folder, run) = watching();
    run.kill();
    let path = folder.path().join(".switchboard/one-1.db");
    let ledger = rusqlite::Connection::open(path).unwrap();
    ledger.execute("UPDATE events SET data = '{' WHERE kind = 'host-started'", []).unwrap();
    drop(ledger);
    let said = folder.switchboard(&["resume", "--json"]);
    assert_eq!(said.code, 0, "{said:?}");
    assert!(said.err.contains("warning: record 2 cannot be read and was skipped"), "{}", said.err);
    let seq = |line: &str| {
        let event: serde_json::Value = serde_json::from_str(line).unwrap();
        event["seq"].as_u64().unwrap()
    };
    let told: Vec<u64> = said.out.lines().map(seq).collect();
    assert!(told.windows(2).all(|pair| pair[0] < pair[1]), "{told:?}");
    let said = folder.switchboard(&["ledger", "verify"]);
    assert_eq!(said.code, 1);
    assert!(
        said.out.contains("broken every record can be read\n       record 2: "),
        "{}",
        said.out
    );
}

#[test]
fn a_run_that_is_not_over_is_not_left_lying_by_accident() {
    let (folder, run) = watching();
    run.kill();
    let said = folder.switchboard(&["run", "crew.toml"]);
    assert_eq!(said.code, 3);
    let commands = "next: switchboard resume .switchboard/one-1.db\n  \
                    or: switchboard run crew.toml --new\n";
    assert!(said.err.ends_with(commands), "{}", said.err);
}

#[test]
fn a_second_host_on_a_ledger_is_refused_and_a_reader_is_not() {
    let (folder, run) = watching();
    let said = folder.switchboard(&["resume", ".switchboard/one-1.db"]);
    assert_eq!(said.code, 1);
    assert!(said.err.contains(&run.child.id().to_string()), "{}", said.err);
    assert_eq!(folder.switchboard(&["ledger", "show"]).code, 0);
    assert_eq!(folder.switchboard(&["ledger", "verify"]).code, 0);
    run.kill();
}

#[test]
fn ctrl_c_lets_calls_finish_and_says_how_to_go_on() {
    let (folder, mut run) = watching();
    run.interrupt();
    run.until_it_stops();
    // The call in flight ends when the file it watches changes.
    folder.write("crew.toml", "changed");
    let said = run.end();
    assert_eq!(said.code, 3, "{said:?}");
    assert!(said.err.contains("stopping: calls in flight may finish"), "{}", said.err);
    assert!(said.err.ends_with("next: switchboard resume .switchboard/one-1.db\n"), "{}", said.err);
    let said = folder.switchboard(&["resume", "--quiet"]);
    assert_eq!(said.code, 0, "{said:?}");
    assert!(said.out.contains("Nothing changed."), "{}", said.out);
}

#[test]
fn drain_1_sigterm_is_as_good_as_ctrl_c() {
    let (folder, mut run) = watching();
    run.signal("-TERM");
    run.until_it_stops();
    folder.write("crew.toml", "changed");
    let said = run.end();
    assert_eq!(said.code, 3, "{said:?}");
    assert!(said.err.ends_with("next: switchboard resume .switchboard/one-1.db\n"), "{}", said.err);
}

#[test]
fn a_second_ctrl_c_stops_at_once() {
    let (folder, mut run) = watching();
    run.interrupt();
    run.until_it_stops();
    run.interrupt();
    let said = run.end();
    assert_eq!(said.code, 130, "{said:?}");
    let ledger = folder.switchboard(&["ledger", "show"]);
    assert!(!ledger.out.contains("← watch_file"), "the call was waited for: {}", ledger.out);
}

/// A run whose standard output nobody reads: its first line finds the pipe full.
fn unread(folder: &Folder) -> (Child, BufReader<ChildStderr>, PipeReader) {
    folder.write("crew.toml", &crew_of_one(WATCHES));
    let (reader, writer) = std::io::pipe().unwrap();
    let mut filler = Command::new("head");
    // What a pipe holds on Linux and macOS.
    filler.args(["-c", "65536", "/dev/zero"]).stdout(writer.try_clone().unwrap());
    assert!(filler.status().unwrap().success());
    let mut command = folder.command(&["run", "crew.toml"]);
    let mut child = command.stdout(writer).stderr(Stdio::piped()).spawn().unwrap();
    let mut said = BufReader::new(child.stderr.take().unwrap());
    until(&mut said, "ledger ");
    // The ledger says what standard output cannot.
    while !folder.switchboard(&["ledger", "show"]).out.contains("calls watch_file") {}
    (child, said, reader)
}

fn interrupt(child: &Child) {
    let kill = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(kill.unwrap().success());
}

fn until(said: &mut impl BufRead, wanted: &str) {
    assert!(said.lines().map_while(Result::ok).any(|line| line.contains(wanted)), "{wanted}");
}

#[test]
fn ctrl_c_is_heard_while_nobody_reads_what_is_written() {
    let folder = Folder::new();
    let (mut child, mut said, _unread) = unread(&folder);
    interrupt(&child);
    until(&mut said, "stopping: ");
    folder.write("crew.toml", "changed");
    assert_eq!(child.wait().unwrap().code(), Some(3));
}

#[test]
fn a_second_ctrl_c_ends_it_while_nobody_reads_what_is_written() {
    let folder = Folder::new();
    let (mut child, mut said, _unread) = unread(&folder);
    interrupt(&child);
    until(&mut said, "stopping: ");
    interrupt(&child);
    assert_eq!(child.wait().unwrap().code(), Some(130));
}
