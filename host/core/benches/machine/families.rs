//! Families of agents that write to one another: every tenth agent is a root, the others are its
//! children, each in a turn that never ends.

use std::hint::black_box;
use std::sync::Arc;

use switchboard_core::{
    Activation, AgentId, AgentName, Answer, Caller, Command, Content, Descriptor, Draft, Effect,
    Forest, LedgerTag, Limits, Millis, Mode, Monotonic, ReachPolicy, Stamp, StartRequest, Step,
    StepRecord, Target, Ticket, ToolUse, TurnEnd, WallTime,
};

pub(crate) struct Bench {
    forest: Forest,
    /// One for all, as a host that knows a kind has it.
    worker: Arc<Descriptor>,
    pub(crate) now: u64,
    tickets: u64,
}

impl Bench {
    pub(crate) fn new() -> Self {
        let limits = Limits {
            agents: 100_000,
            children: 64,
            places: 1_000,
            turn_steps: u32::MAX,
            ..Limits::default()
        };
        let (forest, _) = Forest::open(LedgerTag::new(1), limits, ReachPolicy::Direct);
        Self { forest, worker: descriptor(Mode::Continuable), now: 0, tickets: 0 }
    }

    fn stamp(&self) -> Stamp {
        Stamp {
            wall: WallTime(self.now),
            now: Monotonic(self.now),
            entropy: u128::from(self.now) * 0x9e37_79b9,
        }
    }

    fn ticket(&mut self) -> Ticket {
        self.tickets += 1;
        Ticket(self.tickets)
    }

    /// Decides a command and performs what needs no model.
    fn act(&mut self, command: Command) -> Vec<(Ticket, Answer)> {
        let stamp = self.stamp();
        let step = self.forest.step(command, stamp);
        for effect in step.effects {
            match effect {
                Effect::Materialise { agent, incarnation } => {
                    self.act(Command::Published { agent, incarnation });
                }
                Effect::Dispose { agent, incarnation } => {
                    self.act(Command::Disposed { agent, incarnation });
                }
                Effect::RunTurn { .. } | Effect::CancelTurn { .. } | Effect::SetTimer { .. } => {}
            }
        }
        step.answers
    }

    pub(crate) fn families(&mut self, agents: usize) -> Vec<(AgentId, Vec<AgentId>)> {
        let family = |place: usize| {
            let root = self.root(&format!("root{place}"));
            (root, (1..10).map(|_| self.child(root)).collect())
        };
        (0..agents / 10).map(family).collect()
    }

    fn root(&mut self, name: &str) -> AgentId {
        let ticket = self.ticket();
        let name = AgentName::new(name).expect("a good name");
        let descriptor = descriptor(Mode::Root);
        match self.act(Command::Register { ticket, name, descriptor }).pop() {
            Some((_, Answer::Registered(agent))) => agent,
            other => panic!("{other:?}"),
        }
    }

    fn child(&mut self, parent: AgentId) -> AgentId {
        let ticket = self.ticket();
        let caller = self.caller(parent);
        let request = StartRequest {
            kind: "worker".into(),
            descriptor: Some(self.worker.clone()),
            description: String::new(),
            prompt: "work".into(),
            background: true,
            fork: false,
        };
        match self.act(Command::Start { ticket, caller, key: None, request }).pop() {
            Some((_, Answer::Started(started))) => started.agent,
            other => panic!("{other:?}"),
        }
    }

    fn caller(&self, agent: AgentId) -> Caller {
        let incarnation = self.forest.agent(agent).expect("known").incarnation;
        Caller::Agent { agent, incarnation }
    }

    /// The command to send 100 bytes.
    pub(crate) fn send(&mut self, from: AgentId, to: AgentId) -> (Command, Stamp) {
        let (ticket, caller) = (self.ticket(), self.caller(from));
        let draft = Draft { to: Target::Agent(to), content: Content::text("x".repeat(100)) };
        let patience = Millis(8_000);
        let command = Command::Send { ticket, caller, key: None, draft, patience };
        (command, self.stamp())
    }

    /// What is measured: deciding a command and applying what was decided.
    pub(crate) fn decide(&mut self, (command, stamp): (Command, Stamp)) -> Step {
        black_box(self.forest.step(command, stamp))
    }

    /// The open turn takes what waits and goes on.
    pub(crate) fn step_once(&mut self, agent: AgentId) {
        let known = self.forest.agent(agent).expect("known");
        let turn = known.turn.as_ref().expect("a turn is open").id;
        let activation = Activation { agent, incarnation: known.incarnation, turn };
        let ticket = self.ticket();
        self.act(Command::Claim { ticket, activation });
        let calls = vec![ToolUse { tool: "look".into(), arguments: "{}".into() }];
        let record = StepRecord { text: Arc::from("ok"), calls, end: TurnEnd::Completed };
        let ticket = self.ticket();
        self.act(Command::RecordStep { ticket, activation, record });
    }
}

/// A send that was refused measures nothing.
pub(crate) fn check(step: &Step) {
    assert!(matches!(step.answers[..], [(_, Answer::Accepted(_))]), "{:?}", step.answers);
}

fn descriptor(mode: Mode) -> Arc<Descriptor> {
    let starts = vec!["worker".to_owned()];
    Arc::new(Descriptor { starts, ..Descriptor::new("worker", mode, "none") })
}
