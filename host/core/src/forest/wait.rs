//! Waiting in the middle of a turn (TOOL-3, OBS-3): for mail, for a child in the foreground, for an
//! answer. Whoever waits gives its place back (RES-5), and nobody waits in a circle (HAND-4).

use super::{Forest, Work};
use crate::agent::{Agent, Life};
use crate::answer::{Answer, LoopAnswer};
use crate::command::{Activation, Ticket, Timer};
use crate::descriptor::Mode;
use crate::ending::EndReason;
use crate::event::ClosingCause;
use crate::ids::AgentId;
use crate::kinship::ReachPolicy;
use crate::refusal::{Code, Refusal};
use crate::time::Millis;
use crate::wait::{Outcome, WaitFor, Waited};
use crate::waits::Word;

impl Forest {
    /// Answers at once what is there already; the rest when it comes.
    pub(super) fn wait(
        &mut self,
        work: &mut Work,
        ticket: Ticket,
        activation: Activation,
        on: WaitFor,
        patience: Millis,
    ) {
        let id = activation.agent;
        if self.turn_of(activation).is_none() || self.desk.draining {
            return work.answer(ticket, Answer::Loop(LoopAnswer::Stop));
        }
        if let Some(end) = self.must_end(id) {
            let over = self.over(work, id, end, None);
            return work.answer(ticket, Answer::Loop(over));
        }
        let nobody =
            || (on == WaitFor::Mail && self.is_at_rest_around(id)).then_some(Waited::Nobody);
        if let Some(waited) = self.came(id, on).or_else(nobody) {
            return work.answer(ticket, Answer::Waited(waited));
        }
        if let Some(circle) = self.circle(id, on) {
            return work.refuse(ticket, would_deadlock(&circle));
        }
        let root = self.facts.agent(id).root;
        let before = self.desk.waits.begin(id, root, (ticket, on));
        tell(work, before);
        work.timer(Timer::Waiting(ticket), patience);
        // Its place is free, and others may wait for what only it could have done.
        self.facts.touched.push(root);
    }

    /// What there is of what an agent waits for.
    fn came(&self, id: AgentId, on: WaitFor) -> Option<Waited> {
        match on {
            WaitFor::Mail => {
                let mail = self.facts.agent(id).inbox.select_step(&self.limits).ids.len();
                (mail > 0).then(|| Waited::Mail(u32::try_from(mail).unwrap_or(u32::MAX)))
            }
            WaitFor::Child(child) => {
                let child = self.facts.get(child).filter(|child| child.parent == Some(id));
                let outcome = outcome(child)?;
                let closing = outcome.closing.map(|words| self.shortened(&words));
                Some(Waited::Ended(Outcome { closing, ..outcome }))
            }
            WaitFor::Answer(request) => {
                self.facts.requests.get(request).is_none().then_some(Waited::Answered)
            }
        }
    }

    /// Whether nobody works who could write to this agent, or have somebody write to it: all open
    /// turns wait themselves, and nothing is on its way in or out.
    fn is_at_rest_around(&self, id: AgentId) -> bool {
        let agent = self.facts.agent(id);
        let others_write = self.reach != ReachPolicy::Direct && agent.parent.is_none();
        let roots = self.facts.roots.iter().filter(|root| others_write || **root == agent.root);
        roots.into_iter().all(|root| self.is_at_rest(*root, id))
    }

    fn is_at_rest(&self, root: AgentId, but: AgentId) -> bool {
        let places = &self.facts.agent(root).places;
        let waits = &self.desk.waits;
        // The one who asks has a turn open, and may not be known to wait yet.
        let asks = self.facts.agent(but).root == root && waits.of(but).is_empty();
        let open = places.held > waits.resting(root) + usize::from(asks);
        if open && self.is_any_at_work(root, but)
            || !places.queue.is_empty()
            || self.returning(root).is_some()
        {
            return false;
        }
        let moves = |id: AgentId| {
            let agent = self.facts.agent(id);
            let coming = matches!(
                agent.life,
                Life::Starting { .. } | Life::Closing(_) | Life::Resident { published: false }
            );
            // One that waits in the middle of a turn gets to its next turn when that is over.
            let due = agent.turn.is_none() && agent.due_since.is_some() && !agent.paused;
            coming || due
        };
        !std::iter::once(root).chain(self.facts.descendants(root)).any(moves)
    }

    /// Whether one of the open turns that do not wait goes on: those of paused agents do not, and
    /// who knows when (PAUSE-1).
    fn is_any_at_work(&self, root: AgentId, but: AgentId) -> bool {
        if self.facts.agent(root).places.paused == 0 {
            return true;
        }
        let works = |id: AgentId| {
            let agent = self.facts.agent(id);
            let open = agent.turn.is_some() && self.desk.waits.of(id).is_empty();
            open && !agent.paused && id != but
        };
        std::iter::once(root).chain(self.facts.descendants(root)).any(works)
    }

    /// The first below this root who has all it waited for and is not paused.
    fn returning(&self, root: AgentId) -> Option<AgentId> {
        self.desk.waits.returning(root, |id| !self.facts.agent(id).paused)
    }

    /// Those who would wait for one another if this one waited for that: each waits for the next,
    /// and the last for the first.
    fn circle(&self, id: AgentId, on: WaitFor) -> Option<Vec<AgentId>> {
        let mut line = vec![(self.awaited(on)?, vec![id])];
        while let Some((next, path)) = line.pop() {
            if next == id {
                return Some(path);
            }
            if path.contains(&next) {
                continue;
            }
            let path = [path, vec![next]].concat();
            let calls = self.desk.waits.of(next).iter();
            line.extend(calls.filter_map(|(_, on)| Some((self.awaited(*on)?, path.clone()))));
        }
        None
    }

    /// Whom one waits for; nobody in particular, if anybody's message would do.
    fn awaited(&self, on: WaitFor) -> Option<AgentId> {
        match on {
            WaitFor::Mail => None,
            WaitFor::Child(child) => Some(child),
            WaitFor::Answer(request) => self.facts.requests.get(request)?.asked,
        }
    }

    /// Something changed about this agent: tells those who waited for it.
    pub(super) fn decide_waits(&mut self, work: &mut Work, id: AgentId) {
        if self.desk.waits.is_empty() {
            return;
        }
        for id in std::iter::once(id).chain(self.facts.agent(id).parent) {
            for (ticket, on) in self.desk.waits.of(id).to_vec() {
                if let Some(waited) = self.came(id, on) {
                    let word = self.desk.waits.decide(id, (ticket, waited));
                    tell(work, word);
                }
            }
        }
    }

    /// Nothing follows any more from what has happened: of those who wait for mail where nobody is
    /// at work, one in each tree goes on. It may do what the others wait for.
    pub(super) fn end_idle_waits(&mut self, work: &mut Work) {
        if self.desk.waits.is_empty() {
            return;
        }
        for (id, ticket) in self.desk.waits.for_mail() {
            if !self.facts.agent(id).paused && self.is_at_rest_around(id) {
                let word = self.desk.waits.decide(id, (ticket, Waited::Nobody));
                tell(work, word);
                self.open_turns(work, self.facts.agent(id).root);
            }
        }
    }

    /// A child in the foreground that takes too long is closed; what it has done by then is told.
    pub(super) fn waited_too_long(&mut self, work: &mut Work, ticket: Ticket) {
        let Some((id, on)) = self.desk.waits.find(ticket) else { return };
        if let WaitFor::Child(child) = on {
            let mark = Some(self.facts.last_message);
            return self.begin_closing(work, child, ClosingCause::Closed, mark);
        }
        let word = self.desk.waits.decide(id, (ticket, Waited::TimedOut));
        tell(work, word);
        self.facts.touched.push(id);
    }

    /// How many turns below a root hold a place: those that wait do not (RES-5).
    pub(super) fn places_taken(&self, root: AgentId) -> usize {
        self.facts.agent(root).places.held.saturating_sub(self.desk.waits.resting(root))
    }

    /// The first of those who have what they waited for goes on. Says whether there was one.
    pub(super) fn let_one_go_on(&mut self, work: &mut Work, root: AgentId) -> bool {
        let word = self.returning(root).and_then(|id| self.desk.waits.go_on(id));
        let went_on = word.is_some();
        tell(work, word);
        went_on
    }
}

fn tell(work: &mut Work, word: Option<Word>) {
    if let Some((ticket, waited)) = word {
        work.answer(ticket, Answer::Waited(waited));
    }
}

/// What a one-shot child came to, once it has ended; one that never came up, or is nobody's, has
/// come to nothing.
fn outcome(child: Option<&Agent>) -> Option<Outcome> {
    let nothing = Outcome { reason: EndReason::Aborted, closing: None };
    let Some(child) = child else { return Some(nothing) };
    let over = matches!(child.life, Life::Absent | Life::Withdrawn);
    match &child.outcome {
        Some(outcome) => Some(outcome.clone()),
        None if over || child.descriptor.mode != Mode::OneShot => Some(nothing),
        None => None,
    }
}

fn would_deadlock(circle: &[AgentId]) -> Refusal {
    let ids: Vec<String> = circle.iter().map(ToString::to_string).collect();
    let text = format!(
        "this would wait for ever: {} wait for one another already; go on without waiting",
        ids.join(", ")
    );
    Refusal::new(Code::WouldDeadlock, text)
}
