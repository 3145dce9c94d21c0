//! How agents come: admitted, withdrawn again, and found by a host that starts.

use super::Facts;
use crate::agent::{Agent, Life};
use crate::command::Started;
use crate::descriptor::Mode;
use crate::event::Event;
use crate::ids::AgentId;
use crate::kept::Kept;

impl Facts {
    /// A child and its first message (START-1).
    pub(super) fn admit(&mut self, event: &Event) {
        let Event::StartAdmitted { agent, parent, name, descriptor, prompt, key, seed } = event
        else {
            return;
        };
        let mut child =
            Agent::admitted(*agent, self.get(*parent), name.clone(), descriptor.clone());
        child.cause = Some(prompt.place_in_chain());
        child.awaited = key.filter(|_| descriptor.mode == Mode::OneShot);
        child.seed = *seed;
        self.agents.push(child);
        self.mutate(*parent, |parent| parent.children.push(*agent));
        let started = Started { agent: *agent, name: name.clone(), repeated: false };
        let kept = Kept::Started { prompt: prompt.content.digest(), started };
        self.keep(Some(*parent), *key, kept);
        self.accept(prompt, None);
    }

    /// Nobody is in memory any more.
    pub(super) fn host_started(&mut self) {
        for place in 0..self.agents.len() {
            if self.agents[place].is_live() {
                let id = self.agents[place].id;
                self.change(id, |agent| agent.life = Life::Resident { published: false });
            }
        }
    }

    pub(super) fn withdraw_start(&mut self, id: AgentId) {
        self.change(id, |agent| {
            agent.life = Life::Withdrawn;
            agent.inbox = Default::default();
        });
        if let Some(parent) = self.agent(id).parent {
            self.change(parent, |parent| parent.children.retain(|child| *child != id));
        }
    }
}
