//! How many sends one core decides and applies in a second, and whether that depends on how many
//! agents there are. `cargo bench -p switchboard-core`
//!
//! Every tenth agent is a root, the others are its children, each in a turn that never ends. A
//! round is each root writing to each of its children, which then take what they got; only the
//! sends are timed.
//!
//! Each number of agents has its turn several times, and its best counts. A core that is given to
//! another process in the middle of a send makes that one send as long as ten thousand, and what
//! the other process left in the caches makes the next ones slow; which number of agents that
//! happens to says nothing about the machine, and it never makes one faster. The median is printed
//! beside it: where the two are far apart, there was no quiet time to measure in.

use std::hint::black_box;
use std::sync::Arc;
use std::time::{Duration, Instant};

use switchboard_core::{
    Activation, AgentId, AgentName, Answer, Caller, Command, Content, Descriptor, Draft, Effect,
    Forest, LedgerTag, Limits, Millis, Mode, Monotonic, ReachPolicy, Stamp, StartRequest,
    StepRecord, Target, Ticket, ToolUse, TurnEnd, WallTime,
};

const AIM: f64 = 500_000.0;
const FLAT: f64 = 1.3;
const SENDS: usize = 400_000;
const AGENTS: [usize; 4] = [10, 100, 1_000, 10_000];
const PASSES: usize = 7;

fn main() {
    println!("decide + apply, one core, {SENDS} sends of 100 bytes from parents to children");
    println!("best of {PASSES} passes");
    println!("{:>8} {:>14} {:>10} {:>12}", "agents", "sends/s", "ns/send", "median ns");
    let passes: Vec<[f64; AGENTS.len()]> = (0..PASSES).map(|_| AGENTS.map(send_time)).collect();
    let mut rates = Vec::new();
    for (place, agents) in AGENTS.into_iter().enumerate() {
        let mut times: Vec<f64> = passes.iter().map(|pass| pass[place]).collect();
        times.sort_by(f64::total_cmp);
        let (best, median) = (times[0], times[PASSES / 2]);
        let rate = 1e9 / best;
        println!("{agents:>8} {rate:>14.0} {best:>10.0} {median:>12.0}");
        rates.push(rate);
    }
    let best = rates.iter().copied().fold(0.0, f64::max);
    let worst = rates.iter().copied().fold(f64::MAX, f64::min);
    println!(
        "slowest {worst:.0}/s, aim {AIM:.0}/s; fastest/slowest {:.2}, aim {FLAT}",
        best / worst
    );
}

struct Bench {
    forest: Forest,
    /// One for all, as a host that knows a kind has it.
    worker: Arc<Descriptor>,
    now: u64,
    tickets: u64,
}

/// How long a send takes among so many agents, in nanoseconds.
fn send_time(agents: usize) -> f64 {
    let mut bench = Bench::new();
    let families = bench.families(agents);
    let sends = SENDS / agents.max(1) * agents.max(1);
    let mut timed = Duration::ZERO;
    let mut done = 0;
    while done < sends {
        bench.now += 10_000;
        for (parent, children) in &families {
            for child in children {
                timed += bench.send(*parent, *child);
                done += 1;
                bench.step_once(*child);
            }
        }
    }
    timed.as_nanos() as f64 / done as f64
}

impl Bench {
    fn new() -> Self {
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

    fn families(&mut self, agents: usize) -> Vec<(AgentId, Vec<AgentId>)> {
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
            prompt: "work".into(),
            background: true,
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

    fn send(&mut self, from: AgentId, to: AgentId) -> Duration {
        let (ticket, caller) = (self.ticket(), self.caller(from));
        let draft = Draft { to: Target::Agent(to), content: Content::text("x".repeat(100)) };
        let patience = Millis(8_000);
        let command = Command::Send { ticket, caller, key: None, draft, patience };
        let stamp = self.stamp();
        let begun = Instant::now();
        let step = black_box(self.forest.step(command, stamp));
        let took = begun.elapsed();
        assert!(matches!(step.answers[..], [(_, Answer::Accepted(_))]), "{:?}", step.answers);
        took
    }

    /// The open turn takes what waits and goes on.
    fn step_once(&mut self, agent: AgentId) {
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

fn descriptor(mode: Mode) -> Arc<Descriptor> {
    let starts = vec!["worker".to_owned()];
    Arc::new(Descriptor { starts, ..Descriptor::new("worker", mode, "none") })
}
