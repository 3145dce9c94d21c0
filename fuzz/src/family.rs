//! A lead, its child and another root, all in memory: who an address can mean.

use std::sync::Arc;

use switchboard_core::{
    AgentId, AgentName, Answer, Caller, Command, Content, Descriptor, Draft, Effect, Event, Forest,
    Incarnation, LedgerTag, Limits, Millis, Mode, Monotonic, ReachPolicy, Refusal, Stamp,
    StartRequest, Target, Ticket, WallTime,
};

use crate::made::TAG;

/// A forest, and who is in it.
#[derive(Debug)]
pub struct Family {
    forest: Forest,
    /// What is stored of it.
    pub stored: Vec<Event>,
    /// The root with a child.
    pub lead: AgentId,
}

impl Family {
    /// One whose lead may start children of this kind, and has one of the kind `reviewer`.
    pub fn new(kind: &str, reach: ReachPolicy) -> Self {
        let (forest, opened) = Forest::open(LedgerTag::new(TAG), Limits::default(), reach);
        let lead = AgentId::new(LedgerTag::new(TAG), 1);
        let mut family = Self { forest, stored: vec![opened], lead };
        for root in ["lead", "other"] {
            family.register(root, kind);
        }
        family.start("reviewer").expect("a first child can be started");
        family
    }

    fn register(&mut self, name: &str, kind: &str) {
        let starts = vec!["reviewer".to_owned(), kind.to_owned()];
        let descriptor = Descriptor { starts, ..Descriptor::new(name, Mode::Root, "script:none") };
        let (name, descriptor) = (AgentName::new(name).expect("a name"), Arc::new(descriptor));
        self.act(Command::Register { ticket: TICKET, name, descriptor });
    }

    /// Starts a child of the lead.
    ///
    /// # Errors
    /// It is refused.
    pub fn start(&mut self, kind: &str) -> Result<(), Refusal> {
        let mode = Mode::Continuable;
        let request = StartRequest {
            kind: kind.to_owned(),
            descriptor: Some(Arc::new(Descriptor::new(kind, mode, "script:none"))),
            description: String::new(),
            prompt: "Look.".to_owned(),
            background: true,
            fork: false,
        };
        let caller = speaking(self.lead);
        match self.act(Command::Start { ticket: TICKET, caller, key: None, request }) {
            Some(Answer::Refused(refusal)) => Err(refusal),
            _ => Ok(()),
        }
    }

    /// Says something to this address; none is the person speaking.
    pub fn say(&mut self, by: Option<AgentId>, address: &str) -> Option<Answer> {
        let to = Target::Spoken(address.to_owned());
        let draft = Draft { to, content: Content::text("well?") };
        let caller = by.map_or(Caller::User, speaking);
        let patience = Millis::seconds(1);
        self.act(Command::Send { ticket: TICKET, caller, key: None, draft, patience })
    }

    /// Gives a command, and brings up whoever is to be brought up.
    fn act(&mut self, command: Command) -> Option<Answer> {
        let stamp = Stamp { wall: WallTime(1), now: Monotonic(1), entropy: 1 };
        let step = self.forest.step(command, stamp);
        self.stored.extend(step.events);
        for effect in step.effects {
            if let Effect::Materialise { agent, incarnation } = effect {
                self.act(Command::Published { agent, incarnation });
            }
        }
        step.answers.into_iter().next().map(|(_, answer)| answer)
    }
}

const TICKET: Ticket = Ticket(1);

fn speaking(agent: AgentId) -> Caller {
    Caller::Agent { agent, incarnation: Incarnation(1) }
}
