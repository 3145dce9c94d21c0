//! Draining exact trees, or chosen children (DRAIN-1): put away as by a close and without its mark,
//! so that what is due in them goes on behind it.
//!
//! That nobody in them sends or is sent anything meanwhile is on the desk alone. The closing is the
//! fact: a restart completes it, admits again, and brings back who is due.

use super::send::draining;
use super::{Forest, Work};
use crate::agent::Life;
use crate::answer::{Answer, DrainedTrees};
use crate::command::{Caller, Ticket};
use crate::desk::TreeDrain;
use crate::event::ClosingCause;
use crate::ids::AgentId;
use crate::kinship::{Verb, ancestors};
use crate::message::Target;
use crate::refusal::{Code, Refusal};

impl Forest {
    pub(super) fn drain_trees(
        &mut self,
        work: &mut Work,
        ticket: Ticket,
        caller: Caller,
        targets: &[AgentId],
    ) {
        let tops = match self.tops(caller, targets) {
            Ok(tops) => tops,
            Err(refusal) => return work.refuse(ticket, refusal),
        };
        self.desk.drains.push(TreeDrain { ticket, tops, done: DrainedTrees::default() });
        self.refuse_parked(work);
        self.drain_on(work);
    }

    /// Those asked for, or why one of them is not the caller's to put away; then nothing is done.
    fn tops(&self, caller: Caller, targets: &[AgentId]) -> Result<Vec<AgentId>, Refusal> {
        let by = self.live_caller(caller)?;
        let named = targets.iter().map(|id| self.to_be_ended(by, Verb::Close, &Target::Agent(*id)));
        named.collect()
    }

    /// Sends that wait for somebody in these trees, or were made there.
    fn refuse_parked(&mut self, work: &mut Work) {
        let waiting: Vec<AgentId> = self.desk.targets().collect();
        for target in waiting {
            for attempt in self.desk.take_line(target) {
                let by = match attempt.caller {
                    Caller::Agent { agent, .. } => Some(agent),
                    Caller::User => None,
                };
                match self.admitting_of(by).and_then(|()| self.admitting_of(Some(target))) {
                    Ok(()) => self.desk.park(target, attempt),
                    Err(refusal) => self.conclude(work, &attempt, Err(refusal)),
                }
            }
        }
    }

    /// Puts away what may be by now, and ends what is over.
    pub(super) fn drain_on(&mut self, work: &mut Work) {
        if self.desk.drains.is_empty() {
            return;
        }
        let tops: Vec<AgentId> =
            self.desk.drains.iter().flat_map(|drain| drain.tops.iter().copied()).collect();
        for top in tops {
            let here = self.in_memory(top);
            let starting =
                |id: &AgentId| matches!(self.facts.agent(*id).life, Life::Starting { .. });
            // Whoever is on its way comes up, or fails, first.
            if !here.is_empty() && !here.iter().any(starting) {
                self.begin_closing(work, top, ClosingCause::Drained, None);
            }
        }
        let over = |drain: &TreeDrain| drain.tops.iter().all(|top| self.is_away(*top));
        let over: Vec<TreeDrain> =
            self.desk.drains.iter().filter(|drain| over(drain)).cloned().collect();
        self.desk.drains.retain(|drain| !over.contains(drain));
        for TreeDrain { ticket, tops, done } in over {
            work.answer(ticket, Answer::TreesDrained(done));
            for top in tops {
                let below = self.facts.descendants(top);
                self.facts.touched.extend(std::iter::once(top).chain(below));
            }
        }
    }

    fn is_away(&self, top: AgentId) -> bool {
        let agent = self.facts.agent(top);
        !agent.occupies() && self.is_hollow(agent)
    }

    /// One of those that are put away is out of memory.
    pub(super) fn note_drained(&mut self, id: AgentId, abandoned: bool) {
        let up: Vec<AgentId> = std::iter::once(id).chain(ancestors(&self.facts, id)).collect();
        for drain in &mut self.desk.drains {
            if drain.tops.iter().any(|top| up.contains(top)) {
                drain.done.released.push(id);
                drain.done.abandoned.extend(abandoned.then_some(id));
            }
        }
    }

    /// The host stops, which wins: what was begun is completed, and nobody waits for it.
    pub(super) fn drop_drains(&mut self, work: &mut Work) {
        for drain in std::mem::take(&mut self.desk.drains) {
            work.refuse(drain.ticket, draining().uncertain());
        }
    }

    pub(super) fn is_in_drain(&self, id: AgentId) -> bool {
        let in_tree =
            |top: &AgentId| *top == id || ancestors(&self.facts, id).any(|above| above == *top);
        self.desk.drains.iter().any(|drain| drain.tops.iter().any(in_tree))
    }

    /// SEND-3, for the trees of the sender and of the target; the person is in none.
    pub(super) fn admitting_of(&self, id: Option<AgentId>) -> Result<(), Refusal> {
        if id.is_some_and(|id| self.is_in_drain(id)) {
            let text = "a tree of agents that this concerns is put away for a while; try again \
                        once it is back";
            // That it comes back by itself tells it from a drain of the host.
            return Err(Refusal::new(Code::Draining, text).after(self.limits.rebuild_backoff));
        }
        Ok(())
    }
}
