//! Pausing agents, and letting them go on (PAUSE-1).
//!
//! A paused agent takes nothing up. Its open turn is held at its next step boundary: the loop asks
//! what waits, and has its answer when the agent is resumed, or when the turn is to end otherwise.
//! After a restart such a turn has no loop until then.

use super::{Forest, Work};
use crate::answer::Answer;
use crate::command::{Activation, Ticket, Whom};
use crate::event::Event;
use crate::ids::AgentId;
use crate::kinship::Verb;
use crate::message::Target;
use crate::refusal::{Code, Refusal};

impl Forest {
    /// Says whom it changed. Whoever comes to be later is not paused.
    pub(super) fn pause(
        &mut self,
        work: &mut Work,
        whom: Whom,
        paused: bool,
    ) -> Result<Vec<AgentId>, Refusal> {
        self.admitting()?;
        let tops = match whom {
            Whom::Agent(top) | Whom::Tree(top) => {
                vec![self.resolve(None, Verb::Interrupt, &Target::Agent(top))?]
            }
            Whom::All => self.facts.roots.clone(),
        };
        let mut changed = Vec::new();
        for top in tops {
            let agents = self.to_be_changed(top, whom, paused);
            if agents.is_empty() {
                continue;
            }
            changed.extend_from_slice(&agents);
            self.emit(
                work,
                match paused {
                    true => Event::Paused { agent: top, agents },
                    false => Event::Resumed { agent: top, agents },
                },
            );
        }
        if !paused {
            changed.iter().for_each(|id| self.take_up(work, *id));
        }
        Ok(changed)
    }

    fn to_be_changed(&self, top: AgentId, whom: Whom, paused: bool) -> Vec<AgentId> {
        let below = match whom {
            Whom::Agent(_) => Vec::new(),
            Whom::Tree(_) | Whom::All => self.facts.descendants(top),
        };
        let changes = |id: &AgentId| {
            let agent = self.facts.agent(*id);
            !agent.is_gone() && agent.paused != paused
        };
        std::iter::once(top).chain(below).filter(changes).collect()
    }

    /// A turn that was taken up from the ledger while its agent was paused has no loop yet.
    fn take_up(&mut self, work: &mut Work, id: AgentId) {
        if self.facts.agent(id).is_up() && !self.desk.loops.contains_key(&id) {
            self.run_turn(work, id);
        }
    }

    /// A loop at its boundary. That of a paused agent has no answer yet.
    pub(super) fn claim_or_hold(
        &mut self,
        work: &mut Work,
        ticket: Ticket,
        activation: Activation,
    ) {
        if self.is_held(activation) {
            return self.desk.held.push((ticket, activation));
        }
        let answer = self.claim(work, activation);
        work.answer(ticket, Answer::Loop(answer));
    }

    fn is_held(&self, activation: Activation) -> bool {
        let id = activation.agent;
        self.turn_of(activation).is_some()
            && self.facts.agent(id).paused
            && self.must_end(id).is_none()
            && !self.desk.draining
    }

    /// The loops of this agent that are held have their answer, unless it is still paused.
    pub(super) fn let_go(&mut self, work: &mut Work, id: AgentId) {
        let free = |(_, held): &(Ticket, Activation)| held.agent == id && !self.is_held(*held);
        let free: Vec<_> = self.desk.held.iter().copied().filter(free).collect();
        self.desk.held.retain(|held| !free.contains(held));
        for (ticket, activation) in free {
            self.claim_or_hold(work, ticket, activation);
        }
    }

    /// The host stops, so all loops do.
    pub(super) fn let_all_go(&mut self, work: &mut Work) {
        for (ticket, activation) in std::mem::take(&mut self.desk.held) {
            self.claim_or_hold(work, ticket, activation);
        }
    }

    /// What a paused agent has under way may finish, and starts nobody.
    pub(super) fn not_paused(&self, starter: AgentId) -> Result<(), Refusal> {
        if self.facts.agent(starter).paused {
            let text = "you were paused by the person meanwhile, and start nobody until you are \
                        resumed; once you read this, ask again";
            return Err(Refusal::new(Code::Paused, text));
        }
        Ok(())
    }
}
