//! What agents have read, at the end.

use std::collections::BTreeSet;

use switchboard_core::{AgentId, Event, MessageId};
use switchboard_ledger::Stored;
use switchboard_runtime::{Entry, Mailbag, Standing};

use crate::book::Book;
use crate::frames::frames;
use crate::rest::Rested;
use crate::world::World;

pub(super) fn check(world: &World, events: &[Stored], rested: &Rested) -> Vec<String> {
    let mut mailbag = Mailbag::default();
    events.iter().for_each(|stored| mailbag.take(stored));
    let mut problems = Vec::new();
    for (agent, transcript) in &rested.transcripts {
        problems.extend(of_one(*agent, transcript, &mailbag, &world.book()));
    }
    problems.extend(as_asked(world, events, rested));
    problems
}

/// A message stands once in its reader's transcript if a step was made from it, and never if it
/// was not shown.
fn of_one(agent: AgentId, transcript: &[Entry], mailbag: &Mailbag, book: &Book) -> Vec<String> {
    let mut read = BTreeSet::<MessageId>::new();
    let mut problems = Vec::new();
    for (id, _) in frames(transcript) {
        if !read.insert(id) {
            problems.push(format!("{agent} has read {id} twice"));
        }
        let mail = mailbag.get(id).filter(|mail| book.may_have_read(agent, mail.message.to));
        if mail.is_none_or(|mail| mail.showings.is_empty()) {
            problems.push(format!("{agent} has read {id}, which it was never shown"));
        }
    }
    let its = mailbag.values().filter(|mail| mail.message.to == agent);
    let consumed = its.filter(|mail| matches!(mail.standing, Standing::Consumed { .. }));
    let unread = consumed.filter(|mail| !read.contains(&mail.message.id));
    problems.extend(unread.map(|mail| format!("{agent} has not read {}", mail.message.id)));
    problems
}

/// What a model was asked last is what the record says that it had read by then, if a step was made
/// from it: the running transcript and the one that is read are the same.
fn as_asked(world: &World, events: &[Stored], rested: &Rested) -> Vec<String> {
    let recorded: BTreeSet<_> = events
        .iter()
        .filter_map(|stored| match stored.event {
            Event::StepRecorded { turn, step, .. } => Some((turn, step)),
            _ => None,
        })
        .collect();
    let witness = world.witness();
    let asked = witness.asked.iter().filter(|(_, ask)| recorded.contains(&(ask.turn, ask.step)));
    let differs = asked.filter(|(agent, ask)| {
        let transcript = rested.transcripts.get(agent).map_or(&[][..], Vec::as_slice);
        !transcript.starts_with(&ask.transcript)
    });
    let name = |(agent, ask): (&AgentId, &crate::witness::LastAsk)| {
        format!("{agent} was asked {}/{} from another transcript", ask.turn, ask.step)
    };
    differs.map(name).collect()
}
