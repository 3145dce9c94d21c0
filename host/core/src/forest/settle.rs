//! What follows from a change: turns that may open, rest, disposal (RES-3, RES-4).

use std::collections::btree_map::Entry;

use super::{Forest, Work};
use crate::agent::Life;
use crate::command::Timer;
use crate::effect::{CancelCause, Effect};
use crate::ending::{EndReason, TurnEnd};
use crate::event::{ClosingCause, Event};
use crate::ids::{AgentId, Incarnation};
use crate::key::HostKey;
use crate::kinship::ancestors;

/// Which agent asked for something, in which call; neither for the person and the host.
#[derive(Clone, Copy, Default)]
pub(super) struct Asked {
    pub(super) by: Option<AgentId>,
    pub(super) key: Option<HostKey>,
}

impl Forest {
    /// Decides what a change of this agent freed. Sends that waited come first, so that they win
    /// against coming to rest.
    pub(super) fn follow(&mut self, work: &mut Work, id: AgentId) {
        self.drain_on(work);
        self.let_go(work, id);
        self.redecide_line(work, id);
        self.decide_waits(work, id);
        self.open_turns(work, self.facts.agent(id).root);
        if !self.desk.draining {
            self.settle(work, id);
            self.resume_due(work, id);
        }
        self.dispose_hollow(work, id);
        self.time_put_away(work, id);
    }

    fn settle(&mut self, work: &mut Work, id: AgentId) {
        if self.facts.agent(id).is_settled() {
            self.begin_closing(work, id, ClosingCause::Settled, None);
        }
    }

    /// One that is only stored and has something to do is brought back by itself.
    fn resume_due(&mut self, work: &mut Work, id: AgentId) {
        let agent = self.facts.agent(id);
        let due = agent.life == Life::Absent && agent.due_since.is_some() && !agent.paused;
        let due = due && !self.is_in_drain(id);
        if due && agent.failed_rebuilds == 0 && !self.is_below_closing(id) {
            self.order_resume(work, id);
        }
    }

    fn time_put_away(&mut self, work: &mut Work, id: AgentId) {
        let agent = self.facts.agent(id);
        let stay = (id, agent.incarnation);
        let rests = agent.is_live() && agent.parent.is_some() && agent.is_parked();
        if !rests {
            self.desk.parked_since.remove(&stay);
        } else if let Entry::Vacant(since) = self.desk.parked_since.entry(stay) {
            since.insert(work.stamp.now);
            work.timer(Timer::PutAway(id, stay.1), self.limits.put_away);
        }
    }

    /// RES-3: a parked agent is put away after a while, unless something below it still works.
    pub(super) fn put_away(&mut self, work: &mut Work, id: AgentId, incarnation: Incarnation) {
        let stay = (id, incarnation);
        let Some(since) = self.desk.parked_since.get(&stay) else { return };
        if work.stamp.now.since(*since) < self.limits.put_away || self.desk.draining {
            // A timer of an earlier park; the one of this park comes later.
            return;
        }
        self.desk.parked_since.remove(&stay);
        if !self.is_current(id, incarnation) {
            return;
        }
        if self.facts.agent(id).busy_children == 0 {
            self.begin_closing(work, id, ClosingCause::PutAway, None);
        } else {
            self.time_put_away(work, id);
        }
    }

    /// Closes a whole subtree at once: told to stop from the top down (RES-4).
    pub(super) fn begin_closing(
        &mut self,
        work: &mut Work,
        top: AgentId,
        cause: ClosingCause,
        mark: Option<u64>,
    ) {
        self.close_for(work, Asked::default(), top, cause, mark);
    }

    /// An agent and all below it, as far as they are in memory or on their way there and nobody
    /// puts them away yet.
    pub(super) fn in_memory(&self, top: AgentId) -> Vec<AgentId> {
        let open = |id: &AgentId| {
            matches!(self.facts.agent(*id).life, Life::Starting { .. } | Life::Resident { .. })
        };
        std::iter::once(top).chain(self.facts.descendants(top)).filter(open).collect()
    }

    /// The same, for somebody who asked for it.
    pub(super) fn close_for(
        &mut self,
        work: &mut Work,
        Asked { by, key }: Asked,
        top: AgentId,
        cause: ClosingCause,
        mark: Option<u64>,
    ) {
        let subtree = self.in_memory(top);
        let all: Vec<AgentId> = std::iter::once(top).chain(self.facts.descendants(top)).collect();
        let closing = Event::Closing { agent: top, subtree: subtree.clone(), cause, mark, by, key };
        self.emit(work, closing);
        for id in subtree {
            let agent = self.facts.agent(id);
            if agent.life == Life::Absent {
                // Its start was withdrawn; what was on its way is not wanted any more.
                let incarnation = agent.incarnation;
                work.effect(Effect::Dispose { agent: id, incarnation });
            }
            self.cancel_turn(work, id, CancelCause::Closing, TurnEnd::Aborted);
        }
        all.into_iter().for_each(|id| self.pass_on_requests(work, id));
    }

    /// Orders the disposal of one below which nobody is left in memory.
    fn dispose_hollow(&mut self, work: &mut Work, id: AgentId) {
        let agent = self.facts.agent(id);
        let closing = matches!(agent.life, Life::Closing(_));
        if closing && self.is_hollow(agent) && self.desk.disposing.insert(id) {
            let incarnation = self.facts.agent(id).incarnation;
            work.effect(Effect::Dispose { agent: id, incarnation });
            work.timer(Timer::Disposal(id, incarnation), self.limits.disposal);
        }
    }

    /// The agent is out of memory: its parent is told and it is released, in one (SET-2).
    pub(super) fn disposed(
        &mut self,
        work: &mut Work,
        id: AgentId,
        incarnation: Incarnation,
        abandoned: bool,
    ) {
        if !self.is_current(id, incarnation) || !self.desk.disposing.contains(&id) {
            return;
        }
        // An interrupt that came before stays one (TURN-4).
        let end = self.must_end(id).unwrap_or(TurnEnd::Aborted);
        self.finish_turn(work, id, end, None);
        self.tell_unacknowledged(work, id);
        let agent = self.facts.agent(id);
        let forced = agent.deleted || agent.life != Life::Closing(ClosingCause::Settled);
        let reason = EndReason::fold(agent.residency.last_end, forced);
        let notice = self.settlement(work, agent, reason);
        self.desk.disposing.remove(&id);
        self.note_drained(id, abandoned);
        self.emit(work, Event::Released { agent: id, incarnation, reason, notice, abandoned });
        self.look_around(id);
    }

    /// Below it nothing could be brought up until now: sends and mail may wait there. And whoever
    /// is above may have waited for it to be gone, also if it is due and still keeps it waiting.
    fn look_around(&mut self, released: AgentId) {
        let above: Vec<AgentId> = ancestors(&self.facts, released).collect();
        let below = self.facts.descendants(released);
        self.facts.touched.extend(above.into_iter().chain(below));
    }
}
