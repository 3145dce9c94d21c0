//! What holds for agents: what they are called, and how often they were brought up.

use std::collections::BTreeMap;

use switchboard_core::{AgentId, Event, Incarnation};
use switchboard_ledger::Stored;

use super::Check;

/// Siblings go by different names, whatever the case of their letters (ID-5).
#[derive(Default)]
pub(super) struct Names {
    taken: BTreeMap<(Option<AgentId>, String), AgentId>,
}

impl Check for Names {
    fn promise(&self) -> &'static str {
        "no two siblings have the same name"
    }

    fn see(&mut self, stored: &Stored, found: &mut Vec<String>) {
        let (agent, parent, name) = match &stored.event {
            Event::AgentRegistered { agent, name, .. } => (agent, None, name),
            Event::StartAdmitted { agent, parent, name, .. } => (agent, Some(*parent), name),
            // It never came up, so its name may go to another.
            Event::StartWithdrawn { agent, .. } => {
                return self.taken.retain(|_, holder| holder != agent);
            }
            _ => return,
        };
        let other = self.taken.insert((parent, name.to_string().to_lowercase()), *agent);
        if let Some(other) = other.filter(|other| other != agent) {
            found.push(format!("record {}: {agent} is called {name} as {other} is", stored.seq));
        }
    }
}

/// Incarnations of an agent are counted upwards.
#[derive(Default)]
pub(super) struct Incarnations {
    last: BTreeMap<AgentId, Incarnation>,
}

impl Check for Incarnations {
    fn promise(&self) -> &'static str {
        "the incarnations of an agent only grow"
    }

    fn see(&mut self, stored: &Stored, found: &mut Vec<String>) {
        let (agent, incarnation, new) = match &stored.event {
            Event::ResumeOrdered { agent, incarnation } => (agent, incarnation, true),
            Event::Published { agent, incarnation }
            | Event::TurnOpened { agent, incarnation, .. }
            | Event::Released { agent, incarnation, .. } => (agent, incarnation, false),
            _ => return,
        };
        let last = self.last.insert(*agent, *incarnation);
        if let Some(last) = last.filter(|last| incarnation < last || new && incarnation == last) {
            let seq = stored.seq;
            found.push(format!(
                "record {seq}: {agent} is in incarnation {incarnation} after {last}"
            ));
        }
    }
}
