//! What a ledger with unreadable records is read with: a fact that names what nobody admitted is
//! left out, and no id that any record names is given to somebody else.

use std::sync::Arc;

use super::{Facts, counted, ids};
use crate::agent::{Agent, Life};
use crate::descriptor::{Descriptor, Mode};
use crate::event::Event;
use crate::ids::{AgentId, AgentName};
use crate::message::Sender;

/// The most admissions in a row that may be unreadable: an absurd number in one record is not to
/// fill the memory.
const MOST_LOST: u64 = 100_000;

impl Facts {
    /// Whether a stored fact fits what is known: it names agents that were admitted before it, and
    /// admits each but once.
    pub(crate) fn fits(&self, event: &Event) -> bool {
        let known = |id: &AgentId| self.get(*id).is_some_and(|agent| agent.life != Life::Withdrawn);
        match event {
            Event::ForestOpened { .. } => self.agents.is_empty(),
            Event::HostStarted => true,
            Event::AgentRegistered { agent, .. } => self.is_new(*agent),
            Event::StartAdmitted { agent, parent, prompt, .. } => {
                self.is_new(*agent) && prompt.to == *agent && known(parent)
            }
            Event::Accepted { message, .. } => {
                known(&message.to)
                    && !matches!(&message.from, Sender::Agent { id, .. } if !known(id))
            }
            Event::InterruptAdmitted { by, answer, .. } => {
                let mut stopped = std::iter::once(&answer.target).chain(&answer.below);
                by.as_ref().is_none_or(known) && stopped.all(|stopped| known(&stopped.agent))
            }
            Event::Closing { agent, subtree, .. } => known(agent) && subtree.iter().all(known),
            Event::Released { agent, notice, .. } => {
                known(agent) && notice.as_ref().is_none_or(|notice| known(&notice.to))
            }
            Event::StartWithdrawn { agent, .. }
            | Event::ResumeOrdered { agent, .. }
            | Event::Published { agent, .. }
            | Event::ResumeFailed { agent, .. }
            | Event::TurnOpened { agent, .. }
            | Event::Claimed { agent, .. }
            | Event::ClaimReturned { agent, .. }
            | Event::StepRecorded { agent, .. }
            | Event::CallEnded { agent, .. }
            | Event::TurnEnded { agent, .. }
            | Event::Dropped { agent, .. } => known(agent),
        }
    }

    /// Whether it is the next one; whose admissions are lost have their places before it by now.
    fn is_new(&self, id: AgentId) -> bool {
        id == self.next_agent()
    }

    /// Remembers every id a fact names, whether or not it fits, so that none is given twice. Whose
    /// admission cannot be read has its place, and nothing else.
    pub(crate) fn remember_ids(&mut self, event: &Event) {
        let mut messages = Vec::new();
        let mut turns = None;
        match event {
            Event::Accepted { message, .. } => messages.push(message.id),
            Event::StartAdmitted { prompt, .. } => messages.push(prompt.id),
            Event::Released { notice, .. } => messages.extend(notice.iter().map(|told| told.id)),
            Event::TurnOpened { turn, claim, .. } | Event::Claimed { turn, claim, .. } => {
                messages.extend(ids(claim));
                turns = Some(*turn);
            }
            Event::StepRecorded { turn, .. }
            | Event::CallEnded { turn, .. }
            | Event::ClaimReturned { turn, .. }
            | Event::TurnEnded { turn, .. } => turns = Some(*turn),
            Event::ForestOpened { .. }
            | Event::HostStarted
            | Event::AgentRegistered { .. }
            | Event::StartWithdrawn { .. }
            | Event::ResumeOrdered { .. }
            | Event::Published { .. }
            | Event::ResumeFailed { .. }
            | Event::InterruptAdmitted { .. }
            | Event::Dropped { .. }
            | Event::Closing { .. } => {}
        }
        for id in messages {
            self.last_message = counted(self.last_message, id.number());
        }
        self.last_turn = counted(self.last_turn, turns.map_or(0, |turn| turn.number()));
        let admits = matches!(event, Event::AgentRegistered { .. } | Event::StartAdmitted { .. });
        if let Some(agent) = event.agent().filter(|agent| agent.tag() == self.tag) {
            self.leave_room(agent.number().saturating_add(u64::from(!admits)));
        }
    }

    /// Gives every agent number below this one a place, if those are not absurdly many.
    fn leave_room(&mut self, below: u64) {
        if below > self.next_agent().number().saturating_add(MOST_LOST) {
            return;
        }
        while self.next_agent().number() < below {
            let id = self.next_agent();
            let name = AgentName::new(&format!("lost-{}", id.number())).expect("a good name");
            let nothing = Arc::new(Descriptor::new("lost", Mode::OneShot, ""));
            let mut lost = Agent::admitted(id, None, name, nothing);
            lost.life = Life::Withdrawn;
            self.agents.push(lost);
        }
    }
}
