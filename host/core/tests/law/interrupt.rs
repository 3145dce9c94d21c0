//! INT: stopping a turn.

use switchboard_core::{Activity, Caller, CancelCause, Code, Command, LoopAnswer, Stop, TurnEnd};

use crate::world::{World, call};

fn running_child(world: &mut World) -> (switchboard_core::AgentId, switchboard_core::AgentId) {
    let lead = world.root("lead");
    let child = world.child(lead, "reviewer");
    world.step_once(child);
    (lead, child)
}

#[test]
fn int_1_only_an_ancestor_or_the_person_may_interrupt() {
    let mut world = World::new();
    let (lead, child) = running_child(&mut world);
    let sibling = world.child(lead, "other");
    assert_eq!(world.interrupt(child, child).refused().code, Code::Unreachable);
    assert_eq!(world.interrupt(sibling, child).refused().code, Code::Unreachable);
    assert_eq!(world.interrupt(child, lead).refused().code, Code::Unreachable);
    let grandchild = world.child(child, "helper");
    assert!(matches!(world.interrupt(lead, grandchild).ok().target.stop, Stop::Cancelling(_)));
    assert!(matches!(
        world.interrupt_as(Caller::User, child).ok().target.stop,
        Stop::Cancelling(_)
    ));
}

#[test]
fn int_2_admission_and_the_request_to_stop_are_one_transition() {
    let mut world = World::new();
    let (lead, child) = running_child(&mut world);
    let answer = world.interrupt(lead, child).ok();
    let turn = world.activation(child).turn;
    assert_eq!(answer.target.stop, Stop::Cancelling(turn));
    assert_eq!(world.cancels(), [(child, CancelCause::Interrupted)]);
}

#[test]
fn int_3_unclaimed_mail_waits_behind_the_mark_and_the_next_wake_brings_all_of_it_in_order() {
    let mut world = World::new();
    let (lead, child) = running_child(&mut world);
    world.send(lead, child, "one").ok();
    world.instruct(child, "two").ok();
    world.interrupt(lead, child).ok();
    assert_eq!(world.end(child, TurnEnd::Interrupted), LoopAnswer::TurnOver(TurnEnd::Interrupted));
    assert_eq!(world.activity(child), Activity::Parked);
    assert_eq!(world.waiting(child), ["one", "two"]);
    world.send(lead, child, "three").ok();
    assert_eq!(world.claimed(child), ["one", "two", "three"]);
}

#[test]
fn int_3_what_a_step_was_made_from_is_not_put_back() {
    let mut world = World::new();
    let (lead, child) = running_child(&mut world);
    world.interrupt(lead, child).ok();
    world.end(child, TurnEnd::Interrupted);
    assert!(world.waiting(child).is_empty());
}

#[test]
fn int_4_completion_wins_a_race() {
    let mut world = World::new();
    let (lead, child) = running_child(&mut world);
    world.claim(child);
    world.interrupt(lead, child).ok();
    let answer = world.record(child, "done", vec![]);
    assert_eq!(answer, LoopAnswer::TurnOver(TurnEnd::Completed));
    assert_eq!(world.count("turn-ended"), 1);
}

#[test]
fn int_4_the_answer_lists_calls_cut_descendants_running_and_what_is_parked() {
    let mut world = World::new();
    let (lead, child) = running_child(&mut world);
    let below = world.child(child, "helper");
    world.claim(child);
    world.record(child, "", vec![call("look"), call("watch")]);
    world.call_done(child, 0);
    world.send(lead, child, "wait").ok();
    let answer = world.interrupt(lead, child).ok();
    assert_eq!(answer.calls_cut, ["watch"]);
    assert_eq!(answer.still_running, [below]);
    assert_eq!(answer.parked, 1);
}

#[test]
fn int_4_an_admitted_start_is_withdrawn_its_name_free_and_its_prompt_dropped() {
    let mut world = World::new();
    let lead = world.root("lead");
    let started = world.start(lead, "reviewer").ok();
    assert_eq!(world.interrupt(lead, started.agent).ok().target.stop, Stop::NotStarted);
    assert_eq!(world.waiting(lead), ["<fates 1>"]);
    assert_eq!(world.start(lead, "reviewer").ok().name, started.name);
    world.settle();
    assert!(!world.forest.agent(started.agent).unwrap().is_live());
}

#[test]
fn int_4_idle_finished_and_moved_are_told_apart() {
    let mut world = World::new();
    let (lead, child) = running_child(&mut world);
    let old = world.activation(child).turn;
    world.child(child, "helper");
    world.finish(child, "first done");
    assert_eq!(world.interrupt(lead, child).ok().target.stop, Stop::AlreadyIdle);
    world.send(lead, child, "again").ok();
    let current = world.activation(child).turn;
    let ticket = world.ticket();
    world.act(Command::Interrupt {
        ticket,
        caller: Caller::User,
        key: None,
        target: switchboard_core::Target::Agent(child),
        turn: Some(old),
        cascade: false,
        reason: None,
    });
    assert_eq!(world.interruption(ticket).ok().target.stop, Stop::TurnMoved(current));
    assert!(world.cancels().is_empty());
    world.close(Caller::User, child).ok();
    assert_eq!(world.interrupt(lead, child).ok().target.stop, Stop::AlreadyFinished);
}

#[test]
fn int_4_a_reason_is_a_thousand_characters_and_no_longer() {
    let mut world = World::new();
    let (_, child) = running_child(&mut world);
    let mut stop = |chars| {
        let ticket = world.ticket();
        world.act(Command::Interrupt {
            ticket,
            caller: Caller::User,
            key: None,
            target: switchboard_core::Target::Agent(child),
            turn: None,
            cascade: false,
            reason: Some("\u{e4}".repeat(chars)),
        });
        world.interruption(ticket)
    };
    let refusal = stop(1_001).refused();
    assert_eq!(refusal.code, Code::MessageTooLarge);
    assert_eq!(refusal.text, "the reason has 1001 characters; 1000 are allowed");
    stop(1_000).ok();
}

#[test]
fn int_5_mail_between_the_cancel_and_the_end_of_the_turn_wakes() {
    let mut world = World::new();
    let (lead, child) = running_child(&mut world);
    world.interrupt(lead, child).ok();
    world.send(lead, child, "now this").ok();
    world.end(child, TurnEnd::Interrupted);
    assert_eq!(world.claimed(child), ["now this"]);
}

#[test]
fn int_6_no_call_starts_after_the_cancel_and_the_answer_is_kept() {
    let mut world = World::new();
    let (lead, child) = running_child(&mut world);
    world.claim(child);
    world.interrupt(lead, child).ok();
    let answer = world.record(child, "I will look", vec![call("look")]);
    assert_eq!(answer, LoopAnswer::TurnOver(TurnEnd::Interrupted));
    assert_eq!(world.count("step-recorded"), 2);
}

#[test]
fn int_7_interrupted_is_no_settlement_and_a_parent_that_did_not_do_it_is_told_quietly() {
    let mut world = World::new();
    let (lead, child) = running_child(&mut world);
    world.interrupt_as(Caller::User, child).ok();
    world.end(child, TurnEnd::Interrupted);
    assert_eq!(world.waiting(lead), ["<interrupted>"]);
    assert_eq!(world.activity(lead), Activity::Idle);
    assert_eq!(world.activity(child), Activity::Parked);
    assert_eq!(world.count("released"), 0);
}
