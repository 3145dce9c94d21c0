//! PAUSE-1: the person has agents take nothing up, and lets them go on.

use switchboard_core::{
    Activity, Answer, CancelCause, Claimed, Code, Command, Content, Delivery, Effect, Life,
    LoopAnswer, Millis, Target, Timer, TurnEnd, WaitFor, Waited, Whom,
};

use crate::world::{World, call};

const ON: bool = true;
const OFF: bool = false;

fn runs(world: &World) -> usize {
    world.effects.iter().filter(|effect| matches!(effect, Effect::RunTurn { .. })).count()
}

#[test]
fn pause_1_a_paused_agent_begins_nothing_and_a_send_to_it_is_accepted_and_says_so() {
    let mut world = World::new();
    let lead = world.root("lead");
    assert_eq!(world.pause(Whom::Agent(lead), ON).ok(), [lead]);
    assert_eq!(world.activity(lead), Activity::Paused);
    let receipt = world.instruct(lead, "first").ok();
    assert!(receipt.paused);
    assert_eq!(receipt.delivery, Delivery::Queued);
    assert!(world.known(lead).turn.is_none());
    assert_eq!(world.pause(Whom::Agent(lead), OFF).ok(), [lead]);
    assert_eq!(world.claimed(lead), ["first"]);
    assert!(!world.instruct(lead, "second").ok().paused);
}

#[test]
fn pause_1_the_first_receipt_again_says_what_the_first_said() {
    let mut world = World::new();
    let lead = world.root("lead");
    let child = world.child(lead, "reviewer");
    world.instruct(lead, "go").ok();
    let key = world.key(lead, 0);
    world.pause(Whom::Agent(child), ON).ok();
    assert!(world.send_keyed(lead, child, "hi", key).ok().paused);
    world.pause(Whom::Agent(child), OFF).ok();
    world.crash();
    world.settle();
    let again = world.send_keyed(lead, child, "hi", key).ok();
    assert!(again.repeated && again.paused);
}

#[test]
fn pause_1_a_running_turn_is_held_at_its_boundary_and_a_call_in_flight_finishes() {
    let mut world = World::new();
    let lead = world.root("lead");
    world.instruct(lead, "go").ok();
    world.claim(lead);
    world.pause(Whom::Agent(lead), ON).ok();
    world.record(lead, "I look", vec![call("look")]);
    world.call_done(lead, 0);
    world.instruct(lead, "and this").ok();
    let held = world.boundary(lead);
    assert!(!world.answers.contains_key(&held), "its loop holds");
    assert!(world.cancels().is_empty(), "nothing is cut");
    world.pause(Whom::Agent(lead), OFF).ok();
    assert_eq!(world.answers[&held], Answer::Loop(LoopAnswer::GoOn(Claimed::default())));
    world.record(lead, "done", vec![]);
    assert_eq!(world.claimed(lead), ["and this"]);
}

#[test]
fn pause_1_an_answer_that_ends_the_turn_ends_it() {
    let mut world = World::new();
    let lead = world.root("lead");
    world.instruct(lead, "go").ok();
    world.claim(lead);
    world.pause(Whom::All, ON).ok();
    let over = world.record(lead, "done", vec![]);
    assert_eq!(over, LoopAnswer::TurnOver(TurnEnd::Completed));
    assert_eq!(world.activity(lead), Activity::Paused);
    assert!(world.forest.is_quiet(), "it has nothing to do");
}

#[test]
fn pause_1_it_starts_nobody_until_it_is_resumed() {
    let mut world = World::new();
    let lead = world.root("lead");
    world.instruct(lead, "go").ok();
    world.claim(lead);
    world.record(lead, "I start", vec![call("subagent")]);
    world.pause(Whom::Agent(lead), ON).ok();
    assert_eq!(world.start(lead, "helper").refused().code, Code::Paused);
    world.pause(Whom::Agent(lead), OFF).ok();
    world.start(lead, "helper").ok();
}

#[test]
fn pause_1_one_alone_a_tree_or_all() {
    let mut world = World::new();
    let (lead, other) = (world.root("lead"), world.root("other"));
    let child = world.child(lead, "reviewer");
    let below = world.child(child, "helper");
    assert_eq!(world.pause(Whom::Agent(child), ON).ok(), [child]);
    assert_eq!(world.activity(below), Activity::Running);
    assert_eq!(world.pause(Whom::Tree(child), ON).ok(), [below], "it names whom it changed");
    assert_eq!(world.pause(Whom::All, ON).ok(), [lead, other]);
    assert_eq!(world.pause(Whom::All, ON).ok(), []);
    assert_eq!(world.count("paused"), 4, "what changes nothing is no fact");
    assert_eq!(world.pause(Whom::Tree(child), OFF).ok(), [child, below]);
    assert_eq!(world.activity(lead), Activity::Paused);
    assert_eq!(world.pause(Whom::All, OFF).ok(), [lead, other]);
}

#[test]
fn pause_1_nobody_who_is_not_there_or_deleted_is_paused() {
    let mut world = World::new();
    let lead = world.root("lead");
    let nobody = switchboard_core::AgentId::new(switchboard_core::LedgerTag::new(9), 1);
    assert_eq!(world.pause(Whom::Agent(nobody), ON).refused().code, Code::Unreachable);
    world.delete(switchboard_core::Caller::User, lead).ok();
    assert_eq!(world.pause(Whom::Tree(lead), ON).refused().code, Code::Deleted);
    assert_eq!(world.pause(Whom::All, ON).ok(), []);
    world.drain();
    assert_eq!(world.pause(Whom::All, ON).refused().code, Code::Draining);
}

#[test]
fn pause_1_it_is_stored_and_a_turn_is_not_run_after_a_restart_until_it_is_resumed() {
    let mut world = World::new();
    let lead = world.root("lead");
    world.instruct(lead, "go").ok();
    let turn = world.activation(lead).turn;
    world.pause(Whom::Agent(lead), ON).ok();
    world.crash();
    world.settle();
    assert_eq!(world.activity(lead), Activity::Paused);
    assert_eq!(runs(&world), 0);
    world.pause(Whom::Agent(lead), OFF).ok();
    assert_eq!(runs(&world), 1);
    assert_eq!(world.activation(lead).turn, turn);
    world.claim(lead);
    assert_eq!(world.claimed(lead), ["go"]);
}

#[test]
fn pause_1_a_held_turn_is_interrupted_closed_and_deleted_as_any_other() {
    for how in 0..3 {
        let mut world = World::new();
        let lead = world.root("lead");
        let child = world.child(lead, "reviewer");
        world.step_once(child);
        world.pause(Whom::Tree(child), ON).ok();
        let held = world.boundary(child);
        let end = match how {
            0 => {
                world.interrupt(lead, child).ok();
                TurnEnd::Interrupted
            }
            1 => {
                world.close(world.caller(lead), child).ok();
                TurnEnd::Aborted
            }
            _ => {
                world.delete(world.caller(lead), child).ok();
                TurnEnd::Aborted
            }
        };
        assert_eq!(world.answers[&held], Answer::Loop(LoopAnswer::TurnOver(end)));
        world.settle();
        assert_eq!(world.known(child).life == Life::Absent, how > 0);
    }
}

#[test]
fn pause_1_a_drain_stops_a_held_loop_and_its_turn_stays_open() {
    let mut world = World::new();
    let lead = world.root("lead");
    world.instruct(lead, "go").ok();
    world.step_once(lead);
    world.pause(Whom::All, ON).ok();
    let held = world.boundary(lead);
    let drained = world.drain();
    assert_eq!(world.cancels(), [(lead, CancelCause::Draining)]);
    assert_eq!(world.answers[&held], Answer::Loop(LoopAnswer::Stop));
    world.stop_loop(lead);
    assert_eq!(world.answers[&drained], Answer::Drained);
    assert!(world.known(lead).turn.is_some());
}

#[test]
fn pause_1_a_paused_child_does_not_settle_and_keeps_its_parent_waiting() {
    let mut world = World::new();
    let lead = world.root("lead");
    let child = world.child(lead, "reviewer");
    world.pause(Whom::Agent(child), ON).ok();
    world.record(child, "done", vec![]);
    assert_eq!(world.activity(child), Activity::Paused);
    assert_eq!(world.activity(lead), Activity::Waiting);
    assert!(!world.forest.is_quiet());
    world.pause(Whom::Agent(child), OFF).ok();
    world.settle();
    assert_eq!(world.activity(child), Activity::Absent);
    assert_eq!(world.claimed(lead), ["<settled completed>"]);
}

#[test]
fn pause_1_one_that_is_only_stored_gets_its_mail_and_is_brought_back_when_it_is_resumed() {
    let mut world = World::new();
    let lead = world.root("lead");
    let child = world.settled_child(lead, "reviewer");
    world.pause(Whom::Agent(child), ON).ok();
    assert!(world.send(lead, child, "more").ok().paused);
    assert_eq!(world.orders(), []);
    world.crash();
    world.settle();
    assert_eq!(world.activity(child), Activity::Absent);
    world.pause(Whom::Agent(child), OFF).ok();
    world.settle();
    assert_eq!(world.claimed(child), ["more"]);
}

#[test]
fn pause_1_one_that_could_not_be_brought_back_is_tried_anew_when_it_is_resumed() {
    let mut world = World::new();
    let lead = world.root("lead");
    let child = world.settled_child(lead, "reviewer");
    world.pause(Whom::Agent(child), ON).ok();
    world.send(lead, child, "more").ok();
    world.pause(Whom::Agent(child), OFF).ok();
    world.fail(child);
    world.pause(Whom::Agent(child), ON).ok();
    world.fire(|timer| matches!(timer, Timer::Rebuild(..)));
    assert_eq!(world.orders(), [], "nobody is brought back to do nothing");
    world.pause(Whom::Agent(child), OFF).ok();
    world.settle();
    assert_eq!(world.claimed(child), ["more"]);
}

#[test]
fn pause_1_resuming_opens_what_is_due_the_oldest_first() {
    let limits = switchboard_core::Limits { places: 1, ..switchboard_core::Limits::default() };
    let mut world = World::with(limits, switchboard_core::ReachPolicy::Direct);
    let lead = world.root("lead");
    let late = world.child(lead, "a");
    world.pause(Whom::All, ON).ok();
    world.record(late, "done", vec![]);
    world.instruct(lead, "older").ok();
    world.instruct(late, "newer").ok();
    world.pause(Whom::All, OFF).ok();
    assert_eq!(world.claimed(lead), ["older"]);
    assert!(world.known(late).turn.is_none(), "there is one place");
}

#[test]
fn pause_1_one_that_waits_goes_on_when_it_is_resumed() {
    let mut world = World::new();
    let lead = world.root("lead");
    world.instruct(lead, "go").ok();
    let child = world.child(lead, "reviewer");
    world.step_once(lead);
    let (ticket, activation) = (world.ticket(), world.activation(lead));
    let (on, patience) = (WaitFor::Mail, Millis(60_000));
    world.act(Command::Wait { ticket, activation, on, patience });
    world.pause(Whom::Agent(lead), ON).ok();
    world.send(child, lead, "here").ok();
    assert!(!world.answers.contains_key(&ticket));
    world.pause(Whom::Agent(lead), OFF).ok();
    assert_eq!(world.answers[&ticket], Answer::Waited(Waited::Mail(1)));
}

#[test]
fn pause_1_obs_3_nobody_who_is_paused_is_at_work() {
    let mut world = World::new();
    let lead = world.root("lead");
    world.instruct(lead, "go").ok();
    let child = world.child(lead, "reviewer");
    world.step_once(lead);
    let (ticket, activation) = (world.ticket(), world.activation(lead));
    let (on, patience) = (WaitFor::Mail, Millis(60_000));
    world.act(Command::Wait { ticket, activation, on, patience });
    assert!(!world.answers.contains_key(&ticket), "its child is at work");
    world.pause(Whom::Agent(child), ON).ok();
    assert_eq!(world.answers[&ticket], Answer::Waited(Waited::Nobody));
}

#[test]
fn pause_1_what_waits_for_a_paused_agent_expires_as_ever() {
    let mut world = World::new();
    let lead = world.root("lead");
    world.pause(Whom::Agent(lead), ON).ok();
    let content = Content { expires_in: Some(Millis(5_000)), ..Content::text("soon") };
    let draft = switchboard_core::Draft { to: Target::Agent(lead), content };
    world.send_draft(switchboard_core::Caller::User, draft, None).ok();
    world.fire(|timer| matches!(timer, Timer::Expiry(..)));
    assert!(world.waiting(lead).is_empty());
}
