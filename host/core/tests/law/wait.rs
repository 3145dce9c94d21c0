//! Waiting in the middle of a turn (TOOL-3, OBS-3, HAND-4), and children in the foreground.

use switchboard_core::{
    Activity, AgentId, Answer, Caller, Code, Command, EndReason, HostKey, Limits, LoopAnswer,
    Millis, Mode, Outcome, ReachPolicy, StartRequest, Ticket, Timer, TurnEnd, WaitFor, Waited,
};

use crate::world::{World, call, descriptor};

pub(crate) fn in_front(world: &mut World, parent: AgentId, kind: &str) -> AgentId {
    let key = world.key(parent, 0);
    start(world, parent, kind, Some(HostKey { step: 0, ..key }))
}

pub(crate) fn start(
    world: &mut World,
    parent: AgentId,
    kind: &str,
    key: Option<HostKey>,
) -> AgentId {
    let request = StartRequest {
        kind: kind.to_owned(),
        descriptor: Some(descriptor(kind, Mode::Continuable)),
        description: String::new(),
        prompt: format!("be a {kind}"),
        background: false,
        fork: false,
    };
    world.start_request(world.caller(parent), request, key).ok().agent
}

pub(crate) fn wait(world: &mut World, agent: AgentId, on: WaitFor) -> Ticket {
    let (ticket, activation) = (world.ticket(), world.activation(agent));
    let patience = Millis::seconds(30);
    world.act(Command::Wait { ticket, activation, on, patience });
    ticket
}

pub(crate) fn waited(world: &World, ticket: Ticket) -> Option<Waited> {
    match world.answers.get(&ticket)? {
        Answer::Waited(waited) => Some(waited.clone()),
        other => panic!("{other:?}"),
    }
}

fn ended(world: &World, ticket: Ticket) -> (EndReason, String) {
    match waited(world, ticket) {
        Some(Waited::Ended(Outcome { reason, closing })) => {
            (reason, closing.map_or(String::new(), |words| words.to_string()))
        }
        other => panic!("{other:?}"),
    }
}

/// A lead whose open step asks for so many tools.
pub(crate) fn lead(limits: Limits, calls: usize) -> (World, AgentId) {
    let mut world = World::with(limits, ReachPolicy::Direct);
    let lead = world.root("lead");
    world.instruct(lead, "go").ok();
    world.claim(lead);
    world.record(lead, "", vec![call("subagent"); calls]);
    (world, lead)
}

#[test]
fn start_1_a_child_in_the_foreground_is_a_one_shot_child_whose_end_is_what_was_waited_for() {
    let (mut world, lead) = lead(Limits::default(), 1);
    let child = in_front(&mut world, lead, "reviewer");
    assert_eq!(world.known(child).descriptor.mode, Mode::OneShot);
    let ticket = wait(&mut world, lead, WaitFor::Child(child));
    world.settle();
    assert_eq!(waited(&world, ticket), None);
    world.finish(child, "All is well.");
    world.settle();
    assert_eq!(ended(&world, ticket), (EndReason::Completed, "All is well.".to_owned()));
    assert!(world.waiting(lead).is_empty(), "SET-1: no notice beside the result");
    assert_eq!(world.send(lead, child, "more?").refused().code, Code::NotResumable);
}

#[test]
fn tool_3_what_has_ended_before_the_wait_begins_is_answered_at_once() {
    let (mut world, lead) = lead(Limits::default(), 1);
    let child = in_front(&mut world, lead, "reviewer");
    world.settle();
    world.finish(child, "Quick.");
    world.settle();
    let ticket = wait(&mut world, lead, WaitFor::Child(child));
    assert_eq!(ended(&world, ticket).1, "Quick.");
}

#[test]
fn turn_3_a_crash_while_a_child_works_in_the_foreground_loses_nothing() {
    let (mut world, lead) = lead(Limits::default(), 1);
    let key = world.key(lead, 0);
    let child = start(&mut world, lead, "reviewer", Some(key));
    wait(&mut world, lead, WaitFor::Child(child));
    world.settle();
    world.crash();
    world.settle();
    assert_eq!(start(&mut world, lead, "reviewer", Some(key)), child, "its first answer");
    let ticket = wait(&mut world, lead, WaitFor::Child(child));
    world.finish(child, "All is well.");
    world.settle();
    world.crash();
    world.settle();
    let ticket = match waited(&world, ticket) {
        Some(_) => wait(&mut world, lead, WaitFor::Child(child)),
        None => panic!("it had ended"),
    };
    assert_eq!(ended(&world, ticket).1, "All is well.", "it is a fact what it came to");
}

#[test]
fn res_5_whoever_waits_gives_its_place_back_and_needs_one_to_go_on() {
    let (mut world, lead) = lead(Limits { places: 1, ..Limits::default() }, 1);
    let child = in_front(&mut world, lead, "reviewer");
    world.settle();
    assert!(world.known(child).turn.is_none(), "the only place is taken");
    let ticket = wait(&mut world, lead, WaitFor::Child(child));
    assert!(world.known(child).turn.is_some(), "it has the place of the one who waits");
    let other = world.start(lead, "other").refused();
    assert_eq!(other.code, Code::Capacity);
    assert!(other.text.contains("reviewer") && !other.text.contains("lead"), "{}", other.text);
    world.finish(child, "Done.");
    world.settle();
    assert_eq!(ended(&world, ticket).0, EndReason::Completed);
}

#[test]
fn res_5_one_who_has_what_it_waited_for_comes_before_those_who_are_due() {
    let limits = Limits { places: 1, ..Limits::default() };
    let (mut world, lead) = lead(limits, 1);
    let child = in_front(&mut world, lead, "reviewer");
    let ticket = wait(&mut world, lead, WaitFor::Child(child));
    world.settle();
    world.instruct(lead, "and then this").ok();
    let below = world.start(child, "below");
    assert_eq!(below.refused().code, Code::Capacity);
    world.finish(child, "Done.");
    assert_eq!(waited(&world, ticket), None, "it is not released yet");
    world.settle();
    assert!(waited(&world, ticket).is_some());
    assert_eq!(world.activity(lead), Activity::Running);
}

#[test]
fn tool_3_two_children_in_the_foreground_work_side_by_side() {
    let (mut world, lead) = lead(Limits::default(), 2);
    let key = world.key(lead, 0);
    let one = start(&mut world, lead, "one", Some(key));
    let two = start(&mut world, lead, "two", Some(HostKey { call: 1, ..key }));
    let tickets = [one, two].map(|child| wait(&mut world, lead, WaitFor::Child(child)));
    world.settle();
    world.finish(two, "Second.");
    world.settle();
    assert_eq!(ended(&world, tickets[1]).1, "Second.");
    assert_eq!(waited(&world, tickets[0]), None);
    world.finish(one, "First.");
    world.settle();
    assert_eq!(ended(&world, tickets[0]).1, "First.");
}

#[test]
fn start_1_a_child_that_does_not_come_up_has_come_to_nothing() {
    let (mut world, lead) = lead(Limits::default(), 1);
    let child = in_front(&mut world, lead, "reviewer");
    let ticket = wait(&mut world, lead, WaitFor::Child(child));
    world.fail(child);
    assert_eq!(ended(&world, ticket), (EndReason::Aborted, String::new()));
}

#[test]
fn set_1_a_one_shot_child_that_is_stopped_is_done_and_what_it_wrote_is_kept() {
    let (mut world, lead) = lead(Limits::default(), 1);
    let child = in_front(&mut world, lead, "reviewer");
    let ticket = wait(&mut world, lead, WaitFor::Child(child));
    world.settle();
    world.step_once(child);
    world.interrupt_as(Caller::User, child).ok();
    world.end(child, TurnEnd::Interrupted);
    world.settle();
    assert_eq!(ended(&world, ticket), (EndReason::Aborted, "thinking".to_owned()));
    assert_eq!(world.activity(child), Activity::Absent);
}

#[test]
fn set_1_the_end_of_a_child_whose_starting_call_was_cut_is_told_by_a_notice() {
    let (mut world, lead) = lead(Limits::default(), 1);
    let child = in_front(&mut world, lead, "reviewer");
    let ticket = wait(&mut world, lead, WaitFor::Child(child));
    world.settle();
    world.interrupt_as(Caller::User, lead).ok();
    world.act(Command::Withdraw { ticket });
    world.end(lead, TurnEnd::Interrupted);
    world.finish(child, "Found it.");
    world.settle();
    assert_eq!(waited(&world, ticket), None);
    world.instruct(lead, "and?").ok();
    let read = world.frames(lead).join("\n");
    assert!(read.contains("Found it.") && read.contains("ran one task"), "{read}");
}

#[test]
fn set_1_the_end_of_a_child_is_told_by_a_notice_if_the_call_is_cut_before_it_is_on_record() {
    let (mut world, lead) = lead(Limits::default(), 1);
    let child = in_front(&mut world, lead, "reviewer");
    let ticket = wait(&mut world, lead, WaitFor::Child(child));
    world.settle();
    world.finish(child, "Found it.");
    world.settle();
    assert_eq!(ended(&world, ticket), (EndReason::Completed, "Found it.".to_owned()));
    world.interrupt_as(Caller::User, lead).ok();
    world.end(lead, TurnEnd::Interrupted);
    world.settle();
    assert!(world.known(lead).turn.is_none(), "INT-3: it wakes nobody who was just stopped");
    world.instruct(lead, "and?").ok();
    let read = world.frames(lead).join("\n");
    assert_eq!(read.matches("Found it.").count(), 1, "{read}");
}

#[test]
fn set_1_the_end_of_a_child_is_told_to_a_parent_that_was_put_away_meanwhile() {
    let (mut world, lead) = lead(Limits::default(), 1);
    let child = in_front(&mut world, lead, "reviewer");
    let ticket = wait(&mut world, lead, WaitFor::Child(child));
    world.settle();
    world.finish(child, "Found it.");
    world.close(Caller::User, lead).ok();
    world.act(Command::Withdraw { ticket });
    world.settle();
    world.instruct(lead, "and?");
    world.settle();
    let read = world.frames(lead).join("\n");
    assert_eq!(read.matches("Found it.").count(), 1, "{read}");
}

#[test]
fn start_4_a_child_in_the_foreground_that_takes_too_long_is_closed_and_told_of() {
    let (mut world, lead) = lead(Limits::default(), 1);
    let child = in_front(&mut world, lead, "reviewer");
    let ticket = wait(&mut world, lead, WaitFor::Child(child));
    world.settle();
    world.step_once(child);
    world.fire(|timer| *timer == Timer::Waiting(ticket));
    world.end(child, TurnEnd::Aborted);
    world.settle();
    assert_eq!(ended(&world, ticket), (EndReason::Aborted, "thinking".to_owned()));
}

#[test]
fn obs_3_waiting_returns_at_once_when_something_is_there() {
    let (mut world, lead) = lead(Limits::default(), 1);
    let child = world.child(lead, "reviewer");
    world.send(child, lead, "found one").ok();
    let ticket = wait(&mut world, lead, WaitFor::Mail);
    assert_eq!(waited(&world, ticket), Some(Waited::Mail(1)));
}

#[test]
fn obs_3_waiting_ends_with_the_first_message() {
    let (mut world, lead) = lead(Limits::default(), 1);
    let child = world.child(lead, "reviewer");
    let ticket = wait(&mut world, lead, WaitFor::Mail);
    assert_eq!(waited(&world, ticket), None);
    world.send(child, lead, "found one").ok();
    assert_eq!(waited(&world, ticket), Some(Waited::Mail(1)));
}

#[test]
fn obs_3_what_waits_for_a_turn_of_its_own_ends_no_wait() {
    let (mut world, lead) = lead(Limits::default(), 1);
    let _child = world.child(lead, "reviewer");
    let ticket = wait(&mut world, lead, WaitFor::Mail);
    world.instruct(lead, "later").ok();
    assert_eq!(waited(&world, ticket), None);
}

#[test]
fn obs_3_waiting_says_so_when_nobody_is_at_work_who_could_write() {
    let (mut world, lead) = lead(Limits::default(), 1);
    let ticket = wait(&mut world, lead, WaitFor::Mail);
    assert_eq!(waited(&world, ticket), Some(Waited::Nobody));
}

#[test]
fn obs_3_a_wait_ends_when_the_last_one_at_work_waits_itself() {
    let (mut world, lead) = lead(Limits::default(), 1);
    let child = world.child(lead, "reviewer");
    let first = wait(&mut world, lead, WaitFor::Mail);
    world.step_once(child);
    world.record(child, "", vec![call("wait")]);
    let second = wait(&mut world, child, WaitFor::Mail);
    assert_eq!(waited(&world, second), Some(Waited::Nobody), "whoever comes last is told");
    assert_eq!(waited(&world, first), None, "it goes on, and may write");
    world.call_done(child, 0);
    world.finish(child, "");
    world.settle();
    assert_eq!(waited(&world, first), Some(Waited::Mail(1)), "its settlement");
}

#[test]
fn obs_3_what_waits_for_a_turn_of_its_own_keeps_nobody_waiting_for_one_that_waits() {
    let (mut world, lead) = lead(Limits::default(), 1);
    world.instruct(lead, "later").ok();
    let ticket = wait(&mut world, lead, WaitFor::Mail);
    assert_eq!(waited(&world, ticket), Some(Waited::Nobody));
}

#[test]
fn obs_3_a_wait_has_a_deadline() {
    let (mut world, lead) = lead(Limits::default(), 1);
    let _child = world.child(lead, "reviewer");
    let ticket = wait(&mut world, lead, WaitFor::Mail);
    world.fire(|timer| *timer == Timer::Waiting(ticket));
    assert_eq!(waited(&world, ticket), Some(Waited::TimedOut));
}

#[test]
fn int_3_an_interrupt_ends_a_wait_with_the_turn() {
    let (mut world, lead) = lead(Limits { places: 2, ..Limits::default() }, 1);
    let child = world.child(lead, "reviewer");
    let ticket = wait(&mut world, lead, WaitFor::Mail);
    world.interrupt_as(Caller::User, lead).ok();
    world.act(Command::Withdraw { ticket });
    world.end(lead, TurnEnd::Interrupted);
    world.send(child, lead, "found one").ok();
    assert_eq!(waited(&world, ticket), None);
    assert_eq!(world.claimed(lead), ["found one"], "its place is counted once");
}

#[test]
fn id_2_a_stale_loop_waits_for_nothing() {
    let (mut world, lead) = lead(Limits::default(), 1);
    let stale = world.activation(lead);
    world.crash();
    world.settle();
    let (ticket, patience) = (world.ticket(), Millis::seconds(30));
    world.act(Command::Wait { ticket, activation: stale, on: WaitFor::Mail, patience });
    assert_eq!(world.answers[&ticket], Answer::Loop(LoopAnswer::Stop));
}

#[test]
fn start_3_a_fork_goes_on_from_the_last_completed_turn_and_is_what_its_parent_is() {
    let mut world = World::new();
    let lead = world.root("lead");
    world.instruct(lead, "first").ok();
    let first = world.activation(lead).turn;
    world.finish(lead, "done");
    world.instruct(lead, "second").ok();
    world.step_once(lead);
    let request = StartRequest {
        kind: String::new(),
        descriptor: None,
        description: String::new(),
        prompt: "go on".into(),
        background: true,
        fork: true,
    };
    let started = world.start_request(world.caller(lead), request.clone(), None).ok();
    assert_eq!(started.name.as_str(), "fork");
    let (fork, parent) = (world.known(started.agent), world.known(lead));
    assert_eq!(fork.seed, Some(first), "never the turn in flight");
    assert_eq!(fork.descriptor.mode, Mode::Continuable);
    assert_eq!(fork.descriptor.tools, parent.descriptor.tools);
    let of_nothing = world.root("fresh");
    world.instruct(of_nothing, "go").ok();
    let started = world.start_request(world.caller(of_nothing), request, None).ok();
    assert_eq!(world.known(started.agent).seed, None);
}
