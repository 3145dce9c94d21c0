//! TURN: what a crash may not undo.

use switchboard_core::{
    Activity, AgentId, Caller, Claimed, Command, DropReason, Effect, Event, Fate, Limits,
    LoopAnswer, MessageKind, Notice, ReachPolicy, StepRecord, TurnEnd,
};

use crate::world::{World, call};

fn working() -> (World, AgentId, AgentId) {
    let mut world = World::new();
    let lead = world.root("lead");
    let child = world.child(lead, "reviewer");
    world.claim(child);
    (world, lead, child)
}

fn since(world: &World, mark: usize) -> Vec<&'static str> {
    world.log[mark..].iter().map(Event::kind).collect()
}

#[test]
fn turn_1_an_answer_and_each_result_are_recorded_before_the_loop_goes_on() {
    let (mut world, _, child) = working();
    let mark = world.log.len();
    let calls = vec![call("look"), call("watch")];
    assert_eq!(world.record(child, "I look", calls), LoopAnswer::GoOn(Claimed::default()));
    assert_eq!(since(&world, mark), ["step-recorded"]);
    world.call_done(child, 1);
    assert!(
        matches!(world.log.last(), Some(Event::CallEnded { step: 0, call: 1, .. })),
        "the call of that step"
    );
    let left: Vec<u32> =
        world.known(child).turn.as_ref().unwrap().in_flight().map(|(place, _)| place).collect();
    assert_eq!(left, [0]);
}

#[test]
fn turn_1_a_result_is_recorded_once() {
    let (mut world, _, child) = working();
    world.record(child, "I look", vec![call("look")]);
    world.call_done(child, 0);
    let mark = world.log.len();
    world.call_done(child, 0);
    world.call_done(child, 7);
    assert_eq!(since(&world, mark), [""; 0]);
}

#[test]
fn turn_2_claimed_mail_is_consumed_in_the_batch_of_the_first_step_made_from_it() {
    let (mut world, lead, child) = working();
    world.send(lead, child, "one").ok();
    world.claim(child);
    let ids: Vec<_> = world.messages().iter().map(|message| message.id).collect();
    world.record(child, "thinking", vec![call("look")]);
    let Some(Event::StepRecorded { consumed, .. }) = world.log.last() else { panic!() };
    assert_eq!(*consumed, ids);
    world.call_done(child, 0);
    world.claim(child);
    world.record(child, "more", vec![call("look")]);
    let Some(Event::StepRecorded { consumed, step: 1, .. }) = world.log.last() else { panic!() };
    assert_eq!(consumed.len(), 0, "not twice");
}

#[test]
fn turn_3_after_a_crash_the_turn_goes_on_after_its_last_recorded_step() {
    let (mut world, lead, child) = working();
    world.record(child, "I look", vec![call("look"), call("watch")]);
    world.call_done(child, 1);
    let turn = world.activation(child).turn;
    world.crash();
    world.settle();
    let known = world.known(child).turn.as_ref().unwrap();
    assert_eq!((known.id, known.step), (turn, 1));
    let left: Vec<&str> = known.in_flight().map(|(_, call)| call.tool.as_str()).collect();
    assert_eq!(left, ["look"], "its driver knows which call has no result");
    world.call_done(child, 0);
    world.send(lead, child, "meanwhile").ok();
    world.claim(child);
    assert_eq!(world.claimed(child), ["meanwhile"]);
    world.record(child, "done", vec![]);
    let ends = world.log.iter().filter(|event| matches!(event, Event::TurnEnded { .. })).count();
    assert_eq!(ends, 1);
}

#[test]
fn turn_3_a_turn_without_a_step_begins_again_at_its_start_boundary() {
    let (mut world, lead, child) = working();
    world.instruct(child, "next turn").ok();
    world.crash();
    world.send(lead, child, "steered").ok();
    world.settle();
    world.claim(child);
    assert_eq!(
        world.claimed(child),
        ["be a reviewer", "steered"],
        "as at a start: next-step and one of next-turn"
    );
}

#[test]
fn turn_3_a_turn_with_nothing_left_to_begin_with_ends_aborted() {
    let mut world = World::with(Limits { attempts: 1, ..Limits::default() }, ReachPolicy::Direct);
    let lead = world.root("lead");
    let child = world.child(lead, "reviewer");
    world.crash();
    world.settle();
    assert_eq!(world.claim(child), LoopAnswer::TurnOver(TurnEnd::Aborted));
    assert!(!world.known(child).is_live() || world.activity(child) != Activity::Running);
}

#[test]
fn turn_3_all_calls_of_a_step_count_as_started_with_it() {
    let (mut world, _, child) = working();
    let mark = world.log.len();
    world.record(child, "both", vec![call("look"), call("watch")]);
    let [Event::StepRecorded { calls, .. }] = &world.log[mark..] else { panic!() };
    assert_eq!(calls.len(), 2);
    world.crash();
    assert_eq!(world.known(child).turn.as_ref().unwrap().in_flight().count(), 2);
}

#[test]
fn turn_3_after_a_restart_the_loop_runs_once_its_agent_is_up_and_not_before() {
    let (mut world, _, child) = working();
    world.crash();
    let runs = |world: &World| {
        let run =
            |effect: &&Effect| matches!(effect, Effect::RunTurn { agent, .. } if *agent == child);
        world.effects.iter().filter(run).count()
    };
    assert_eq!(runs(&world), 0);
    world.publish(child);
    assert_eq!(runs(&world), 1);
}

#[test]
fn turn_4_a_turn_with_a_recorded_interrupt_is_not_continued_and_its_claims_are_dropped() {
    let (mut world, lead, child) = working();
    let prompt = world.messages()[0].id;
    world.interrupt(lead, child).ok();
    world.crash();
    assert!(world.known(child).turn.is_none());
    assert_eq!(world.activity(child), Activity::Parked);
    let told = world.messages().into_iter().find_map(|message| match message.kind {
        MessageKind::Notice(Notice::Fates { ended }) => Some((message.to, ended)),
        _ => None,
    });
    let (reader, ended) = told.unwrap();
    assert_eq!((reader, ended[0].0), (lead, prompt));
    assert_eq!(ended[0].2, Fate::Dropped(DropReason::Interrupted));
    world.settle();
    assert_eq!(world.activity(child), Activity::Parked, "and stays so once it is up");
}

#[test]
fn turn_4_a_turn_of_one_who_was_being_put_away_ends_aborted_at_the_restart() {
    let (mut world, _, child) = working();
    world.close(Caller::User, child).ok();
    world.crash();
    assert!(world.known(child).turn.is_none());
    assert!(matches!(
        world.log.iter().rev().find(|event| event.kind() == "turn-ended"),
        Some(Event::TurnEnded { end: TurnEnd::Aborted, dropped, .. }) if dropped.is_empty()
    ));
    assert_eq!(world.waiting(child), ["be a reviewer"], "it waits behind the mark");
    world.settle();
    assert_eq!(world.activity(child), Activity::Absent);
}

#[test]
fn turn_5_an_answer_without_calls_and_the_end_of_its_turn_are_one_batch() {
    let (mut world, _, child) = working();
    let (mark, batches) = (world.log.len(), world.batches.len());
    world.record(child, "done", vec![]);
    assert_eq!(&since(&world, mark)[..2], ["step-recorded", "turn-ended"]);
    assert_eq!(world.batches.len(), batches + 1);
}

#[test]
fn turn_5_a_turn_has_one_end_and_a_late_one_changes_nothing() {
    for end in [TurnEnd::Completed, TurnEnd::Ceiling, TurnEnd::Refusal] {
        let (mut world, _, child) = working();
        let activation = world.activation(child);
        let record = StepRecord { text: "so".into(), calls: vec![], end };
        let answer = world.at_loop(|ticket| Command::RecordStep { ticket, activation, record });
        assert_eq!(answer, LoopAnswer::TurnOver(end));
        let (late, note) = (TurnEnd::Error, None);
        let answer =
            world.at_loop(|ticket| Command::EndTurn { ticket, activation, end: late, note });
        assert_eq!(answer, LoopAnswer::Stop);
        assert_eq!(world.count("turn-ended"), 1);
    }
}

#[test]
fn turn_5_an_end_the_loop_reports_is_recorded_with_its_note_and_the_calls_it_cut() {
    let (mut world, _, child) = working();
    world.record(child, "both", vec![call("look"), call("watch")]);
    world.call_done(child, 0);
    let activation = world.activation(child);
    let note = Some("the model is gone".to_owned());
    world.at_loop(|ticket| Command::EndTurn {
        ticket,
        activation,
        end: TurnEnd::Error,
        note: note.clone(),
    });
    let ended = world.log.iter().find(|event| event.kind() == "turn-ended").unwrap();
    let Event::TurnEnded { end: TurnEnd::Error, cut, note: kept, .. } = ended else { panic!() };
    assert_eq!((cut, kept), (&vec![1], &note));
}

#[test]
fn turn_5_the_step_that_reaches_the_limit_is_kept_and_ends_its_turn_as_ceiling() {
    let mut world = World::with(Limits { turn_steps: 2, ..Limits::default() }, ReachPolicy::Direct);
    let lead = world.root("lead");
    let child = world.child(lead, "reviewer");
    world.step_once(child);
    world.claim(child);
    let answer = world.record(child, "on and on", vec![call("look")]);
    assert_eq!(answer, LoopAnswer::TurnOver(TurnEnd::Ceiling));
    assert_eq!(world.count("step-recorded"), 2);
    world.settle();
    assert_eq!(world.claimed(lead), ["<settled ceiling>"]);
}

#[test]
fn turn_5_an_answer_in_the_last_allowed_step_completes() {
    let mut world = World::with(Limits { turn_steps: 2, ..Limits::default() }, ReachPolicy::Direct);
    let lead = world.root("lead");
    let child = world.child(lead, "reviewer");
    world.step_once(child);
    world.finish(child, "in time");
}
