//! Where the facts are stored, in one order a forest (LED-1).
//!
//! A [`Ledger`] takes batches and gives them back. [`Sqlite`] is the embedded default: a file
//! anyone can read with `sqlite3`. [`Memory`] forgets, and fails on demand.
#![warn(missing_docs)]

mod memory;
mod place;
mod record;
mod sqlite;

pub use memory::{Fault, Memory};
pub use place::network_file_system;
pub use sqlite::Sqlite;

use switchboard_core::{AgentId, Event, WallTime};

/// An event as it is stored: its place in the one order, and when it was stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stored {
    /// Its place, from 1 and without gaps.
    pub seq: u64,
    /// When.
    pub at: WallTime,
    /// The fact.
    pub event: Event,
}

/// A record that could not be read: kept where it is, skipped, and reported (LED-1).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Quarantined {
    /// Its place; of records that are gone, the place of the first.
    pub seq: u64,
    /// What is wrong with it.
    pub problem: String,
}

/// Takes what was read, one record after the other.
pub type Visit<'a> = &'a mut dyn FnMut(Stored);

/// An append-only store of events, and of the few documents a run needs to be taken up again.
pub trait Ledger: Send + 'static {
    /// Appends a batch in one transaction and answers with the place of its last event. When it
    /// returns, the batch is durable; when it fails, all of it may be there or nothing, and the
    /// ledger takes no more until it is opened again (LED-3).
    ///
    /// # Errors
    /// The store could not be written.
    fn append(&mut self, at: WallTime, batch: &[Event]) -> Result<u64, LedgerError>;

    /// Reads everything, in order.
    ///
    /// # Errors
    /// The store could not be read. A single bad record is no error: it is quarantined.
    fn replay(&mut self, visit: Visit<'_>) -> Result<Vec<Quarantined>, LedgerError>;

    /// Reads what belongs to one agent, in order: see [`Event::agent`]. Answers with the records
    /// filed under it that cannot be read; of one that is gone nobody knows whose it was.
    ///
    /// # Errors
    /// The store could not be read.
    fn agent_events(
        &mut self,
        agent: AgentId,
        visit: Visit<'_>,
    ) -> Result<Vec<Quarantined>, LedgerError>;

    /// Keeps a document under a name, in place of an earlier one.
    ///
    /// # Errors
    /// The store could not be written.
    fn put_document(&mut self, name: &str, text: &str) -> Result<(), LedgerError>;

    /// The document of this name.
    ///
    /// # Errors
    /// The store could not be read.
    fn document(&mut self, name: &str) -> Result<Option<String>, LedgerError>;

    /// Closes the store and opens it again: the one way on after a failed append. What a replay
    /// reads afterwards is durable, whatever the failed append left behind (LED-3).
    ///
    /// # Errors
    /// The store could not be opened.
    fn reopen(&mut self) -> Result<(), LedgerError>;

    /// Whether its calls return at once, without waiting for a disk. The one who owns such a ledger
    /// needs no thread for it.
    fn is_immediate(&self) -> bool {
        false
    }

    /// Tidies up; to be called while nothing else is to be done.
    ///
    /// # Errors
    /// The store could not be written.
    fn checkpoint(&mut self) -> Result<(), LedgerError> {
        Ok(())
    }
}

/// Why a ledger could not do what was asked.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{doing}: {problem}")]
pub struct LedgerError {
    /// What was being done, with the file.
    pub doing: String,
    /// What went wrong, and what to do about it.
    pub problem: String,
}

impl LedgerError {
    fn new(doing: impl Into<String>, problem: impl Into<String>) -> Self {
        Self { doing: doing.into(), problem: problem.into() }
    }

    /// What every ledger says to an append after a failed one.
    fn to_be_reopened(doing: impl Into<String>) -> Self {
        let problem = "an earlier append failed, so what is stored is uncertain; the ledger takes \
                       no more until it is opened again";
        Self::new(doing, problem)
    }
}
