//! A lead, its child and another root, all in memory: who an address can mean.

use std::sync::Arc;

use switchboard_core::{
    AgentId, AgentName, Answer, Caller, Command, Content, Descriptor, Draft, Effect, Forest,
    Incarnation, LedgerTag, Limits, Millis, Mode, Monotonic, ReachPolicy, Refusal, Stamp,
    StartRequest, Step, Target, Ticket, WallTime,
};

use crate::made::TAG;

/// A forest, and who is in it.
#[derive(Debug)]
pub struct Family {
    forest: Forest,
    /// The root with a child.
    pub lead: AgentId,
}

const TICKET: Ticket = Ticket(1);

impl Family {
    /// One whose lead may start children of this kind, and has one of the kind `reviewer`.
    pub fn new(kind: &str, reach: ReachPolicy) -> Self {
        let (mut forest, _) = Forest::open(LedgerTag::new(TAG), Limits::default(), reach);
        let [lead, _other] = ["lead", "other"].map(|root| register(&mut forest, root, kind));
        let mut family = Self { forest, lead };
        family.start("reviewer").expect("a first child can be started");
        family
    }

    /// Starts a child of the lead, and says what is to be stored of it.
    ///
    /// # Errors
    /// It is refused.
    pub fn start(&mut self, kind: &str) -> Result<Step, Refusal> {
        let mode = Mode::Continuable;
        let request = StartRequest {
            kind: kind.to_owned(),
            descriptor: Some(Arc::new(Descriptor::new(kind, mode, "script:none"))),
            prompt: "Look.".to_owned(),
            background: true,
        };
        let caller = speaking(self.lead);
        let command = Command::Start { ticket: TICKET, caller, key: None, request };
        let step = self.forest.step(command, stamp());
        publish(&mut self.forest, &step);
        match answer(&step) {
            Some(Answer::Refused(refusal)) => Err(refusal.clone()),
            _ => Ok(step),
        }
    }

    /// Says something to this address; none is the person speaking.
    pub fn say(&mut self, by: Option<AgentId>, address: &str) -> Option<Answer> {
        let to = Target::Spoken(address.to_owned());
        let draft = Draft { to, content: Content::text("well?") };
        let caller = by.map_or(Caller::User, speaking);
        let patience = Millis::seconds(1);
        let command = Command::Send { ticket: TICKET, caller, key: None, draft, patience };
        answer(&self.forest.step(command, stamp())).cloned()
    }
}

fn register(forest: &mut Forest, name: &str, kind: &str) -> AgentId {
    let starts = vec!["reviewer".to_owned(), kind.to_owned()];
    let descriptor = Descriptor { starts, ..Descriptor::new(name, Mode::Root, "script:none") };
    let (name, descriptor) = (AgentName::new(name).expect("a name"), Arc::new(descriptor));
    let step = forest.step(Command::Register { ticket: TICKET, name, descriptor }, stamp());
    publish(forest, &step);
    match answer(&step) {
        Some(Answer::Registered(root)) => *root,
        other => panic!("a root is registered: {other:?}"),
    }
}

/// Brings up whoever is to be brought up.
fn publish(forest: &mut Forest, step: &Step) {
    for effect in &step.effects {
        if let Effect::Materialise { agent, incarnation } = *effect {
            forest.step(Command::Published { agent, incarnation }, stamp());
        }
    }
}

fn answer(step: &Step) -> Option<&Answer> {
    step.answers.first().map(|(_, answer)| answer)
}

fn speaking(agent: AgentId) -> Caller {
    Caller::Agent { agent, incarnation: Incarnation(1) }
}

fn stamp() -> Stamp {
    Stamp { wall: WallTime(1), now: Monotonic(1), entropy: 1 }
}
