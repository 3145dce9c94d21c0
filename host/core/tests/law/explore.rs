//! Random histories of a small tree, crashes included: whatever happens in whatever order, no
//! message is lost, doubled or stuck.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use switchboard_core::{
    Activity, AgentId, Answer, Caller, Command, Effect, Event, Handshake, Limits, Message,
    MessageId, MessageKind, Millis, Notice, ReachPolicy, RequestEnd, RequestId, Ticket, TurnEnd,
    Whom,
};

use crate::world::{World, call, ends, judges};

/// A history: each number chooses what happens next, and to whom.
type Script = Vec<(u8, u8, u8)>;

struct Story {
    world: World,
    root: AgentId,
    tickets: Vec<Ticket>,
}

impl Story {
    fn new() -> Self {
        let limits = Limits { places: 2, put_away: Millis(50), ..Limits::default() };
        let mut world = World::with(limits, ReachPolicy::Direct);
        let root = world.root("lead");
        Self { world, root, tickets: Vec::new() }
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

    fn play(&mut self, (what, one, other): (u8, u8, u8)) {
        let (agent, target) = (self.pick(one), self.pick(other));
        match what % 23 {
            0 | 1 => self.send(agent, target),
            2 => drop(self.world.instruct(target, "please")),
            3 => drop(self.world.interrupt(agent, target)),
            4 => drop(self.world.interrupt_as(Caller::User, target)),
            5 => drop(self.world.start(agent, "worker")),
            6 => drop(self.world.close(Caller::User, target)),
            7 | 8 => self.perform(one, true),
            9 => self.perform(one, other % 3 > 0),
            10 => self.timer(one),
            11 => self.world.crash(),
            16 => drop(self.world.delete(Caller::User, target)),
            17 => drop(self.world.ask_to_end(agent, target)),
            18 => drop(self.world.propose(agent, "paint it")),
            20 => drop(self.world.pause(whom(target, other), one % 3 > 0)),
            21 => drop(self.world.pause(Whom::All, false)),
            22 => drop(self.world.drain_trees(Caller::User, &[target])),
            19 => self.respond(one, other % 2 == 0),
            12 => self.at_turn(one, |world, agent| _ = world.boundary(agent)),
            13 => self.at_turn(one, |world, agent| {
                if world.goes_on(agent) {
                    world.record(agent, "hm", vec![call("look")]);
                }
            }),
            14 => self.at_turn(one, |world, agent| _ = world.end(agent, TurnEnd::Error)),
            _ => self.at_turn(one, finish),
        }
    }

    fn send(&mut self, from: AgentId, to: AgentId) {
        self.world.pass(Millis(400));
        if let crate::world::Came::Parked(ticket) = self.world.send(from, to, "hello") {
            self.tickets.push(ticket);
        }
    }

    /// Whoever is asked answers one of the open requests, or somebody else does.
    fn respond(&mut self, choice: u8, approve: bool) {
        let open: Vec<_> = self.world.forest.requests().cloned().collect();
        let Some(open) = open.get(usize::from(choice) % open.len().max(1)) else { return };
        let reply = match open.request.body.kind() {
            Handshake::Shutdown => ends(approve),
            Handshake::Plan => judges(approve),
        };
        let other = self.pick(choice);
        let by = if choice.is_multiple_of(7) { Some(other) } else { open.asked };
        let caller = by.map_or(Caller::User, |by| self.world.caller(by));
        let came = self.world.respond(caller, open.request.id, reply, None);
        if by != open.asked {
            came.refused();
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
        let place = usize::from(choice) % world.effects.len().max(1);
        match world.effects.get(place).cloned() {
            Some(Effect::Materialise { agent, incarnation }) => {
                world.effects.remove(place);
                world.act(match well {
                    true => Command::Published { agent, incarnation },
                    false => {
                        Command::MaterialiseFailed { agent, incarnation, why: "bad luck".into() }
                    }
                });
            }
            Some(Effect::Dispose { agent, incarnation }) => {
                world.effects.remove(place);
                world.act(Command::Disposed { agent, incarnation });
            }
            Some(Effect::RunTurn { .. } | Effect::CancelTurn { .. } | Effect::SetTimer { .. })
            | None => {}
        }
    }

    fn timer(&mut self, choice: u8) {
        let timers = self.world.timers();
        if let Some((timer, _)) = timers.get(usize::from(choice) % timers.len().max(1)) {
            let chosen = *timer;
            self.world.fire(|timer| *timer == chosen);
        }
    }

    /// Lets everything come to its end.
    fn conclude(&mut self) {
        self.world.pause(Whom::All, false).ok();
        for round in 0.. {
            self.world.settle();
            match self.running(0) {
                Some(agent) => finish(&mut self.world, agent),
                None if self.world.forest.is_quiet() => return,
                None => {
                    self.world.fire(|timer| !matches!(timer, switchboard_core::Timer::PutAway(..)))
                }
            }
            assert!(round < 1_000, "it comes to an end");
        }
    }
}

/// This one alone, or its tree.
fn whom(target: AgentId, choice: u8) -> Whom {
    if choice.is_multiple_of(2) { Whom::Tree(target) } else { Whom::Agent(target) }
}

fn finish(world: &mut World, agent: AgentId) {
    if world.goes_on(agent) {
        world.record(agent, "done", vec![]);
    }
}

/// Nothing that could go on stands still, and nothing at rest stays (RES-3, DEL-5).
fn nothing_is_stuck(world: &World) {
    for agent in world.forest.agents() {
        let due = agent.is_up()
            && !agent.paused
            && agent.turn.is_none()
            && agent.inbox.due_since().is_some();
        if due {
            let held = world.forest.agents().filter(|other| other.turn.is_some()).count();
            assert!(held >= 2, "{} is due and there is a place", agent.id);
        }
        let rests = agent.parent.is_some() && agent.is_up() && agent.activity() == Activity::Idle;
        assert!(!rests, "{} has come to rest and is still in memory", agent.id);
    }
}

fn accepted(log: &[Event]) -> BTreeMap<MessageId, Message> {
    let messages = log.iter().filter_map(|event| match event {
        Event::Accepted { message, .. } => Some(message),
        Event::StartAdmitted { prompt, .. } => Some(prompt),
        Event::Released { notice, .. } => notice.as_ref(),
        _ => None,
    });
    messages.map(|message| (message.id, message.clone())).collect()
}

/// Every accepted message ends once, or still waits (FATE-1).
fn every_message_has_one_fate(world: &World) {
    let messages = accepted(&world.log);
    let mut ends: BTreeMap<MessageId, u32> = BTreeMap::new();
    for event in &world.log {
        let ended: Vec<MessageId> = match event {
            Event::StepRecorded { consumed, .. } => consumed.clone(),
            Event::TurnEnded { dropped, .. } => dropped.clone(),
            Event::Dropped { messages, .. } => messages.clone(),
            Event::StartWithdrawn { agent, .. } => {
                let its = messages.values().filter(|message| message.to == *agent);
                its.map(|message| message.id).filter(|id| !ends.contains_key(id)).collect()
            }
            _ => Vec::new(),
        };
        for id in ended {
            *ends.entry(id).or_default() += 1;
        }
    }
    let waiting: BTreeSet<MessageId> = world
        .forest
        .agents()
        .flat_map(|agent| {
            agent.inbox.items().chain(agent.turn.iter().flat_map(|turn| &turn.claimed))
        })
        .map(|item| item.message.id)
        .collect();
    for id in messages.keys() {
        let ended = ends.get(id).copied().unwrap_or(0);
        assert_eq!(ended + u32::from(waiting.contains(id)), 1, "{id} has one fate or waits");
    }
}

/// A request ends once at most and whoever asked is told exactly then; nobody on the way out is
/// still asked to come to an end, and nobody reads what asks for nothing any more (HAND-3).
fn requests_end_once(world: &World) {
    let (mut ended, mut told) = (BTreeMap::<RequestId, RequestEnd>::new(), BTreeMap::new());
    for event in &world.log {
        match event {
            Event::RequestClosed { request, end, .. } => {
                assert!(ended.insert(*request, end.clone()).is_none(), "{request} ends once");
            }
            Event::Accepted { message, .. } => {
                if let MessageKind::Notice(Notice::RequestClosed { request, end, .. }) =
                    &message.kind
                {
                    assert!(told.insert(*request, end.clone()).is_none(), "{request} is told once");
                }
            }
            _ => {}
        }
    }
    assert!(told.iter().all(|(id, end)| ended.get(id) == Some(end)));
    for open in world.forest.requests() {
        assert!(!ended.contains_key(&open.request.id));
        let Some(asked) = open.asked.map(|id| world.known(id)) else { continue };
        let leaves = matches!(asked.activity(), Activity::Closing | Activity::Absent);
        let plan = open.request.body.kind() == Handshake::Plan;
        assert!(plan || !leaves, "{} is asked of one that is gone", open.request.id);
    }
    for agent in world.forest.agents() {
        for item in agent.inbox.items() {
            let MessageKind::Request(request) = &item.message.kind else { continue };
            let mut open = world.forest.requests();
            assert!(open.any(|open| open.request.id == request.id), "{} is moot", request.id);
        }
    }
}

/// No message is shown twice under one delivery number, first showings are in order (FATE-3,
/// DEL-4), and no turn ends twice (TURN-5).
fn showings_and_ends_are_single(world: &World) {
    let messages = accepted(&world.log);
    let mut shown = BTreeSet::new();
    let mut newest = BTreeMap::new();
    let mut ended = BTreeSet::new();
    for event in &world.log {
        let claim = match event {
            Event::TurnOpened { claim, .. } | Event::Claimed { claim, .. } => claim,
            Event::TurnEnded { turn, .. } => {
                assert!(ended.insert(*turn), "{turn} ends once");
                continue;
            }
            _ => continue,
        };
        for showing in &claim.messages {
            assert!(shown.insert((showing.id, showing.delivery)), "{showing:?} is shown once");
            let message = &messages[&showing.id];
            let line = format!("{:?} {:?} {:?}", message.from, message.to, message.schedule);
            // Requests come before other mail (DEL-3).
            let request = matches!(message.kind, MessageKind::Request(_));
            if showing.delivery == 1 && !request {
                let before = newest.insert(line, showing.id);
                assert!(before.is_none_or(|before| before < showing.id), "in order");
            }
        }
    }
}

/// 1,500 histories, or as many as `PROPTEST_CASES` says.
fn histories() -> ProptestConfig {
    let asked = std::env::var("PROPTEST_CASES").ok().and_then(|cases| cases.parse().ok());
    let cases = asked.unwrap_or(1_500);
    ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() }
}

proptest! {
    #![proptest_config(histories())]

    #[test]
    fn fate_1_whatever_happens_every_message_has_one_fate_and_nothing_is_stuck(
        script in proptest::collection::vec(any::<(u8, u8, u8)>(), 1..80)
    ) {
        play(script);
    }
}

fn play(script: Script) {
    let mut story = Story::new();
    story.world.instruct(story.root, "begin").ok();
    for action in script {
        story.play(action);
        nothing_is_stuck(&story.world);
        every_message_has_one_fate(&story.world);
        showings_and_ends_are_single(&story.world);
        requests_end_once(&story.world);
    }
    story.conclude();
    nothing_is_stuck(&story.world);
    every_message_has_one_fate(&story.world);
    showings_and_ends_are_single(&story.world);
    requests_end_once(&story.world);
    for ticket in &story.tickets {
        let answer = story.world.answers.get(ticket);
        let gone = answer.is_none() && story.world.count("host-started") > 0;
        assert!(gone || matches!(answer, Some(Answer::Accepted(_) | Answer::Refused(_))));
    }
}
