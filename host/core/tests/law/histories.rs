//! Random histories of sends to one and to many, to be acknowledged, expiring, needing no answer,
//! and repeated, with interrupts, closes, drains and crashes in between. What must follow is said
//! by the ledger alone.

mod checks;
mod sends;

use proptest::prelude::*;
use switchboard_core::{
    AgentId, Caller, Command, Content, Delivery, Effect, Event, HostKey, Life, Limits, Millis,
    ReachPolicy, Target, Ticket, Timer, TurnEnd, WallTime, Whom,
};

use crate::world::{Came, World, call};
use checks::Checks;

/// One send as it was handed in.
#[derive(Clone)]
struct Asked {
    ticket: Ticket,
    by: Option<AgentId>,
    key: Option<HostKey>,
    to: Target,
    content: Content,
    /// How many hosts there had been.
    host: usize,
    /// How long the log was when it was withdrawn.
    withdrawn: Option<usize>,
}

struct Story {
    world: World,
    asked: Vec<Asked>,
    keys: u32,
    hosts: usize,
    draining: bool,
    stale: Vec<Command>,
    limits: Limits,
    reach: ReachPolicy,
    /// When each fact was stored.
    times: Vec<u64>,
    seen: usize,
    check: Checks,
}

impl Story {
    fn new(shape: u8) -> Self {
        let limits = Limits {
            places: 2,
            put_away: Millis(50),
            hops: 6,
            unclaimed: Millis(30_000),
            pending: 5,
            ..Limits::default()
        };
        let reach =
            [ReachPolicy::Family, ReachPolicy::Tree, ReachPolicy::Direct][usize::from(shape % 3)];
        let mut world = World::with(limits.clone(), reach);
        let root = world.root("lead");
        world.instruct(root, "begin").ok();
        let kinds = ["worker", "writer", "worker"];
        for kind in &kinds[..usize::from(shape / 3 % 4)] {
            let Came::To(started) = world.start(root, kind) else { break };
            let child = started.agent;
            world.settle();
            if shape / 12 % 2 == 1 {
                drop(world.start(child, "writer"));
                world.settle();
            }
        }
        Self {
            world,
            asked: Vec::new(),
            keys: 0,
            hosts: 0,
            draining: false,
            stale: Vec::new(),
            limits,
            reach,
            times: Vec::new(),
            seen: 0,
            check: Checks::default(),
        }
    }

    fn pick(&self, choice: u8) -> AgentId {
        let agents: Vec<AgentId> = self.world.forest.agents().map(|agent| agent.id).collect();
        agents[usize::from(choice) % agents.len()]
    }

    fn running(&self, choice: u8) -> Option<AgentId> {
        let up = self.world.forest.agents().filter(|agent| agent.is_up() && agent.turn.is_some());
        let running: Vec<AgentId> = up.map(|agent| agent.id).collect();
        running.get(usize::from(choice) % running.len().max(1)).copied()
    }

    fn play(&mut self, (what, one, other, more): (u8, u8, u8, u8)) {
        let (agent, target) = (self.pick(one), self.pick(other));
        match what % 32 {
            0..=5 => {
                let by = match one % 8 {
                    0 => None,
                    1 if other % 4 == 0 => Some(agent),
                    _ => self.running(one),
                };
                self.send(by, other, more);
            }
            6 => self.repeat(one, more),
            7 => drop(self.world.interrupt(agent, target)),
            8 => drop(self.world.interrupt_as(Caller::User, target)),
            9 => drop(self.world.start(self.running(one).unwrap_or(agent), "worker")),
            10 => drop(self.world.close(Caller::User, target)),
            28 => drop(self.world.delete(Caller::User, target)),
            29 => drop(self.world.pause(Whom::Tree(target), one % 3 > 0)),
            30 => drop(self.world.pause(Whom::Agent(target), one % 2 > 0)),
            31 => drop(self.world.drain_trees(Caller::User, &[target])),
            11 => self.world.settle(),
            12 | 13 => self.perform(one, true),
            14 => self.perform(one, other % 3 > 0),
            15 => self.timer(one),
            16 => {
                self.world.crash();
                self.hosts += 1;
                self.draining = false;
            }
            17 => self.at_turn(one, |world, agent| _ = world.boundary(agent)),
            18 | 19 => self.at_turn(one, |world, agent| {
                if world.goes_on(agent) {
                    world.record(agent, "hm", vec![call("look")]);
                }
            }),
            20 => self.at_turn(one, |world, agent| _ = world.end(agent, TurnEnd::Error)),
            21 | 22 => self.at_turn(one, finish),
            23 => self.acknowledge(one, other, more),
            24 => self.world.pass(Millis(u64::from(one) * u64::from(other))),
            25 => self.withdraw(one),
            26 => match one % 8 {
                0 => {
                    self.world.drain();
                    self.draining = true;
                }
                1 | 2 => self.at_turn(other, |world, agent| world.stop_loop(agent)),
                _ => self.timer(other),
            },
            _ => {
                let place = usize::from(one) % self.stale.len().max(1);
                if let Some(command) = self.stale.get(place).cloned() {
                    self.world.act(command);
                }
            }
        }
    }

    fn at_turn(&mut self, choice: u8, act: impl FnOnce(&mut World, AgentId)) {
        if let Some(agent) = self.running(choice) {
            act(&mut self.world, agent);
        }
    }

    /// Performs one effect, of any age, well or badly.
    fn perform(&mut self, choice: u8, well: bool) {
        let world = &mut self.world;
        let lively: Vec<usize> = (0..world.effects.len())
            .filter(|place| {
                matches!(world.effects[*place], Effect::Materialise { .. } | Effect::Dispose { .. })
            })
            .collect();
        let Some(&place) = lively.get(usize::from(choice) % lively.len().max(1)) else { return };
        let command = match world.effects.remove(place) {
            Some(Effect::Materialise { agent, incarnation }) => match well {
                true => Command::Published { agent, incarnation },
                false => Command::MaterialiseFailed { agent, incarnation, why: "bad luck".into() },
            },
            Some(Effect::Dispose { agent, incarnation }) => {
                Command::Disposed { agent, incarnation }
            }
            other => panic!("{other:?}"),
        };
        world.act(command.clone());
        self.stale.push(command);
    }

    fn timer(&mut self, choice: u8) {
        let timers = self.world.timers();
        if let Some((timer, _)) = timers.get(usize::from(choice) % timers.len().max(1)) {
            let chosen = *timer;
            self.world.fire(|timer| *timer == chosen);
            self.stale.push(Command::Timer(chosen));
        }
    }

    /// Lets everything come to its end.
    fn conclude(&mut self) {
        if self.draining {
            self.world.crash();
            self.hosts += 1;
            self.draining = false;
        }
        self.world.pause(Whom::All, false).ok();
        for round in 0.. {
            self.world.settle();
            self.checks();
            let timed = |timer: &Timer| !matches!(timer, Timer::PutAway(..) | Timer::Drain);
            match self.running(0) {
                Some(agent) => finish(&mut self.world, agent),
                None if self.world.timers().iter().any(|(timer, _)| timed(timer)) => {
                    self.world.fire(timed);
                }
                None => break,
            }
            assert!(round < 3_000, "it comes to an end");
        }
        assert!(self.world.forest.is_quiet(), "with no timer left, it is quiet");
        for agent in self.world.forest.agents() {
            for item in agent.inbox.items() {
                let ends = item.message.expires(&self.limits).is_some() && item.deliveries == 0;
                assert!(!ends, "{} waits for ever", item.message.id);
            }
            let gone = agent.life == Life::Withdrawn;
            assert!(gone || agent.inbox.due_since().is_none(), "{}", agent.id);
        }
        for asked in &self.asked {
            let answered = self.world.answers.contains_key(&asked.ticket);
            let lost = asked.host < self.hosts || asked.withdrawn.is_some();
            assert!(answered || lost, "{:?} to {:?} is answered", asked.ticket, asked.to);
        }
    }

    fn checks(&mut self) {
        let Self { world, check, limits, .. } = self;
        self.times.resize(world.log.len(), world.now);
        for place in self.seen..world.log.len() {
            check.event(&world.log[place], WallTime(1_700_000_000_000 + self.times[place]), limits);
        }
        for place in self.seen..world.log.len() {
            let Event::Accepted { message, terms: Some(terms) } = &world.log[place] else {
                continue;
            };
            let opens = |event: &Event| match event {
                Event::TurnOpened { agent, .. } => *agent == message.to,
                _ => false,
            };
            let begins = world.log[place..].iter().any(opens);
            let delivered = terms.delivery == Delivery::Delivered;
            assert!(begins || !delivered, "{} was delivered and begins no turn", message.id);
        }
        self.seen = world.log.len();
        check.state(world);
        if !self.draining {
            nothing_is_stuck(world, limits);
        }
        self.attempts();
    }
}

fn finish(world: &mut World, agent: AgentId) {
    if world.goes_on(agent) {
        world.record(agent, "done", vec![]);
    }
}

/// Whoever is due has a turn as soon as there is a place, and what may expire is timed.
fn nothing_is_stuck(world: &World, limits: &Limits) {
    let timers = world.timers();
    for agent in world.forest.agents() {
        let due = agent.is_up()
            && !agent.paused
            && agent.turn.is_none()
            && agent.inbox.due_since().is_some();
        if due {
            let held = world.forest.agents().filter(|other| other.turn.is_some()).count();
            assert!(held >= 2, "{} is due and there is a place", agent.id);
        }
        let timed = agent
            .inbox
            .items()
            .any(|item| item.deliveries == 0 && item.message.expires(limits).is_some());
        let set = timers.iter().any(|(timer, _)| *timer == Timer::Expiry(agent.id));
        assert!(set || !timed, "{} has timed mail and no timer", agent.id);
    }
}

fn histories() -> ProptestConfig {
    // Few enough for every run of the tests; more are had by this variable.
    let asked = std::env::var("PROPTEST_CASES").ok().and_then(|cases| cases.parse().ok());
    ProptestConfig {
        cases: asked.unwrap_or(400),
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

proptest! {
    #![proptest_config(histories())]

    #[test]
    fn fate_1_however_many_it_is_for_each_message_has_one_fate(
        reach in any::<u8>(),
        script in proptest::collection::vec(any::<(u8, u8, u8, u8)>(), 1..100)
    ) {
        let mut story = Story::new(reach);
        story.checks();
        for action in script {
            story.play(action);
            story.checks();
        }
        story.conclude();
        story.checks();
    }
}
