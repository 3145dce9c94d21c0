//! What must be remembered of earlier events to tell a later one: who is called what, which tools
//! the last step asked for, who is in a turn.

use std::collections::{BTreeMap, BTreeSet};

use switchboard_core::{AgentId, AgentName, Event, MessageId, MessageKind, Sender, ToolUse};

use crate::show::paint::{Paint, Role};

/// What a person is called.
pub const PERSON: &str = "person";
/// What the host is called.
pub const HOST: &str = "host";

/// The memory of a teller.
#[derive(Clone, Debug, Default)]
pub struct Book {
    agents: BTreeMap<AgentId, Entry>,
    labels: BTreeSet<String>,
    calls: BTreeMap<AgentId, Vec<ToolUse>>,
    in_turn: BTreeSet<AgentId>,
    senders: BTreeMap<MessageId, String>,
}

#[derive(Clone, Debug)]
struct Entry {
    label: String,
    place: usize,
}

impl Book {
    /// Remembers what later events will be told with.
    pub fn learn(&mut self, event: &Event) {
        match event {
            Event::AgentRegistered { agent, name, .. } => self.meet(*agent, None, name),
            Event::StartAdmitted { agent, parent, name, prompt, .. } => {
                self.meet(*agent, Some(*parent), name);
                self.remember(prompt.id, &prompt.from);
            }
            Event::Accepted { message, .. } => self.remember(message.id, &message.from),
            Event::Released { notice: Some(notice), .. } => {
                self.remember(notice.id, &notice.from);
            }
            Event::TurnOpened { agent, .. } => {
                self.in_turn.insert(*agent);
            }
            Event::StepRecorded { agent, calls, .. } => {
                self.calls.insert(*agent, calls.clone());
            }
            Event::TurnEnded { agent, .. } => {
                self.in_turn.remove(agent);
            }
            Event::ForestOpened { .. }
            | Event::HostStarted
            | Event::StartWithdrawn { .. }
            | Event::ResumeOrdered { .. }
            | Event::Published { .. }
            | Event::ResumeFailed { .. }
            | Event::Claimed { .. }
            | Event::ClaimReturned { .. }
            | Event::CallEnded { .. }
            | Event::InterruptAdmitted { .. }
            | Event::RequestRaised { .. }
            | Event::RequestClosed { .. }
            | Event::Dropped { .. }
            | Event::Closing { .. }
            | Event::Paused { .. }
            | Event::Resumed { .. }
            | Event::Deleted { .. }
            | Event::Released { notice: None, .. } => {}
        }
    }

    /// What an agent is called here: its name, or with its parent's in front where another agent
    /// has that name too.
    pub fn label(&self, agent: AgentId) -> String {
        self.agents.get(&agent).map_or_else(|| agent.to_string(), |entry| entry.label.clone())
    }

    /// The same, in the agent's colour.
    pub fn painted(&self, paint: Paint, agent: AgentId) -> String {
        paint.paint(self.role(agent), &self.label(agent))
    }

    /// The role its name is painted in.
    pub fn role(&self, agent: AgentId) -> Role {
        Role::Agent(self.agents.get(&agent).map_or(0, |entry| entry.place))
    }

    /// What a sender is called.
    pub fn sender(&self, sender: &Sender) -> String {
        match sender {
            Sender::Agent { id, .. } => self.label(*id),
            Sender::User => PERSON.to_owned(),
            Sender::Host => HOST.to_owned(),
        }
    }

    /// Who sent a message.
    pub fn sender_of(&self, message: MessageId) -> &str {
        self.senders.get(&message).map_or("somebody", String::as_str)
    }

    /// The tool of a call of the agent's last step.
    pub fn tool(&self, agent: AgentId, call: u32) -> &str {
        let calls = self.calls.get(&agent);
        let call = usize::try_from(call).ok().and_then(|call| calls?.get(call));
        call.map_or("a tool", |call| call.tool.as_str())
    }

    /// Whether a turn of the agent is open.
    pub fn in_turn(&self, agent: AgentId) -> bool {
        self.in_turn.contains(&agent)
    }

    /// The agents met so far, oldest first.
    pub fn agents(&self) -> impl Iterator<Item = AgentId> {
        self.agents.keys().copied()
    }

    /// The agent that is called so here.
    pub fn find(&self, label: &str) -> Option<AgentId> {
        let called = |(id, entry): (&AgentId, &Entry)| {
            (entry.label == label || id.to_string() == label).then_some(*id)
        };
        self.agents.iter().find_map(called)
    }

    fn meet(&mut self, agent: AgentId, parent: Option<AgentId>, name: &AgentName) {
        let mut label = name.to_string();
        if let Some(parent) = parent.filter(|_| self.labels.contains(&label)) {
            label = format!("{}/{label}", self.label(parent));
        }
        if !self.labels.insert(label.clone()) {
            label = agent.to_string();
        }
        let place = self.agents.len();
        self.agents.insert(agent, Entry { label, place });
    }

    fn remember(&mut self, message: MessageId, from: &Sender) {
        let sender = self.sender(from);
        self.senders.insert(message, sender);
    }
}

/// One word for what a message is.
pub fn kind(kind: &MessageKind) -> &'static str {
    match kind {
        MessageKind::Relay => "message",
        MessageKind::Prompt => "task",
        MessageKind::Instruction => "instruction",
        MessageKind::Request(_) => "request",
        MessageKind::Notice(_) => "notice",
    }
}
