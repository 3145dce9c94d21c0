//! START and CLOSE: how a child begins, and how it is put away.

use std::sync::Arc;

use switchboard_core::{
    Activity, AgentId, Caller, Code, Effect, Event, Life, Limits, MessageKind, Mode, ReachPolicy,
    Schedule, Timer, TurnEnd,
};

use crate::world::{World, descriptor};

fn limited(limits: Limits) -> (World, AgentId) {
    let mut world = World::with(limits, ReachPolicy::Direct);
    let lead = world.root("lead");
    (world, lead)
}

#[test]
fn start_1_admission_records_descriptor_and_prompt_and_answers_with_id_and_name() {
    let mut world = World::new();
    let lead = world.root("lead");
    let mark = world.log.len();
    let started = world.start(lead, "reviewer").ok();
    assert_eq!((started.name.as_str(), started.repeated), ("reviewer", false));
    let [Event::StartAdmitted { agent, parent, descriptor, prompt, .. }] = &world.log[mark..]
    else {
        panic!("{:?}", &world.log[mark..])
    };
    assert_eq!((*agent, *parent), (started.agent, lead));
    assert_eq!(descriptor.kind, "reviewer");
    assert_eq!((&prompt.kind, prompt.schedule), (&MessageKind::Prompt, Schedule::NextTurn));
    assert_eq!(world.orders(), [started.agent]);
}

#[test]
fn start_1_a_start_that_is_not_admitted_leaves_no_trace() {
    let mut world = World::new();
    let lead = world.root("lead");
    let child = world.child(lead, "reviewer");
    let before = (world.log.len(), world.effects.len());
    let caller = world.caller(lead);
    let kind = || descriptor("helper", Mode::Continuable);
    let refused = [
        world.start_as(caller, kind(), "  ", None),
        world.start_as(caller, kind(), &"x".repeat(16_385), None),
        world.start_as(caller, descriptor("helper", Mode::OneShot), "go", None),
        world.start_as(caller, descriptor("all", Mode::Continuable), "go", None),
    ];
    let codes = refused.map(|came| came.refused().code);
    let (argument, large) = (Code::InvalidArgument, Code::MessageTooLarge);
    assert_eq!(codes, [argument, large, argument, argument]);
    assert_eq!((world.log.len(), world.effects.len()), before);
    world.close(Caller::User, child).ok();
    assert_eq!(world.start(child, "helper").refused().code, Code::ActivationClosing);
    world.drain();
    assert_eq!(world.start(lead, "helper").refused().code, Code::Draining);
}

#[test]
fn start_1_a_failed_publication_drops_the_prompt_frees_the_name_and_is_told_once() {
    let mut world = World::new();
    let lead = world.root("lead");
    let child = world.start(lead, "reviewer").ok().agent;
    world.fail(child);
    assert_eq!(world.known(child).life, Life::Withdrawn);
    assert_eq!(world.waiting(child), [""; 0]);
    assert_eq!(world.claimed(lead), ["<start failed>"], "the one notice, and it wakes");
    assert!(world.frames(lead)[0].contains("its model is not known"));
    assert_eq!(world.start(lead, "reviewer").ok().name.as_str(), "reviewer");
}

#[test]
fn start_1_a_publication_that_comes_too_late_is_discarded() {
    let mut world = World::new();
    let lead = world.root("lead");
    world.effects.clear();
    let child = world.start(lead, "reviewer").ok().agent;
    world.fire(|timer| matches!(timer, Timer::Publication(..)));
    assert_eq!(world.claimed(lead), ["<start failed>"]);
    let before = world.log.len();
    world.publish(child);
    assert_eq!(world.log.len(), before);
    assert_eq!(world.disposals(), [child, child]);
}

#[test]
fn start_1_an_admitted_start_survives_a_crash() {
    let mut world = World::new();
    let lead = world.root("lead");
    let child = world.start(lead, "reviewer").ok().agent;
    world.crash();
    world.settle();
    assert_eq!(world.claimed(child), ["be a reviewer"]);
}

#[test]
fn start_1_a_start_that_fails_after_a_crash_is_withdrawn_as_well() {
    let mut world = World::new();
    let lead = world.root("lead");
    let child = world.start(lead, "reviewer").ok().agent;
    world.crash();
    world.publish(lead);
    world.fail(child);
    assert_eq!(world.known(child).life, Life::Withdrawn);
    assert_eq!(world.claimed(lead), ["<start failed>"]);
}

#[test]
fn start_2_the_descriptor_is_the_one_of_admission() {
    let mut world = World::new();
    let lead = world.root("lead");
    let mut meant = descriptor("reviewer", Mode::Continuable);
    let caller = world.caller(lead);
    let child = world.start_as(caller, meant.clone(), "go", None).ok().agent;
    Arc::make_mut(&mut meant).persona = "edited later".into();
    world.crash();
    world.settle();
    assert_eq!(world.known(child).descriptor.persona, "");
}

#[test]
fn start_2_three_levels_are_allowed_and_a_fourth_is_not_also_for_a_resumed_one() {
    let mut world = World::new();
    let lead = world.root("lead");
    let one = world.child(lead, "one");
    let two = world.child(one, "two");
    let three = world.child(two, "three");
    assert_eq!(world.known(three).depth, 3);
    let refusal = world.start(three, "four").refused();
    assert_eq!(refusal.code, Code::Capacity);
    assert!(refusal.text.contains("3 levels"), "{refusal}");
    world.finish(three, "done");
    world.settle();
    world.bring_back(three);
    assert_eq!(world.start(three, "four").refused().code, Code::Capacity);
}

#[test]
fn start_2_so_many_children_are_allowed_and_one_more_is_not_though_they_are_only_stored() {
    let (mut world, lead) = limited(Limits { children: 2, ..Limits::default() });
    world.settled_child(lead, "one");
    world.settled_child(lead, "two");
    let refusal = world.start(lead, "three").refused();
    assert_eq!(refusal.code, Code::Capacity);
    assert!(refusal.text.contains("2 children"), "{refusal}");
}

#[test]
fn start_2_so_many_agents_are_allowed_below_a_root_and_one_more_is_not() {
    let (mut world, lead) = limited(Limits { children: 2, agents: 3, ..Limits::default() });
    let one = world.child(lead, "one");
    world.child(one, "deep");
    world.child(lead, "two");
    let refusal = world.start(one, "more").refused();
    assert_eq!(refusal.code, Code::Capacity);
    assert!(refusal.text.contains("3 agents"), "{refusal}");
    let other = world.root("other");
    world.start(other, "one").ok();
}

#[test]
fn start_2_a_withdrawn_start_takes_no_room() {
    let (mut world, lead) = limited(Limits { children: 1, agents: 1, ..Limits::default() });
    let child = world.start(lead, "one").ok().agent;
    assert_eq!(world.start(lead, "two").refused().code, Code::Capacity);
    world.interrupt(lead, child).ok();
    world.start(lead, "two").ok();
}

#[test]
fn start_4_bringing_up_and_putting_away_have_deadlines() {
    let mut world = World::new();
    let lead = world.root("lead");
    let child = world.start(lead, "reviewer").ok().agent;
    let limits = Limits::default();
    let has = |world: &World, wanted: Timer, after| world.timers().contains(&(wanted, after));
    let stay = world.known(child).incarnation;
    assert!(has(&world, Timer::Publication(child, stay), limits.publication));
    world.publish(child);
    world.finish(child, "done");
    assert!(has(&world, Timer::Disposal(child, stay), limits.disposal));
}

#[test]
fn close_1_a_close_puts_away_all_below_and_it_stays_resumable() {
    let mut world = World::new();
    let lead = world.root("lead");
    let child = world.child(lead, "reviewer");
    let below = world.child(child, "helper");
    let caller = world.caller(lead);
    assert_eq!(world.close(caller, child).ok().agent, child);
    world.settle();
    for agent in [child, below] {
        assert_eq!(world.activity(agent), Activity::Absent);
    }
    world.crash();
    assert!(!world.orders().contains(&below), "nor does it start again after a restart");
    world.settle();
    let ticket = world.instruct(below, "come back").parked();
    world.settle();
    world.receipt(ticket).ok();
    assert_eq!(world.claimed(below), ["be a helper", "come back"]);
}

#[test]
fn close_1_a_sibling_a_child_and_oneself_may_not_close() {
    let mut world = World::new();
    let lead = world.root("lead");
    let (child, other) = (world.child(lead, "reviewer"), world.child(lead, "other"));
    for by in [other, child] {
        let caller = world.caller(by);
        assert_eq!(world.close(caller, child).refused().code, Code::Unreachable);
    }
    let caller = world.caller(child);
    assert_eq!(world.close(caller, lead).refused().code, Code::Unreachable);
    assert_eq!(world.count("closing"), 0);
}

#[test]
fn close_1_an_absent_target_gets_the_mark_and_what_lives_below_it_is_put_away() {
    let mut world = World::new();
    let lead = world.root("lead");
    let middle = world.child(lead, "middle");
    let below = world.settled_child(middle, "helper");
    world.settle();
    world.bring_back(below);
    world.finish(below, "done");
    world.settle();
    world.bring_back(below);
    assert_eq!(world.known(middle).inbox.parked(), 0);
    world.close(Caller::User, middle).ok();
    assert_eq!(world.known(middle).inbox.parked(), 1, "the kept notice lies behind it");
    assert_eq!(world.activity(below), Activity::Closing);
    world.settle();
    assert_eq!(world.activity(below), Activity::Absent);
    assert_eq!(world.activity(middle), Activity::Absent);
}

#[test]
fn close_1_closing_a_starting_agent_withdraws_the_start_and_keeps_the_prompt_behind_the_mark() {
    let mut world = World::new();
    let lead = world.root("lead");
    let child = world.start(lead, "reviewer").ok().agent;
    world.close(Caller::User, child).ok();
    assert_eq!(world.known(child).life, Life::Absent);
    assert_eq!(world.waiting(child), ["be a reviewer"]);
    let before = world.log.len();
    world.publish(child);
    assert_eq!(world.log.len(), before, "a late publication is discarded");
    world.settle();
    assert_eq!(world.waiting(lead), [""; 0], "nothing of it ever lived");
    let ticket = world.send(lead, child, "now do it").parked();
    world.settle();
    world.receipt(ticket).ok();
    assert_eq!(world.claimed(child), ["be a reviewer", "now do it"]);
}

#[test]
fn close_1_closing_twice_is_one_disposal() {
    let mut world = World::new();
    let lead = world.root("lead");
    let child = world.child(lead, "reviewer");
    world.close(Caller::User, child).ok();
    world.close(Caller::User, child).ok();
    assert_eq!(world.disposals(), [child]);
    world.settle();
    assert_eq!(world.count("released"), 1);
    world.close(Caller::User, child).ok();
    assert_eq!(world.disposals(), []);
}

#[test]
fn close_1_mail_that_comes_while_it_is_closed_brings_it_back_with_what_waited() {
    let mut world = World::new();
    let lead = world.root("lead");
    let child = world.child(lead, "reviewer");
    world.step_once(child);
    world.send(lead, child, "unread").ok();
    world.close(Caller::User, child).ok();
    let ticket = world.send(lead, child, "newer").parked();
    world.end(child, TurnEnd::Aborted);
    world.settle();
    world.receipt(ticket).ok();
    assert_eq!(world.claimed(child), ["unread", "newer"]);
}

#[test]
fn close_1_the_running_turn_is_cancelled_for_the_close() {
    let mut world = World::new();
    let lead = world.root("lead");
    let child = world.child(lead, "reviewer");
    world.close(Caller::User, child).ok();
    assert!(
        world.effects.iter().any(|effect| matches!(effect, Effect::CancelTurn { agent, cause, .. }
        if *agent == child && *cause == switchboard_core::CancelCause::Closing))
    );
    world.settle();
    assert!(matches!(
        world.log.iter().find(|event| event.kind() == "turn-ended"),
        Some(Event::TurnEnded { end: TurnEnd::Aborted, .. })
    ));
}
