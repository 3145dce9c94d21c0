//! How a ledger file is made and opened.

use std::fs::{self, OpenOptions};
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::{Connection, OpenFlags, OptionalExtension};
use switchboard_core::FORMAT;

use super::header;
use super::problem::Problem;

/// The version of the tables, kept in the file's `user_version`.
const LAYOUT: u32 = 2;
const SCHEMA: &str = include_str!("schema.sql");
const WRITER: &str = concat!("Switchboard ", env!("CARGO_PKG_VERSION"));

/// Full, so that a commit is on the disk when it returns; the next two ask macOS to mean it. The
/// log may grow to 16 MB before an append has to stop and move it into the main file: a host
/// mostly does that while idle, and pages written again and again are then moved once.
const DURABLE: &str = "
    PRAGMA journal_mode = WAL;
    PRAGMA synchronous = FULL;
    PRAGMA fullfsync = ON;
    PRAGMA checkpoint_fullfsync = ON;
    PRAGMA wal_autocheckpoint = 4000;
";

/// How long a statement waits for a program that writes although it should not.
const PATIENCE: Duration = Duration::from_secs(5);

/// Makes the file, with its tables and nothing in them.
pub(super) fn create(path: &Path) -> Result<(), Problem> {
    private().create_new(true).open(path)?;
    lay_out(path).inspect_err(|_| {
        // What is half made is in the way of the next attempt and holds nothing.
        let _ = fs::remove_file(path);
    })
}

/// A connection that writes. What it shows is on the disk: a host that was killed, or failed to
/// write, may have left commits that only the system's memory holds, and writing them into the
/// main file is what makes sure of them.
pub(super) fn for_host(path: &Path) -> Result<Connection, Problem> {
    header::check(path)?;
    let connection = open(path, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
    if connection.is_readonly("main")? {
        return Err(Problem::new("the file may not be written. Change that, or read along only"));
    }
    check_versions(&connection)?;
    connection.execute_batch(DURABLE)?;
    sign(&connection)?;
    truncate_wal(&connection)?;
    Ok(connection)
}

/// A connection that reads, also while a host writes.
pub(super) fn for_reader(path: &Path) -> Result<Connection, Problem> {
    header::check(path)?;
    let connection = open(path, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
    check_versions(&connection)?;
    Ok(connection)
}

/// Moves all commits into the main file, unless somebody is reading older ones.
pub(super) fn truncate_wal(connection: &Connection) -> Result<(), Problem> {
    connection.busy_timeout(Duration::ZERO)?;
    connection.execute_batch("PRAGMA wal_checkpoint(TRUNCATE)")?;
    connection.busy_timeout(PATIENCE)?;
    Ok(())
}

/// How files of a ledger are opened for writing: what agents say is nobody else's business.
pub(super) fn private() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.write(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

/// The one name of a file that exists, or is to be made in a folder that exists: two hosts must
/// meet at the same lock, by whatever way they came.
pub(super) fn canonical(path: &Path) -> Result<PathBuf, Problem> {
    let found = fs::canonicalize(path);
    if found.is_ok() {
        return Ok(found?);
    }
    let name = path.file_name().ok_or_else(|| Problem::new("it names no file"))?;
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let folder = folder.unwrap_or(Path::new("."));
    match fs::canonicalize(folder) {
        Ok(folder) => Ok(folder.join(name)),
        Err(_) => Err(Problem::new(format!("there is no folder {}", folder.display()))),
    }
}

fn open(path: &Path, access: OpenFlags) -> Result<Connection, Problem> {
    let connection = Connection::open_with_flags(path, access | OpenFlags::SQLITE_OPEN_NO_MUTEX)?;
    connection.busy_timeout(PATIENCE)?;
    Ok(connection)
}

/// In one transaction, and before the file has a write-ahead log: so its first bytes say whose it
/// is from the first moment on.
fn lay_out(path: &Path) -> Result<(), Problem> {
    let connection = open(path, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
    let application = header::APPLICATION;
    connection.execute_batch(&format!(
        "BEGIN;
         PRAGMA application_id = {application};
         PRAGMA user_version = {LAYOUT};
         {SCHEMA}
         INSERT INTO meta VALUES ('format', '{FORMAT}'), ('written_by', '{WRITER}');
         COMMIT;"
    ))?;
    connection.execute_batch(DURABLE)?;
    Ok(())
}

fn check_versions(connection: &Connection) -> Result<(), Problem> {
    let layout: u32 = connection.pragma_query_value(None, "user_version", |row| row.get(0))?;
    let format = meta(connection, "format")?;
    let writer = meta(connection, "written_by")?.unwrap_or_else(|| "another version".to_owned());
    let Some(format) = format.and_then(|format| format.parse::<u32>().ok()) else {
        return Err(Problem::new("it does not say which format it has: it is no whole ledger"));
    };
    if layout < LAYOUT {
        return Err(Problem::new(format!(
            "{writer} wrote it in layout {layout}, before the first release; this is {WRITER}, \
             which knows layout {LAYOUT} alone. Let the build that wrote it come to its end"
        )));
    }
    if layout > LAYOUT || format > FORMAT {
        return Err(Problem::new(format!(
            "{writer} wrote it, in format {layout}.{format}; this is {WRITER}, which knows up to \
             {LAYOUT}.{FORMAT}. Use {writer} or a newer one"
        )));
    }
    Ok(())
}

fn meta(connection: &Connection, key: &str) -> rusqlite::Result<Option<String>> {
    let query = "SELECT value FROM meta WHERE key = ?1";
    connection.query_row(query, [key], |row| row.get(0)).optional()
}

fn sign(connection: &Connection) -> rusqlite::Result<()> {
    let update = "UPDATE meta SET value = ?1 WHERE key = 'written_by' AND value <> ?1";
    connection.execute(update, [WRITER]).map(drop)
}
