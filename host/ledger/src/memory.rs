//! A ledger for tests: it forgets when its last handle goes, and fails when it is told to.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use switchboard_core::{AgentId, Event, WallTime};

use crate::{Ledger, LedgerError, Quarantined, Stored, Visit, record};

/// A store in memory. A clone is another handle to the same store, fresh as a restarted host's
/// is; so a test keeps one, gives one away, and takes up later what was left.
#[derive(Debug, Default)]
pub struct Memory {
    store: Arc<Mutex<Store>>,
    failed: bool,
    immediate: bool,
}

/// How an append fails. Its caller cannot tell the two apart (LED-3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// Nothing of the batch is stored.
    BeforeStoring,
    /// All of it is stored, and nobody was told.
    AfterStoring,
}

#[derive(Debug, Default)]
struct Store {
    records: Vec<Record>,
    documents: BTreeMap<String, String>,
    appends: u64,
    faults: BTreeMap<u64, Fault>,
    replay_fails: bool,
}

#[derive(Debug)]
struct Record {
    at: WallTime,
    agent: Option<AgentId>,
    kept: Kept,
}

#[derive(Debug)]
enum Kept {
    /// So that what tests store goes through the format as it does on a disk.
    Text(String),
    /// So that it costs no more than to remember it.
    Event(Box<Event>),
}

impl Record {
    fn new(at: WallTime, event: &Event, as_text: bool) -> Result<Self, LedgerError> {
        let kept = match as_text {
            true => Kept::Text(record::write(event, &mut Vec::new())?.to_owned()),
            false => Kept::Event(Box::new(event.clone())),
        };
        Ok(Self { at, agent: event.agent(), kept })
    }

    fn read(&self, seq: u64) -> Result<Stored, Quarantined> {
        match &self.kept {
            Kept::Text(text) => record::read(seq, self.at, text),
            Kept::Event(event) => Ok(Stored { seq, at: self.at, event: (**event).clone() }),
        }
    }
}

impl Memory {
    /// An empty store that works.
    pub fn new() -> Self {
        Self::default()
    }

    /// An empty store that says it [is immediate](Ledger::is_immediate), so that it is used in
    /// place, and keeps its events as they are. One from [`Memory::new`] is used as a ledger on a
    /// disk is: from another thread, and with its events written down.
    pub fn immediate() -> Self {
        Self { immediate: true, ..Self::default() }
    }

    /// Lets the `nth` append from now fail; the next one is the first.
    pub fn fail_append(&self, nth: u64, fault: Fault) {
        let mut store = self.store();
        let at = store.appends + nth;
        store.faults.insert(at, fault);
    }

    /// Lets the next replay fail before it reads anything.
    pub fn fail_replay(&self) {
        self.store().replay_fails = true;
    }

    /// Puts another text in place of a record's, and says whether there is such a record.
    pub fn spoil(&self, seq: u64, text: &str) -> bool {
        let mut store = self.store();
        let place = usize::try_from(seq).ok().and_then(|seq| seq.checked_sub(1));
        let record = place.and_then(|place| store.records.get_mut(place));
        record.map(|record| record.kept = Kept::Text(text.to_owned())).is_some()
    }

    /// How many records there are.
    pub fn len(&self) -> usize {
        self.store().records.len()
    }

    /// Whether nothing was stored yet.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn store(&self) -> MutexGuard<'_, Store> {
        // A test that panicked beside us leaves the store whole: no method stops half-way.
        self.store.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Clone for Memory {
    fn clone(&self) -> Self {
        Self { store: Arc::clone(&self.store), failed: false, immediate: self.immediate }
    }
}

impl Store {
    fn append(&mut self, at: WallTime, batch: &[Event], as_text: bool) -> Result<u64, LedgerError> {
        let records = batch
            .iter()
            .map(|event| Record::new(at, event, as_text))
            .collect::<Result<Vec<_>, _>>()?;
        self.appends += 1;
        let fault = self.faults.remove(&self.appends);
        if fault != Some(Fault::BeforeStoring) {
            self.records.extend(records);
        }
        match fault {
            None => Ok(self.records.len() as u64),
            Some(_) => Err(LedgerError::new(APPENDING, "it failed, as the test wants it")),
        }
    }

    fn records(&self) -> impl Iterator<Item = (u64, &Record)> {
        (1..).zip(&self.records)
    }
}

const APPENDING: &str = "appending to the ledger in memory";

impl Ledger for Memory {
    fn is_immediate(&self) -> bool {
        self.immediate
    }

    fn append(&mut self, at: WallTime, batch: &[Event]) -> Result<u64, LedgerError> {
        if self.failed {
            return Err(LedgerError::to_be_reopened(APPENDING));
        }
        let appended = self.store().append(at, batch, !self.immediate);
        self.failed = appended.is_err();
        appended
    }

    fn replay(&mut self, visit: Visit<'_>) -> Result<Vec<Quarantined>, LedgerError> {
        let mut store = self.store();
        if std::mem::take(&mut store.replay_fails) {
            let doing = "replaying the ledger in memory";
            return Err(LedgerError::new(doing, "it failed, as the test wants it"));
        }
        let mut quarantined = Vec::new();
        for (seq, record) in store.records() {
            match record.read(seq) {
                Ok(stored) => visit(stored),
                Err(bad) => quarantined.push(bad),
            }
        }
        Ok(quarantined)
    }

    fn agent_events(
        &mut self,
        agent: AgentId,
        visit: Visit<'_>,
    ) -> Result<Vec<Quarantined>, LedgerError> {
        let mut quarantined = Vec::new();
        let store = self.store();
        for (seq, record) in store.records().filter(|(_, record)| record.agent == Some(agent)) {
            match record.read(seq) {
                Ok(stored) => visit(stored),
                Err(bad) => quarantined.push(bad),
            }
        }
        Ok(quarantined)
    }

    fn put_document(&mut self, name: &str, text: &str) -> Result<(), LedgerError> {
        self.store().documents.insert(name.to_owned(), text.to_owned());
        Ok(())
    }

    fn document(&mut self, name: &str) -> Result<Option<String>, LedgerError> {
        Ok(self.store().documents.get(name).cloned())
    }

    fn reopen(&mut self) -> Result<(), LedgerError> {
        self.failed = false;
        Ok(())
    }
}
