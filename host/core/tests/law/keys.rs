//! SEND-2 and TURN-3: a call with a known key gets its first answer again.

use switchboard_core::{
    AgentId, Caller, Code, Command, HostKey, Interruption, Limits, Millis, ReachPolicy, Receipt,
    Stop, Target, TurnEnd,
};

use crate::world::{Came, World};

fn pair() -> (World, AgentId, AgentId) {
    let mut world = World::new();
    let lead = world.root("lead");
    let child = world.child(lead, "reviewer");
    (world, lead, child)
}

#[test]
fn send_2_a_known_key_gets_its_first_receipt_again_and_nothing_is_sent_twice() {
    let (mut world, lead, child) = pair();
    let key = world.key(child, 0);
    let first = world.send_keyed(child, lead, "found one", key).ok();
    assert!(!first.repeated);
    world.pass(Millis(400));
    let again = world.send_keyed(child, lead, "found one", key).ok();
    assert!(again.repeated);
    assert_eq!(Receipt { repeated: false, ..again }, first);
    assert_eq!(world.count("accepted"), 1);
    assert_eq!(world.send(child, lead, "more").ok().budget_left, 1, "repeating takes no token");
}

#[test]
fn send_2_the_same_key_with_another_body_is_an_invalid_argument() {
    let (mut world, lead, child) = pair();
    let key = world.key(child, 0);
    world.send_keyed(child, lead, "found one", key).ok();
    let refusal = world.send_keyed(child, lead, "found two", key).refused();
    assert_eq!(refusal.code, Code::InvalidArgument);
    let other = world.key(child, 1);
    world.send_keyed(child, lead, "found two", other).ok();
}

#[test]
fn send_2_a_key_survives_a_crash_and_a_new_incarnation() {
    let (mut world, lead, child) = pair();
    let key = world.key(child, 0);
    let first = world.send_keyed(child, lead, "found one", key).ok();
    world.crash();
    let early = world.send_keyed(child, lead, "found one", key).ok();
    world.settle();
    let again = world.send_keyed(child, lead, "found one", key).ok();
    assert!(early.repeated && again.repeated);
    assert_eq!((early.message, again.message), (first.message, first.message));
    assert_eq!(world.send_keyed(child, lead, "two", key).refused().code, Code::InvalidArgument);
}

#[test]
fn send_2_a_known_key_is_answered_while_draining_and_while_its_target_is_put_away() {
    let (mut world, lead, child) = pair();
    world.instruct(lead, "go").ok();
    let key = world.key(lead, 0);
    let first = world.send_keyed(lead, child, "look", key).ok();
    world.close(Caller::User, child).ok();
    let again = world.send_keyed(lead, child, "look", key).ok();
    assert_eq!(again.message, first.message);
    let new = HostKey { nth: 1, ..key };
    let ticket = world.send_keyed(lead, child, "new", new).parked();
    world.drain();
    assert_eq!(world.receipt(ticket).refused().code, Code::Draining);
    assert_eq!(world.send_keyed(lead, child, "new", new).refused().code, Code::Draining);
    assert!(world.send_keyed(lead, child, "look", key).ok().repeated);
}

#[test]
fn send_2_one_key_twice_in_the_line_is_accepted_once() {
    let mut world = World::new();
    let lead = world.root("lead");
    world.instruct(lead, "go").ok();
    let child = world.start(lead, "reviewer").ok().agent;
    let key = world.key(lead, 0);
    let one = world.send_keyed(lead, child, "hi", key).parked();
    let two = world.send_keyed(lead, child, "hi", key).parked();
    world.settle();
    let (one, two) = (world.receipt(one).ok(), world.receipt(two).ok());
    assert_eq!(one.message, two.message);
    assert!(!one.repeated && two.repeated);
}

#[test]
fn send_2_the_last_receipts_are_kept_and_older_ones_are_not() {
    let limits = Limits { receipts: 2, bucket: 9, ..Limits::default() };
    let mut world = World::with(limits, ReachPolicy::Direct);
    let lead = world.root("lead");
    let child = world.child(lead, "reviewer");
    let keys = [0, 1, 2].map(|nth| world.key(child, nth));
    let firsts = keys.map(|key| world.send_keyed(child, lead, "hi", key).ok().message);
    for place in [1, 2] {
        let again = world.send_keyed(child, lead, "hi", keys[place]).ok();
        assert_eq!(again.message, firsts[place]);
    }
    assert!(!world.send_keyed(child, lead, "hi", keys[0]).ok().repeated);
}

#[test]
fn send_2_keys_belong_to_the_agent_that_used_them() {
    let (mut world, lead, child) = pair();
    let key = world.key(child, 0);
    world.send_keyed(child, lead, "hi", key).ok();
    assert!(!world.send_keyed(lead, child, "hi", key).ok().repeated);
}

fn interrupt_keyed(
    world: &mut World,
    by: AgentId,
    target: AgentId,
    key: HostKey,
) -> Came<Interruption> {
    let (ticket, caller, target) = (world.ticket(), world.caller(by), Target::Agent(target));
    let (key, turn, cascade, reason) = (Some(key), None, false, None);
    world.act(Command::Interrupt { ticket, caller, key, target, turn, cascade, reason });
    world.interruption(ticket)
}

#[test]
fn turn_3_a_repeated_interrupt_stops_no_later_turn() {
    let (mut world, lead, child) = pair();
    world.instruct(lead, "go").ok();
    let key = world.key(lead, 0);
    let first = interrupt_keyed(&mut world, lead, child, key).ok();
    world.end(child, TurnEnd::Interrupted);
    world.send(lead, child, "now this").ok();
    let again = interrupt_keyed(&mut world, lead, child, key).ok();
    assert_eq!(again, first);
    assert!(!world.known(child).turn.as_ref().unwrap().interrupted);
    let other = HostKey { nth: 1, ..key };
    assert_ne!(interrupt_keyed(&mut world, lead, child, other).ok(), first);
    assert!(world.known(child).turn.as_ref().unwrap().interrupted);
}

#[test]
fn turn_3_an_interrupt_that_found_its_target_idle_is_answered_so_again() {
    let (mut world, lead, child) = pair();
    world.child(child, "helper");
    world.finish(child, "delegated");
    world.instruct(lead, "go").ok();
    let key = world.key(lead, 0);
    let first = interrupt_keyed(&mut world, lead, child, key).ok();
    assert_eq!(first.target.stop, Stop::AlreadyIdle);
    world.send(lead, child, "now this").ok();
    world.crash();
    assert_eq!(interrupt_keyed(&mut world, lead, child, key).ok(), first);
}

#[test]
fn turn_3_a_repeated_start_starts_nobody_and_another_prompt_under_its_key_is_refused() {
    let (mut world, lead, _) = pair();
    world.instruct(lead, "go").ok();
    let key = world.key(lead, 0);
    let first = world.start_keyed(lead, "helper", Some(key)).ok();
    world.crash();
    world.settle();
    let again = world.start_keyed(lead, "helper", Some(key)).ok();
    assert!(again.repeated && !first.repeated);
    assert_eq!((again.agent, again.name), (first.agent, first.name));
    assert_eq!(world.count("start-admitted"), 2);
    let refusal = world.start_keyed(lead, "tester", Some(key)).refused();
    assert_eq!(refusal.code, Code::InvalidArgument);
}

#[test]
fn turn_3_a_key_of_one_kind_of_call_answers_no_other_kind() {
    let (mut world, lead, child) = pair();
    world.instruct(lead, "go").ok();
    let keys = [0, 1, 2].map(|nth| world.key(lead, nth));
    world.send_keyed(lead, child, "hi", keys[0]).ok();
    world.start_keyed(lead, "helper", Some(keys[1])).ok();
    interrupt_keyed(&mut world, lead, child, keys[2]).ok();
    for key in [keys[1], keys[2]] {
        assert_eq!(world.send_keyed(lead, child, "hi", key).refused().code, Code::InvalidArgument);
    }
    for key in [keys[0], keys[2]] {
        let refusal = world.start_keyed(lead, "helper", Some(key)).refused();
        assert_eq!(refusal.code, Code::InvalidArgument);
    }
    for key in [keys[0], keys[1]] {
        let refusal = interrupt_keyed(&mut world, lead, child, key).refused();
        assert_eq!(refusal.code, Code::InvalidArgument);
    }
}

#[test]
fn turn_3_known_keys_of_interrupts_and_starts_are_answered_while_draining() {
    let (mut world, lead, child) = pair();
    world.instruct(lead, "go").ok();
    let keys = [0, 1].map(|nth| world.key(lead, nth));
    let stopped = interrupt_keyed(&mut world, lead, child, keys[0]).ok();
    let started = world.start_keyed(lead, "helper", Some(keys[1])).ok();
    world.drain();
    assert_eq!(interrupt_keyed(&mut world, lead, child, keys[0]).ok(), stopped);
    assert_eq!(world.start_keyed(lead, "helper", Some(keys[1])).ok().agent, started.agent);
    let new = HostKey { nth: 2, ..keys[0] };
    let refusal = interrupt_keyed(&mut world, lead, child, new).refused();
    assert_eq!(refusal.code, Code::Draining);
    assert_eq!(world.start_keyed(lead, "helper", Some(new)).refused().code, Code::Draining);
}

#[test]
fn turn_3_a_key_is_printed_and_read_back_as_turn_step_call_and_number() {
    let (world, _, child) = pair();
    let key = HostKey { step: 4, call: 5, nth: 6, ..world.key(child, 0) };
    assert_eq!(key.to_string(), format!("{}/4/5/6", key.turn));
    assert_eq!(key.to_string().parse(), Ok(key));
    for text in ["", "turn_00007-1/0/0", "agt_00007-1/0/0/0", "turn_00007-1/0/x/0"] {
        assert!(text.parse::<HostKey>().is_err(), "{text}");
    }
}
