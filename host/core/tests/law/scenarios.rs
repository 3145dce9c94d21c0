//! Situations that other systems test, as the law here decides them; `tests/cases.toml` says which
//! row is shown where. Here are those that no clause's own tests show already.

use switchboard_core::{
    Activity, Afterwards, AgentId, Attachment, Block, Caller, Code, Command, Content, Delivery,
    Draft, EndReason, Limits, Mode, ReachPolicy, Schedule, StartRequest, StepRecord, Stop, Target,
    Timer, TurnEnd,
};

use crate::world::{World, call, descriptor, notices_of_rest};

fn pair() -> (World, AgentId, AgentId) {
    let mut world = World::new();
    let lead = world.root("lead");
    let child = world.child(lead, "reviewer");
    (world, lead, child)
}

/// A lead, its child that is only stored, and one below that, which is in memory.
fn hollow() -> (World, [AgentId; 3]) {
    let mut world = World::new();
    let lead = world.root("lead");
    let middle = world.child(lead, "middle");
    let below = world.settled_child(middle, "helper");
    world.settle();
    world.bring_back(below);
    assert_eq!(world.activity(middle), Activity::Absent);
    (world, [lead, middle, below])
}

fn optional(words: &str) -> Content {
    Content { reply_optional: true, ..Content::text(words) }
}

/// DSH-081, r095: the parent is whoever started the sender, and nobody above hears of it.
#[test]
fn send_5_a_report_to_the_parent_is_for_the_parent_alone() {
    let (mut world, lead, child) = pair();
    let below = world.child(child, "helper");
    assert_eq!(world.say(below, "parent", "found one").ok().to, child);
    assert_eq!(world.waiting(lead), [""; 0]);
    assert!(world.known(lead).turn.is_none());
}

/// DSH-040.
#[test]
fn int_1_the_person_stops_one_whose_parent_is_only_stored_and_brings_nobody_back() {
    let (mut world, [_, _, below]) = hollow();
    let stopped = world.interrupt_as(Caller::User, below).ok().target.stop;
    assert!(matches!(stopped, Stop::Cancelling(_)), "{stopped:?}");
    assert!(world.orders().is_empty());
}

/// DSH-043.
#[test]
fn int_4_one_that_is_only_stored_is_not_brought_back_to_be_stopped() {
    let mut world = World::new();
    let lead = world.root("lead");
    let child = world.settled_child(lead, "reviewer");
    let orders = world.orders().len();
    assert_eq!(world.interrupt(lead, child).ok().target.stop, Stop::AlreadyFinished);
    assert_eq!(world.orders().len(), orders);
}

/// PRM-063, r040, r041: below the one that is named nobody stops unless it is asked for.
#[test]
fn int_3_a_cascade_stops_those_below_and_an_interrupt_without_it_leaves_them() {
    for cascade in [false, true] {
        let (mut world, lead, child) = pair();
        let below = world.child(child, "helper");
        for agent in [child, below] {
            world.step_once(agent);
        }
        let (ticket, caller) = (world.ticket(), world.caller(lead));
        let (key, turn, reason, target) = (None, None, None, Target::Agent(child));
        world.act(Command::Interrupt { ticket, caller, key, target, turn, cascade, reason });
        let answer = world.interruption(ticket).ok();
        let told: Vec<AgentId> = world.cancels().into_iter().map(|(agent, _)| agent).collect();
        let stopped: Vec<AgentId> = answer.below.iter().map(|stopped| stopped.agent).collect();
        if cascade {
            assert_eq!((told, stopped), (vec![child, below], vec![below]));
            assert!(answer.still_running.is_empty());
        } else {
            assert_eq!((told, stopped), (vec![child], vec![]));
            assert_eq!(answer.still_running, [below]);
        }
    }
}

/// DST-010: quiet mail leaves its reader where it is, and comes before what brings it back.
#[test]
fn fate_6_what_needs_no_answer_is_read_before_the_message_that_brings_its_reader_back() {
    let mut world = World::new();
    let lead = world.root("lead");
    let child = world.settled_child(lead, "reviewer");
    let caller = world.caller(lead);
    let quiet = Draft { to: Target::Agent(child), content: optional("by the way") };
    assert_eq!(world.send_draft(caller, quiet, None).ok().delivery, Delivery::Queued);
    assert_eq!(world.activity(child), Activity::Absent);
    let ticket = world.send(lead, child, "look again").parked();
    world.settle();
    assert_eq!(world.receipt(ticket).ok().delivery, Delivery::Delivered);
    assert_eq!(world.claimed(child), ["by the way", "look again"]);
}

/// DSL-018: mail that wakes nobody holds nobody in memory.
#[test]
fn res_3_what_needs_no_answer_keeps_nobody_in_memory() {
    let (mut world, lead, child) = pair();
    world.claim(child);
    let caller = world.caller(lead);
    let quiet = Draft { to: Target::Agent(child), content: optional("thanks") };
    world.send_draft(caller, quiet, None).ok();
    world.record(child, "done", vec![]);
    world.settle();
    assert_eq!(world.activity(child), Activity::Absent);
    assert_eq!(world.waiting(child), ["thanks"], "it is kept for the next stay");
}

/// PRM-044: a sweep that comes late puts nobody away who works again.
#[test]
fn res_3_the_timer_of_a_park_that_is_over_puts_nobody_away() {
    let (mut world, lead, child) = pair();
    world.step_once(child);
    world.interrupt(lead, child).ok();
    world.end(child, TurnEnd::Interrupted);
    world.send(lead, child, "go on").ok();
    world.fire(|timer| matches!(timer, Timer::PutAway(..)));
    assert_eq!(world.activity(child), Activity::Running);
    assert_eq!(world.claimed(child), ["go on"]);
}

/// DSH-031: a start whose starter is put away before the child is up leaves nothing in memory.
#[test]
fn res_4_a_start_below_one_who_is_put_away_comes_to_nothing() {
    let (mut world, _, child) = pair();
    let below = world.start(child, "helper").ok().agent;
    world.close(Caller::User, child).ok();
    let stored = world.log.len();
    world.publish(below);
    assert_eq!(world.log.len(), stored, "a late one is not taken in");
    assert_eq!(world.start(child, "tester").refused().code, Code::ActivationClosing);
    world.settle();
    for agent in [below, child] {
        assert_eq!(world.activity(agent), Activity::Absent);
    }
}

/// A lead, and one below a one-shot child of it that has long ended.
fn below_one_that_has_ended() -> (World, AgentId, AgentId) {
    let mut world = World::new();
    let lead = world.root("lead");
    world.instruct(lead, "go").ok();
    world.step_once(lead);
    let request = StartRequest {
        kind: "worker".into(),
        descriptor: Some(descriptor("worker", Mode::Continuable)),
        description: String::new(),
        prompt: "one task".into(),
        background: false,
        fork: false,
    };
    let single = world.start_request(world.caller(lead), request, None).ok().agent;
    world.settle();
    let below = world.settled_child(single, "helper");
    world.settle();
    assert_eq!(world.activity(single), Activity::Absent);
    world.bring_back(below);
    (world, lead, below)
}

/// DSH-070: who is below is known from the edges and not from who is in memory.
#[test]
fn drain_1_res_4_a_drain_and_a_close_reach_those_below_a_one_shot_child_that_has_long_ended() {
    let (mut world, lead, below) = below_one_that_has_ended();
    world.close(Caller::User, lead).ok();
    assert_eq!(world.activity(below), Activity::Closing);
    let (mut world, lead, below) = below_one_that_has_ended();
    world.drain_trees(Caller::User, &[lead]).parked();
    assert_eq!(world.activity(below), Activity::Closing);
}

/// DSL-016.
#[test]
fn drain_1_a_drain_does_not_wait_for_those_who_are_being_put_away() {
    let (mut world, _, child) = pair();
    world.finish(child, "done");
    assert_eq!(world.activity(child), Activity::Closing);
    let ticket = world.drain();
    assert_eq!(world.answers[&ticket], switchboard_core::Answer::Drained);
}

fn with_an_image() -> Content {
    let image = Attachment { handle: "img-1".into(), media_type: "image/png".into() };
    let blocks = vec![Block::Text("look at this".into()), Block::Image(image)];
    Content { blocks, ..Content::default() }
}

/// DSL-013.
#[test]
fn send_9_words_with_an_image_are_refused_whole_and_a_drain_ends_the_wait_for_a_reader() {
    let (mut world, lead, child) = pair();
    let caller = world.caller(lead);
    let draft = |to| Draft { to: Target::Agent(to), content: with_an_image() };
    let before = world.log.len();
    let refusal = world.send_draft(caller, draft(child), None).refused();
    assert_eq!(refusal.code, Code::ModelDoesNotSupportImages);
    assert_eq!(world.log.len(), before, "nor are the words sent alone");
    let mut seeing = (*descriptor("painter", Mode::Continuable)).clone();
    seeing.images = true;
    let painter = world.start_as(caller, seeing.into(), "paint", None).ok().agent;
    let ticket = world.send_draft(caller, draft(painter), None).parked();
    world.drain();
    assert_eq!(world.receipt(ticket).refused().code, Code::Draining);
}

/// PRM-033: whoever has the name next is somebody else.
#[test]
fn id_5_a_send_that_waits_for_one_never_reaches_the_next_of_its_name() {
    let mut world = World::new();
    let lead = world.root("lead");
    let first = world.start(lead, "reviewer").ok().agent;
    let ticket = world.say(lead, "reviewer", "for the first").parked();
    world.delete(Caller::User, first).ok();
    assert_eq!(world.receipt(ticket).refused().code, Code::Deleted);
    let second = world.child(lead, "reviewer");
    assert_eq!(world.claimed(second), ["be a reviewer"]);
    let withdrawn = world.start(lead, "helper").ok().agent;
    let ticket = world.say(lead, "helper", "for the first").parked();
    world.interrupt(lead, withdrawn).ok();
    assert_eq!(world.receipt(ticket).refused().code, Code::Unreachable);
    let again = world.child(lead, "helper");
    assert_eq!(world.claimed(again), ["be a helper"]);
}

/// DST-024.
#[test]
fn start_3_a_fork_has_neither_the_children_nor_the_mail_of_its_starter() {
    let (mut world, lead, child) = pair();
    world.instruct(lead, "first").ok();
    world.finish(lead, "done");
    world.instruct(lead, "second").ok();
    world.send(child, lead, "for the lead").ok();
    let fork = world.fork(lead);
    world.settle();
    assert!(world.known(fork).children.is_empty());
    assert_eq!(world.claimed(fork), ["go on"]);
    assert_eq!(world.waiting(lead), ["for the lead"]);
}

/// DSH-010: what a fork knows from its starter is not what it wrote.
#[test]
fn set_1_a_fork_that_wrote_nothing_is_not_told_of_with_its_starters_words() {
    let mut world = World::new();
    let lead = world.root("lead");
    world.instruct(lead, "first").ok();
    world.finish(lead, "the starter's words");
    world.instruct(lead, "second").ok();
    let fork = world.fork(lead);
    world.settle();
    world.finish(fork, "");
    world.settle();
    assert_eq!(notices_of_rest(&world), [(fork, EndReason::Completed, None)]);
}

/// DSH-049.
#[test]
fn set_1_what_one_wrote_that_ran_out_of_room_is_told_with_that_reason() {
    let (mut world, _, child) = pair();
    world.claim(child);
    let (activation, end) = (world.activation(child), TurnEnd::Ceiling);
    let record = StepRecord { text: "as far as".into(), calls: vec![], end };
    world.at_loop(|ticket| Command::RecordStep { ticket, activation, record });
    world.settle();
    let told = (child, EndReason::Ceiling, Some("as far as".to_owned()));
    assert_eq!(notices_of_rest(&world), [told]);
}

/// DSH-051: a failure hides no earlier answer of the same stay.
#[test]
fn set_1_a_turn_that_failed_is_told_with_what_an_earlier_turn_of_the_stay_wrote() {
    let (mut world, lead, child) = pair();
    world.claim(child);
    world.send(lead, child, "and this").ok();
    world.record(child, "the first answer", vec![]);
    assert_eq!(world.claimed(child), ["and this"]);
    for _ in 0..3 {
        world.end(child, TurnEnd::Error);
    }
    world.settle();
    let told = (child, EndReason::Error, Some("the first answer".to_owned()));
    assert_eq!(notices_of_rest(&world), [told]);
    assert_eq!(world.count("step-recorded"), 1, "nothing was made from the second message");
}

/// CDX-010.
#[test]
fn set_1_two_turns_of_one_stay_are_one_notice() {
    let (mut world, lead, child) = pair();
    world.claim(child);
    world.send(lead, child, "and this").ok();
    world.record(child, "one", vec![]);
    world.finish(child, "two");
    world.settle();
    let told = (child, EndReason::Completed, Some("two".to_owned()));
    assert_eq!(notices_of_rest(&world), [told]);
}

/// DST-008: what is read makes room, and a restart shows it to nobody again.
#[test]
fn send_11_each_message_that_is_read_makes_room_and_none_is_shown_twice() {
    let limits = Limits { pending: 1, ..Limits::default() };
    let mut world = World::with(limits, ReachPolicy::Direct);
    let lead = world.root("lead");
    let child = world.child(lead, "reviewer");
    world.step_once(child);
    world.send(lead, child, "one").ok();
    assert_eq!(world.send(lead, child, "two").refused().code, Code::InboxFull);
    world.step_once(child);
    world.send(lead, child, "two").ok();
    world.step_once(child);
    world.crash();
    world.settle();
    world.claim(child);
    let shown = world.claims(child).into_iter().map(|claim| claim.messages.len());
    assert_eq!(shown.collect::<Vec<_>>(), [1, 1, 1], "the prompt, and each of the two once");
}

/// DSH-008.
#[test]
fn start_2_where_no_level_is_allowed_nobody_starts_anybody() {
    let limits = Limits { depth: 0, ..Limits::default() };
    let mut world = World::with(limits, ReachPolicy::Direct);
    let lead = world.root("lead");
    let refusal = world.start(lead, "reviewer").refused();
    assert_eq!(refusal.code, Code::Capacity);
    assert!(refusal.text.contains("0 levels"), "{refusal}");
    assert_eq!(world.forest.agents().count(), 1);
}

/// CDX-001.
#[test]
fn send_4_that_a_message_is_empty_is_seen_before_whom_it_is_for() {
    let (mut world, lead, _) = pair();
    assert_eq!(world.say(lead, "nobody", " \n").refused().code, Code::InvalidArgument);
}

/// PRM-068: what is in the way of putting one away keeps nobody from being gone.
#[test]
fn delete_1_one_that_cannot_be_put_away_in_time_is_gone_all_the_same() {
    let (mut world, lead, child) = pair();
    world.delete(world.caller(lead), child).ok();
    world.fire(|timer| matches!(timer, Timer::Disposal(..)));
    assert_eq!(world.activity(child), Activity::Absent);
    assert!(world.delete(world.caller(lead), child).ok().repeated);
    let told = world.messages().into_iter().find_map(|message| match message.kind {
        switchboard_core::MessageKind::Notice(switchboard_core::Notice::Settled {
            afterwards,
            ..
        }) => Some(afterwards),
        _ => None,
    });
    assert_eq!(told, Some(Afterwards::Deleted));
    assert_eq!(world.start(lead, "reviewer").ok().name.as_str(), "reviewer#2");
}

/// DSL-007.
#[test]
fn del_1_what_brings_one_back_stands_in_next_step_and_opens_its_first_turn() {
    let mut world = World::new();
    let lead = world.root("lead");
    let child = world.settled_child(lead, "reviewer");
    let ticket = world.send(lead, child, "again").parked();
    world.settle();
    world.receipt(ticket).ok();
    assert_eq!(world.messages().last().unwrap().schedule, Schedule::NextStep);
    assert_eq!((world.claimed(child), world.waiting(child)), (vec!["again".into()], vec![]));
}

/// DSH-065.
#[test]
fn start_1_what_a_child_in_the_foreground_came_to_is_told_with_its_reason_and_its_words() {
    for (end, reason) in [
        (TurnEnd::Ceiling, EndReason::Ceiling),
        (TurnEnd::Refusal, EndReason::Refusal),
        (TurnEnd::Error, EndReason::Error),
        (TurnEnd::Aborted, EndReason::Aborted),
    ] {
        let (mut world, lead, ticket, single) = crate::reports::in_the_foreground();
        world.claim(single);
        world.record(single, "so far", vec![call("look")]);
        world.call_done(single, 0);
        world.end(single, end);
        world.settle();
        let (told, words) = crate::reports::came_to(&world, ticket);
        assert_eq!((told, words.as_deref()), (reason, Some("so far")), "{end}");
        assert!(world.waiting(lead).is_empty());
    }
}

/// PRM-050: a start that came to nothing is nobody, and its starter is told why.
#[test]
fn send_10_a_send_to_one_that_does_not_come_up_is_refused_and_nobody_has_it() {
    let mut world = World::new();
    let lead = world.root("lead");
    let child = world.start(lead, "reviewer").ok().agent;
    let ticket = world.say(lead, "reviewer", "and this").parked();
    world.fail(child);
    let refusal = world.receipt(ticket).refused();
    assert_eq!(refusal.code, Code::Unreachable);
    assert_eq!(world.claimed(lead), ["<start failed>"]);
    assert!(world.frames(lead)[0].contains("its model is not known"));
    assert_eq!(world.waiting(child), [""; 0]);
}
