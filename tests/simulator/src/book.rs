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
    /// Every request, and who was asked first; none is the person.
    pub(crate) requests: Vec<(RequestId, Option<AgentId>)>,
}

impl Book {
    /// Takes in the next record.
    pub(crate) fn store(&mut self, event: &Event) {
        self.len += 1;
        match event {
            Event::AgentRegistered { agent, .. } => self.agents.push(*agent),
            Event::StartAdmitted { agent, prompt, .. } => {
                self.agents.push(*agent);
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

    fn accept(&mut self, message: &Message) {
        if let MessageKind::Request(request) = &message.kind {
            self.requests.push((request.id, Some(message.to)));
        }
        self.messages.insert(message.id, message.clone());
    }
}
