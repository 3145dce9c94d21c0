//! A ledger in one SQLite file: durable when an append returns, and readable by anyone with
//! `sqlite3` while the host runs.

mod links;
mod connection;
mod header;
mod lock;
mod problem;
mod rows;

use std::path::{Path, PathBuf};

use rusqlite::{Connection, OptionalExtension};
use switchboard_core::{AgentId, Event, WallTime};

use self::links::Links;
use self::lock::Lock;
use self::problem::Problem;
use crate::{Ledger, LedgerError, Quarantined, Visit};

/// A ledger file, opened by its host or by a reader. There is one host at a time; a second one
/// is refused with the process id of the first. Readers come and go.
#[derive(Debug)]
pub struct Sqlite {
    // Stands before the role: it is closed before the lock in there is given back.
    connection: Connection,
    path: PathBuf,
    role: Role,
}

#[derive(Debug)]
enum Role {
    Host { last: u64, links: Links, failed: bool, _lock: Lock },
    Reader,
}

impl Sqlite {
    /// Makes a new ledger, which only its owner may read, and opens it as its host.
    ///
    /// # Errors
    /// There is such a file already, or it cannot be made.
    pub fn create(path: impl AsRef<Path>) -> Result<Self, LedgerError> {
        let path = path.as_ref();
        Self::begin(path).map_err(|problem| problem.while_doing(about("making the ledger", path)))
    }

    /// Opens an existing ledger as its host.
    ///
    /// # Errors
    /// There is none, it is something else, a newer version wrote it, or another host has it open.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, LedgerError> {
        let path = path.as_ref();
        Self::take_up(path).map_err(|problem| problem.while_doing(about(OPENING, path)))
    }

    /// Opens an existing ledger for reading, whether or not a host writes in it. It shows what
    /// was durable when each reading began.
    ///
    /// # Errors
    /// There is none, it is something else, or a newer version wrote it.
    pub fn open_reader(path: impl AsRef<Path>) -> Result<Self, LedgerError> {
        let path = path.as_ref();
        Self::read_along(path).map_err(|problem| problem.while_doing(about(OPENING, path)))
    }

    /// The file, by its full name.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Reads, in order, every event behind a place: what a reader does again and again to follow
    /// a host.
    ///
    /// # Errors
    /// The file could not be read. A single bad record is no error: it is quarantined.
    pub fn replay_after(
        &mut self,
        seq: u64,
        visit: Visit<'_>,
    ) -> Result<Vec<Quarantined>, LedgerError> {
        rows::replay(&self.connection, seq, visit)
            .map_err(|problem| self.failed("replaying", problem))
    }

    /// The records whose columns say another kind, agent or previous record than is true. Whoever
    /// goes by those columns, as [`agent_events`](Ledger::agent_events) does, would not find them.
    ///
    /// # Errors
    /// The file could not be read.
    pub fn misfiled(&mut self) -> Result<Vec<Quarantined>, LedgerError> {
        rows::misfiled(&self.connection).map_err(|problem| self.failed("looking through", problem))
    }

    fn begin(path: &Path) -> Result<Self, Problem> {
        let path = connection::canonical(path)?;
        if path.exists() {
            return Err(std::io::Error::from(std::io::ErrorKind::AlreadyExists).into());
        }
        let lock = Lock::take(&path)?;
        connection::create(&path)?;
        Self::host(path, lock)
    }

    fn take_up(path: &Path) -> Result<Self, Problem> {
        let path = connection::canonical(path)?;
        // Looked at before it is locked, which would leave a lock file beside anything.
        header::check(&path)?;
        header::check_only_name(&path)?;
        let lock = Lock::take(&path)?;
        Self::host(path, lock)
    }

    fn host(path: PathBuf, lock: Lock) -> Result<Self, Problem> {
        let connection = connection::for_host(&path)?;
        let last = rows::last(&connection)?;
        let role = Role::Host { last, links: Links::default(), failed: false, _lock: lock };
        Ok(Self { connection, path, role })
    }

    fn read_along(path: &Path) -> Result<Self, Problem> {
        let path = connection::canonical(path)?;
        let connection = connection::for_reader(&path)?;
        Ok(Self { connection, path, role: Role::Reader })
    }

    fn connect_again(&mut self) -> Result<(), Problem> {
        match &mut self.role {
            Role::Reader => self.connection = connection::for_reader(&self.path)?,
            Role::Host { last, links, failed, .. } => {
                self.connection = connection::for_host(&self.path)?;
                *last = rows::last(&self.connection)?;
                *links = Links::default();
                *failed = false;
            }
        }
        Ok(())
    }

    fn read_agent(
        &mut self,
        agent: AgentId,
        visit: Visit<'_>,
    ) -> Result<Vec<Quarantined>, Problem> {
        let links = match &mut self.role {
            // A host may write meanwhile, so it is not worth knowing where links end.
            Role::Reader => None,
            Role::Host { last, links, .. } => {
                links.learn(&self.connection, *last)?;
                Some(&*links)
            }
        };
        rows::of_agent(&self.connection, agent, links, visit)
    }

    fn write_document(&self, name: &str, text: &str) -> Result<(), Problem> {
        if matches!(self.role, Role::Reader) {
            return Err(only_reading());
        }
        let insert = "INSERT OR REPLACE INTO documents (name, text) VALUES (?1, ?2)";
        self.connection.prepare_cached(insert)?.execute([name, text])?;
        Ok(())
    }

    fn read_document(&self, name: &str) -> Result<Option<String>, Problem> {
        let mut select =
            self.connection.prepare_cached("SELECT text FROM documents WHERE name = ?1")?;
        Ok(select.query_row([name], |row| row.get(0)).optional()?)
    }

    fn failed(&self, doing: &str, problem: Problem) -> LedgerError {
        problem.while_doing(about(doing, &self.path))
    }
}

impl Ledger for Sqlite {
    fn append(&mut self, at: WallTime, batch: &[Event]) -> Result<u64, LedgerError> {
        let doing = "appending to";
        let Role::Host { last, links, failed, .. } = &mut self.role else {
            return Err(self.failed(doing, only_reading()));
        };
        if *failed {
            return Err(LedgerError::to_be_reopened(about(doing, &self.path)));
        }
        let appended = rows::append(&mut self.connection, *last, at, batch, links);
        *failed = appended.is_err();
        *last = *appended.as_ref().unwrap_or(last);
        appended.map_err(|problem| self.failed(doing, problem))
    }

    fn replay(&mut self, visit: Visit<'_>) -> Result<Vec<Quarantined>, LedgerError> {
        self.replay_after(0, visit)
    }

    fn agent_events(
        &mut self,
        agent: AgentId,
        visit: Visit<'_>,
    ) -> Result<Vec<Quarantined>, LedgerError> {
        self.read_agent(agent, visit)
            .map_err(|problem| self.failed(&format!("reading the events of {agent} in"), problem))
    }

    fn put_document(&mut self, name: &str, text: &str) -> Result<(), LedgerError> {
        self.write_document(name, text)
            .map_err(|problem| self.failed(&format!("keeping the document {name} in"), problem))
    }

    fn document(&mut self, name: &str) -> Result<Option<String>, LedgerError> {
        self.read_document(name)
            .map_err(|problem| self.failed(&format!("reading the document {name} in"), problem))
    }

    fn reopen(&mut self) -> Result<(), LedgerError> {
        self.connect_again().map_err(|problem| self.failed("opening again", problem))
    }

    /// Moves what was committed into the main file, as far as nobody is reading what it replaces;
    /// so a busy time is never stopped by it.
    fn checkpoint(&mut self) -> Result<(), LedgerError> {
        if matches!(self.role, Role::Reader) {
            return Ok(());
        }
        self.connection
            .execute_batch("PRAGMA wal_checkpoint(PASSIVE)")
            .map_err(|error| self.failed("tidying up", error.into()))
    }
}

impl Drop for Sqlite {
    fn drop(&mut self) {
        if matches!(self.role, Role::Host { .. }) {
            // Nothing is lost when this fails: the next one to open the file does it.
            let _ = connection::truncate_wal(&self.connection);
        }
    }
}

const OPENING: &str = "opening the ledger";

fn only_reading() -> Problem {
    Problem::new("it was opened for reading. Its host alone writes in it")
}

fn about(doing: &str, path: &Path) -> String {
    format!("{doing} {}", path.display())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn led_3_a_full_disk_is_named_with_the_file_and_the_operation() {
        let folder = tempfile::tempdir().unwrap();
        let mut host = Sqlite::create(folder.path().join("run.db")).unwrap();
        // SQLite's own limit answers exactly as a disk without space does.
        host.connection.execute_batch("PRAGMA max_page_count = 1").unwrap();
        let batch = vec![Event::HostStarted; 1_000];
        let failed = host.append(WallTime(0), &batch).unwrap_err().to_string();
        assert!(failed.starts_with("appending to /"), "{failed}");
        assert!(failed.contains("run.db: database or disk is full. Free some space"), "{failed}");
        host.reopen().unwrap();
        assert_eq!(host.append(WallTime(0), &batch).unwrap(), 1_000, "nothing of it was stored");
    }
}
