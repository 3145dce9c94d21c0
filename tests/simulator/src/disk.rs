//! The ledger of a history: slow, failing, uncertain, and the place at which hosts die.

use std::sync::Arc;

use switchboard_core::{AgentId, Event, WallTime};
use switchboard_ledger::{Fault, Ledger, LedgerError, Memory, Quarantined, Visit};

use crate::world::Host;

/// A ledger in memory that fails as its history wants it.
pub(crate) struct Disk {
    host: Arc<Host>,
    ledger: Memory,
    /// An append failed and it was not opened again.
    failed: bool,
}

/// More than any history stores: one that reaches it does not come to its end.
const MOST: u64 = 200_000;

impl Disk {
    pub(crate) fn of(host: &Arc<Host>) -> Self {
        Self { host: host.clone(), ledger: host.world.disk.clone(), failed: false }
    }

    fn fault(&self) -> Option<Fault> {
        let rates = &self.host.world.plan.rates;
        let kills = self.host.world.strikes(rates.append_kills);
        if kills {
            self.host.world.witness().count("hosts killed in an append");
            self.host.die();
        }
        let fails = kills || self.host.world.strikes(rates.append_fails);
        fails.then(|| *self.host.world.chance.pick(&[Fault::BeforeStoring, Fault::AfterStoring]))
    }

    fn check(&self, doing: &str, per_mille: u64) -> Result<(), LedgerError> {
        let world = &self.host.world;
        let fails = world.strikes(per_mille);
        if fails {
            world.witness().count(format!("failures {doing}"));
        }
        if fails || self.host.is_dead() {
            let problem = "it failed, as the seed wants it".to_owned();
            return Err(LedgerError { doing: doing.to_owned(), problem });
        }
        Ok(())
    }

    fn store(&mut self, at: WallTime, batch: &[Event]) -> Result<u64, LedgerError> {
        let fault = self.fault();
        if let Some(fault) = fault {
            self.ledger.fail_append(1, fault);
            self.host.world.witness().count(format!("appends failed {fault:?}"));
        }
        self.failed = fault.is_some();
        let stored = self.ledger.append(at, batch);
        if fault != Some(Fault::BeforeStoring) {
            let mut book = self.host.world.book();
            batch.iter().for_each(|event| book.store(event));
            if book.len > MOST {
                drop(book);
                self.host.object("the history has no end");
                self.host.die();
            }
        }
        stored
    }
}

impl Ledger for Disk {
    fn append(&mut self, at: WallTime, batch: &[Event]) -> Result<u64, LedgerError> {
        self.check("appending", 0)?;
        if self.failed {
            self.host.object("LED-3: an append behind a failed one");
        }
        self.store(at, batch)
    }

    fn replay(&mut self, visit: Visit<'_>) -> Result<Vec<Quarantined>, LedgerError> {
        self.check("replaying", self.host.world.plan.rates.replay_fails)?;
        self.ledger.replay(visit)
    }

    fn agent_events(
        &mut self,
        agent: AgentId,
        visit: Visit<'_>,
    ) -> Result<Vec<Quarantined>, LedgerError> {
        self.check("reading", self.host.world.plan.rates.read_fails)?;
        self.ledger.agent_events(agent, visit)
    }

    fn put_document(&mut self, name: &str, text: &str) -> Result<(), LedgerError> {
        self.ledger.put_document(name, text)
    }

    fn document(&mut self, name: &str) -> Result<Option<String>, LedgerError> {
        self.ledger.document(name)
    }

    fn reopen(&mut self) -> Result<(), LedgerError> {
        self.check("opening again", self.host.world.plan.rates.replay_fails)?;
        self.failed = false;
        self.ledger.reopen()
    }

    fn is_immediate(&self) -> bool {
        self.host.world.plan.in_place
    }
}
