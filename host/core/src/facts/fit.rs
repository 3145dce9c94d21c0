//! What a ledger with unreadable records is read with: a fact that names what nobody admitted is
//! left out, and no id that any record names is given to somebody else.

use std::sync::Arc;

use super::{Facts, ids};
use crate::agent::{Agent, Life};
use crate::descriptor::{Descriptor, Mode};
use crate::event::Event;
use crate::handshake::OpenRequest;
use crate::ids::{AgentId, RequestId};
use crate::message::{Message, MessageKind, Sender};
use crate::name::AgentName;
use crate::notice::Notice;

/// The most admissions of a ledger that may be unreadable: absurd numbers in its records are not to
/// fill the memory.
const MOST_LOST: u32 = 100_000;
/// The farthest a message or a turn may be ahead of those before it: an absurd number in one record
/// is not to use up the numbers there are.
const FARTHEST: u64 = 1 << 32;

impl Facts {
    /// Whether a stored fact whose ids are remembered fits what is known: it names agents that were
    /// admitted before it, and admits each but once.
    pub(crate) fn fits(&self, event: &Event) -> bool {
        let known = |id: &AgentId| self.get(*id).is_some_and(|agent| agent.life != Life::Withdrawn);
        let sent = |message: &Message| {
            let by = match &message.from {
                Sender::Agent { id, .. } => known(id),
                Sender::User | Sender::Host => true,
            };
            by && message.id.number() <= self.last_message
        };
        let asked = |message: &Message| match &message.kind {
            MessageKind::Request(request) => request.id.number() <= self.requests.last,
            MessageKind::Relay
            | MessageKind::Prompt
            | MessageKind::Instruction
            | MessageKind::Notice(_) => true,
        };
        match event {
            Event::ForestOpened { .. } => self.agents.is_empty(),
            Event::HostStarted => true,
            Event::AgentRegistered { agent, .. } => self.is_new(*agent),
            Event::StartAdmitted { agent, parent, prompt, .. } => {
                self.is_new(*agent) && prompt.to == *agent && known(parent) && sent(prompt)
            }
            Event::Accepted { message, .. } => {
                let acknowledged = match &message.kind {
                    MessageKind::Notice(Notice::Acknowledged { by, .. }) => known(by),
                    _ => true,
                };
                known(&message.to) && sent(message) && acknowledged && asked(message)
            }
            Event::InterruptAdmitted { by, answer, .. } => {
                let mut stopped = std::iter::once(&answer.target).chain(&answer.below);
                by.as_ref().is_none_or(known) && stopped.all(|stopped| known(&stopped.agent))
            }
            Event::RequestRaised { agent, request, by, .. } => {
                let given = request.id.number() <= self.requests.last;
                known(agent) && by.as_ref().is_none_or(known) && given
            }
            Event::RequestClosed { agent, request, by, digest, .. } => {
                let same = |open: &OpenRequest| open.request.body.digest() == *digest;
                let given = request.number() <= self.requests.last;
                let fits = given && self.requests.get(*request).is_none_or(same);
                known(agent) && by.as_ref().is_none_or(known) && fits
            }
            Event::Paused { agent, agents } | Event::Resumed { agent, agents } => {
                known(agent) && agents.iter().all(known)
            }
            Event::Closing { agent, subtree, by, .. } => {
                known(agent) && subtree.iter().all(known) && by.as_ref().is_none_or(known)
            }
            Event::Deleted { agent, by, .. } => known(agent) && by.as_ref().is_none_or(known),
            Event::Released { agent, notice, .. } => {
                let tells = |notice: &Message| known(&notice.to) && sent(notice);
                known(agent) && notice.as_ref().is_none_or(tells)
            }
            Event::TurnOpened { agent, turn, .. } => {
                known(agent) && turn.number() <= self.last_turn
            }
            Event::StartWithdrawn { agent, .. } => {
                let unseen = |agent: &Agent| agent.life == Life::Starting { first: true };
                let alone = |agent: &Agent| agent.turn.is_none() && agent.children.is_empty();
                self.get(*agent).is_some_and(|agent| unseen(agent) && alone(agent))
            }
            Event::ResumeOrdered { agent, .. }
            | Event::Published { agent, .. }
            | Event::ResumeFailed { agent, .. }
            | Event::Claimed { agent, .. }
            | Event::ClaimReturned { agent, .. }
            | Event::StepRecorded { agent, .. }
            | Event::CallEnded { agent, .. }
            | Event::TurnEnded { agent, .. }
            | Event::Dropped { agent, .. } => known(agent),
        }
    }

    fn is_new(&self, id: AgentId) -> bool {
        id == self.next_agent()
    }

    /// Remembers every id a fact names, whether or not it fits, so that none is given twice. Whose
    /// admission cannot be read has its place, and nothing else.
    pub(crate) fn remember_ids(&mut self, event: &Event) {
        let mut messages = Vec::new();
        let mut turns = None;
        let mut requests: Option<RequestId> = None;
        match event {
            Event::Accepted { message, .. } => {
                messages.push(message.id);
                if let MessageKind::Request(request) = &message.kind {
                    requests = Some(request.id);
                }
            }
            Event::RequestRaised { request, .. } => requests = Some(request.id),
            Event::RequestClosed { request, .. } => requests = Some(*request),
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
            | Event::Closing { .. }
            | Event::Paused { .. }
            | Event::Resumed { .. }
            | Event::Deleted { .. } => {}
        }
        self.last_message = newest(self.last_message, messages.iter().map(|id| id.number()));
        self.last_turn = newest(self.last_turn, turns.iter().map(|id| id.number()));
        let requests = requests.iter().map(|id| id.number());
        self.requests.last = newest(self.requests.last, requests);
        let admits = matches!(event, Event::AgentRegistered { .. } | Event::StartAdmitted { .. });
        if let Some(agent) = event.agent().filter(|agent| agent.tag() == self.tag) {
            self.leave_room(agent.number().saturating_add(u64::from(!admits)));
        }
    }

    /// Gives every agent number below this one a place.
    fn leave_room(&mut self, below: u64) {
        while self.next_agent().number() < below && self.lost < MOST_LOST {
            self.lost += 1;
            let id = self.next_agent();
            let name = AgentName::new(&format!("lost-{}", id.number())).expect("a good name");
            let nothing = Arc::new(Descriptor::new("lost", Mode::OneShot, ""));
            let mut lost = Agent::admitted(id, None, name, nothing);
            lost.life = Life::Withdrawn;
            self.agents.push(lost);
        }
    }
}

/// The greatest number so far, with these.
fn newest(known: u64, named: impl Iterator<Item = u64>) -> u64 {
    named.filter(|number| *number <= known + FARTHEST).fold(known, u64::max)
}
