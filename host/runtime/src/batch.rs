//! Steps on their way to the ledger, with everything that waits for it.

use switchboard_core::{Answer, Effect, Event, Step, Ticket, WallTime};

use crate::lanes::Finding;

/// Events, or those who wait, in a batch from which on requests wait in their lane.
const FULL: usize = 1_024;

/// Decided and not yet durable: nobody hears of any of it before it is (SEND-12).
#[derive(Default)]
pub(crate) struct Batch {
    /// When its last step was decided.
    pub(crate) at: WallTime,
    pub(crate) events: Vec<Event>,
    pub(crate) answers: Vec<(Ticket, Answer)>,
    pub(crate) findings: Vec<Finding>,
    pub(crate) effects: Vec<Effect>,
}

impl Batch {
    pub(crate) fn add(&mut self, step: Step, at: WallTime) {
        self.at = at;
        self.events.extend(step.events);
        self.answers.extend(step.answers);
        self.effects.extend(step.effects);
    }

    pub(crate) fn has_room(&self) -> bool {
        let waiting = self.answers.len() + self.findings.len();
        self.events.len().max(waiting) < FULL
    }
}
