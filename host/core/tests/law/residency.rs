//! RES-1 to RES-4: cold resume, rest and disposal.

use switchboard_core::{
    Activity, AgentId, Caller, Code, Command, Event, Incarnation, Life, Millis, Timer, TurnEnd,
};

use crate::world::World;

/// A root and three levels below it, each in its first turn.
fn tower() -> (World, [AgentId; 4]) {
    let mut world = World::new();
    let lead = world.root("lead");
    let top = world.child(lead, "top");
    let middle = world.child(top, "middle");
    let low = world.child(middle, "low");
    for agent in [top, middle, low] {
        world.step_once(agent);
    }
    (world, [lead, top, middle, low])
}

fn park(world: &mut World, agent: AgentId) {
    world.interrupt_as(Caller::User, agent).ok();
    world.end(agent, TurnEnd::Interrupted);
}

fn released(world: &World) -> Vec<AgentId> {
    let released = world.log.iter().filter_map(|event| match event {
        Event::Released { agent, .. } => Some(*agent),
        _ => None,
    });
    released.collect()
}

#[test]
fn res_1_a_resumed_agent_is_what_it_was_and_its_parent_is_not_asked() {
    let mut world = World::new();
    let lead = world.root("lead");
    let child = world.settled_child(lead, "reviewer");
    let before = world.known(child).clone();
    world.bring_back(child);
    let after = world.known(child);
    assert_eq!(after.descriptor, before.descriptor);
    assert_eq!((after.depth, after.parent, &after.name), (1, Some(lead), &before.name));
    assert!(world.known(lead).turn.is_none());
}

#[test]
fn res_2_resumes_of_one_agent_at_once_are_one() {
    let mut world = World::new();
    let lead = world.root("lead");
    let child = world.settled_child(lead, "reviewer");
    let tickets = ["a", "b", "c"].map(|words| world.send(lead, child, words).parked());
    world.instruct(child, "d").parked();
    assert_eq!(world.orders(), [child]);
    assert_eq!(world.count("resume-ordered"), 1);
    world.settle();
    for ticket in tickets {
        world.receipt(ticket).ok();
    }
}

#[test]
fn res_2_a_failed_resume_leaves_no_activation_and_fails_only_the_sends_that_waited() {
    let mut world = World::new();
    let lead = world.root("lead");
    let child = world.settled_child(lead, "reviewer");
    let other = world.start(lead, "other").ok().agent;
    let failed = world.send(lead, child, "again").parked();
    let waits = world.send(lead, other, "hi").parked();
    world.fail(child);
    let refusal = world.receipt(failed).refused();
    assert_eq!(refusal.code, Code::StartFailed);
    assert!(refusal.code.retry() && refusal.retry_after.is_some());
    assert_eq!(world.known(child).life, Life::Absent);
    world.publish(other);
    world.receipt(waits).ok();
    let ticket = world.send(lead, child, "once more").parked();
    world.publish(child);
    world.receipt(ticket).ok();
    assert_eq!(world.known(child).failed_rebuilds, 0, "success counts from the start again");
}

#[test]
fn res_2_one_that_cannot_be_rebuilt_three_times_gives_up_mail_turn_and_stay_with_a_notice() {
    let mut world = World::new();
    let lead = world.root("lead");
    let child = world.child(lead, "reviewer");
    world.step_once(child);
    world.send(lead, child, "unread").ok();
    world.crash();
    world.publish(lead);
    for backoff in [250, 500] {
        world.fail(child);
        let rebuild = |timer: &Timer| matches!(timer, Timer::Rebuild(agent, _) if *agent == child);
        let set: Vec<Millis> =
            world.timers().iter().filter(|(timer, _)| rebuild(timer)).map(|set| set.1).collect();
        assert_eq!(set, [Millis(backoff)]);
        assert!(world.known(child).is_live(), "a failure alone ends no residency");
        world.fire(rebuild);
    }
    world.fail(child);
    assert!(matches!(
        world.log.iter().find(|event| event.kind() == "turn-ended"),
        Some(Event::TurnEnded { end: TurnEnd::Error, .. })
    ));
    world.settle();
    assert_eq!(world.waiting(child), [""; 0]);
    assert_eq!(world.activity(child), Activity::Absent);
    assert_eq!(world.known(child).failed_rebuilds, 0);
    assert_eq!(world.claimed(lead), ["<fates 1>", "<settled error>"]);
    let ticket = world.send(lead, child, "try again").parked();
    world.settle();
    world.receipt(ticket).ok();
}

#[test]
fn res_2_bringing_up_that_takes_too_long_is_a_failure_and_the_late_one_is_put_away() {
    let mut world = World::new();
    let lead = world.root("lead");
    let child = world.settled_child(lead, "reviewer");
    world.effects.clear();
    let ticket = world.send(lead, child, "again").parked();
    world.fire(|timer| matches!(timer, Timer::Publication(..)));
    assert_eq!(world.receipt(ticket).refused().code, Code::StartFailed);
    assert_eq!(world.disposals(), [child], "what may still be on its way is not wanted");
    world.publish(child);
    assert_eq!(world.known(child).life, Life::Absent);
    assert_eq!(world.disposals(), [child, child]);
}

#[test]
fn res_2_a_live_one_whose_rebuild_took_too_long_is_put_away_when_it_comes_up_late() {
    let mut world = World::new();
    let lead = world.root("lead");
    let child = world.child(lead, "reviewer");
    world.crash();
    let too_long = |timer: &Timer| matches!(timer, Timer::Publication(agent, _) if *agent == child);
    world.fire(too_long);
    world.publish(child);
    assert!(!world.known(child).is_up(), "its loop would have been put away under it");
    assert_eq!(world.disposals(), [child, child]);
    let incarnation = world.known(child).incarnation;
    let why = "the late one failed, too".to_owned();
    world.act(Command::MaterialiseFailed { agent: child, incarnation, why });
    assert_eq!(world.known(child).failed_rebuilds, 1, "it failed once");
    world.fire(|timer| matches!(timer, Timer::Rebuild(agent, _) if *agent == child));
    world.publish(child);
    assert!(world.known(child).is_up());
}

#[test]
fn res_2_a_retry_of_an_older_stay_does_nothing() {
    let mut world = World::new();
    let lead = world.root("lead");
    let child = world.child(lead, "reviewer");
    world.crash();
    world.fail(child);
    world.fire(|timer| matches!(timer, Timer::Rebuild(..)));
    let before = world.log.len();
    world.act(Command::Timer(Timer::Rebuild(child, Incarnation(2))));
    assert_eq!(world.log.len(), before);
}

#[test]
fn turn_4_an_interrupted_turn_whose_agent_is_abandoned_ends_as_interrupted() {
    let mut world = World::new();
    let lead = world.root("lead");
    let child = world.child(lead, "stuck");
    world.interrupt_as(Caller::User, child).ok();
    world.close(Caller::User, child).ok();
    world.fire(|timer| matches!(timer, Timer::Disposal(agent, _) if *agent == child));
    let ended = world.log.iter().find(|event| event.kind() == "turn-ended");
    assert!(matches!(ended, Some(Event::TurnEnded { end: TurnEnd::Interrupted, .. })), "{ended:?}");
}

#[test]
fn res_3_running_waiting_parked_and_settled_are_told_apart() {
    let (mut world, [lead, top, middle, low]) = tower();
    assert_eq!(world.activity(top), Activity::Running);
    world.finish(middle, "delegated");
    assert_eq!(world.activity(middle), Activity::Waiting);
    park(&mut world, low);
    world.settle();
    assert_eq!(world.activity(middle), Activity::Absent, "a parked child keeps nobody waiting");
    assert_eq!(world.activity(low), Activity::Absent, "and is put away with its parent");
    assert_eq!(world.waiting(middle), ["<interrupted>"], "without a notice of settling");
    assert_eq!(world.activity(lead), Activity::Waiting);
    world.finish(top, "done");
    world.settle();
    assert_eq!(world.activity(top), Activity::Absent);
    world.finish(lead, "read");
    assert_eq!(world.activity(lead), Activity::Idle, "a root never settles");
}

#[test]
fn res_3_waiting_outranks_parked() {
    let (mut world, [_, top, middle, low]) = tower();
    park(&mut world, middle);
    assert_eq!(world.activity(middle), Activity::Waiting);
    world.finish(top, "delegated");
    assert_eq!(world.activity(top), Activity::Waiting, "someone far below still works");
    world.finish(low, "done");
    world.settle();
    assert_eq!(world.waiting(middle).last().unwrap(), "<settled completed>");
    assert_eq!(world.activity(middle), Activity::Absent, "put away with its settled parent");
    assert_eq!(world.activity(top), Activity::Absent);
}

#[test]
fn res_3_a_starting_descendant_keeps_those_above_it_waiting() {
    let mut world = World::new();
    let lead = world.root("lead");
    let top = world.child(lead, "top");
    let below = world.start(top, "helper").ok().agent;
    world.finish(top, "delegated");
    assert_eq!(world.activity(top), Activity::Waiting);
    world.fail(below);
    assert_eq!(world.claimed(top), ["<start failed>"], "its notice is a turn of its own");
    world.finish(top, "done");
    world.settle();
    assert_eq!(world.activity(top), Activity::Absent);
}

#[test]
fn res_3_a_child_being_brought_back_keeps_its_parent_waiting() {
    let mut world = World::new();
    let lead = world.root("lead");
    let top = world.child(lead, "top");
    let below = world.settled_child(top, "helper");
    world.settle();
    world.bring_back(top);
    let ticket = world.send(top, below, "again").parked();
    world.finish(top, "delegated");
    assert_eq!(world.activity(top), Activity::Waiting);
    world.settle();
    world.receipt(ticket).ok();
    assert_eq!(world.activity(top), Activity::Waiting);
}

#[test]
fn res_3_work_below_one_who_is_only_stored_keeps_those_above_waiting() {
    let (mut world, [_, top, middle, low]) = tower();
    world.finish(low, "done");
    world.settle();
    world.finish(middle, "done");
    world.settle();
    world.bring_back(low);
    world.finish(top, "delegated");
    assert_eq!(world.activity(middle), Activity::Absent);
    assert_eq!(world.activity(top), Activity::Waiting);
    world.finish(low, "done again");
    world.settle();
    assert_eq!(world.activity(top), Activity::Absent);
}

#[test]
fn res_3_settling_opens_disposal_in_the_transition_that_ends_the_last_work() {
    let mut world = World::new();
    let lead = world.root("lead");
    let child = world.child(lead, "reviewer");
    let batches = world.batches.len();
    world.claim(child);
    let mark = world.log.len();
    world.record(child, "done", vec![]);
    let kinds: Vec<&str> = world.log[mark..].iter().map(Event::kind).collect();
    assert_eq!(kinds, ["step-recorded", "turn-ended", "closing"]);
    assert_eq!(world.batches.len(), batches + 2);
}

#[test]
fn res_3_a_parked_agent_is_put_away_fifteen_minutes_after_its_latest_park() {
    let mut world = World::new();
    let lead = world.root("lead");
    let child = world.child(lead, "reviewer");
    world.step_once(child);
    park(&mut world, child);
    world.pass(Millis::minutes(14));
    world.send(lead, child, "go on").ok();
    world.step_once(child);
    park(&mut world, child);
    let early: Vec<Timer> = world
        .timers()
        .into_iter()
        .map(|(timer, _)| timer)
        .filter(|timer| matches!(timer, Timer::PutAway(..)))
        .collect();
    world.pass(Millis::minutes(1));
    world.act(Command::Timer(early[0]));
    assert_eq!(world.activity(child), Activity::Parked, "it is parked for a minute only");
    world.pass(Millis::minutes(14));
    world.act(Command::Timer(early[0]));
    world.settle();
    assert_eq!(world.activity(child), Activity::Absent);
}

#[test]
fn res_3_a_parked_agent_is_not_put_away_over_working_children_and_is_looked_at_again() {
    let (mut world, [lead, top, middle, low]) = tower();
    world.finish(low, "done");
    world.settle();
    park(&mut world, top);
    world.fire(|timer| matches!(timer, Timer::PutAway(..)));
    assert_eq!(world.activity(top), Activity::Waiting);
    world.finish(middle, "done");
    world.settle();
    assert_eq!(world.activity(top), Activity::Parked);
    world.fire(|timer| matches!(timer, Timer::PutAway(..)));
    world.settle();
    assert_eq!(world.activity(top), Activity::Absent);
    assert!(world.waiting(lead).iter().all(|mail| !mail.starts_with("<settled")), "no notice");
}

#[test]
fn res_3_after_a_restart_a_parked_agent_is_timed_anew() {
    let mut world = World::new();
    let lead = world.root("lead");
    let child = world.child(lead, "reviewer");
    world.step_once(child);
    park(&mut world, child);
    world.crash();
    world.settle();
    world.fire(|timer| matches!(timer, Timer::PutAway(..)));
    world.settle();
    assert_eq!(world.activity(child), Activity::Absent);
    assert!(world.known(lead).is_live());
}

#[test]
fn res_4_a_subtree_is_told_to_stop_from_the_top_down_and_released_from_the_bottom_up() {
    let (mut world, [_, top, middle, low]) = tower();
    world.close(Caller::User, top).ok();
    let told: Vec<AgentId> = world.cancels().into_iter().map(|(agent, _)| agent).collect();
    assert_eq!(told, [top, middle, low]);
    for agent in [top, middle, low] {
        assert_eq!(world.activity(agent), Activity::Closing, "all of it at once");
    }
    assert_eq!(world.disposals(), [low]);
    world.dispose(low);
    assert_eq!(world.disposals(), [middle]);
    world.dispose(middle);
    world.dispose(top);
    assert_eq!(released(&world), [low, middle, top]);
}

#[test]
fn res_4_a_failure_in_one_branch_stops_no_other_and_is_reported_abandoned() {
    let mut world = World::new();
    let lead = world.root("lead");
    let top = world.child(lead, "top");
    let (stuck, fine) = (world.child(top, "stuck"), world.child(top, "fine"));
    world.close(Caller::User, top).ok();
    world.dispose(fine);
    assert_eq!(released(&world), [fine]);
    world.fire(|timer| matches!(timer, Timer::Disposal(agent, _) if *agent == stuck));
    assert!(matches!(
        world.log.iter().find(|event| matches!(event, Event::Released { agent, .. }
            if *agent == stuck)),
        Some(Event::Released { abandoned: true, .. })
    ));
    world.dispose(stuck);
    world.dispose(top);
    assert_eq!(released(&world), [fine, stuck, top], "a late report is not a second release");
}

#[test]
fn res_4_a_late_publication_below_a_closing_agent_is_put_away_at_once_without_notice() {
    let mut world = World::new();
    let lead = world.root("lead");
    let top = world.child(lead, "top");
    let below = world.settled_child(top, "helper");
    world.settle();
    world.bring_back(top);
    world.effects.clear();
    let ticket = world.send(top, below, "again").parked();
    world.close(Caller::User, top).ok();
    assert_eq!(world.known(below).life, Life::Absent);
    assert_eq!(world.receipt(ticket).refused().code, Code::ActivationClosing);
    let before = world.log.len();
    world.publish(below);
    assert_eq!(world.log.len(), before);
    assert!(world.disposals().contains(&below));
}

#[test]
fn res_4_below_a_closing_agent_nobody_is_brought_up_until_its_release() {
    let mut world = World::new();
    let lead = world.root("lead");
    let top = world.child(lead, "top");
    let below = world.settled_child(top, "helper");
    assert_eq!(world.activity(top), Activity::Closing);
    let ticket = world.instruct(below, "again").parked();
    assert!(world.orders().is_empty());
    world.dispose(top);
    assert_eq!(world.orders(), [below]);
    world.settle();
    world.receipt(ticket).ok();
}

#[test]
fn res_4_a_disposal_under_way_is_ordered_again_after_a_restart() {
    let (mut world, [_, top, middle, low]) = tower();
    world.close(Caller::User, top).ok();
    world.dispose(low);
    world.crash();
    assert_eq!(world.disposals(), [middle]);
    world.settle();
    assert_eq!(released(&world), [low, middle, top]);
}
