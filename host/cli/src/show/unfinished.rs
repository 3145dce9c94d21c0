//! Agents whose last turn did not complete: whom to look at after a run.

use switchboard_core::{AgentId, TurnEnd};

use crate::show::chronicle::Chronicle;
use crate::show::safe;
use crate::show::words::{NOTE, turn_end};

/// An agent, and how its last turn ended.
#[derive(Clone, Copy, Debug)]
pub struct Unfinished<'a> {
    /// Who.
    pub agent: AgentId,
    end: TurnEnd,
    note: Option<&'a str>,
}

/// All of them, oldest first. A turn that was interrupted, and whose agent nobody wrote to since,
/// did not complete either. One that agreed to come to an end is as it should be.
pub fn unfinished(chronicle: &Chronicle) -> Vec<Unfinished<'_>> {
    let agents = chronicle.book.agents().filter(|agent| !chronicle.agreed.contains(agent));
    let last = agents.filter_map(|agent| {
        let (_, turn) = chronicle.last_turn(agent)?;
        let (end, note) = turn.end.as_ref()?;
        Some(Unfinished { agent, end: *end, note: note.as_deref() })
    });
    last.filter(|last| last.end != TurnEnd::Completed).collect()
}

impl Unfinished<'_> {
    /// What is to be said of it, in a run of this root.
    pub fn words(&self, chronicle: &Chronicle, root: AgentId) -> String {
        let who = chronicle.book.label(self.agent);
        let who = if self.agent == root { format!("the root {who}") } else { who };
        let why = self.note.map_or(String::new(), |note| format!(": {}", safe::line(note, NOTE)));
        format!("the last turn of {who} ended as {}{why}", turn_end(self.end))
    }
}
