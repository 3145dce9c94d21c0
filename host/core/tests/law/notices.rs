//! The host's own words are given up for nothing (SET-1), and a model's answer has bounds.

use switchboard_core::{
    Activity, Caller, Code, Command, Event, Limits, LoopAnswer, ReachPolicy, StartRequest, TurnEnd,
};

use crate::world::{World, call};

/// A lead whose turn begins with the notice that its child is done.
fn told() -> (World, switchboard_core::AgentId) {
    let mut world = World::new();
    let lead = world.root("lead");
    let child = world.child(lead, "reviewer");
    world.finish(child, "done");
    world.settle();
    assert_eq!(world.claimed(lead), ["<settled completed>"]);
    (world, lead)
}

#[test]
fn set_1_an_interrupt_does_not_throw_a_notice_away() {
    let (mut world, lead) = told();
    world.interrupt_as(Caller::User, lead).ok();
    world.end(lead, TurnEnd::Interrupted);
    assert_eq!(world.waiting(lead), ["<settled completed>"]);
    assert_eq!(world.activity(lead), Activity::Parked);
    world.instruct(lead, "go on").ok();
    assert_eq!(world.claimed(lead), ["<settled completed>", "go on"]);
}

#[test]
fn set_1_a_notice_shown_in_vain_stays_and_wakes_nobody_any_more() {
    let (mut world, lead) = told();
    for _ in 0..3 {
        world.end(lead, TurnEnd::Error);
    }
    assert_eq!(world.activity(lead), Activity::Idle);
    assert_eq!(world.waiting(lead), ["<settled completed>"]);
    assert_eq!(world.count("dropped"), 0);
    world.instruct(lead, "again").ok();
    assert!(world.claimed(lead).contains(&"<settled completed>".to_owned()));
}

#[test]
fn set_1_a_long_closing_text_is_cut_with_a_mark() {
    let limits = Limits { message_chars: 10, message_bytes: 10, ..Limits::default() };
    let mut world = World::with(limits, ReachPolicy::Direct);
    let lead = world.root("lead");
    let child = world.start_as(
        world.caller(lead),
        crate::world::descriptor("reviewer", switchboard_core::Mode::Continuable),
        "go",
        None,
    );
    let child = child.ok().agent;
    world.settle();
    world.finish(child, "a closing text of some length");
    world.settle();
    world.claim(lead);
    let frame = world.frames(lead).pop().unwrap();
    assert!(frame.contains("a closing \n[cut: these are the first 10 of 29 bytes]"), "{frame}");
}

#[test]
fn turn_5_an_answer_with_too_many_calls_or_bytes_ends_the_turn_as_error_and_is_not_recorded() {
    for limits in [
        Limits { step_calls: 2, ..Limits::default() },
        Limits { answer_bytes: 10, ..Limits::default() },
    ] {
        let mut world = World::with(limits, ReachPolicy::Direct);
        let lead = world.root("lead");
        world.instruct(lead, "go").ok();
        world.claim(lead);
        let answer = world.record(lead, "", vec![call("look"), call("look"), call("look")]);
        assert_eq!(answer, LoopAnswer::TurnOver(TurnEnd::Error));
        assert_eq!(world.count("step-recorded"), 0);
    }
}

#[test]
fn int_6_calls_asked_for_after_an_interrupt_are_recorded_as_never_started() {
    let mut world = World::new();
    let lead = world.root("lead");
    world.instruct(lead, "go").ok();
    world.claim(lead);
    world.interrupt_as(Caller::User, lead).ok();
    world.record(lead, "I will look", vec![call("look")]);
    let ended = world.log.iter().rev().find(|event| event.kind() == "turn-ended").unwrap();
    assert!(matches!(ended, Event::TurnEnded { cut, never_started: true, .. } if cut == &[0]));
}

#[test]
fn start_1_a_kind_that_is_unknown_or_not_to_be_started_is_refused_with_the_kinds_there_are() {
    let mut world = World::new();
    let lead = world.root("lead");
    let caller = world.caller(lead);
    for (kind, known) in [("reviewer", false), ("stranger", true)] {
        let ticket = world.ticket();
        let descriptor = crate::world::descriptor(kind, switchboard_core::Mode::Continuable);
        let request = StartRequest {
            kind: kind.into(),
            descriptor: Some(descriptor).filter(|_| known),
            description: String::new(),
            prompt: "go".into(),
            background: true,
            fork: false,
        };
        world.act(Command::Start { ticket, caller, key: None, request });
        let refusal = world.receipt(ticket).refused();
        assert_eq!(refusal.code, Code::InvalidArgument);
        assert!(refusal.text.contains("you may start") && refusal.text.contains("helper"));
    }
}
