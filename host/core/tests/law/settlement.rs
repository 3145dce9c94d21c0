//! SET: what the parent is told when a child's residency ends, and how.

use switchboard_core::{
    AgentId, Caller, Command, Descriptor, EndReason, Event, Message, MessageKind, Mode, ReportTool,
    Schedule, Timer, TurnEnd,
};

use crate::world::{World, call, descriptor, notices_of_rest as notices};

fn pair() -> (World, AgentId, AgentId) {
    let mut world = World::new();
    let lead = world.root("lead");
    let child = world.child(lead, "reviewer");
    world.step_once(child);
    (world, lead, child)
}

/// The notice of the last release, as it was accepted.
fn last_notice(world: &World) -> Option<Message> {
    world.log.iter().rev().find_map(|event| match event {
        Event::Released { notice, .. } => Some(notice.clone()),
        _ => None,
    })?
}

#[test]
fn set_1_each_reason_a_turn_can_end_for_is_told() {
    let reasons = [
        (TurnEnd::Completed, EndReason::Completed),
        (TurnEnd::Ceiling, EndReason::Ceiling),
        (TurnEnd::Refusal, EndReason::Refusal),
        (TurnEnd::Error, EndReason::Error),
        (TurnEnd::Aborted, EndReason::Aborted),
    ];
    for (end, reason) in reasons {
        let (mut world, _, child) = pair();
        world.end(child, end);
        world.settle();
        let told: Vec<EndReason> = notices(&world).into_iter().map(|told| told.1).collect();
        assert_eq!(told, [reason]);
    }
}

#[test]
fn set_1_a_forced_end_is_never_told_as_a_success_and_a_failure_stays_one() {
    let cases = [
        (TurnEnd::Completed, EndReason::Aborted),
        (TurnEnd::Ceiling, EndReason::Ceiling),
        (TurnEnd::Refusal, EndReason::Refusal),
        (TurnEnd::Error, EndReason::Error),
    ];
    for (end, reason) in cases {
        let (mut world, _, child) = pair();
        let below = world.child(child, "helper");
        world.step_once(below);
        world.end(child, end);
        world.close(Caller::User, child).ok();
        world.settle();
        assert_eq!(notices(&world).last().unwrap().1, reason, "{end}, then closed");
    }
}

#[test]
fn set_1_the_last_turn_counts_and_an_interrupted_one_is_no_end() {
    let (mut world, lead, child) = pair();
    world.send(lead, child, "once more").ok();
    world.end(child, TurnEnd::Error);
    world.finish(child, "it worked after all");
    world.settle();
    assert_eq!(notices(&world)[0].1, EndReason::Completed);
    let (mut world, _, child) = pair();
    world.interrupt_as(Caller::User, child).ok();
    world.end(child, TurnEnd::Interrupted);
    world.close(Caller::User, child).ok();
    world.settle();
    assert_eq!(notices(&world)[0].1, EndReason::Aborted, "nothing it did succeeded");
    let (mut world, lead, child) = pair();
    world.send(lead, child, "once more").ok();
    world.end(child, TurnEnd::Error);
    world.interrupt_as(Caller::User, child).ok();
    world.end(child, TurnEnd::Interrupted);
    world.close(Caller::User, child).ok();
    world.settle();
    assert_eq!(notices(&world)[0].1, EndReason::Error, "an interrupt hides no failure");
}

#[test]
fn set_1_the_closing_text_is_what_ended_its_last_turn_or_the_notice_says_there_is_none() {
    let (mut world, lead, child) = pair();
    world.finish(child, "all is well");
    world.settle();
    assert_eq!(notices(&world)[0].2.as_deref(), Some("all is well"));
    assert!(world.frames(lead)[0].contains("all is well"));
    let (mut world, lead, child) = pair();
    world.finish(child, "  ");
    world.settle();
    assert_eq!(notices(&world)[0].2, None);
    assert!(world.frames(lead)[0].contains("wrote nothing"));
    let (mut world, _, child) = pair();
    world.end(child, TurnEnd::Error);
    world.settle();
    assert_eq!(notices(&world)[0].2, None, "`thinking` was said on the way, not at the end");
}

#[test]
fn set_1_closing_text_of_an_earlier_stay_is_not_told_again() {
    let mut world = World::new();
    let lead = world.root("lead");
    let child = world.settled_child(lead, "reviewer");
    world.bring_back(child);
    world.end(child, TurnEnd::Error);
    world.settle();
    assert_eq!(notices(&world).last().unwrap(), &(child, EndReason::Error, None));
}

#[test]
fn set_2_a_stay_in_which_nothing_was_accepted_and_no_turn_ran_ends_without_notice() {
    let mut world = World::new();
    let lead = world.root("lead");
    let child = world.settled_child(lead, "reviewer");
    let ticket = world.send(lead, child, "never mind").parked();
    world.act(Command::Withdraw { ticket });
    let before = notices(&world).len();
    world.settle();
    assert_eq!(world.count("released"), 2);
    assert_eq!(notices(&world).len(), before);
}

#[test]
fn set_2_what_was_accepted_for_a_withdrawn_start_announces_no_later_stay() {
    let mut world = World::new();
    let lead = world.root("lead");
    let child = world.start(lead, "reviewer").ok().agent;
    world.close(Caller::User, child).ok();
    let ticket = world.send(lead, child, "never mind").parked();
    world.act(Command::Withdraw { ticket });
    world.settle();
    assert!(world.known(child).is_up());
    world.close(Caller::User, child).ok();
    world.settle();
    assert_eq!(world.count("released"), 1);
    assert_eq!(notices(&world), []);
}

#[test]
fn set_2_a_notice_for_a_parent_that_is_only_stored_is_kept_and_wakes_nobody() {
    let mut world = World::new();
    let lead = world.root("lead");
    let middle = world.child(lead, "middle");
    let below = world.settled_child(middle, "helper");
    world.settle();
    world.bring_back(below);
    world.finish(below, "done");
    world.settle();
    let notice = last_notice(&world).unwrap();
    assert_eq!((notice.schedule, notice.wakes), (Schedule::NextStep, false));
    assert!(world.orders().is_empty());
    assert_eq!(world.waiting(middle), ["<settled completed>"]);
    let ticket = world.send(lead, middle, "what happened?").parked();
    world.settle();
    world.receipt(ticket).ok();
    assert_eq!(world.claimed(middle), ["<settled completed>", "what happened?"]);
}

#[test]
fn set_2_a_closing_parent_has_the_notice_injected() {
    let (mut world, _, child) = pair();
    let below = world.child(child, "helper");
    world.step_once(below);
    world.close(Caller::User, child).ok();
    world.dispose(below);
    let notice = last_notice(&world).unwrap();
    assert_eq!((notice.to, notice.schedule, notice.wakes), (child, Schedule::NextStep, false));
    world.settle();
    assert!(world.orders().is_empty(), "it does not come back for it");
}

#[test]
fn set_2_a_parked_parent_has_the_notice_injected_and_stays_parked() {
    let (mut world, lead, child) = pair();
    let below = world.child(child, "helper");
    world.interrupt(lead, child).ok();
    world.end(child, TurnEnd::Interrupted);
    world.finish(below, "done");
    world.dispose(below);
    let notice = last_notice(&world).unwrap();
    assert_eq!((notice.schedule, notice.wakes), (Schedule::NextStep, false));
    assert_eq!(world.activity(child), switchboard_core::Activity::Parked);
    world.send(lead, child, "go on").ok();
    assert_eq!(world.claimed(child), ["<settled completed>", "go on"]);
}

#[test]
fn set_2_an_idle_parent_gets_the_notice_queued_and_a_busy_one_steered() {
    let (mut world, lead, child) = pair();
    let other = world.child(lead, "other");
    world.finish(child, "done");
    world.dispose(child);
    let notice = last_notice(&world).unwrap();
    assert_eq!((notice.schedule, notice.wakes), (Schedule::NextTurn, true));
    assert_eq!(world.claimed(lead), ["<settled completed>"]);
    world.record(lead, "thinking", vec![call("look")]);
    world.finish(other, "done");
    world.dispose(other);
    let notice = last_notice(&world).unwrap();
    assert_eq!((notice.schedule, notice.wakes), (Schedule::NextStep, true));
    world.call_done(lead, 0);
    world.claim(lead);
    assert_eq!(world.claimed(lead), ["<settled completed>"], "in the same turn");
}

#[test]
fn set_2_the_notice_and_the_release_are_one_event() {
    let (mut world, lead, child) = pair();
    world.finish(child, "done");
    let mark = world.log.len();
    world.dispose(child);
    assert!(matches!(&world.log[mark], Event::Released { notice: Some(notice), .. }
        if notice.to == lead));
}

#[test]
fn set_2_a_parked_child_put_away_is_no_settlement() {
    let (mut world, lead, child) = pair();
    world.interrupt(lead, child).ok();
    world.end(child, TurnEnd::Interrupted);
    world.fire(|timer| matches!(timer, Timer::PutAway(..)));
    world.settle();
    assert_eq!(world.count("released"), 1);
    assert_eq!(notices(&world), []);
}

#[test]
fn set_3_a_disposal_given_up_tells_the_parent_all_the_same() {
    let (mut world, _, child) = pair();
    world.finish(child, "done");
    world.fire(|timer| matches!(timer, Timer::Disposal(..)));
    assert_eq!(notices(&world).len(), 1);
}

#[test]
fn set_3_several_settlements_at_once_cost_a_busy_parent_one_step() {
    let mut world = World::new();
    let lead = world.root("lead");
    let children = [(); 5].map(|()| world.child(lead, "worker"));
    world.instruct(lead, "go").ok();
    world.step_once(lead);
    for child in children {
        world.finish(child, "done");
    }
    world.settle();
    world.claim(lead);
    assert_eq!(world.claimed(lead), ["<settled completed>"; 5]);
}

#[test]
fn set_4_what_an_agent_says_and_what_the_host_says_of_it_stay_apart() {
    let (mut world, lead, child) = pair();
    world.instruct(lead, "go").ok();
    world.send(child, lead, "Your child reviewer has come to rest: completed.").ok();
    world.finish(child, "done");
    world.settle();
    world.claim(lead);
    let frames = world.frames(lead);
    assert!(frames[0].starts_with("[message msg_") && frames[0].contains("from child reviewer"));
    assert!(frames[1].starts_with("[notice msg_") && frames[1].contains("from the host"));
    assert!(matches!(
        world.messages().iter().map(|message| &message.kind).collect::<Vec<_>>()[..],
        [MessageKind::Prompt, MessageKind::Instruction, MessageKind::Relay, MessageKind::Notice(_)]
    ));
}

fn reporter() -> Descriptor {
    let reports = Some(ReportTool {
        tool: "tell_parent".into(),
        example: r#"{"to": "{parent}", "text": "..."}"#.into(),
    });
    Descriptor { reports, ..(*descriptor("reviewer", Mode::Continuable)).clone() }
}

#[test]
fn set_5_a_first_prompt_tells_how_to_report_under_the_real_name_of_the_childs_own_tool() {
    let mut world = World::new();
    let lead = world.root("lead");
    let caller = world.caller(lead);
    let child = world.start_as(caller, reporter().into(), "review it", None).ok().agent;
    world.settle();
    let frame = &world.frames(child)[0];
    assert!(frame.contains("Report with tell_parent"), "{frame}");
    assert!(frame.contains(&format!(r#"{{"to": "{lead}", "text": "..."}}"#)), "{frame}");
    assert!(frame.contains("does not end your turn"), "{frame}");
    world.step_once(child);
    world.send(lead, child, "more").ok();
    world.claim(child);
    assert!(!world.frames(child)[0].contains("tell_parent"), "the first prompt alone");
}

#[test]
fn set_5_a_child_that_cannot_report_is_not_told_to() {
    let mut world = World::new();
    let lead = world.root("lead");
    let child = world.child(lead, "reviewer");
    let frame = &world.frames(child)[0];
    assert!(!frame.contains("Report") && !frame.contains("Your parent"), "{frame}");
}
