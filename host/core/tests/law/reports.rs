//! Complaints about such systems, made again here as situations that must end well. Those that a
//! clause's own tests show are listed in `tests/cases.toml` alone.

use switchboard_core::{
    AgentId, AgentName, Answer, Code, Command, EndReason, Event, Id, Limits, Message, Millis, Mode,
    Outcome, ReachPolicy, RosterQuery, Scope, StartRequest, Ticket, TurnEnd, WaitFor, Waited,
};

use crate::world::{World, call, descriptor};

fn pair() -> (World, AgentId, AgentId) {
    let mut world = World::new();
    let lead = world.root("lead");
    let child = world.child(lead, "reviewer");
    (world, lead, child)
}

/// A lead that waits for the one-shot child it has started.
pub(crate) fn in_the_foreground() -> (World, AgentId, Ticket, AgentId) {
    let mut world = World::new();
    let lead = world.root("lead");
    world.instruct(lead, "go").ok();
    world.claim(lead);
    world.record(lead, "", vec![call("subagent")]);
    let request = StartRequest {
        kind: "worker".into(),
        descriptor: Some(descriptor("worker", Mode::Continuable)),
        description: String::new(),
        prompt: "one task".into(),
        background: false,
        fork: false,
    };
    let key = world.key(lead, 0);
    let single = world.start_request(world.caller(lead), request, Some(key)).ok().agent;
    world.settle();
    let ticket = wait(&mut world, lead, WaitFor::Child(single));
    (world, lead, ticket, single)
}

fn wait(world: &mut World, agent: AgentId, on: WaitFor) -> Ticket {
    let (ticket, activation) = (world.ticket(), world.activation(agent));
    world.act(Command::Wait { ticket, activation, on, patience: Millis::seconds(30) });
    ticket
}

#[track_caller]
pub(crate) fn came_to(world: &World, ticket: Ticket) -> (EndReason, Option<String>) {
    match &world.answers[&ticket] {
        Answer::Waited(Waited::Ended(Outcome { reason, closing })) => {
            (*reason, closing.as_deref().map(str::to_owned))
        }
        other => panic!("{other:?}"),
    }
}

/// r038: what an agent is told in the middle of its work cuts none of it.
#[test]
fn del_2_r038_a_message_stops_nothing_that_is_at_work() {
    let (mut world, lead, child) = pair();
    world.claim(child);
    world.record(child, "I look", vec![call("look"), call("watch")]);
    let turn = world.activation(child).turn;
    world.send(lead, child, "rather that one").ok();
    assert!(world.cancels().is_empty());
    for place in [0, 1] {
        world.call_done(child, place);
    }
    world.claim(child);
    assert_eq!(world.activation(child).turn, turn);
    assert_eq!(world.claimed(child), ["rather that one"]);
}

/// r055: whoever is gone takes nobody's room.
#[test]
fn start_2_r055_one_that_is_deleted_takes_no_room() {
    let limits = Limits { children: 1, agents: 1, ..Limits::default() };
    let mut world = World::with(limits, ReachPolicy::Direct);
    let lead = world.root("lead");
    let child = world.settled_child(lead, "reviewer");
    assert_eq!(world.start(lead, "reviewer").refused().code, Code::Capacity);
    world.delete(world.caller(lead), child).ok();
    world.start(lead, "reviewer").ok();
}

/// r064: two that write to each other at the same moment both go on.
#[test]
fn send_13_r064_two_that_write_to_each_other_at_once_both_read_it() {
    let (mut world, lead, child) = pair();
    world.instruct(lead, "go").ok();
    for agent in [lead, child] {
        world.step_once(agent);
    }
    world.send(lead, child, "and you?").ok();
    world.send(child, lead, "and you?").ok();
    for agent in [lead, child] {
        world.claim(agent);
        assert_eq!(world.claimed(agent), ["and you?"]);
    }
}

/// r059: one that may change nothing still comes to an end when it is asked to.
#[test]
fn hand_1_r059_one_that_waits_for_an_approval_can_agree_to_end() {
    let (mut world, lead, child) = pair();
    world.step_once(child);
    world.propose(child, "paint it").ok();
    let request = world.ask_to_end(lead, child).ok().request;
    world.claim(child);
    world.answer(child, request, crate::world::ends(true)).ok();
    world.end(child, TurnEnd::Aborted);
    world.settle();
    assert!(!world.known(child).is_live());
}

/// DSH-094: as deep as no limit allows today.
#[test]
fn obs_1_a_roster_is_walked_however_deep_the_tree_is() {
    const DEEP: u64 = 10_000;
    let (mut world, lead, child) = pair();
    let tag = lead.tag();
    let prompt = world.messages().remove(0);
    let kind = world.known(child).descriptor.clone();
    for number in child.number() + 1..DEEP {
        let (agent, parent) = (Id::new(tag, number), Id::new(tag, number - 1));
        let prompt = Message { id: Id::new(tag, number), to: agent, ..prompt.clone() };
        let (name, descriptor, key) = (AgentName::new("deep").unwrap(), kind.clone(), None);
        let event =
            Event::StartAdmitted { agent, parent, name, descriptor, prompt, key, seed: None };
        world.forest.apply(&event).unwrap();
    }
    let mut query = RosterQuery { scope: Scope::Descendants, limit: Some(50), after: None };
    let mut seen = Vec::new();
    loop {
        let roster = world.forest.roster(world.caller(lead), query).unwrap();
        seen.extend(roster.rows.iter().map(|row| u64::from(row.depth)));
        query.after = roster.next;
        if query.after.is_none() {
            break;
        }
    }
    assert_eq!(seen, (1..DEEP - 1).collect::<Vec<_>>());
}
