//! Who is paused (PAUSE-1).

use super::Facts;
use crate::agent::Life;
use crate::ids::AgentId;

impl Facts {
    pub(super) fn set_paused(&mut self, agents: &[AgentId], paused: bool) {
        for id in agents.iter().filter(|id| self.agent(**id).paused != paused).collect::<Vec<_>>() {
            let root = self.agent(*id).root;
            self.mutate(root, |root| match paused {
                true => root.places.paused += 1,
                false => root.places.paused -= 1,
            });
            self.change(*id, |agent| {
                agent.paused = paused;
                // Nobody tried meanwhile, so whoever lets it go on has it tried anew (RES-2).
                if !paused && agent.life == Life::Absent {
                    agent.failed_rebuilds = 0;
                }
            });
        }
    }
}
