//! LED: ledgers that somebody altered. Whatever stands in a record, it is refused or it is
//! harmless.

use switchboard_core::{
    AgentId, AgentName, ClosingCause, DropReason, EndReason, Event, Id, Incarnation, Message,
    Nonce, Sender,
};

use crate::world::{World, descriptor};

/// A lead and its child, which is up.
fn family() -> (World, AgentId, AgentId) {
    let mut world = World::new();
    let lead = world.root("lead");
    let child = world.child(lead, "reviewer");
    (world, lead, child)
}

fn is_refused(world: &mut World, event: Event) {
    let unfit = world.forest.apply(&event).unwrap_err();
    assert_eq!(unfit.kind, event.kind());
}

fn registered(like: AgentId, number: u64) -> Event {
    Event::AgentRegistered {
        agent: Id::new(like.tag(), number),
        name: AgentName::new("newcomer").unwrap(),
        descriptor: descriptor("newcomer", switchboard_core::Mode::Root),
    }
}

/// A message that was accepted, as another agent's.
fn accepted(world: &World) -> Message {
    world.messages().into_iter().find(|message| message.from != Sender::Host).unwrap()
}

#[test]
fn led_2_an_agent_of_an_absurd_number_is_left_out() {
    let (mut world, lead, _) = family();
    is_refused(&mut world, registered(lead, u64::MAX));
    let agent = Id::new(lead.tag(), u64::MAX);
    is_refused(&mut world, Event::Published { agent, incarnation: Incarnation(1) });
}

#[test]
fn led_2_absurd_numbers_do_not_fill_the_memory_however_many_there_are() {
    let (mut world, lead, _) = family();
    for record in 1..=4 {
        is_refused(&mut world, registered(lead, record * 1_000_000));
    }
    assert!(world.forest.agents().count() < 200_000);
}

#[test]
fn led_2_a_message_or_a_turn_of_an_absurd_number_is_left_out_and_uses_up_no_numbers() {
    let (mut world, lead, child) = family();
    let message = Message { id: Id::new(lead.tag(), u64::MAX), ..accepted(&world) };
    is_refused(&mut world, Event::Accepted { message, terms: None });
    let claim = world.claims(child).remove(0);
    let claim = switchboard_core::Claim { nonce: Nonce(1), ..claim };
    let (incarnation, turn) = (Incarnation(1), Id::new(lead.tag(), u64::MAX));
    is_refused(&mut world, Event::TurnOpened { agent: lead, incarnation, turn, claim });
    let last = world.messages().last().unwrap().id.number();
    assert_eq!(world.send(lead, child, "hi").ok().message.number(), last + 1);
}

#[test]
fn led_2_what_an_agent_said_that_nobody_admitted_is_left_out() {
    let (mut world, lead, child) = family();
    let next = Id::new(lead.tag(), child.number() + 1);
    let message = accepted(&world);
    let Sender::Agent { name, relationship, .. } = message.from.clone() else { panic!() };
    let from = Sender::Agent { id: Id::new(lead.tag(), 99), name: name.clone(), relationship };
    let prompt = Message { from: from.clone(), to: next, ..message.clone() };
    let descriptor = descriptor("helper", switchboard_core::Mode::Continuable);
    let (parent, key) = (lead, None);
    is_refused(
        &mut world,
        Event::StartAdmitted { agent: next, parent, name, descriptor, prompt, key, seed: None },
    );
    let notice = Some(Message { from, to: lead, ..message });
    let (incarnation, reason) = (Incarnation(1), EndReason::Completed);
    is_refused(
        &mut world,
        Event::Released { agent: child, incarnation, reason, notice, abandoned: false },
    );
}

#[test]
fn start_1_what_has_been_up_or_has_a_turn_cannot_be_withdrawn() {
    let (mut world, lead, child) = family();
    let starting = world.start(lead, "helper").ok().agent;
    let reason = DropReason::StartFailed;
    for agent in [lead, child] {
        is_refused(&mut world, Event::StartWithdrawn { agent, reason });
    }
    world.plant(Event::StartWithdrawn { agent: starting, reason });
}

#[test]
fn res_2_after_the_last_number_a_stay_can_have_comes_another_one() {
    let (mut world, _, child) = family();
    world.plant(Event::ResumeOrdered { agent: child, incarnation: Incarnation(u32::MAX) });
    world.crash();
    assert!(world.orders().contains(&child));
    assert_ne!(world.known(child).incarnation, Incarnation(u32::MAX));
}

/// Deeper than any limit allows, and than a stack is.
const DEEP: u64 = 50_000;

#[test]
fn res_3_what_follows_for_those_above_does_not_depend_on_how_many_they_are() {
    let (mut world, lead, child) = family();
    let tag = lead.tag();
    let (message, last) = (accepted(&world), world.messages().len() as u64);
    let (name, kind) = (AgentName::new("deep").unwrap(), world.known(child).descriptor.clone());
    let line: Vec<AgentId> = (child.number()..DEEP).map(|number| Id::new(tag, number)).collect();
    for (pair, id) in line.windows(2).zip(last + 1..) {
        let [parent, agent] = *pair else { unreachable!() };
        let (name, descriptor, key) = (name.clone(), kind.clone(), None);
        let prompt = Message { id: Id::new(tag, id), to: agent, ..message.clone() };
        let event =
            Event::StartAdmitted { agent, parent, name, descriptor, prompt, key, seed: None };
        world.forest.apply(&event).unwrap();
    }
    let (agent, subtree, cause) = (line[1], line[1..].to_vec(), ClosingCause::Closed);
    let mark = Some(last + DEEP);
    world
        .forest
        .apply(&Event::Closing { agent, subtree, cause, mark, by: None, key: None })
        .unwrap();
}
