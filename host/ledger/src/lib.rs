//! Where the facts are stored, in one order a forest (LED-1).
//!
//! A [`Ledger`] takes batches and gives them back. [`Sqlite`](sqlite::Sqlite) is the embedded
//! default: a file anyone can read with `sqlite3`. [`Memory`](memory::Memory) forgets, and fails
//! on demand.
#![warn(missing_docs)]

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
    /// Its place.
    pub seq: u64,
    /// What is wrong with it.
    pub problem: String,
}

/// Takes what was read, one record after the other.
pub type Visit<'a> = &'a mut dyn FnMut(Stored);

/// An append-only store of events, and of the few documents a run needs to be taken up again.
pub trait Ledger: Send + 'static {
    /// Appends a batch in one transaction. When it returns, the batch is durable; when it fails,
    /// it may or may not be, and the ledger must be opened again before its next use (LED-3).
    ///
    /// # Errors
    /// The store could not be written.
    fn append(&mut self, at: WallTime, batch: &[Event]) -> Result<u64, LedgerError>;

    /// Reads everything, in order.
    ///
    /// # Errors
    /// The store could not be read. A single bad record is no error: it is quarantined.
    fn replay(&mut self, visit: Visit<'_>) -> Result<Vec<Quarantined>, LedgerError>;

    /// Reads what belongs to one agent, in order: see [`Event::agent`].
    ///
    /// # Errors
    /// The store could not be read.
    fn agent_events(&mut self, agent: AgentId, visit: Visit<'_>) -> Result<(), LedgerError>;

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
}

/// Why a ledger could not do what was asked.
#[derive(Debug, thiserror::Error)]
#[error("{doing}: {problem}")]
pub struct LedgerError {
    /// What was being done, with the file.
    pub doing: String,
    /// What went wrong.
    pub problem: String,
}
