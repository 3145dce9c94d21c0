//! What is said of files that are no ledger, or none for this version; and how a ledger lies on
//! the disk.

use std::fs;
use std::path::Path;

use rusqlite::Connection;
use switchboard_ledger::{Ledger, LedgerError, Sqlite};

use crate::events::{AT, all, batch};

/// What both kinds of opening say of this file; they agree.
fn refused(path: &Path) -> LedgerError {
    let as_host = Sqlite::open(path).unwrap_err();
    assert_eq!(as_host, Sqlite::open_reader(path).unwrap_err());
    assert!(as_host.doing.contains(&path.display().to_string()), "{as_host}");
    as_host
}

fn assert_says(error: &LedgerError, words: &str) {
    assert!(error.problem.contains(words), "{error}");
}

#[test]
fn a_missing_file_is_not_made_by_opening_it() {
    let folder = tempfile::tempdir().unwrap();
    assert_says(&refused(&folder.path().join("run.db")), "Check the path");
    assert_says(&refused(&folder.path().join("no/run.db")), "there is no folder");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0, "not even a lock file");
}

#[test]
fn what_is_no_ledger_is_refused_and_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    assert_says(&refused(folder.path()), "it is a directory");

    let path = folder.path().join("notes.txt");
    fs::write(&path, "buy milk\n".repeat(100)).unwrap();
    assert_says(&refused(&path), "not a SQLite file");
    fs::write(&path, "").unwrap();
    assert_says(&refused(&path), "cut short");

    let path = folder.path().join("shop.db");
    Connection::open(&path).unwrap().execute_batch("CREATE TABLE items (name)").unwrap();
    let before = fs::read(&path).unwrap();
    assert_says(&refused(&path), "of another program");
    assert_eq!(fs::read(&path).unwrap(), before);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2, "nothing was put beside them");
}

#[test]
fn a_newer_format_is_refused_with_the_version_that_wrote_it() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.db");
    drop(Sqlite::create(&path).unwrap());
    let newer = "UPDATE meta SET value = '99' WHERE key = 'format';
                 UPDATE meta SET value = 'Switchboard 3.1.4' WHERE key = 'written_by'";
    Connection::open(&path).unwrap().execute_batch(newer).unwrap();
    assert_says(&refused(&path), "Use Switchboard 3.1.4 or a newer one");
    let tables = "UPDATE meta SET value = '1' WHERE key = 'format'; PRAGMA user_version = 3";
    Connection::open(&path).unwrap().execute_batch(tables).unwrap();
    assert_says(&refused(&path), "Switchboard 3.1.4 wrote it, in format 3.1");
    let older = "PRAGMA user_version = 1";
    Connection::open(&path).unwrap().execute_batch(older).unwrap();
    assert_says(&refused(&path), "wrote it in layout 1, before the first release");
}

#[test]
fn an_existing_file_is_not_made_again() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.db");
    Sqlite::create(&path).unwrap().append(AT, &batch(&["a"])).unwrap();
    assert_says(&Sqlite::create(&path).unwrap_err(), "choose another name");
    assert_eq!(all(&mut Sqlite::open(&path).unwrap()), batch(&["a"]));
}

#[test]
#[cfg(unix)]
fn the_files_of_a_ledger_are_for_their_owner_alone() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let mut host = Sqlite::create(folder.path().join("run.db")).unwrap();
    host.append(AT, &batch(&["a"])).unwrap();
    let files = fs::read_dir(folder.path()).unwrap().map(Result::unwrap).collect::<Vec<_>>();
    assert_eq!(files.len(), 4, "the ledger, its lock, and two of SQLite's");
    for file in files {
        let mode = file.metadata().unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{}", file.path().display());
    }
}

#[test]
fn a_closed_ledger_is_one_file_and_its_empty_lock() {
    let folder = tempfile::tempdir().unwrap();
    let mut host = Sqlite::create(folder.path().join("run.db")).unwrap();
    host.append(AT, &batch(&["a"])).unwrap();
    host.checkpoint().unwrap();
    drop(host);
    let names = fs::read_dir(folder.path()).unwrap().map(|file| file.unwrap().file_name());
    let mut names = names.collect::<Vec<_>>();
    names.sort();
    assert_eq!(names, ["run.db", "run.db.lock"]);
    assert_eq!(fs::read(folder.path().join("run.db.lock")).unwrap(), b"");
}

#[test]
#[cfg(unix)]
fn a_folder_that_may_not_be_written_is_named_with_what_to_do() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o500)).unwrap();
    if fs::write(folder.path().join("probe"), "").is_ok() {
        return; // the superuser may write anywhere
    }
    assert_says(&Sqlite::create(folder.path().join("run.db")).unwrap_err(), "must be writable");
}

#[cfg(unix)]
#[test]
fn a_pipe_is_refused_and_not_waited_for() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run-1.db");
    assert!(std::process::Command::new("mkfifo").arg(&path).status().unwrap().success());
    for refused in [Sqlite::open(&path).unwrap_err(), Sqlite::open_reader(&path).unwrap_err()] {
        assert!(refused.problem.contains("a pipe or a device"), "{refused}");
    }
}

#[cfg(unix)]
#[test]
fn a_ledger_of_two_names_is_read_and_not_written() {
    let folder = tempfile::tempdir().unwrap();
    let (path, other) = (folder.path().join("run.db"), folder.path().join("other.db"));
    drop(Sqlite::create(&path).unwrap());
    std::fs::hard_link(&path, &other).unwrap();
    for name in [&path, &other] {
        let refused = Sqlite::open(name).unwrap_err();
        assert!(refused.problem.contains("2 names (hard links)"), "{refused}");
        assert!(refused.problem.contains("go on with the copy"), "{refused}");
    }
    Sqlite::open_reader(&path).unwrap();
}
