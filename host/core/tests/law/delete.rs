//! DELETE: gone for good. And the names that are free then (ID-5).

use switchboard_core::{
    Activity, Afterwards, AgentId, AgentName, Caller, Code, Command, Content, Draft, MessageKind,
    Millis, NameError, Notice, Relation, RosterQuery, Scope, Target, Timer, TurnEnd,
};

use crate::world::World;

fn settled(world: &World) -> Vec<(AgentId, bool)> {
    let notices = world.messages().into_iter().filter_map(|message| match message.kind {
        MessageKind::Notice(Notice::Settled { child, afterwards, .. }) => {
            Some((child, afterwards == Afterwards::Deleted))
        }
        _ => None,
    });
    notices.collect()
}

/// A lead with a child that works and has a child itself.
fn three() -> (World, [AgentId; 3]) {
    let mut world = World::new();
    let lead = world.root("lead");
    let child = world.child(lead, "reviewer");
    let below = world.child(child, "helper");
    (world, [lead, child, below])
}

#[test]
fn delete_1_what_is_below_goes_too_and_whatever_is_in_memory_is_put_away() {
    let (mut world, [lead, child, below]) = three();
    world.step_once(child);
    let deleted = world.delete(world.caller(lead), child).ok();
    assert_eq!((deleted.below, deleted.was, deleted.repeated), (1, Activity::Running, false));
    assert_eq!(world.activity(below), Activity::Closing);
    world.end(below, TurnEnd::Aborted);
    world.end(child, TurnEnd::Aborted);
    world.settle();
    assert_eq!(world.activity(child), Activity::Absent);
    assert_eq!(settled(&world), [(child, true)], "one notice, and none to the deleted parent");
    assert!(world.forest.agents().any(|agent| agent.id == below), "its record is kept");
}

#[test]
fn delete_1_it_is_gone_at_once_for_everybody_though_it_may_still_be_on_its_way_out() {
    let (mut world, [lead, child, below]) = three();
    world.step_once(child);
    world.delete(world.caller(lead), child).ok();
    assert_eq!(world.activity(child), Activity::Closing);
    let refused = world.send(lead, child, "hello?").refused();
    assert_eq!(refused.code, Code::Deleted);
    assert!(refused.text.contains("reviewer is deleted"), "{}", refused.text);
    assert_eq!(world.interrupt(lead, child).refused().code, Code::Deleted);
    assert_eq!(world.close(world.caller(lead), child).refused().code, Code::Deleted);
    assert_eq!(world.close(world.caller(lead), below).refused().code, Code::Deleted);
    let look = world.forest.observed(world.caller(lead), &Target::Agent(child));
    assert_eq!(look.unwrap_err().code, Code::Deleted);
    let query = RosterQuery { scope: Scope::Reachable, limit: None, after: None };
    let roster = world.forest.roster(world.caller(lead), query).unwrap();
    assert!(roster.rows.is_empty(), "{roster:?}");
}

#[test]
fn delete_1_those_who_may_not_reach_it_are_not_told_that_it_was_there() {
    let (mut world, [lead, child, _]) = three();
    let sibling = world.child(lead, "other");
    world.delete(world.caller(lead), child).ok();
    assert_eq!(world.send(sibling, child, "hello?").refused().code, Code::Unreachable);
    let caller = world.caller(sibling);
    assert_eq!(world.delete(caller, child).refused().code, Code::Unreachable);
}

#[test]
fn delete_1_is_for_those_above_and_the_person_alone() {
    let (mut world, [lead, child, below]) = three();
    for (by, target) in [(below, child), (child, lead), (child, child)] {
        let caller = world.caller(by);
        assert_eq!(world.delete(caller, target).refused().code, Code::Unreachable);
    }
    let caller = world.caller(lead);
    assert_eq!(world.delete(caller, below).ok().agent, below);
    assert_eq!(world.delete(Caller::User, child).ok().agent, child);
}

#[test]
fn delete_1_again_changes_nothing() {
    let (mut world, [lead, child, _]) = three();
    world.delete(world.caller(lead), child).ok();
    let events = world.log.len();
    assert!(world.delete(world.caller(lead), child).ok().repeated);
    assert!(world.delete(Caller::User, child).ok().repeated);
    assert_eq!(world.log.len(), events);
}

#[test]
fn delete_1_mail_that_waits_is_dropped_and_its_senders_are_told() {
    let mut world = World::new();
    let lead = world.root("lead");
    let child = world.child(lead, "reviewer");
    world.step_once(child);
    world.send(lead, child, "unread").ok();
    world.delete(world.caller(lead), child).ok();
    assert!(world.waiting(child).is_empty());
    world.end(child, TurnEnd::Aborted);
    world.settle();
    world.claim(lead);
    let read = world.frames(lead).join("\n");
    assert!(read.contains("was dropped: its reader is deleted"), "{read}");
    assert!(read.contains("It is deleted and cannot be written to any more."), "{read}");
}

#[test]
fn delete_1_what_it_had_claimed_goes_with_it() {
    let mut world = World::new();
    let lead = world.root("lead");
    let child = world.child(lead, "reviewer");
    world.claim(child);
    world.delete(world.caller(lead), child).ok();
    world.end(child, TurnEnd::Aborted);
    world.settle();
    assert!(world.waiting(child).is_empty());
    world.crash();
    world.settle();
    assert_eq!(world.activity(child), Activity::Absent, "nothing brings it back");
}

#[test]
fn delete_1_a_crash_on_its_way_out_brings_nothing_back() {
    let (mut world, [lead, child, below]) = three();
    world.claim(child);
    world.claim(below);
    world.delete(world.caller(lead), child).ok();
    world.crash();
    world.settle();
    for agent in [child, below] {
        assert_eq!(world.activity(agent), Activity::Absent);
        assert!(world.waiting(agent).is_empty() && world.known(agent).turn.is_none());
    }
    assert_eq!(settled(&world), [(child, true)]);
}

#[test]
fn delete_1_sends_that_wait_for_it_are_refused_at_once() {
    let mut world = World::new();
    let lead = world.root("lead");
    let child = world.settled_child(lead, "reviewer");
    let parked = world.send(lead, child, "come back").parked();
    world.delete(world.caller(lead), child).ok();
    assert_eq!(world.receipt(parked).refused().code, Code::Deleted);
    world.settle();
    assert_eq!(world.activity(child), Activity::Absent, "what came up late is put away");
}

#[test]
fn delete_1_one_that_is_still_starting_never_comes_up() {
    let mut world = World::new();
    let lead = world.root("lead");
    let child = world.start(lead, "reviewer").ok().agent;
    world.delete(world.caller(lead), child).ok();
    world.settle();
    assert_eq!(world.activity(child), Activity::Absent);
    assert!(world.waiting(child).is_empty(), "its task is dropped");
    assert!(world.known(lead).children.is_empty());
}

#[test]
fn delete_1_nothing_that_comes_late_brings_it_back() {
    let mut world = World::new();
    let lead = world.root("lead");
    let child = world.settled_child(lead, "reviewer");
    world.delete(world.caller(lead), child).ok();
    world.fire(|timer| matches!(timer, Timer::Rebuild(..) | Timer::Publication(..)));
    assert!(world.orders().is_empty());
    let everyone = world.send_to_many(lead, Target::Everyone, "anybody?", None).refused();
    assert_eq!(everyone.code, Code::Unreachable);
}

#[test]
fn fate_4_an_acknowledgement_for_one_that_is_deleted_goes_nowhere() {
    let mut world = World::with(Default::default(), switchboard_core::ReachPolicy::Family);
    let lead = world.root("lead");
    let (one, two) = (world.child(lead, "one"), world.child(lead, "two"));
    let content = Content { acknowledge: true, ..Content::text("sure?") };
    let caller = world.caller(one);
    let sent =
        world.send_draft(caller, Draft { to: Target::Agent(two), content }, None).ok().message;
    world.step_once(two);
    world.delete(Caller::User, one).ok();
    let (caller, ticket) = (world.caller(two), world.ticket());
    world.act(Command::Acknowledge { ticket, caller, key: None, message: sent, note: None });
    assert_eq!(world.receipt(ticket).refused().code, Code::Deleted);
}

#[test]
fn id_5_a_name_that_is_used_again_has_a_new_generation_and_the_old_one_is_stale() {
    let mut world = World::new();
    let lead = world.root("lead");
    let first = world.settled_child(lead, "reviewer");
    world.delete(world.caller(lead), first).ok();
    let gone = world.say(lead, "reviewer", "you?").refused();
    assert_eq!(gone.code, Code::Deleted, "nobody has the name now");
    let second = world.child(lead, "reviewer");
    assert_eq!(world.known(second).name.as_str(), "reviewer#2");
    for to in ["reviewer", "child:reviewer", " Reviewer "] {
        let stale = world.say(lead, to, "you?").refused();
        assert_eq!(stale.code, Code::StaleName, "{to}");
        assert_eq!(stale.candidates[0].address, "reviewer#2");
    }
    let member = Target::Member(Relation::Child, Some("reviewer".into()));
    assert_eq!(
        world.send_as(world.caller(lead), member, "you?", None).refused().code,
        Code::StaleName
    );
    let receipt = world.say(lead, "reviewer#2", "you").ok();
    assert_eq!((receipt.to, receipt.name.as_str()), (second, "reviewer#2"));
}

#[test]
fn id_5_generations_go_on_and_are_kept_over_a_crash() {
    let mut world = World::new();
    let lead = world.root("lead");
    for generation in 1..4 {
        let child = world.child(lead, "reviewer");
        let name = world.known(child).name.clone();
        let wanted = if generation == 1 { String::new() } else { format!("#{generation}") };
        assert_eq!(name.as_str(), format!("reviewer{wanted}"));
        world.delete(Caller::User, child).ok();
        world.crash();
        world.settle();
        world.pass(Millis::seconds(5));
    }
    let stale = world.say(lead, "reviewer#2", "you?").refused();
    assert_eq!(stale.code, Code::Deleted);
}

#[test]
fn id_5_a_pattern_means_those_that_are_there_in_whichever_generation() {
    let mut world = World::new();
    let lead = world.root("lead");
    let first = world.settled_child(lead, "reviewer");
    world.delete(world.caller(lead), first).ok();
    let second = world.child(lead, "reviewer");
    let all = world.send_to_many(lead, Target::Spoken("reviewe?".into()), "all", None).ok();
    assert_eq!(all.iter().map(|one| one.to).collect::<Vec<_>>(), [second]);
}

#[test]
fn id_5_deleting_by_a_name_that_another_has_now_does_not_touch_the_other() {
    let mut world = World::new();
    let lead = world.root("lead");
    let first = world.settled_child(lead, "reviewer");
    let caller = world.caller(lead);
    world.delete(caller, first).ok();
    let second = world.child(lead, "reviewer");
    let by_name = Target::Spoken("reviewer".into());
    assert_eq!(world.delete_at(caller, by_name, None).ok().agent, first);
    assert!(!world.known(second).deleted);
}

#[test]
fn id_5_a_root_that_is_deleted_comes_back_as_another() {
    let mut world = World::new();
    let first = world.root("lead");
    world.delete(Caller::User, first).ok();
    world.settle();
    let second = world.root("lead");
    assert_ne!(first, second);
    assert_eq!(world.known(second).name.as_str(), "lead#2");
    assert_eq!(world.root("lead"), second, "a host program finds it by its name");
}

#[test]
fn id_5_a_generation_is_written_in_one_way() {
    for bad in ["lead#", "lead#0", "lead#1", "lead#02", "lead#+2", "lead#2#3", "#2", "parent#2"] {
        assert!(AgentName::parse(bad).is_err(), "{bad}");
    }
    assert!(matches!(AgentName::new("lead#2"), Err(NameError::Malformed(_))));
    assert_eq!(AgentName::parse("Lead#12").unwrap().stem(), "lead");
}
