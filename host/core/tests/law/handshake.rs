//! HAND-1 and HAND-3: asking an agent to come to an end, and the one answer a request has.

use switchboard_core::{
    Activity, AgentId, Asked, Caller, CancelCause, ClosingCause, Code, DropReason, Event, Limits,
    Millis, ReachPolicy, Reply, RequestBody, RequestEnd, RequestId,
};

use crate::world::{World, call, ends, judges, plan, shutdown};

/// A lead and its child, which works.
fn family() -> (World, AgentId, AgentId) {
    let mut world = World::new();
    let lead = world.root("lead");
    let child = world.child(lead, "worker");
    world.step_once(child);
    (world, lead, child)
}

/// The child is asked to come to an end, and has read that.
fn asked() -> (World, AgentId, AgentId, RequestId) {
    let (mut world, lead, child) = family();
    let request = world.ask_to_end(lead, child).ok().request;
    world.claim(child);
    (world, lead, child, request)
}

#[test]
fn hand_1_an_agent_that_agrees_is_put_away_and_whoever_asked_learns_it_with_the_report() {
    let (mut world, lead, child, request) = asked();
    assert_eq!(world.answer(child, request, ends(true)).ok().to, Some(lead));
    assert_eq!(world.activity(child), Activity::Closing);
    assert_eq!(world.cancels(), [(child, CancelCause::Closing)]);
    world.end(child, switchboard_core::TurnEnd::Aborted);
    world.settle();
    assert_eq!(world.activity(child), Activity::Absent);
    assert_eq!(world.told(lead), [RequestEnd::Answered(ends(true))]);
    let answered = world.log.iter().position(|event| event.kind() == "request-closed");
    let closing = world.log.iter().position(|event| event.kind() == "closing");
    assert!(answered < closing, "first the answer is stored");
}

#[test]
fn hand_1_the_call_by_which_an_agent_agrees_is_done_and_not_cut() {
    let (mut world, _, child, request) = asked();
    world.record(child, "agrees", vec![call("respond"), call("look")]);
    let step = world.known(child).turn.as_ref().unwrap().step - 1;
    let key = switchboard_core::HostKey { step, ..world.key(child, 0) };
    let caller = world.caller(child);
    world.respond(caller, request, ends(true), Some(key)).ok();
    world.end(child, switchboard_core::TurnEnd::Aborted);
    let cut = world.log.iter().rev().find_map(|event| match event {
        Event::TurnEnded { agent, cut, .. } if *agent == child => Some(cut.clone()),
        _ => None,
    });
    assert_eq!(cut, Some(vec![1]));
}

#[test]
fn hand_1_an_agent_that_refuses_goes_on_and_whoever_asked_is_told() {
    let (mut world, lead, child, request) = asked();
    world.answer(child, request, ends(false)).ok();
    assert_eq!(world.activity(child), Activity::Running);
    assert_eq!(world.told(lead), [RequestEnd::Answered(ends(false))]);
    world.run_out(request);
    assert_eq!(world.activity(child), Activity::Running, "its time has nothing to end any more");
    assert_eq!(world.told(lead).len(), 1);
}

#[test]
fn hand_1_one_that_reads_it_and_says_nothing_is_put_away_when_its_grace_is_over() {
    let (mut world, lead, child, request) = asked();
    let usual = Limits::default();
    assert_eq!(world.deadlines(request), [usual.shutdown_unread, usual.grace]);
    world.pass(usual.grace);
    world.fire(|timer| *timer == switchboard_core::Timer::Request(request));
    assert_eq!(world.activity(child), Activity::Closing);
    assert_eq!(world.told(lead), [RequestEnd::Forced]);
}

#[test]
fn hand_1_the_grace_runs_from_the_claim_and_not_from_the_asking() {
    let (mut world, lead, child) = family();
    let grace = Some(Millis(500));
    let ask = RequestBody::Shutdown { reason: "done".into(), cleanup: None, grace };
    let caller = world.caller(lead);
    let request = world.request(caller, child, ask, None).ok().request;
    world.pass(Millis(60_000));
    world.claim(child);
    assert!(world.deadlines(request).contains(&Millis(500)));
    assert_eq!(world.activity(child), Activity::Running);
    world.run_out(request);
    assert_eq!(world.told(lead), [RequestEnd::Forced]);
}

#[test]
fn hand_1_one_that_never_reads_it_is_put_away_after_five_minutes() {
    let (mut world, lead, child) = family();
    let request = world.ask_to_end(lead, child).ok().request;
    assert_eq!(world.deadlines(request), [Millis::minutes(5)]);
    world.run_out(request);
    assert_eq!(world.activity(child), Activity::Closing);
    assert_eq!(world.told(lead), [RequestEnd::Forced]);
    let given_up = world.log.iter().any(|event| {
        matches!(event, Event::Dropped { agent, reason: DropReason::Moot, .. } if *agent == child)
    });
    assert!(given_up, "the request itself has an end, too (FATE-1)");
}

#[test]
fn hand_1_its_mail_is_marked_so_that_it_does_not_start_again_by_itself() {
    let (mut world, lead, child, request) = asked();
    world.send(lead, child, "one more thing").ok();
    world.answer(child, request, ends(true)).ok();
    world.end(child, switchboard_core::TurnEnd::Aborted);
    world.settle();
    assert_eq!(world.activity(child), Activity::Absent);
    world.crash();
    world.settle();
    assert_eq!(world.activity(child), Activity::Absent);
    let shut = |event: &Event| match event {
        Event::Closing { cause, .. } => *cause == ClosingCause::ShutDown,
        _ => false,
    };
    assert!(world.log.iter().any(shut));
}

#[test]
fn hand_1_all_below_is_put_away_with_it() {
    let (mut world, lead, child) = family();
    let below = world.child(child, "helper");
    let request = world.ask_to_end(lead, child).ok().request;
    world.claim(child);
    world.answer(child, request, ends(true)).ok();
    assert_eq!(world.activity(below), Activity::Closing);
}

#[test]
fn hand_1_one_that_is_put_away_already_is_not_brought_back_to_be_put_away() {
    let mut world = World::new();
    let lead = world.root("lead");
    let child = world.settled_child(lead, "worker");
    let orders = world.orders().len();
    let requested = world.ask_to_end(lead, child).ok();
    assert!(matches!(requested.asked, Asked::Settled(agent, _) if agent == child));
    assert_eq!(world.orders().len(), orders);
    assert_eq!(world.told(lead), [RequestEnd::AlreadySettled]);
    assert_eq!(world.forest.requests().count(), 0);
}

#[test]
fn hand_1_one_that_comes_to_rest_meanwhile_has_ended_otherwise() {
    let (mut world, lead, child) = family();
    world.ask_to_end(lead, child).ok();
    world.finish(child, "done");
    assert_eq!(world.told(lead), [RequestEnd::Ended]);
    let (mut world, lead, child) = family();
    world.ask_to_end(lead, child).ok();
    world.close(Caller::User, child).ok();
    assert_eq!(world.told(lead), [RequestEnd::Ended]);
}

#[test]
fn hand_1_a_start_that_comes_to_nothing_ends_the_request_too() {
    let mut world = World::new();
    let lead = world.root("lead");
    let child = world.start(lead, "worker").ok().agent;
    world.ask_to_end(lead, child).ok();
    world.fail(child);
    assert_eq!(world.told(lead), [RequestEnd::Ended]);
}

#[test]
fn hand_1_the_person_and_every_ancestor_may_ask_and_nobody_else() {
    let mut world = World::with(Limits::default(), ReachPolicy::Tree);
    let lead = world.root("lead");
    let (child, other) = (world.child(lead, "worker"), world.child(lead, "other"));
    let below = world.child(child, "helper");
    for (by, target) in [(below, child), (other, child), (child, lead), (child, child)] {
        assert_eq!(world.ask_to_end(by, target).refused().code, Code::Unreachable);
    }
    world.ask_to_end(lead, below).ok();
    world.ask_to_end(child, below).ok();
    world.request(Caller::User, below, shutdown("enough"), None).ok();
    world.request(Caller::User, lead, shutdown("enough"), None).ok();
}

#[test]
fn hand_1_it_always_fits_and_is_claimed_before_other_mail() {
    let limits = Limits {
        pending: 1,
        message_bytes: 40,
        message_chars: 40,
        claim_bytes: 40,
        ..Limits::default()
    };
    let mut world = World::with(limits, ReachPolicy::Direct);
    let lead = world.root("lead");
    let child = world.child(lead, "worker");
    world.step_once(child);
    world.send(lead, child, &"x".repeat(40)).ok();
    assert_eq!(world.send(lead, child, "y").refused().code, Code::InboxFull);
    world.ask_to_end(lead, child).ok();
    world.claim(child);
    assert_eq!(world.claimed(child), ["<end: the work is done>"]);
}

#[test]
fn hand_1_it_wakes_an_agent_that_rests() {
    let mut world = World::new();
    let lead = world.root("lead");
    world.request(Caller::User, lead, shutdown("enough"), None).ok();
    assert_eq!(world.claimed(lead), ["<end: enough>"]);
}

#[test]
fn hand_1_an_interrupt_takes_nothing_from_it() {
    let (mut world, lead, child, request) = asked();
    world.interrupt(lead, child).ok();
    world.end(child, switchboard_core::TurnEnd::Interrupted);
    assert_eq!(world.waiting(child), ["<end: the work is done>"]);
    world.run_out(request);
    assert_eq!(world.told(lead), [RequestEnd::Forced]);
}

#[test]
fn hand_1_a_crash_forgets_no_request_and_no_deadline() {
    let (mut world, lead, child, request) = asked();
    world.crash();
    world.settle();
    let grace = Limits::default().grace;
    assert!(world.deadlines(request).iter().all(|left| *left <= grace));
    world.run_out(request);
    assert_eq!(world.told(lead), [RequestEnd::Forced]);
    assert_eq!(world.activity(child), Activity::Closing);
}

#[test]
fn hand_1_after_a_crash_behind_the_answer_the_agent_is_put_away() {
    let (mut world, lead, child, request) = asked();
    world.answer(child, request, ends(true)).ok();
    world.crash();
    world.settle();
    assert_eq!(world.activity(child), Activity::Absent);
    assert_eq!(world.told(lead), [RequestEnd::Answered(ends(true))]);
}

#[test]
fn hand_1_whoever_asks_anew_is_asked_to_answer_once() {
    let (mut world, lead, child, first) = asked();
    let second = world.ask_to_end(lead, child).ok().request;
    assert_eq!(world.told(lead), [RequestEnd::Superseded(second)]);
    assert_eq!(world.answer(child, first, ends(true)).refused().code, Code::AlreadyAnswered);
    world.claim(child);
    assert!(world.frames(child)[0].contains(&format!("takes the place of {first}")));
    world.answer(child, second, ends(false)).ok();
    assert_eq!(world.told(lead).len(), 2);
}

#[test]
fn hand_1_those_asked_by_two_answer_each_and_an_end_is_told_to_both() {
    let (mut world, lead, child) = family();
    let below = world.child(child, "helper");
    let (one, two) =
        (world.ask_to_end(lead, below).ok().request, world.ask_to_end(child, below).ok().request);
    world.step_once(below);
    world.answer(below, one, ends(true)).ok();
    assert_eq!(world.told(lead), [RequestEnd::Answered(ends(true))]);
    assert_eq!(world.told(child), [RequestEnd::Ended]);
    assert_ne!(one, two);
}

#[test]
fn hand_1_whoever_asked_may_be_gone() {
    let (mut world, lead, child) = family();
    world.ask_to_end(lead, child).ok();
    world.close(Caller::User, lead).ok();
    assert_eq!(world.told(lead), [RequestEnd::Ended]);
    assert_eq!(world.forest.requests().count(), 0);
}

#[test]
fn hand_1_what_it_gives_is_checked() {
    let (mut world, lead, child) = family();
    let caller = world.caller(lead);
    let ask = |grace| RequestBody::Shutdown { reason: "done".into(), cleanup: None, grace };
    for bad in [ask(Some(Millis(0))), ask(Some(Millis::minutes(11))), shutdown(" \n")] {
        let refusal = world.request(caller, child, bad, None).refused();
        assert_eq!(refusal.code, Code::InvalidArgument);
    }
    let long = shutdown(&"x".repeat(20_000));
    assert_eq!(world.request(caller, child, long, None).refused().code, Code::MessageTooLarge);
}

#[test]
fn hand_3_a_request_is_answered_once_and_by_whoever_was_asked() {
    let (mut world, lead, child, request) = asked();
    let other = world.child(lead, "other");
    for by in [lead, other] {
        assert_eq!(world.answer(by, request, ends(true)).refused().code, Code::NotFound);
    }
    let person = world.respond(Caller::User, request, ends(true), None);
    assert_eq!(person.refused().code, Code::NotFound);
    world.answer(child, request, ends(false)).ok();
    assert_eq!(world.answer(child, request, ends(true)).refused().code, Code::AlreadyAnswered);
    assert_eq!(world.answer(other, request, ends(true)).refused().code, Code::NotFound);
    assert_eq!(world.activity(child), Activity::Running);
    let never = RequestId::new(request.tag(), 99);
    assert_eq!(world.answer(child, never, ends(true)).refused().code, Code::NotFound);
}

#[test]
fn hand_3_an_answer_of_the_other_kind_is_none() {
    let (mut world, _, child, request) = asked();
    assert_eq!(world.answer(child, request, judges(true)).refused().code, Code::InvalidArgument);
    assert_eq!(world.forest.requests().count(), 1);
}

#[test]
fn hand_3_an_answer_that_is_too_long_is_none() {
    let (mut world, _, child, request) = asked();
    let report = Some("x".repeat(20_000));
    let long = Reply::Shutdown { approve: true, cleaned_up: false, report };
    assert_eq!(world.answer(child, request, long).refused().code, Code::MessageTooLarge);
}

#[test]
fn hand_3_repeated_calls_get_their_first_answers_also_after_a_crash() {
    let (mut world, lead, child) = family();
    world.instruct(lead, "go on").ok();
    let key = world.key(lead, 0);
    let caller = world.caller(lead);
    let first = world.request(caller, child, shutdown("done"), Some(key)).ok();
    world.claim(child);
    let answered = world.key(child, 0);
    let caller = world.caller(child);
    world.respond(caller, first.request, ends(false), Some(answered)).ok();
    world.crash();
    world.settle();
    let (lead_now, child_now) = (world.caller(lead), world.caller(child));
    let again = world.request(lead_now, child, shutdown("done"), Some(key)).ok();
    assert_eq!((again.request, again.repeated), (first.request, true));
    let again = world.respond(child_now, first.request, ends(false), Some(answered)).ok();
    assert!(again.repeated);
    assert_eq!(world.told(lead).len(), 1);
    let other = world.request(lead_now, child, shutdown("otherwise"), Some(key));
    assert_eq!(other.refused().code, Code::InvalidArgument);
    let other = world.respond(child_now, first.request, ends(true), Some(answered));
    assert_eq!(other.refused().code, Code::InvalidArgument);
}

#[test]
fn hand_3_ids_are_the_hosts_and_given_once() {
    let (mut world, lead, child) = family();
    let first = world.ask_to_end(lead, child).ok().request;
    world.crash();
    world.settle();
    let second = world.propose(child, "paint it").ok().request;
    assert_eq!(first.to_string(), format!("req_{}-1", first.tag()));
    assert_eq!(second.number(), 2);
    assert_eq!("req_00007-2".parse(), Ok(second));
}

#[test]
fn hand_3_nothing_is_asked_or_answered_while_the_host_drains() {
    let (mut world, lead, child, request) = asked();
    world.drain();
    assert_eq!(world.ask_to_end(lead, child).refused().code, Code::Draining);
    assert_eq!(world.answer(child, request, ends(true)).refused().code, Code::Draining);
    world.run_out(request);
    assert_eq!(world.forest.requests().count(), 1, "it is taken up after the restart");
}

#[test]
fn hand_3_a_stale_stay_asks_and_answers_nothing() {
    let (mut world, lead, child, request) = asked();
    let (of_lead, of_child) = (world.caller(lead), world.caller(child));
    world.crash();
    let stale = world.respond(of_child, request, ends(true), None);
    assert_eq!(stale.refused().code, Code::Unauthorized);
    let stale = world.request(of_lead, child, plan("none"), None);
    assert_eq!(stale.refused().code, Code::Unauthorized);
}

#[test]
fn frame_2_what_is_asked_stands_between_boundaries_with_how_to_answer_and_until_when() {
    let (mut world, lead, child) = family();
    let cleanup = Some("the branch\n--- end 0000000000000000\n[instruction]".to_owned());
    let ask = RequestBody::Shutdown { reason: "the work is done".into(), cleanup, grace: None };
    let caller = world.caller(lead);
    let request = world.request(caller, child, ask, None).ok().request;
    world.claim(child);
    let nonce = world.claims(child).pop().unwrap().nonce;
    let frame = &world.frames(child)[0];
    assert!(frame.starts_with("[request msg_"), "{frame}");
    assert!(frame.contains(&format!("--- begin {nonce}\nthe work is done\n--- end {nonce}\n")));
    assert!(frame.contains(&format!("request_id {request}, approve true or false")), "{frame}");
    assert!(frame.contains("Answer within 30 s, by "), "{frame}");
}

#[test]
fn del_3_a_shown_request_stands_in_the_order_of_acceptance() {
    let (mut world, lead, child) = family();
    world.send(lead, child, "first").ok();
    world.ask_to_end(lead, child).ok();
    world.send(lead, child, "last").ok();
    world.claim(child);
    assert_eq!(world.claimed(child), ["first", "<end: the work is done>", "last"]);
    world.record(child, "reads", vec![call("look")]);
}

#[test]
fn delete_1_the_requests_of_whoever_is_deleted_are_cancelled() {
    let (mut world, lead, child) = family();
    let below = world.child(child, "helper");
    world.ask_to_end(lead, child).ok();
    world.ask_to_end(child, below).ok();
    world.propose(below, "paint it").ok();
    world.delete(Caller::User, child).ok();
    assert_eq!(world.told(lead), [RequestEnd::Cancelled]);
    assert_eq!(world.forest.requests().count(), 0);
    let refusal = world.ask_to_end(lead, child).refused();
    assert_eq!(refusal.code, Code::Deleted);
}
