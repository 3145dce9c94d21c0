//! What holds for every accepted message.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use switchboard_core::{AgentId, Claim, Event, MessageId, MessageKind, Schedule, Sender};
use switchboard_ledger::Stored;

use super::{Check, accepted};

/// How many messages have no fate yet.
pub(super) fn open(events: &[Stored]) -> usize {
    let (mut fates, mut found) = (Fates::default(), Vec::new());
    events.iter().for_each(|stored| fates.see(stored, &mut found));
    fates.open.len()
}

/// Every message ends exactly once, or waits.
#[derive(Default)]
pub(super) struct Fates {
    open: BTreeMap<MessageId, AgentId>,
    ended: BTreeSet<MessageId>,
}

impl Fates {
    fn end_one(&mut self, id: MessageId, seq: u64, found: &mut Vec<String>) {
        if self.open.remove(&id).is_none() {
            let known = self.ended.contains(&id);
            let why = if known { "ends a second time" } else { "ends and was never accepted" };
            found.push(format!("record {seq}: {id} {why}"));
        }
        self.ended.insert(id);
    }
}

impl Check for Fates {
    fn promise(&self) -> &'static str {
        "every accepted message has exactly one fate, or is still open"
    }

    fn see(&mut self, stored: &Stored, found: &mut Vec<String>) {
        if let Some(message) = accepted(&stored.event) {
            let again = self.open.insert(message.id, message.to).is_some();
            if again || self.ended.contains(&message.id) {
                found.push(format!("record {}: {} is accepted again", stored.seq, message.id));
            }
        }
        let ended: Vec<MessageId> = match &stored.event {
            Event::StepRecorded { consumed, .. } => consumed.clone(),
            Event::TurnEnded { dropped, .. } => dropped.clone(),
            Event::Dropped { messages, .. } => messages.clone(),
            Event::StartWithdrawn { agent, .. } => {
                self.open.iter().filter(|(_, to)| *to == agent).map(|(id, _)| *id).collect()
            }
            _ => Vec::new(),
        };
        ended.into_iter().for_each(|id| self.end_one(id, stored.seq, found));
    }
}

/// A message is shown once for each delivery number, and consumed only after it was shown.
#[derive(Default)]
pub(super) struct Showings {
    shown: BTreeMap<MessageId, u32>,
}

impl Check for Showings {
    fn promise(&self) -> &'static str {
        "no message is shown twice with the same delivery number, none is consumed unseen"
    }

    fn see(&mut self, stored: &Stored, found: &mut Vec<String>) {
        for shown in claim(&stored.event).into_iter().flat_map(|claim| &claim.messages) {
            let last = self.shown.insert(shown.id, shown.delivery).unwrap_or(0);
            if Some(shown.delivery) != last.checked_add(1) {
                let (seq, id, number) = (stored.seq, shown.id, shown.delivery);
                found.push(format!("record {seq}: {id} is shown as number {number} after {last}"));
            }
        }
        let Event::StepRecorded { consumed, .. } = &stored.event else { return };
        for id in consumed.iter().filter(|id| !self.shown.contains_key(id)) {
            found.push(format!("record {}: {id} is consumed and was never shown", stored.seq));
        }
    }
}

/// What one sender sends one target on one schedule is seen in that order.
#[derive(Default)]
pub(super) struct InOrder {
    lines: HashMap<MessageId, Line>,
    last: BTreeMap<Line, MessageId>,
}

/// Whose words, for whom, at which boundary.
type Line = (AgentId, AgentId, bool);

impl Check for InOrder {
    fn promise(&self) -> &'static str {
        "what one sender sends one target is first seen in the order it was accepted"
    }

    fn see(&mut self, stored: &Stored, found: &mut Vec<String>) {
        if let Some(message) = accepted(&stored.event)
            && let Sender::Agent { id, .. } = &message.from
            // Requests come before other mail (DEL-3).
            && !matches!(message.kind, MessageKind::Request(_))
        {
            let early = message.schedule == Schedule::NextStep;
            self.lines.insert(message.id, (*id, message.to, early));
        }
        for shown in claim(&stored.event).into_iter().flat_map(|claim| &claim.messages) {
            let first = shown.delivery == 1;
            let Some(line) = self.lines.get(&shown.id).filter(|_| first) else { continue };
            let before = self.last.insert(*line, shown.id);
            if let Some(before) = before.filter(|before| *before > shown.id) {
                let (seq, id) = (stored.seq, shown.id);
                found.push(format!("record {seq}: {id} is seen after {before} of the same sender"));
            }
        }
    }
}

fn claim(event: &Event) -> Option<&Claim> {
    match event {
        Event::TurnOpened { claim, .. } | Event::Claimed { claim, .. } => Some(claim),
        _ => None,
    }
}
