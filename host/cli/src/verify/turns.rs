//! What holds for every turn and every call in it.

use std::collections::{BTreeMap, BTreeSet};

use switchboard_core::{AgentId, Event, TurnId};
use switchboard_ledger::Stored;

use super::Check;

/// A turn ends exactly once, after its steps, and an agent has one at a time.
#[derive(Default)]
pub(super) struct Ends {
    /// Open turns with the step that comes next.
    open: BTreeMap<TurnId, u32>,
    running: BTreeMap<AgentId, TurnId>,
    ended: BTreeSet<TurnId>,
}

impl Check for Ends {
    fn promise(&self) -> &'static str {
        "every turn has one end record, its steps are counted through, and no agent runs two"
    }

    fn see(&mut self, stored: &Stored, found: &mut Vec<String>) {
        let seq = stored.seq;
        match &stored.event {
            Event::TurnOpened { agent, turn, .. } => {
                if self.open.insert(*turn, 0).is_some() || self.ended.contains(turn) {
                    found.push(format!("record {seq}: {turn} begins again"));
                }
                if let Some(other) = self.running.insert(*agent, *turn) {
                    found.push(format!("record {seq}: {turn} begins while {other} is open"));
                }
            }
            Event::StepRecorded { turn, step, .. } => match self.open.get_mut(turn) {
                Some(next) if *next == *step => *next += 1,
                Some(next) => {
                    found.push(format!("record {seq}: step {step} of {turn} where {next} comes"));
                }
                None => found.push(format!("record {seq}: a step of {turn}, which is not open")),
            },
            Event::TurnEnded { agent, turn, .. } => {
                if self.open.remove(turn).is_none() {
                    found.push(format!("record {seq}: {turn} ends and is not open"));
                }
                self.running.remove(agent);
                self.ended.insert(*turn);
            }
            _ => {}
        }
    }
}

/// A started call has one result, or was cut with its turn.
#[derive(Default)]
pub(super) struct Calls {
    /// Calls in flight of open turns: step and place.
    open: BTreeMap<TurnId, BTreeSet<(u32, u32)>>,
}

impl Check for Calls {
    fn promise(&self) -> &'static str {
        "every tool call has one result, or is named as cut by the end of its turn"
    }

    fn see(&mut self, stored: &Stored, found: &mut Vec<String>) {
        let seq = stored.seq;
        match &stored.event {
            Event::StepRecorded { turn, step, calls, .. } => {
                let open = self.open.entry(*turn).or_default();
                for (_, call) in std::mem::take(open) {
                    found.push(format!("record {seq}: call {call} before this step has no result"));
                }
                open.extend((0..).zip(calls).map(|(place, _)| (*step, place)));
            }
            Event::CallEnded { turn, step, call, .. } => {
                let open = self.open.entry(*turn).or_default();
                if !open.remove(&(*step, *call)) {
                    found
                        .push(format!("record {seq}: a result of call {call}, which does not run"));
                }
            }
            Event::TurnEnded { turn, cut, .. } => {
                let left = self.open.remove(turn).unwrap_or_default();
                let left: BTreeSet<u32> = left.into_iter().map(|(_, call)| call).collect();
                if left != cut.iter().copied().collect() {
                    found.push(format!("record {seq}: {turn} ends with calls it does not name"));
                }
            }
            _ => {}
        }
    }
}
