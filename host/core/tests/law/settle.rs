//! RES and SET: coming to rest, being put away, and what the parent is told.

use switchboard_core::{Activity, Incarnation, Timer, TurnEnd};

use crate::world::World;

#[test]
fn set_1_a_child_that_comes_to_rest_is_put_away_and_its_parent_told_once_with_its_closing_text() {
    let mut world = World::new();
    let lead = world.root("lead");
    let child = world.child(lead, "reviewer");
    world.finish(child, "all is well");
    world.settle();
    assert_eq!(world.activity(child), Activity::Absent);
    assert_eq!(world.claimed(lead), ["<settled completed>"]);
}

#[test]
fn res_1_a_message_brings_a_child_back_under_a_higher_incarnation_and_it_settles_again() {
    let mut world = World::new();
    let lead = world.root("lead");
    let child = world.child(lead, "reviewer");
    world.finish(child, "done");
    world.settle();
    let ticket = world.send(lead, child, "one more thing").parked();
    world.settle();
    world.receipt(ticket).ok();
    assert_eq!(world.forest.agent(child).unwrap().incarnation, Incarnation(2));
    assert_eq!(world.claimed(child), ["one more thing"]);
    world.finish(child, "that too");
    world.settle();
    assert_eq!(world.waiting(lead), ["<settled completed>"]);
}

#[test]
fn del_4_a_report_is_seen_before_the_settlement_notice() {
    let mut world = World::new();
    let lead = world.root("lead");
    let child = world.child(lead, "reviewer");
    world.instruct(lead, "go").ok();
    world.step_once(lead);
    world.send(child, lead, "report").ok();
    world.finish(child, "bye");
    world.settle();
    world.claim(lead);
    assert_eq!(world.claimed(lead), ["report", "<settled completed>"]);
}

#[test]
fn res_3_a_parent_waits_while_a_child_works_and_settles_after_it() {
    let mut world = World::new();
    let lead = world.root("lead");
    let child = world.child(lead, "reviewer");
    let below = world.child(child, "helper");
    world.finish(child, "delegated");
    assert_eq!(world.activity(child), Activity::Waiting);
    world.finish(below, "helped");
    world.settle();
    assert_eq!(world.claimed(child), ["<settled completed>"]);
    world.finish(child, "now I am done");
    world.settle();
    assert_eq!(world.activity(child), Activity::Absent);
}

#[test]
fn res_3_a_parked_child_is_put_away_after_a_while_without_notice_and_keeps_its_mark() {
    let mut world = World::new();
    let lead = world.root("lead");
    let child = world.child(lead, "reviewer");
    world.claim(child);
    world.interrupt(lead, child).ok();
    world.end(child, TurnEnd::Interrupted);
    world.fire(|timer| matches!(timer, Timer::PutAway(..)));
    world.settle();
    assert_eq!(world.activity(child), Activity::Absent);
    assert!(world.waiting(lead).iter().all(|notice| notice.starts_with("<fates")));
    let ticket = world.send(lead, child, "go on").parked();
    world.settle();
    world.receipt(ticket).ok();
    assert_eq!(world.claimed(child), ["go on"]);
}

#[test]
fn turn_3_after_a_crash_a_claim_without_a_step_is_shown_again() {
    let mut world = World::new();
    let lead = world.root("lead");
    let child = world.child(lead, "reviewer");
    world.claim(child);
    world.crash();
    world.settle();
    world.claim(child);
    assert_eq!(world.claimed(child), ["be a reviewer"]);
    world.finish(child, "done");
    world.settle();
    assert_eq!(world.claimed(lead), ["<settled completed>"]);
}
