//! How agents leave: put away, or gone for good.

use super::Facts;
use crate::agent::{Life, Residency};
use crate::answer::Closed;
use crate::descriptor::Mode;
use crate::ending::EndReason;
use crate::event::ClosingCause;
use crate::ids::AgentId;
use crate::kinship::ancestors;
use crate::wait::Outcome;

impl Facts {
    /// What one who has an agent put away or deleted is told, before it happens.
    pub(crate) fn closed(&self, id: AgentId, with_it: usize) -> Closed {
        let agent = self.agent(id);
        Closed {
            agent: id,
            name: agent.name.clone(),
            was: agent.activity(),
            below: u32::try_from(with_it.saturating_sub(1)).unwrap_or(u32::MAX),
            repeated: false,
        }
    }

    pub(super) fn close(
        &mut self,
        top: AgentId,
        subtree: &[AgentId],
        cause: ClosingCause,
        mark: Option<u64>,
    ) {
        // Nobody below can be brought back meanwhile: who is due is tried anew behind it.
        for id in std::iter::once(top).chain(self.descendants(top)) {
            self.mutate(id, |agent| agent.failed_rebuilds = 0);
        }
        for id in subtree {
            self.change(*id, |agent| {
                agent.life = match agent.life {
                    Life::Starting { .. } => Life::Absent,
                    _ => Life::Closing(cause),
                };
            });
        }
        if let Some(mark) = mark {
            for id in std::iter::once(top).chain(self.descendants(top)) {
                self.change(id, |agent| agent.inbox.set_mark(mark));
            }
        }
        self.bury(top);
    }

    /// Nothing brings it or what is below it back, from now on.
    pub(super) fn delete(&mut self, top: AgentId) {
        for id in std::iter::once(top).chain(self.descendants(top)) {
            self.change(id, |agent| {
                agent.deleted = true;
                if !agent.has_a_stay() {
                    agent.owes.clear();
                }
            });
        }
        self.bury(top);
    }

    pub(super) fn release(&mut self, id: AgentId, reason: EndReason, told: bool) {
        self.change(id, |agent| {
            if told {
                agent.awaited = None;
            }
            if agent.descriptor.mode == Mode::OneShot {
                let closing = agent.residency.closing.take();
                agent.outcome = Some(Outcome { reason, closing });
            }
            if !agent.goes_quietly() {
                agent.owes.clear();
            }
            agent.life = Life::Absent;
            agent.residency = Residency::default();
        });
        self.bury(id);
    }

    /// What is deleted is no child any more once nothing of it is in memory; what it was called is
    /// remembered.
    fn bury(&mut self, id: AgentId) {
        let deleted = |id: &AgentId| self.agent(*id).deleted;
        let up = std::iter::once(id).chain(ancestors(self, id));
        let Some(top) = up.take_while(deleted).last() else { return };
        let mut all = std::iter::once(top).chain(self.descendants(top));
        if all.any(|id| self.agent(id).occupies()) {
            return;
        }
        let parent = self.agent(top).parent;
        let Ok(place) = self.beside(parent).binary_search(&top) else { return };
        match parent {
            None => self.gone.push(self.roots.remove(place)),
            Some(parent) => self.mutate(parent, |parent| {
                parent.gone.push(parent.children.remove(place));
            }),
        }
    }

    /// Those deleted that were children of this parent, or roots.
    pub(crate) fn gone_below(&self, parent: Option<AgentId>) -> &[AgentId] {
        parent.map_or(&self.gone, |parent| &self.agent(parent).gone)
    }

    /// The how-manieth of those that were ever called this the next one is (ID-5): one more than of
    /// them are deleted.
    pub(crate) fn next_generation(&self, parent: Option<AgentId>, stem: &str) -> u32 {
        let leaving = self.beside(parent).iter().filter(|id| self.agent(**id).deleted);
        let ever = self.gone_below(parent).iter().chain(leaving);
        let named = ever.filter(|id| self.agent(**id).name.stem() == stem).count();
        u32::try_from(named).unwrap_or(u32::MAX).saturating_add(1)
    }
}
