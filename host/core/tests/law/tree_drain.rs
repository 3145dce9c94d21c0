//! DRAIN-1, for exact trees and for chosen children: they are put away for a while, and go on.

use switchboard_core::{
    Activity, Answer, Caller, ClosingCause, Code, DrainedTrees, Event, Life, Timer, TurnEnd, Whom,
};

use crate::world::World;

#[test]
fn drain_1_a_tree_is_put_away_without_a_mark_and_who_is_due_goes_on_behind_it() {
    let mut world = World::new();
    let (lead, other) = (world.root("lead"), world.root("other"));
    let child = world.child(lead, "reviewer");
    world.claim(child);
    let ticket = world.drain_trees(Caller::User, &[lead]).parked();
    world.end(child, TurnEnd::Aborted);
    world.dispose(child);
    assert_eq!(world.orders(), [], "nobody of it goes on while it is under way");
    world.dispose(lead);
    let drained = world.drained(ticket).ok();
    assert_eq!(drained, DrainedTrees { released: vec![child, lead], abandoned: vec![] });
    world.settle();
    assert_eq!(world.claimed(child), ["be a reviewer"], "shown again, and no attempt was lost");
    assert_eq!(world.waiting(lead), ["<settled aborted>"], "which brings nobody back");
    assert_eq!(world.activity(other), Activity::Idle);
    let unmarked = |event: &Event| match event {
        Event::Closing { cause, mark, .. } => (*cause, *mark) == (ClosingCause::Drained, None),
        _ => false,
    };
    assert_eq!(world.log.iter().filter(|event| unmarked(event)).count(), 1);
}

#[test]
fn drain_1_one_that_is_due_goes_before_those_far_above_it() {
    let mut world = World::new();
    let lead = world.root("lead");
    let middle = world.child(lead, "middle");
    let low = world.child(middle, "low");
    world.record(middle, "delegated", vec![]);
    world.close(Caller::User, middle).ok();
    world.end(low, TurnEnd::Aborted);
    world.settle();
    world.instruct(low, "go on").parked();
    world.settle();
    world.claim(low);
    assert_eq!(world.activity(middle), Activity::Absent);
    let ticket = world.drain_trees(Caller::User, &[lead]).parked();
    world.end(low, TurnEnd::Aborted);
    world.dispose(low);
    world.dispose(lead);
    assert_eq!(world.drained(ticket).ok().released, [low, lead]);
}

#[test]
fn drain_1_admission_closes_for_a_tree_alone_at_once_and_for_those_who_wait() {
    let mut world = World::new();
    let (lead, other) = (world.root("lead"), world.root("other"));
    let child = world.child(lead, "reviewer");
    world.claim(child);
    let starting = world.start(child, "helper").ok().agent;
    let waits = world.send(child, starting, "hi").parked();
    world.drain_trees(Caller::User, &[child]).parked();
    assert_eq!(world.receipt(waits).refused().code, Code::Draining);
    assert_eq!(world.send(lead, child, "hi").refused().code, Code::Draining);
    assert_eq!(world.send(child, lead, "hi").refused().code, Code::Draining);
    assert_eq!(world.instruct(child, "hi").refused().code, Code::Draining);
    assert_eq!(world.start(child, "worker").refused().code, Code::Draining);
    assert_eq!(world.ask_to_end(lead, child).refused().code, Code::Draining);
    world.instruct(lead, "hi").ok();
    world.instruct(other, "hi").ok();
    world.start(lead, "worker").ok();
}

#[test]
fn drain_1_who_is_on_its_way_comes_up_first_and_begins_no_turn() {
    let mut world = World::new();
    let lead = world.root("lead");
    let child = world.start(lead, "reviewer").ok().agent;
    let ticket = world.drain_trees(Caller::User, &[lead]).parked();
    assert_eq!(world.count("closing"), 0, "it is awaited");
    world.publish(child);
    assert_eq!(world.count("closing"), 1);
    assert_eq!(world.count("turn-opened"), 0);
    world.dispose(child);
    world.dispose(lead);
    world.drained(ticket).ok();
    world.settle();
    assert_eq!(world.claimed(child), ["be a reviewer"]);
}

#[test]
fn drain_1_who_is_on_its_way_and_fails_is_awaited_no_longer() {
    let mut world = World::new();
    let lead = world.root("lead");
    let child = world.start(lead, "reviewer").ok().agent;
    let ticket = world.drain_trees(Caller::User, &[lead]).parked();
    world.fail(child);
    world.settle();
    assert_eq!(world.drained(ticket).ok().released, [lead]);
    assert_eq!(world.known(child).life, Life::Withdrawn);
    assert_eq!(world.claimed(lead), ["<start failed>"]);
}

#[test]
fn drain_1_chosen_children_are_drained_by_one_above_them_who_is_told_as_of_a_close() {
    let mut world = World::new();
    let lead = world.root("lead");
    let [one, two, stays] = ["one", "two", "three"].map(|kind| world.child(lead, kind));
    let ticket = world.drain_trees(world.caller(lead), &[two, one]).parked();
    world.end(one, TurnEnd::Aborted);
    world.end(two, TurnEnd::Aborted);
    world.settle();
    assert_eq!(world.drained(ticket).ok().released.len(), 2);
    let told = world.messages().iter().map(crate::world::words).collect::<Vec<_>>();
    assert_eq!(told.iter().filter(|words| *words == "<settled aborted>").count(), 2);
    assert_eq!(world.activity(stays), Activity::Running);
}

#[test]
fn drain_1_nobody_drains_what_is_not_below_it_and_then_nothing_is_drained() {
    let mut world = World::new();
    let lead = world.root("lead");
    let (one, two) = (world.child(lead, "one"), world.child(lead, "two"));
    let below = world.child(one, "helper");
    let refused = world.drain_trees(world.caller(one), &[below, two]).refused();
    assert_eq!(refused.code, Code::Unreachable);
    assert_eq!(world.drain_trees(world.caller(one), &[one]).refused().code, Code::Unreachable);
    assert_eq!(world.count("closing"), 0);
}

#[test]
fn drain_1_what_could_not_be_put_away_in_time_is_in_the_answer() {
    let mut world = World::new();
    let lead = world.root("lead");
    let child = world.child(lead, "reviewer");
    let ticket = world.drain_trees(Caller::User, &[child]).parked();
    world.fire(|timer| matches!(timer, Timer::Disposal(..)));
    let drained = world.drained(ticket).ok();
    assert_eq!(drained, DrainedTrees { released: vec![child], abandoned: vec![child] });
}

#[test]
fn drain_1_with_nobody_in_memory_it_is_over_at_once() {
    let mut world = World::new();
    let lead = world.root("lead");
    let child = world.settled_child(lead, "reviewer");
    assert_eq!(world.drain_trees(Caller::User, &[child]).ok(), DrainedTrees::default());
    assert_eq!(world.drain_trees(Caller::User, &[]).ok(), DrainedTrees::default());
}

#[test]
fn drain_1_res_2_one_that_could_not_be_brought_back_is_tried_anew_behind_it_also_after_a_crash() {
    let mut world = World::new();
    let lead = world.root("lead");
    let child = world.child(lead, "reviewer");
    world.drain_trees(Caller::User, &[child]).parked();
    world.end(child, TurnEnd::Aborted);
    world.dispose(child);
    world.fail(child);
    world.drain_trees(Caller::User, &[lead]).parked();
    world.crash();
    world.settle();
    assert_eq!(world.claimed(child), ["be a reviewer"]);
}

#[test]
fn drain_1_two_drains_of_one_tree_end_together() {
    let mut world = World::new();
    let lead = world.root("lead");
    let child = world.child(lead, "reviewer");
    let all = world.drain_trees(Caller::User, &[lead]).parked();
    let part = world.drain_trees(world.caller(lead), &[child]).refused();
    assert_eq!(part.code, Code::ActivationClosing);
    let part = world.drain_trees(Caller::User, &[child, child]).parked();
    world.end(child, TurnEnd::Aborted);
    world.dispose(child);
    assert_eq!(world.drained(part).ok().released, [child]);
    assert_eq!(world.instruct(child, "hi").refused().code, Code::Draining);
    world.dispose(lead);
    assert_eq!(world.drained(all).ok().released, [child, lead]);
}

#[test]
fn drain_1_a_restart_completes_what_was_begun_and_admits_again() {
    let mut world = World::new();
    let lead = world.root("lead");
    let child = world.child(lead, "reviewer");
    world.claim(child);
    world.drain_trees(Caller::User, &[child]).parked();
    world.crash();
    world.settle();
    assert_eq!(world.claimed(child), ["be a reviewer"], "it was put away, and is back");
    world.send(lead, child, "hi").ok();
}

#[test]
fn drain_1_the_drain_of_the_service_wins() {
    let mut world = World::new();
    let lead = world.root("lead");
    let child = world.child(lead, "reviewer");
    let trees = world.drain_trees(Caller::User, &[child]).parked();
    let service = world.drain();
    let refused = world.drained(trees).refused();
    assert_eq!((refused.code, refused.uncertain), (Code::Draining, true));
    assert_eq!(world.drain_trees(Caller::User, &[lead]).refused().code, Code::Draining);
    world.end(child, TurnEnd::Aborted);
    assert_eq!(world.answers[&service], Answer::Drained);
}

#[test]
fn drain_1_pause_1_a_paused_tree_is_drained_and_stays_paused() {
    let mut world = World::new();
    let lead = world.root("lead");
    let child = world.child(lead, "reviewer");
    world.step_once(child);
    world.instruct(child, "next").ok();
    world.pause(Whom::All, true).ok();
    world.boundary(child);
    let ticket = world.drain_trees(Caller::User, &[child]).parked();
    world.settle();
    world.drained(ticket).ok();
    world.settle();
    assert_eq!(world.activity(child), Activity::Absent, "it is due, and paused");
    world.pause(Whom::All, false).ok();
    world.settle();
    assert_eq!(world.claimed(child), ["next"]);
}

#[test]
fn drain_1_one_that_is_to_be_tried_again_is_tried_when_it_is_over() {
    let mut world = World::new();
    let lead = world.root("lead");
    let (child, slow) = (world.settled_child(lead, "reviewer"), world.child(lead, "slow"));
    world.instruct(child, "more").parked();
    world.fail(child);
    world.drain_trees(Caller::User, &[child, slow]).parked();
    world.end(slow, TurnEnd::Aborted);
    world.settle();
    world.instruct(child, "again").parked();
    world.settle();
    assert_eq!(world.claimed(child), ["again"]);
}

#[test]
fn drain_1_a_tree_in_which_agents_are_due_is_put_away_to_its_top() {
    let mut world = World::new();
    let lead = world.root("lead");
    world.instruct(lead, "go").ok();
    let child = world.child(lead, "worker");
    drop(world.drain_trees(Caller::User, &[lead]));
    world.dispose(child);
    world.dispose(lead);
    assert_eq!(world.activity(lead), Activity::Starting, "it is due, and comes back");
    drop(world.drain_trees(Caller::User, &[lead]));
    world.settle();
    for agent in [lead, child] {
        assert_eq!(world.activity(agent), Activity::Running, "put away, and back again");
    }
}

#[test]
fn res_2_one_that_was_to_be_tried_again_is_tried_behind_the_drain() {
    let mut world = World::new();
    let lead = world.root("lead");
    let child = world.child(lead, "worker");
    drop(world.drain_trees(Caller::User, &[child]));
    world.dispose(child);
    world.fail(child);
    drop(world.drain_trees(Caller::User, &[lead]));
    world.crash();
    world.settle();
    assert_eq!(world.activity(child), Activity::Running, "its task waits for it");
}
