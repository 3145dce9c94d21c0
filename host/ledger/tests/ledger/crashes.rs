//! Power cuts: what is left of a write that the disk took only in part.

use std::fs;
use std::path::Path;

use switchboard_core::Event;
use switchboard_ledger::{Ledger, Sqlite};

use crate::events::{AT, all, batch};

/// The ledger as a machine would find it whose log reached the disk up to `kept` bytes.
fn after_a_cut(file: &Path, log: &[u8], kept: usize) -> Vec<Event> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.db");
    fs::copy(file, &path).unwrap();
    fs::write(folder.path().join("run.db-wal"), &log[..kept]).unwrap();
    all(&mut Sqlite::open(&path).unwrap())
}

#[test]
fn led_1_a_batch_torn_anywhere_is_there_as_a_whole_or_not_at_all() {
    let folder = tempfile::tempdir().unwrap();
    let mut host = Sqlite::create(folder.path().join("run.db")).unwrap();
    host.append(AT, &batch(&["a", "b"])).unwrap();
    host.reopen().unwrap(); // moves it into the main file: the log begins with the next batch
    let long = "x".repeat(3_000);
    let torn = batch(&[&long, "c", &long, "d", &long]);
    host.append(AT, &torn).unwrap();

    let log = fs::read(folder.path().join("run.db-wal")).unwrap();
    let (without, with) = (batch(&["a", "b"]), [batch(&["a", "b"]), torn].concat());
    let cuts = (0..log.len()).step_by(257);
    let whole = cuts.filter(|kept| match after_a_cut(host.path(), &log, *kept) {
        found if found == without => false,
        found => {
            assert_eq!(found, with);
            true
        }
    });
    assert_eq!(whole.count(), 0, "its last byte belongs to it");
    assert_eq!(after_a_cut(host.path(), &log, log.len()), with);
}

#[test]
#[cfg(unix)]
fn led_3_a_disk_that_takes_no_more_fails_the_append_and_loses_nothing_before_it() {
    use std::process::Command;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.db");
    drop(Sqlite::create(&path).unwrap());
    // A limit on the size of files stands in for the full disk: the write itself fails.
    let status = Command::new("sh")
        .args(["-c", r#"trap '' XFSZ; ulimit -f 256; exec "$0" "$@""#])
        .arg(std::env::current_exe().unwrap())
        .args(["--exact", "crashes::append_until_it_fails", "--ignored", "--nocapture"])
        .env(FILLED, &path)
        .status()
        .unwrap();
    assert!(status.success());
    let found = all(&mut Sqlite::open(&path).unwrap());
    assert_eq!(found.len() % 2, 0, "whole batches");
    assert!(!found.is_empty());
}

const FILLED: &str = "SWITCHBOARD_TEST_FILLED_LEDGER";

/// No test of its own: runs where files may not grow beyond a limit.
#[test]
#[ignore = "runs in a process of its own, for the test above"]
fn append_until_it_fails() {
    let Some(path) = std::env::var_os(FILLED).map(std::path::PathBuf::from) else { return };
    let mut host = Sqlite::open(&path).unwrap();
    let pair = batch(&["first of two", &"x".repeat(5_000)]);
    let mut confirmed = 0;
    let failed = loop {
        match host.append(AT, &pair) {
            Ok(last) => confirmed = last,
            Err(failed) => break failed,
        }
    };
    assert!(failed.doing.contains("run.db"), "{failed}");
    assert!(host.append(AT, &pair).unwrap_err().problem.contains("opened again"));
    let left = Sqlite::open_reader(&path).and_then(|mut reader| {
        let mut count = 0;
        reader.replay(&mut |_| count += 1).map(|_| count)
    });
    assert!(left.unwrap() >= confirmed, "what was confirmed is there");
}
