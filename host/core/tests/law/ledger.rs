//! LED: replay, and what is left to do after a crash at any moment.

use proptest::prelude::*;
use switchboard_core::{
    Activity, AgentId, AgentName, Answer, Caller, Command, Content, Draft, Event, Forest, Id,
    LedgerTag, Limits, LoopAnswer, Message, Millis, Mode, Monotonic, ReachPolicy, Stamp, Target,
    Ticket, TurnEnd, WallTime,
};

use crate::world::{Came, World, call, descriptor};

/// A story with a bit of everything: work, a cold resume, an interrupt, a failed start, a close
/// of two levels, a crash and a drain.
fn story() -> World {
    let mut world = World::with(Limits { bucket: 99, ..Limits::default() }, ReachPolicy::Direct);
    let lead = world.root("lead");
    let child = world.child(lead, "reviewer");
    world.step_once(child);
    let below = world.child(child, "helper");
    world.send(child, lead, "report").ok();
    world.claim(lead);
    world.record(lead, "hm", vec![call("look"), call("watch")]);
    world.call_done(lead, 1);
    world.finish(below, "helped");
    world.settle();
    world.interrupt(lead, child).ok();
    world.instruct(child, "parked").ok();
    world.end(child, TurnEnd::Interrupted);
    let failing = world.start(lead, "doomed").ok().agent;
    world.fail(failing);
    world.call_done(lead, 0);
    world.finish(lead, "so far");
    second_half(&mut world, [lead, child, below]);
    world
}

fn second_half(world: &mut World, [lead, child, below]: [AgentId; 3]) {
    let ticket = world.instruct(below, "again").parked();
    world.publish(below);
    world.receipt(ticket).ok();
    world.step_once(below);
    world.close(Caller::User, child).ok();
    world.end(below, TurnEnd::Aborted);
    world.settle();
    world.crash();
    world.settle();
    let ticket = world.send(lead, child, "come back").parked();
    world.settle();
    world.receipt(ticket).ok();
    world.claim(child);
    world.drain();
    world.stop_loop(child);
    world.crash();
    world.settle();
    world.finish(child, "done");
    world.settle();
}

/// Lets every open turn end and performs everything, until nothing is left to do.
fn play_out(world: &mut World) {
    for _ in 0..200 {
        world.settle();
        let open = world.forest.agents().find(|agent| agent.is_up() && agent.turn.is_some());
        match open.map(|agent| agent.id) {
            Some(agent) => {
                if let LoopAnswer::GoOn(_) = world.claim(agent) {
                    world.record(agent, "done", vec![]);
                }
            }
            None if world.forest.is_quiet() => return,
            None => {}
        }
    }
    panic!("it does not come to rest: {:#?}", world.forest);
}

#[test]
fn led_4_after_a_crash_at_every_moment_of_a_story_what_is_outstanding_is_done_and_all_ends() {
    let whole = story();
    assert!(whole.batches.len() > 40, "the story is long enough: {}", whole.batches.len());
    for &facts in &whole.batches {
        let mut world = whole.upto(facts);
        world.crash();
        play_out(&mut world);
        world.crash();
        play_out(&mut world);
        for agent in world.forest.agents() {
            let quiet = [Activity::Idle, Activity::Parked, Activity::Absent];
            assert!(quiet.contains(&agent.activity()), "{facts}: {agent:?}");
            let due = agent.inbox.due_since();
            assert!(due.is_none(), "{facts}: mail {due:?} of {} is stuck", agent.name);
        }
    }
}

#[test]
fn led_4_a_crash_after_the_crash_changes_nothing_but_the_numbers() {
    let whole = story();
    for &facts in &whole.batches {
        let mut world = whole.upto(facts);
        world.crash();
        let first: Vec<_> = world.orders();
        world.crash();
        assert_eq!(world.orders(), first, "the same are ordered up again");
    }
}

#[test]
fn led_2_replay_gives_the_same_facts_at_every_moment() {
    let whole = story();
    let (mut one, _) = Forest::open(LedgerTag::new(7), Limits::default(), ReachPolicy::Direct);
    let mut other = Forest::replaying(Limits::default(), ReachPolicy::Direct);
    other.apply(&whole.log[0]).unwrap();
    for event in &whole.log[1..] {
        assert!(one.same_facts(&other));
        one.apply(event).unwrap();
        assert!(!one.same_facts(&other) || event.kind() == "call-ended" || is_quiet(event));
        other.apply(event).unwrap();
    }
    assert!(whole.forest.same_facts(&one));
}

/// Facts that change nothing the machine decides by.
fn is_quiet(event: &Event) -> bool {
    matches!(event, Event::InterruptAdmitted { .. } | Event::HostStarted)
}

fn fresh() -> (World, AgentId) {
    let mut world = World::new();
    let lead = world.root("lead");
    (world, lead)
}

/// Refused, and left out: the facts are what they were.
#[track_caller]
fn is_unfit(world: &mut World, event: &Event) {
    let before = world.upto(world.log.len());
    let unfit = world.forest.apply(event).unwrap_err();
    assert_eq!(unfit.kind, event.kind());
    assert!(unfit.to_string().contains(event.kind()));
    let known: Vec<_> = before.forest.agents().collect();
    let after: Vec<_> = world.forest.agents().take(known.len()).collect();
    assert_eq!(known, after, "nothing of it is applied");
}

#[test]
fn led_2_a_record_that_names_nobody_admitted_is_refused_and_left_out() {
    let (mut world, lead) = fresh();
    let child = world.child(lead, "reviewer");
    let nobody: AgentId = Id::new(lead.tag(), 99);
    let foreign: AgentId = Id::new(LedgerTag::new(8), child.number());
    let incarnation = world.known(child).incarnation;
    for agent in [nobody, foreign, Id::new(lead.tag(), 0)] {
        is_unfit(&mut world, &Event::Published { agent, incarnation });
        is_unfit(&mut world, &Event::ResumeOrdered { agent, incarnation });
        is_unfit(
            &mut world,
            &Event::Closing {
                agent: child,
                subtree: vec![child, agent],
                cause: switchboard_core::ClosingCause::Closed,
                mark: None,
                by: None,
                key: None,
            },
        );
        let message = Message { to: agent, ..world.messages()[0].clone() };
        is_unfit(&mut world, &Event::Accepted { message, terms: None });
    }
}

#[test]
fn led_1_a_record_with_absurd_ids_takes_no_ids_from_those_to_come() {
    let (mut world, lead) = fresh();
    let child = world.child(lead, "reviewer");
    world.finish(child, "done");
    world.settle();
    let absurd = |event: &Event| match event.clone() {
        Event::Accepted { message, .. } | Event::StartAdmitted { prompt: message, .. } => {
            let message = Message { id: Id::new(lead.tag(), u64::MAX), to: lead, ..message };
            Some(Event::Accepted { message, terms: None })
        }
        Event::TurnOpened { incarnation, claim, .. } => {
            let (agent, turn) = (lead, Id::new(lead.tag(), u64::MAX));
            Some(Event::TurnOpened { agent, incarnation, turn, claim })
        }
        Event::Published { incarnation, .. } => {
            Some(Event::Published { agent: Id::new(lead.tag(), u64::MAX), incarnation })
        }
        _ => None,
    };
    let stamp = Stamp { wall: WallTime(1), now: Monotonic(1), entropy: 1 };
    let accepted = |read: &mut World| {
        let (ticket, caller, key) = (Ticket(1), Caller::User, None);
        let draft = Draft { to: Target::Agent(lead), content: Content::text("hi") };
        let patience = Millis(1);
        let send = Command::Send { ticket, caller, key, draft, patience };
        let answers = read.forest.step(send, stamp).answers;
        let [(_, Answer::Accepted(receipt))] = &answers[..] else { panic!("{answers:?}") };
        receipt.message
    };
    let usual = accepted(&mut world.upto(world.log.len()));
    for event in world.log.iter().filter_map(absurd) {
        let mut read = world.upto(world.log.len());
        let _ = read.forest.apply(&event);
        assert_eq!(accepted(&mut read), usual, "{event:?}");
    }
}

#[test]
fn led_2_an_admission_that_was_made_before_or_is_for_somebody_else_is_left_out() {
    let (mut world, lead) = fresh();
    let started = world.start(lead, "reviewer").ok();
    let admitted = world.log.iter().find(|event| event.kind() == "start-admitted").unwrap();
    let admitted = admitted.clone();
    is_unfit(&mut world, &admitted);
    let opened = world.log[0].clone();
    is_unfit(&mut world, &opened);
    let Event::StartAdmitted { name, descriptor, prompt, .. } = admitted else { panic!() };
    let next = Id::new(lead.tag(), started.agent.number() + 1);
    let nobody = Id::new(lead.tag(), 99);
    let admission = |agent, parent, to| Event::StartAdmitted {
        agent,
        parent,
        name: name.clone(),
        descriptor: descriptor.clone(),
        prompt: Message { to, ..prompt.clone() },
        key: None,
        seed: None,
    };
    is_unfit(&mut world, &admission(next, nobody, next));
    is_unfit(&mut world, &admission(next, lead, nobody));
    is_unfit(&mut world, &admission(next, lead, lead));
    world.forest.apply(&admission(next, lead, next)).unwrap();
}

/// The story's ledger without its records of these kinds; what no longer fits is left out.
fn damaged(lost: &[&str]) -> (World, World) {
    let mut world = World::new();
    let lead = world.root("lead");
    let child = world.child(lead, "reviewer");
    world.child(lead, "helper");
    world.finish(child, "done");
    world.settle();
    let mut read = world.upto(1);
    for event in world.log[1..].iter().filter(|event| !lost.contains(&event.kind())) {
        let _ = read.forest.apply(event);
    }
    (world, read)
}

#[test]
fn led_1_no_id_is_given_twice_whatever_record_is_lost() {
    for lost in ["start-admitted", "agent-registered", "turn-opened", "accepted", "turn-ended"] {
        let (world, read) = damaged(&[lost]);
        let stamp = Stamp { wall: WallTime(1), now: Monotonic(1), entropy: 1 };
        let (mut one, mut other) = (world.forest, read.forest);
        let register = |name: &str| Command::Register {
            ticket: Ticket(1),
            name: AgentName::new(name).unwrap(),
            descriptor: descriptor("other", Mode::Root),
        };
        let newest = |forest: &mut Forest| {
            forest.step(register("newcomer"), stamp);
            forest.agents().last().unwrap().id
        };
        assert_eq!(newest(&mut one), newest(&mut other), "without its {lost}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn led_1_a_ledger_with_records_missing_or_misplaced_is_reported_and_never_a_panic(
        cuts in proptest::collection::vec(any::<prop::sample::Index>(), 0..6),
        swaps in proptest::collection::vec(any::<[prop::sample::Index; 2]>(), 0..4),
    ) {
        let mut log = story().log;
        for cut in cuts {
            log.remove(cut.index(log.len()));
        }
        for [one, other] in swaps {
            let (one, other) = (one.index(log.len()), other.index(log.len()));
            log.swap(one, other);
        }
        let mut forest = Forest::replaying(Limits::default(), ReachPolicy::Direct);
        for event in &log {
            let _ = forest.apply(event);
        }
        forest.outstanding();
    }
}

#[test]
fn led_3_what_was_promised_to_nobody_is_gone_after_a_restart() {
    let mut world = World::new();
    let lead = world.root("lead");
    let child = world.start(lead, "reviewer").ok().agent;
    for _ in 0..3 {
        world.send(lead, child, "hi").parked();
    }
    world.crash();
    world.settle();
    assert_eq!(world.claimed(child), ["be a reviewer"], "nothing that waited was accepted");
    for _ in 0..3 {
        let Came::To(receipt) = world.send(lead, child, "hi") else { panic!() };
        assert!(receipt.budget_left < 3, "the bucket is full again");
    }
}
