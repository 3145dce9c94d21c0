//! SEND-17: what follows from what, and where a chain of messages ends.

use switchboard_core::{
    AgentId, Cause, Code, Limits, Message, MessageId, MessageKind, Notice, ReachPolicy, Receipt,
};

use crate::world::{Came, World};

fn limits(hops: u32) -> Limits {
    Limits { hops, bucket: 1_000, pending: 100, ..Limits::default() }
}

fn pair(hops: u32) -> (World, AgentId, AgentId) {
    let mut world = World::with(limits(hops), ReachPolicy::Family);
    let lead = world.root("lead");
    world.instruct(lead, "go").ok();
    let child = world.child(lead, "reviewer");
    (world, lead, child)
}

fn message(world: &World, id: MessageId) -> Message {
    world.messages().into_iter().find(|message| message.id == id).unwrap()
}

fn cause(world: &World, receipt: &Receipt) -> Option<Cause> {
    message(world, receipt.message).cause
}

/// They write to each other, each when it has read the other, until one is refused.
fn ping_pong(world: &mut World, one: AgentId, other: AgentId) -> (u32, Came<Receipt>) {
    let mut sent = 0;
    let (mut from, mut to) = (one, other);
    loop {
        match world.send(from, to, "and you?") {
            Came::To(_) => sent += 1,
            refused => return (sent, refused),
        }
        world.step_once(to);
        (from, to) = (to, from);
    }
}

#[test]
fn send_17_a_message_follows_from_the_farthest_of_what_its_sender_has_read() {
    let (mut world, lead, child) = pair(128);
    let first = world.messages()[0].id;
    let down = world.send(lead, child, "look").ok();
    assert_eq!(cause(&world, &down), Some(Cause { chain: first, hop: 1 }));
    world.step_once(child);
    let up = world.send(child, lead, "seen").ok();
    assert_eq!(cause(&world, &up), Some(Cause { chain: first, hop: 2 }));
    let before = world.send(lead, child, "wait").ok();
    assert_eq!(cause(&world, &before), Some(Cause { chain: first, hop: 1 }), "not read yet");
    world.step_once(lead);
    let after = world.send(lead, child, "go on").ok();
    assert_eq!(cause(&world, &after), Some(Cause { chain: first, hop: 3 }));
}

#[test]
fn send_17_what_the_person_says_begins_a_new_chain() {
    let (mut world, lead, child) = pair(128);
    world.finish(lead, "done");
    let begun = world.instruct(lead, "again").ok();
    assert_eq!(cause(&world, &begun), None);
    let down = world.send(lead, child, "look").ok();
    assert_eq!(cause(&world, &down), Some(Cause { chain: begun.message, hop: 1 }));
}

#[test]
fn send_17_what_the_host_says_of_an_agent_follows_from_what_that_agent_read() {
    let (mut world, lead, child) = pair(128);
    world.send(lead, child, "look").ok();
    world.finish(child, "done");
    world.settle();
    let settled = world
        .messages()
        .into_iter()
        .find(|message| matches!(message.kind, MessageKind::Notice(Notice::Settled { .. })));
    assert_eq!(settled.unwrap().cause.map(|cause| cause.hop), Some(1));
}

#[test]
fn send_17_the_next_message_of_a_chain_that_is_too_long_is_refused_and_names_it() {
    let (mut world, lead, child) = pair(10);
    world.step_once(child);
    let first = world.messages()[0].id;
    let (sent, last) = ping_pong(&mut world, lead, child);
    assert_eq!(sent, 10);
    let refusal = last.refused();
    assert_eq!(refusal.code, Code::BudgetExhausted);
    assert!(refusal.text.contains(&first.to_string()), "{}", refusal.text);
    assert!(!refusal.code.retry());
    world.finish(lead, "done");
    world.instruct(lead, "again").ok();
    world.send(lead, child, "a new chain").ok();
}

#[test]
fn send_17_a_ring_of_three_gets_no_farther_than_a_pair() {
    let (mut world, lead, one) = pair(9);
    let other = world.child(lead, "tester");
    for child in [one, other] {
        world.step_once(child);
    }
    let ring = [lead, one, other];
    let mut sent = 0;
    let refusal = loop {
        let (from, to) = (ring[sent % 3], ring[(sent + 1) % 3]);
        match world.send(from, to, "pass it on") {
            Came::To(_) => sent += 1,
            other => break other.refused(),
        }
        world.step_once(to);
    };
    assert_eq!((sent, refusal.code), (9, Code::BudgetExhausted));
}

#[test]
fn send_17_from_half_way_on_a_sender_is_told_once_in_a_turn_without_being_woken() {
    let (mut world, lead, child) = pair(10);
    world.step_once(child);
    ping_pong(&mut world, lead, child).1.refused();
    let told = world.messages().into_iter().filter_map(|message| match message.kind {
        MessageKind::Notice(Notice::LongChain { cause, most }) => {
            assert!(!message.wakes);
            Some((message.to, cause.hop, most))
        }
        _ => None,
    });
    assert_eq!(told.collect::<Vec<_>>(), [(lead, 5, 10), (child, 6, 10)]);
}

#[test]
fn send_17_starts_that_fail_again_and_again_are_one_chain() {
    let (mut world, lead, _) = pair(4);
    let mut failed = 0;
    while let Came::To(started) = world.start(lead, "helper") {
        world.fail(started.agent);
        world.step_once(lead);
        failed += 1;
        assert!(failed < 10, "it ends");
    }
    assert_eq!(failed, 4);
}

#[test]
fn send_17_the_person_begins_anew_also_where_something_older_is_read_with_it() {
    let (mut world, lead, child) = pair(3);
    world.step_once(child);
    ping_pong(&mut world, lead, child).1.refused();
    world.finish(lead, "done");
    let begun = world.instruct(lead, "again").ok();
    let down = world.send(lead, child, "look").ok();
    assert_eq!(cause(&world, &down), Some(Cause { chain: begun.message, hop: 1 }));
}

#[test]
fn send_17_nor_does_such_a_chain_start_anybody() {
    let (mut world, lead, child) = pair(1);
    world.step_once(child);
    let refusal = world.start(child, "helper").refused();
    assert_eq!(refusal.code, Code::BudgetExhausted);
    world.start(lead, "helper").ok();
}
