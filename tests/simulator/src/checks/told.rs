//! What somebody was told of a message is what the ledger has of it.

use std::collections::BTreeMap;

use switchboard_core::{AgentId, Code, Event, Message, MessageKind, Refusal};
use switchboard_ledger::Stored;

use crate::witness::{Attempt, of_the_shell};
use crate::world::World;

/// Where each words were accepted: the place, and for whom.
type Accepted = BTreeMap<String, Vec<(u64, AgentId)>>;

pub(super) fn check(world: &World, events: &[Stored]) -> Vec<String> {
    let (accepted, witness) = (accepted(events), world.witness());
    let mut problems = Vec::new();
    for (words, attempts) in &witness.attempts {
        let stored = accepted.get(words).map_or(&[][..], Vec::as_slice);
        problems.extend(of_one(words, attempts, stored));
    }
    let unsaid = accepted.keys().filter(|words| !witness.attempts.contains_key(*words));
    problems.extend(unsaid.map(|words| format!("`{words}` is stored and nobody said it")));
    problems
}

fn accepted(events: &[Stored]) -> Accepted {
    let mut accepted = Accepted::new();
    for stored in events {
        let message: &Message = match &stored.event {
            // Notices are the host's, and what a request says is in its body.
            Event::Accepted { message, .. }
                if !matches!(message.kind, MessageKind::Notice(_) | MessageKind::Request(_)) =>
            {
                message
            }
            Event::StartAdmitted { prompt, .. } => prompt,
            _ => continue,
        };
        let place = (stored.seq, message.to);
        accepted.entry(message.content.plain()).or_default().push(place);
    }
    accepted
}

fn of_one(words: &str, attempts: &[Attempt], stored: &[(u64, AgentId)]) -> Vec<String> {
    let mut problems = Vec::new();
    for (place, attempt) in attempts.iter().enumerate() {
        let next = attempts.get(place + 1).map_or(u64::MAX, |next| next.began);
        for (whom, refusal) in &attempt.told.refused {
            let here = |to: &AgentId| whom.is_none_or(|whom| whom == *to);
            let within = |seq: &u64| (attempt.began + 1..=next).contains(seq);
            let done = stored.iter().any(|(seq, to)| here(to) && within(seq));
            if done && !refusal.uncertain {
                problems.push(format!("`{words}` was refused ({refusal}) and is stored"));
            }
            let before = stored.iter().any(|(seq, to)| here(to) && *seq <= attempt.began);
            if before && whom.is_some() | !repeats(refusal) {
                problems.push(format!("SEND-2: `{words}` was stored, and refused: {refusal}"));
            }
        }
    }
    problems
}

/// Whether a call that had been answered may be refused like this all the same: the shell does not
/// know, and a stay that is over hears nothing (ID-2).
fn repeats(refusal: &Refusal) -> bool {
    of_the_shell(refusal.code) || refusal.code == Code::Unauthorized
}
