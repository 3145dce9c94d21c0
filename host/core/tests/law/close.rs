//! CLOSE: put away on purpose, and staying so.

use switchboard_core::{
    Activity, Afterwards, Caller, Code, EndReason, Event, MessageKind, Notice, TurnEnd,
};

use crate::world::World;

#[test]
fn close_1_a_closed_child_stays_away_until_something_new_comes() {
    let mut world = World::new();
    let lead = world.root("lead");
    let child = world.child(lead, "reviewer");
    world.step_once(child);
    world.send(lead, child, "unread").ok();
    world.close(Caller::User, child).ok();
    world.end(child, TurnEnd::Aborted);
    world.settle();
    assert_eq!(world.activity(child), Activity::Absent);
    assert_eq!(world.waiting(child), ["unread"]);
    assert_eq!(world.claimed(lead), ["<settled aborted>"]);
    let ticket = world.send(lead, child, "new").parked();
    world.settle();
    world.receipt(ticket).ok();
    assert_eq!(world.claimed(child), ["unread", "new"]);
}

#[test]
fn close_1_the_answer_says_what_it_was_doing_and_how_many_go_with_it() {
    let mut world = World::new();
    let lead = world.root("lead");
    let child = world.child(lead, "reviewer");
    let below = world.child(child, "helper");
    world.step_once(child);
    let closed = world.close(world.caller(lead), child).ok();
    assert_eq!((closed.agent, closed.name.as_str(), closed.below), (child, "reviewer", 1));
    assert_eq!(closed.was, Activity::Running);
    assert_eq!(world.activity(below), Activity::Closing);
}

#[test]
fn close_1_an_absent_agent_keeps_the_mark_and_is_not_brought_back_by_what_waits() {
    let mut world = World::new();
    let lead = world.root("lead");
    let child = world.settled_child(lead, "reviewer");
    assert_eq!(world.close(world.caller(lead), child).ok().was, Activity::Absent);
    world.crash();
    world.settle();
    assert_eq!(world.activity(child), Activity::Absent);
}

#[test]
fn turn_3_a_repeated_close_gets_its_first_answer_also_after_a_crash() {
    let mut world = World::new();
    let lead = world.root("lead");
    let child = world.child(lead, "reviewer");
    world.instruct(lead, "see to it").ok();
    let key = world.key(lead, 0);
    let first = world.close_keyed(world.caller(lead), child, Some(key)).ok();
    world.end(child, TurnEnd::Aborted);
    world.settle();
    world.crash();
    world.settle();
    let again = world.close_keyed(world.caller(lead), child, Some(key)).ok();
    assert!(again.repeated);
    assert_eq!(again.was, first.was, "the first answer, not a new look");
    let closings = |event: &&Event| matches!(event, Event::Closing { by: Some(_), .. });
    assert_eq!(world.log.iter().filter(closings).count(), 1);
}

#[test]
fn turn_3_a_key_of_a_close_is_no_key_for_a_delete() {
    let mut world = World::new();
    let lead = world.root("lead");
    let child = world.child(lead, "reviewer");
    world.instruct(lead, "see to it").ok();
    let key = world.key(lead, 0);
    world.close_keyed(world.caller(lead), child, Some(key)).ok();
    let target = switchboard_core::Target::Agent(child);
    let refused = world.delete_at(world.caller(lead), target, Some(key)).refused();
    assert_eq!(refused.code, Code::InvalidArgument);
}

#[test]
fn set_1_a_close_is_no_success() {
    let mut world = World::new();
    let lead = world.root("lead");
    let child = world.child(lead, "reviewer");
    world.step_once(child);
    world.close(Caller::User, child).ok();
    world.end(child, TurnEnd::Aborted);
    world.settle();
    let told = world.messages().into_iter().find_map(|message| match message.kind {
        MessageKind::Notice(Notice::Settled { reason, afterwards, .. }) => {
            Some((reason, afterwards))
        }
        _ => None,
    });
    assert_eq!(told, Some((EndReason::Aborted, Afterwards::Stored)));
}
