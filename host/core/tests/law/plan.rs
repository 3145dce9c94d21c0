//! HAND-2: agents that change nothing until a plan of theirs is approved.

use std::sync::Arc;

use switchboard_core::{
    Activity, AgentId, Answer, Asked, Caller, Code, Command, Descriptor, Event, Limits, Mode,
    ReachPolicy, RequestBody, RequestEnd, RequestId, StartRequest,
};

use crate::world::{Came, World, answerer, descriptor, judges, plan, shutdown};

/// A lead, its child, which works, and one below that.
fn line() -> (World, AgentId, AgentId, AgentId) {
    let mut world = World::new();
    let lead = world.root("lead");
    let child = world.child(lead, "worker");
    world.step_once(child);
    let below = world.child(child, "helper");
    world.step_once(below);
    (world, lead, child, below)
}

fn is_read_only(world: &World, agent: AgentId) -> bool {
    world.known(agent).read_only
}

#[test]
fn hand_2_asking_makes_an_agent_read_only_until_its_parent_approves() {
    let (mut world, _, child, below) = line();
    assert!(!is_read_only(&world, below));
    let requested = world.propose(below, "paint it").ok();
    assert_eq!(answerer(&requested), Some(child));
    assert!(is_read_only(&world, below));
    world.claim(child);
    assert_eq!(world.claimed(child), ["<plan: paint it>"]);
    world.answer(child, requested.request, judges(true)).ok();
    assert!(!is_read_only(&world, below));
    assert_eq!(world.told(below), [RequestEnd::Answered(judges(true))]);
}

#[test]
fn hand_2_a_plan_that_is_not_approved_leaves_it_read_only_and_it_may_ask_again() {
    let (mut world, _, child, below) = line();
    let first = world.propose(below, "paint it").ok().request;
    world.answer(child, first, judges(false)).ok();
    assert!(is_read_only(&world, below));
    let second = world.propose(below, "paint it blue").ok().request;
    world.answer(child, second, judges(true)).ok();
    assert!(!is_read_only(&world, below));
}

#[test]
fn hand_2_an_approval_is_for_one_plan_and_counts_once() {
    let (mut world, _, child, below) = line();
    let first = world.propose(below, "paint it").ok().request;
    let second = world.propose(below, "tear it down").ok().request;
    assert_eq!(world.answer(child, first, judges(true)).refused().code, Code::AlreadyAnswered);
    assert!(is_read_only(&world, below), "what is approved is not what was asked last");
    assert_eq!(world.told(below), [RequestEnd::Superseded(second)]);
    world.answer(child, second, judges(true)).ok();
    assert_eq!(world.answer(child, second, judges(true)).refused().code, Code::AlreadyAnswered);
    let digests: Vec<_> = world
        .log
        .iter()
        .filter_map(|event| match event {
            Event::RequestClosed { digest, .. } => Some(*digest),
            _ => None,
        })
        .collect();
    assert_eq!(digests, [plan("paint it").digest(), plan("tear it down").digest()]);
    assert_ne!(digests[0], digests[1]);
}

#[test]
fn hand_2_a_record_that_approves_another_plan_than_was_asked_is_left_out() {
    let (mut world, _, child, below) = line();
    let request = world.propose(below, "paint it").ok().request;
    let end = RequestEnd::Answered(judges(true));
    let (by, digest) = (Some(child), plan("tear it down").digest());
    let altered = Event::RequestClosed { agent: below, request, end, digest, by, key: None };
    world.forest.apply(&altered).unwrap_err();
    assert!(is_read_only(&world, below));
}

#[test]
fn hand_2_the_one_asked_reads_that_a_newer_plan_takes_the_place_of_an_older() {
    let (mut world, _, child, below) = line();
    let first = world.propose(below, "paint it").ok().request;
    world.step_once(child);
    world.propose(below, "tear it down").ok();
    world.claim(child);
    let frame = &world.frames(child)[0];
    assert!(frame.contains(&format!("takes the place of {first}")), "{frame}");
    assert!(frame.contains(&plan("tear it down").digest().to_string()));
}

#[test]
fn hand_2_a_read_only_agent_stops_starts_and_closes_nobody_but_talks() {
    let (mut world, lead, child, below) = line();
    let asked = world.ask_to_end(lead, child).ok().request;
    let last = world.propose(child, "close the helper").ok().request;
    let caller = world.caller(child);
    assert_eq!(world.interrupt(child, below).refused().code, Code::ReadOnly);
    assert_eq!(world.close(caller, below).refused().code, Code::ReadOnly);
    assert_eq!(world.delete(caller, below).refused().code, Code::ReadOnly);
    assert_eq!(world.start(child, "tester").refused().code, Code::ReadOnly);
    world.send(child, lead, "may I?").ok();
    world.ask_to_end(child, below).ok();
    let refuses =
        switchboard_core::Reply::Shutdown { approve: false, cleaned_up: false, report: None };
    world.claim(child);
    world.answer(child, asked, refuses).ok();
    world.answer(lead, last, judges(true)).ok();
    world.interrupt(child, below).ok();
}

#[test]
fn hand_2_who_is_read_only_stays_so_through_a_crash_and_through_being_put_away() {
    let (mut world, _, _, below) = line();
    world.propose(below, "paint it").ok();
    world.crash();
    world.settle();
    assert!(is_read_only(&world, below));
    assert_eq!(world.start(below, "other").refused().code, Code::ReadOnly);
    world.claim(below);
    world.finish(below, "waits");
    world.settle();
    assert_eq!(world.activity(below), Activity::Absent);
    assert!(is_read_only(&world, below));
}

#[test]
fn hand_2_an_answer_brings_back_one_that_came_to_rest_while_it_waited() {
    for approve in [true, false] {
        let (mut world, _, child, below) = line();
        let request = world.propose(below, "paint it").ok().request;
        world.finish(below, "waits");
        world.settle();
        world.answer(child, request, judges(approve)).ok();
        world.settle();
        let told = if approve { "<request approved>" } else { "<request refused>" };
        assert_eq!(world.claimed(below), [told]);
    }
}

#[test]
fn hand_2_a_plan_nobody_answers_is_refused_when_its_time_is_over() {
    let (mut world, _, _, below) = line();
    let request = world.propose(below, "paint it").ok().request;
    assert_eq!(world.deadlines(request), [Limits::default().plan_answer]);
    world.run_out(request);
    assert!(is_read_only(&world, below));
    assert_eq!(world.told(below), [RequestEnd::Unanswered]);
    world.claim(below);
    assert!(world.frames(below)[0].contains("Nobody answered"));
}

#[test]
fn hand_2_no_clock_brings_back_one_that_somebody_put_away() {
    let (mut world, _, _, below) = line();
    let request = world.propose(below, "paint it").ok().request;
    world.close(Caller::User, below).ok();
    world.end(below, switchboard_core::TurnEnd::Aborted);
    world.settle();
    world.run_out(request);
    world.settle();
    assert_eq!(world.activity(below), Activity::Absent);
    assert_eq!(world.told(below), [RequestEnd::Unanswered]);
}

#[test]
fn hand_2_when_a_parent_goes_its_childrens_plans_go_to_the_next_above_and_then_to_the_person() {
    let (mut world, lead, child, below) = line();
    let request = world.propose(below, "paint it").ok().request;
    world.close(Caller::User, child).ok();
    let open: Vec<_> = world.forest.requests_for(Some(lead)).collect();
    assert_eq!((open.len(), open[0].request.id), (1, request));
    assert_eq!(world.answer(child, request, judges(true)).refused().code, Code::ActivationClosing);
    world.close(Caller::User, lead).ok();
    let open: Vec<_> = world.forest.requests_for(None).collect();
    assert_eq!((open.len(), open[0].request.id), (1, request));
    world.respond(Caller::User, request, judges(true), None).ok();
    assert!(!is_read_only(&world, below));
    assert_eq!(world.told(below), [RequestEnd::Answered(judges(true))]);
}

#[test]
fn hand_2_a_parent_that_comes_to_rest_without_an_answer_passes_the_plan_on() {
    let (mut world, lead, child, below) = line();
    let request = world.propose(below, "paint it").ok().request;
    world.finish(below, "waits");
    world.settle();
    world.step_once(child);
    world.finish(child, "not mine");
    world.settle();
    assert_eq!(world.activity(child), Activity::Absent);
    let open: Vec<_> = world.forest.requests_for(Some(lead)).collect();
    assert_eq!((open.len(), open[0].request.id), (1, request));
    world.answer(lead, request, judges(true)).ok();
    assert!(!is_read_only(&world, below));
}

#[test]
fn hand_2_a_roots_plan_goes_to_the_person_and_waits_through_a_crash() {
    let mut world = World::new();
    let lead = world.root("lead");
    world.instruct(lead, "begin").ok();
    let requested = world.propose(lead, "paint it").ok();
    assert_eq!(requested.asked, Asked::Person);
    assert!(is_read_only(&world, lead));
    world.crash();
    world.settle();
    assert_eq!(world.forest.requests_for(None).count(), 1);
    assert!(!world.deadlines(requested.request).is_empty());
    world.respond(Caller::User, requested.request, judges(true), None).ok();
    assert!(!is_read_only(&world, lead));
    let again = world.respond(Caller::User, requested.request, judges(true), None);
    assert_eq!(again.refused().code, Code::AlreadyAnswered);
}

#[test]
fn hand_2_only_whoever_was_asked_approves() {
    let (mut world, lead, _, below) = line();
    let request = world.propose(below, "paint it").ok().request;
    assert_eq!(world.answer(lead, request, judges(true)).refused().code, Code::NotFound);
    assert_eq!(world.answer(below, request, judges(true)).refused().code, Code::NotFound);
    let person = world.respond(Caller::User, request, judges(true), None);
    assert_eq!(person.refused().code, Code::NotFound);
    assert!(is_read_only(&world, below));
}

#[test]
fn hand_2_a_descriptor_may_say_that_a_plan_is_required_from_birth_on() {
    let mut world = World::new();
    let lead = world.root("lead");
    let caller = world.caller(lead);
    let careful =
        Descriptor { plan_required: true, ..(*descriptor("worker", Mode::Continuable)).clone() };
    let request = StartRequest {
        kind: "worker".into(),
        descriptor: Some(Arc::new(careful)),
        description: String::new(),
        prompt: "work".into(),
        background: true,
        fork: false,
    };
    let ticket = world.ticket();
    world.act(Command::Start { ticket, caller, key: None, request });
    let Answer::Started(started) = world.answers[&ticket].clone() else { panic!() };
    world.settle();
    let child = started.agent;
    assert!(is_read_only(&world, child));
    assert_eq!(world.start(child, "helper").refused().code, Code::ReadOnly);
    let request = world.propose(child, "have it helped").ok().request;
    world.answer(lead, request, judges(true)).ok();
    world.start(child, "helper").ok();
}

#[test]
fn hand_2_a_plan_says_something_and_the_person_has_none() {
    let (mut world, lead, _, below) = line();
    assert_eq!(world.propose(below, " ").refused().code, Code::InvalidArgument);
    let long = plan(&"x".repeat(20_000));
    let caller = world.caller(below);
    assert_eq!(world.request(caller, below, long, None).refused().code, Code::MessageTooLarge);
    let many = RequestBody::Plan {
        plan: "paint".into(),
        alternatives: vec!["no".into(); 17],
        recommendation: None,
    };
    assert_eq!(world.request(caller, below, many, None).refused().code, Code::InvalidArgument);
    let person = world.request(Caller::User, lead, plan("paint"), None);
    assert_eq!(person.refused().code, Code::InvalidArgument);
    assert!(!is_read_only(&world, below));
}

#[test]
fn hand_2_a_parent_that_agrees_to_end_leaves_no_plan_without_somebody_to_answer() {
    let (mut world, lead, child, below) = line();
    let request = world.propose(below, "paint it").ok().request;
    let caller = world.caller(lead);
    let end = world.request(caller, child, shutdown("enough"), None).ok().request;
    world.claim(child);
    world.answer(child, end, crate::world::ends(true)).ok();
    let open: Vec<_> = world.forest.requests().map(|open| (open.request.id, open.asked)).collect();
    assert_eq!(open, [(request, Some(lead))]);
}

#[test]
fn led_2_a_request_of_an_absurd_number_is_left_out_and_uses_up_no_numbers() {
    let (mut world, _, child, below) = line();
    let first = world.propose(below, "paint it").ok().request;
    let request = RequestId::new(first.tag(), u64::MAX);
    let (end, digest) = (RequestEnd::Unanswered, plan("paint it").digest());
    let absurd = Event::RequestClosed { agent: below, request, end, digest, by: None, key: None };
    world.forest.apply(&absurd).unwrap_err();
    assert_eq!(world.propose(child, "paint it").ok().request.number(), first.number() + 1);
}

#[test]
fn send_17_a_ring_of_plans_and_refusals_comes_to_an_end() {
    let limits = Limits { hops: 6, ..Limits::default() };
    let mut world = World::with(limits, ReachPolicy::Direct);
    let lead = world.root("lead");
    let child = world.child(lead, "worker");
    let mut asked = 0;
    while let Came::To(requested) = world.propose(child, "paint it") {
        asked += 1;
        world.claim(lead);
        world.answer(lead, requested.request, judges(false)).ok();
        world.finish(lead, "refused");
        world.step_once(child);
    }
    assert!((3..=6).contains(&asked), "{asked}");
    assert_eq!(world.propose(child, "paint it").refused().code, Code::BudgetExhausted);
    let end = world.ask_to_end(lead, child).ok().request;
    assert!(world.forest.requests().any(|open| open.request.id == end), "an end always fits");
}
