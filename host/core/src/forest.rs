//! The machine: every agent of one ledger as one value.

use crate::agent::Agent;
use crate::command::{Answer, Command, Stamp, Ticket};
use crate::effect::Effect;
use crate::event::Event;
use crate::ids::{AgentId, LedgerTag};
use crate::limits::Limits;

/// What one command led to. Nobody hears of it before the events are stored.
#[derive(Debug, Default)]
pub struct Step {
    /// What to store, in order.
    pub events: Vec<Event>,
    /// What to do, once they are stored.
    pub effects: Vec<Effect>,
    /// Whom to answer, once they are stored.
    pub answers: Vec<(Ticket, Answer)>,
}

/// Every agent of one ledger.
#[derive(Debug)]
pub struct Forest {}

impl Forest {
    /// An empty forest, and the event its ledger begins with.
    pub fn open(_tag: LedgerTag, _limits: Limits) -> (Self, Event) {
        todo!()
    }
    /// A forest without any fact yet, to be filled by [`Forest::apply`] from a ledger.
    pub fn replaying(_limits: Limits) -> Self {
        todo!()
    }
    /// Decides a command.
    pub fn step(&mut self, _command: Command, _stamp: Stamp) -> Step {
        todo!()
    }
    /// Takes in one stored fact (LED-2).
    pub fn apply(&mut self, _event: &Event) {
        todo!()
    }
    /// What recovery performs (LED-4).
    pub fn outstanding(&self) -> Vec<Effect> {
        todo!()
    }
    /// One agent, as the facts have it.
    pub fn agent(&self, _id: AgentId) -> Option<&Agent> {
        todo!()
    }
    /// All agents, oldest first.
    pub fn agents(&self) -> impl Iterator<Item = &Agent> {
        std::iter::empty()
    }
    /// Nothing runs, is due or on its way (the run is over).
    pub fn is_quiet(&self) -> bool {
        todo!()
    }
}
