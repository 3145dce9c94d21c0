//! Ways to lose, double, forge or wedge something that were tried and once worked.

use switchboard_core::{
    Activity, AgentId, AgentName, Answer, Caller, ClosingCause, Command, Content, Draft, Event,
    HostKey, Id, MessageKind, Millis, Mode, Notice, StartRequest, Target, Ticket, Timer, TurnEnd,
    WaitFor,
};

use crate::world::{World, call, descriptor};

/// A lead and its child, which is up.
fn family() -> (World, AgentId, AgentId) {
    let mut world = World::new();
    let lead = world.root("lead");
    world.instruct(lead, "go").ok();
    let child = world.child(lead, "reviewer");
    (world, lead, child)
}

fn unacknowledged(world: &World, to: AgentId) -> usize {
    let told = world.messages().into_iter().filter(|message| message.to == to);
    told.filter(|message| {
        matches!(message.kind, MessageKind::Notice(Notice::Unacknowledged { .. }))
    })
    .count()
}

#[test]
fn led_2_a_close_or_a_deletion_by_one_that_nobody_admitted_is_left_out() {
    let (mut world, lead, child) = family();
    let key = Some(world.key(lead, 0));
    let by = Some(Id::new(lead.tag(), 99));
    let (subtree, cause) = (vec![child], ClosingCause::Closed);
    let closing = Event::Closing { agent: child, subtree, cause, mark: None, by, key };
    for event in [closing, Event::Deleted { agent: child, by, key }] {
        let unfit = world.forest.apply(&event).unwrap_err();
        assert_eq!(unfit.kind, event.kind());
    }
}

#[test]
fn delete_1_one_deleted_on_its_way_back_is_told_of_what_it_has_not_acknowledged() {
    let (mut world, lead, child) = family();
    let content = Content { acknowledge: true, ..Content::text("look") };
    let draft = Draft { to: Target::Agent(child), content };
    world.send_draft(world.caller(lead), draft, None).ok();
    world.claim(child);
    world.step_once(child);
    world.interrupt_as(Caller::User, child).ok();
    world.end(child, TurnEnd::Interrupted);
    world.settle();
    world.fire(|timer| matches!(timer, Timer::PutAway(agent, _) if *agent == child));
    world.settle();
    assert_eq!(world.activity(child), Activity::Absent);
    assert_eq!(world.known(child).owes.len(), 1);
    assert_eq!(unacknowledged(&world, lead), 0, "it may still be acknowledged");
    let parked = world.send(lead, child, "come back").parked();
    world.delete(world.caller(lead), child).ok();
    world.receipt(parked).refused();
    world.settle();
    assert_eq!(unacknowledged(&world, lead), 1);
    assert!(world.known(child).owes.is_empty());
}

#[test]
fn id_5_a_root_registered_under_a_name_with_a_generation_is_found_again() {
    let mut world = World::new();
    let mut register = || {
        let (ticket, name) = (world.ticket(), AgentName::parse("lead#2").unwrap());
        let descriptor = descriptor("lead", Mode::Root);
        world.act(Command::Register { ticket, name, descriptor });
        match world.answers[&ticket] {
            Answer::Registered(agent) => agent,
            ref other => panic!("{other:?}"),
        }
    };
    assert_eq!(register(), register());
}

/// A lead that waits in its only step for a child in the foreground,.
fn awaited() -> (World, AgentId, AgentId, Ticket) {
    let mut world = World::new();
    let lead = world.root("lead");
    world.instruct(lead, "go").ok();
    world.claim(lead);
    world.record(lead, "", vec![call("subagent")]);
    let key = world.key(lead, 0);
    let request = StartRequest {
        kind: "reviewer".to_owned(),
        descriptor: Some(descriptor("reviewer", Mode::Continuable)),
        prompt: "review".to_owned(),
        background: false,
        fork: false,
    };
    let key = HostKey { step: 0, ..key };
    let child = world.start_request(world.caller(lead), request, Some(key)).ok().agent;
    let (ticket, activation) = (world.ticket(), world.activation(lead));
    let (on, patience) = (WaitFor::Child(child), Millis::seconds(60));
    world.act(Command::Wait { ticket, activation, on, patience });
    (world, lead, child, ticket)
}

#[test]
fn start_1_an_interrupt_between_the_end_of_a_child_and_its_starters_step_loses_no_work() {
    let (mut world, lead, child, ticket) = awaited();
    world.settle();
    world.finish(child, "Found it.");
    world.settle();
    assert!(world.answers.contains_key(&ticket));
    world.interrupt_as(Caller::User, lead).ok();
    world.end(lead, TurnEnd::Interrupted);
    world.settle();
    world.instruct(lead, "and?").ok();
    world.settle();
    let read = world.frames(lead).join("\n");
    assert!(read.contains("Found it."), "{read}");
}

#[test]
fn set_1_what_ends_while_its_starter_is_being_stopped_is_told_once() {
    let (mut world, lead, child, _) = awaited();
    world.settle();
    world.interrupt_as(Caller::User, lead).ok();
    world.finish(child, "Found it.");
    world.settle();
    world.end(lead, TurnEnd::Interrupted);
    world.settle();
    let told = |world: &World| {
        let notices = world.messages().into_iter().filter(|message| message.to == lead);
        notices
            .filter(|message| matches!(message.kind, MessageKind::Notice(Notice::Settled { .. })))
            .count()
    };
    assert_eq!(told(&world), 1);
    world.crash();
    world.settle();
    assert_eq!(told(&world), 1);
}
