//! What holds for the host's own words, and for calls that were made twice.

use std::collections::{BTreeMap, BTreeSet};

use switchboard_core::{AgentId, Event, HostKey, MessageId, MessageKind, Notice, Sender};
use switchboard_ledger::Stored;

use super::{Check, accepted};

/// A settlement notice comes after every report of its stay, and is shown after them.
#[derive(Default)]
pub(super) struct AfterReports {
    /// Agents that were put away and not brought back.
    away: BTreeSet<AgentId>,
    /// What each agent sent that its reader has not seen: by whom, and for whom.
    unseen: BTreeMap<MessageId, (AgentId, AgentId)>,
    notices: BTreeMap<MessageId, AgentId>,
}

impl AfterReports {
    fn note(&mut self, stored: &Stored, found: &mut Vec<String>) {
        let Some(message) = accepted(&stored.event) else { return };
        match (&message.kind, &message.from) {
            (MessageKind::Notice(Notice::Settled { child, .. }), _) => {
                self.notices.insert(message.id, *child);
            }
            (MessageKind::Relay, Sender::Agent { id, .. }) => {
                if self.away.contains(id) {
                    let (seq, sent) = (stored.seq, message.id);
                    found.push(format!("record {seq}: {sent} is from {id}, which is put away"));
                }
                self.unseen.insert(message.id, (*id, message.to));
            }
            _ => {}
        }
    }
}

impl Check for AfterReports {
    fn promise(&self) -> &'static str {
        "a settlement notice comes after its child's reports, and is never seen before them"
    }

    fn see(&mut self, stored: &Stored, found: &mut Vec<String>) {
        match &stored.event {
            Event::Released { agent, .. } => {
                self.away.insert(*agent);
            }
            Event::ResumeOrdered { agent, .. } | Event::Published { agent, .. } => {
                self.away.remove(agent);
            }
            Event::TurnOpened { agent: reader, claim, .. }
            | Event::Claimed { agent: reader, claim, .. } => {
                let shown: Vec<MessageId> = claim.messages.iter().map(|shown| shown.id).collect();
                self.unseen.retain(|id, _| !shown.contains(id));
                for notice in shown {
                    let Some(child) = self.notices.remove(&notice) else { continue };
                    let upwards = (child, *reader);
                    let mut unseen = self.unseen.iter();
                    let report = unseen.find(|(id, way)| **way == upwards && **id < notice);
                    if let Some((report, _)) = report {
                        let seq = stored.seq;
                        found.push(format!("record {seq}: {notice} is seen before {report}"));
                    }
                }
            }
            Event::Dropped { messages: gone, .. } | Event::TurnEnded { dropped: gone, .. } => {
                self.unseen.retain(|id, _| !gone.contains(id));
            }
            _ => {}
        }
        self.note(stored, found);
    }
}

/// The same key is accepted once.
#[derive(Default)]
pub(super) struct KeysOnce {
    /// With whom it was for, if one call sent to many.
    seen: BTreeSet<(HostKey, Option<AgentId>)>,
}

impl Check for KeysOnce {
    fn promise(&self) -> &'static str {
        "a call that was run again did nothing twice"
    }

    fn see(&mut self, stored: &Stored, found: &mut Vec<String>) {
        let key = match &stored.event {
            Event::Accepted { message, terms } => terms.and_then(|terms| {
                let one_of_many = terms.one_of_many.then_some(message.to);
                Some((terms.key?, one_of_many))
            }),
            Event::StartAdmitted { key, .. }
            | Event::InterruptAdmitted { key, .. }
            | Event::RequestRaised { key, .. }
            | Event::RequestClosed { key, .. } => key.map(|key| (key, None)),
            _ => None,
        };
        if let Some((key, _)) = key.filter(|key| !self.seen.insert(*key)) {
            found.push(format!("record {}: the key {key} was used before", stored.seq));
        }
    }
}
