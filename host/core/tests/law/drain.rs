//! DRAIN-1, for the whole service: the host stops, and nothing ends by it.

use switchboard_core::{
    Activity, AgentId, Answer, Caller, CancelCause, Code, LoopAnswer, Timer, TurnEnd,
};

use crate::world::{World, call};

fn working() -> (World, AgentId, AgentId) {
    let mut world = World::new();
    let lead = world.root("lead");
    let child = world.child(lead, "reviewer");
    world.claim(child);
    (world, lead, child)
}

fn go_on(answer: LoopAnswer) -> bool {
    matches!(answer, LoopAnswer::GoOn(_))
}

#[test]
fn drain_1_it_ends_no_turn_and_no_residency_and_sends_no_notice() {
    let (mut world, lead, child) = working();
    world.record(child, "I look", vec![call("look")]);
    let mark = world.log.len();
    let ticket = world.drain();
    assert!(go_on(world.call_done(child, 0)), "a call in flight may finish");
    assert_eq!(world.claim(child), LoopAnswer::Stop);
    world.stop_loop(child);
    assert_eq!(world.answers[&ticket], Answer::Drained);
    let kinds: Vec<&str> = world.log[mark..].iter().map(|event| event.kind()).collect();
    assert_eq!(kinds, ["call-ended"]);
    assert!(world.known(child).turn.is_some());
    assert!(world.waiting(lead).is_empty());
}

#[test]
fn drain_1_admission_closes_at_once_for_everybody_and_for_those_who_wait() {
    let (mut world, lead, child) = working();
    let starting = world.start(lead, "other").ok().agent;
    let ticket = world.send(lead, starting, "hi").parked();
    world.drain();
    assert_eq!(world.receipt(ticket).refused().code, Code::Draining);
    assert_eq!(world.send(child, lead, "hi").refused().code, Code::Draining);
    assert_eq!(world.instruct(lead, "hi").refused().code, Code::Draining);
    assert_eq!(world.start(lead, "more").refused().code, Code::Draining);
    assert_eq!(world.interrupt(lead, child).refused().code, Code::Draining);
    assert_eq!(world.close(Caller::User, child).refused().code, Code::Draining);
}

#[test]
fn drain_1_nothing_new_is_claimed_started_or_recorded() {
    let (mut world, _, child) = working();
    let starting = world.start(child, "helper").ok().agent;
    world.drain();
    world.publish(starting);
    assert!(world.known(starting).turn.is_none(), "it is up, but its turn waits");
    assert_eq!(world.record(child, "too late", vec![]), LoopAnswer::Stop);
    assert_eq!(world.claim(child), LoopAnswer::Stop);
    assert_eq!(world.count("step-recorded"), 0);
}

#[test]
fn drain_1_a_loop_that_fails_because_it_is_stopped_does_not_end_its_turn() {
    let (mut world, _, child) = working();
    world.drain();
    assert_eq!(world.end(child, TurnEnd::Error), LoopAnswer::Stop);
    assert!(world.known(child).turn.is_some());
}

#[test]
fn drain_1_an_interrupted_turn_ends_as_it_would_have() {
    let (mut world, lead, child) = working();
    world.interrupt(lead, child).ok();
    world.drain();
    assert_eq!(world.end(child, TurnEnd::Error), LoopAnswer::TurnOver(TurnEnd::Interrupted));
}

#[test]
fn drain_1_loops_are_told_to_stop_and_after_their_time_to_stop_now() {
    let (mut world, _, child) = working();
    let ticket = world.drain();
    assert_eq!(world.cancels(), [(child, CancelCause::Draining)]);
    world.fire(|timer| *timer == Timer::Drain);
    assert_eq!(world.cancels(), [(child, CancelCause::Draining), (child, CancelCause::DrainOver)]);
    assert!(!world.answers.contains_key(&ticket), "its loop still runs");
    world.stop_loop(child);
    assert_eq!(world.answers[&ticket], Answer::Drained);
}

#[test]
fn drain_1_all_who_wait_for_it_are_answered_and_with_nothing_running_at_once() {
    let (mut world, _, child) = working();
    let tickets = [world.drain(), world.drain()];
    assert_eq!(world.cancels().len(), 1, "told once");
    world.stop_loop(child);
    let late = world.drain();
    for ticket in [tickets[0], tickets[1], late] {
        assert_eq!(world.answers[&ticket], Answer::Drained);
    }
}

#[test]
fn drain_1_after_the_restart_the_turn_goes_on_with_its_claim() {
    let (mut world, _, child) = working();
    let turn = world.activation(child).turn;
    world.drain();
    world.stop_loop(child);
    assert_eq!(world.waiting(child), ["be a reviewer"]);
    world.crash();
    world.settle();
    assert_eq!(world.activation(child).turn, turn);
    world.claim(child);
    assert_eq!(world.claimed(child), ["be a reviewer"]);
    world.record(child, "done", vec![]);
}

#[test]
fn drain_1_a_call_without_a_result_is_in_flight_again_after_the_restart() {
    let (mut world, _, child) = working();
    world.record(child, "I look", vec![call("look"), call("send_message")]);
    world.drain();
    world.call_done(child, 0);
    world.stop_loop(child);
    world.crash();
    let left: Vec<String> = world
        .known(child)
        .turn
        .as_ref()
        .unwrap()
        .in_flight()
        .map(|(_, call)| call.tool.clone())
        .collect();
    assert_eq!(left, ["send_message"]);
}

#[test]
fn drain_1_who_came_to_rest_while_the_host_stopped_settles_after_the_restart() {
    let (mut world, lead, child) = working();
    let below = world.child(child, "helper");
    world.step_once(below);
    world.record(child, "delegated", vec![]);
    world.finish(below, "done");
    world.drain();
    world.settle();
    world.crash();
    world.settle();
    world.finish(child, "read it");
    world.settle();
    assert_eq!(world.activity(child), Activity::Absent);
    assert_eq!(world.claimed(lead), ["<settled completed>"]);
}
