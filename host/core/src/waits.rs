//! Who waits in the middle of a turn (TOOL-3). A turn that waits gives its place back, and has to
//! have one again before it goes on (RES-5). All of it is on the desk: after a restart the calls
//! are made again, and wait again.

use std::collections::{BTreeMap, VecDeque};

use crate::command::Ticket;
use crate::ids::AgentId;
use crate::wait::{WaitFor, Waited};

/// Those who wait, in one host process.
#[derive(Debug, Default, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Waits {
    by: BTreeMap<AgentId, Waiting>,
    /// By root: how many turns have given their place back.
    resting: BTreeMap<AgentId, usize>,
    /// By root: who has all it waited for and no place yet, the first first.
    returning: BTreeMap<AgentId, VecDeque<AgentId>>,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Waiting {
    root: AgentId,
    calls: Vec<(Ticket, WaitFor)>,
    /// What came last. It is told when there is a place.
    held_back: Option<(Ticket, Waited)>,
}

/// Something to tell whoever waits under this ticket.
pub(crate) type Word = (Ticket, Waited);

impl Waits {
    pub(crate) fn is_empty(&self) -> bool {
        self.by.is_empty()
    }

    /// How many turns below this root, or its own, have given their place back.
    pub(crate) fn resting(&self, root: AgentId) -> usize {
        self.resting.get(&root).copied().unwrap_or(0)
    }

    /// The first of those below this root who have all they waited for and may go on.
    pub(crate) fn returning(
        &self,
        root: AgentId,
        may: impl Fn(AgentId) -> bool,
    ) -> Option<AgentId> {
        self.returning.get(&root)?.iter().copied().find(|agent| may(*agent))
    }

    /// One more call of an agent's turn waits. If its last word was held back, it is not the last.
    pub(crate) fn begin(
        &mut self,
        agent: AgentId,
        root: AgentId,
        call: (Ticket, WaitFor),
    ) -> Option<Word> {
        let resting = &mut self.resting;
        let waiting = self.by.entry(agent).or_insert_with(|| {
            *resting.entry(root).or_default() += 1;
            Waiting { root, calls: Vec::new(), held_back: None }
        });
        waiting.calls.push(call);
        let held_back = waiting.held_back.take();
        if held_back.is_some() {
            self.stay(root, agent);
        }
        held_back
    }

    /// What an agent's turn waits for.
    pub(crate) fn of(&self, agent: AgentId) -> &[(Ticket, WaitFor)] {
        self.by.get(&agent).map_or(&[], |waiting| &waiting.calls)
    }

    /// Those who wait for mail, by id.
    pub(crate) fn for_mail(&self) -> Vec<(AgentId, Ticket)> {
        let calls = self.by.iter().flat_map(|(agent, waiting)| {
            waiting.calls.iter().map(|(ticket, on)| (*agent, *ticket, *on))
        });
        let mail = calls.filter(|(_, _, on)| *on == WaitFor::Mail);
        mail.map(|(agent, ticket, _)| (agent, ticket)).collect()
    }

    /// Whose call this is, and what it waits for.
    pub(crate) fn find(&self, ticket: Ticket) -> Option<(AgentId, WaitFor)> {
        self.by.iter().find_map(|(agent, waiting)| {
            let call = waiting.calls.iter().find(|(of, _)| *of == ticket)?;
            Some((*agent, call.1))
        })
    }

    /// One of an agent's calls has what it waited for. If others still wait it is told so at once,
    /// else when there is a place.
    pub(crate) fn decide(&mut self, agent: AgentId, word: Word) -> Option<Word> {
        let waiting = self.by.get_mut(&agent)?;
        let before = waiting.calls.len();
        waiting.calls.retain(|(ticket, _)| *ticket != word.0);
        if waiting.calls.len() == before {
            return None;
        }
        if !waiting.calls.is_empty() {
            return Some(word);
        }
        waiting.held_back = Some(word);
        self.returning.entry(waiting.root).or_default().push_back(agent);
        None
    }

    /// There is a place for this one, who has all it waited for.
    pub(crate) fn go_on(&mut self, agent: AgentId) -> Option<Word> {
        let word = self.by.get_mut(&agent).and_then(|waiting| waiting.held_back.take());
        self.forget(agent);
        word
    }

    /// Whoever waits under this ticket waits no longer.
    pub(crate) fn withdraw(&mut self, ticket: Ticket) {
        let Some((agent, waiting)) = self.by.iter_mut().find(|(_, waiting)| {
            let held_back = waiting.held_back.as_ref().is_some_and(|(of, _)| *of == ticket);
            held_back || waiting.calls.iter().any(|(of, _)| *of == ticket)
        }) else {
            return;
        };
        let agent = *agent;
        waiting.calls.retain(|(of, _)| *of != ticket);
        if waiting.calls.is_empty() {
            self.forget(agent);
        }
    }

    /// The turn of this agent is over, or goes on.
    pub(crate) fn forget(&mut self, agent: AgentId) {
        let Some(waiting) = self.by.remove(&agent) else { return };
        if let Some(resting) = self.resting.get_mut(&waiting.root) {
            *resting -= 1;
        }
        self.stay(waiting.root, agent);
    }

    fn stay(&mut self, root: AgentId, agent: AgentId) {
        let Some(returning) = self.returning.get_mut(&root) else { return };
        returning.retain(|other| *other != agent);
        if returning.is_empty() {
            self.returning.remove(&root);
        }
    }
}
