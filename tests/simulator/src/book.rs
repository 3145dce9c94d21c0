//! What is stored, at every moment: the index against which whoever is told something checks it.

use std::collections::BTreeMap;

use switchboard_core::{
    AgentId, Event, Interruption, Message, MessageId, MessageKind, RequestId, TurnId,
};

/// What the ledger holds.
#[derive(Debug, Default)]
pub(crate) struct Book {
    /// How many records.
    pub(crate) len: u64,
    pub(crate) messages: BTreeMap<MessageId, Message>,
    /// Everybody that was ever registered or admitted.
    pub(crate) agents: Vec<AgentId>,
    /// The tools each recorded step asks for.
    pub(crate) steps: BTreeMap<(TurnId, u32), Vec<String>>,
    pub(crate) interruptions: Vec<Interruption>,
    /// Those that go on from another's transcript, with whose (START-3).
    forks: BTreeMap<AgentId, AgentId>,
    /// Every request, and who was asked first; none is the person.
    pub(crate) requests: Vec<(RequestId, Option<AgentId>)>,
}

impl Book {
    /// Takes in the next record.
    pub(crate) fn store(&mut self, event: &Event) {
        self.len += 1;
        match event {
            Event::AgentRegistered { agent, .. } => self.agents.push(*agent),
            Event::StartAdmitted { agent, parent, prompt, seed, .. } => {
                self.agents.push(*agent);
                if seed.is_some() {
                    self.forks.insert(*agent, *parent);
                }
                self.accept(prompt);
            }
            Event::Accepted { message, .. } | Event::Released { notice: Some(message), .. } => {
                self.accept(message);
            }
            Event::StepRecorded { turn, step, calls, .. } => {
                let tools = calls.iter().map(|call| call.tool.clone()).collect();
                self.steps.insert((*turn, *step), tools);
            }
            Event::RequestRaised { request, .. } => self.requests.push((request.id, None)),
            Event::InterruptAdmitted { answer, .. } => self.interruptions.push(answer.clone()),
            _ => {}
        }
    }

    /// Whether what was for `to` may stand in this agent's transcript: it was for itself, or for
    /// one whose transcript it goes on from.
    pub(crate) fn may_have_read(&self, agent: AgentId, to: AgentId) -> bool {
        let from = std::iter::successors(Some(agent), |agent| self.forks.get(agent).copied());
        from.into_iter().any(|from| from == to)
    }

    fn accept(&mut self, message: &Message) {
        if let MessageKind::Request(request) = &message.kind {
            self.requests.push((request.id, Some(message.to)));
        }
        self.messages.insert(message.id, message.clone());
    }
}
