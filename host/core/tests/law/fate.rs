//! FATE: every accepted message ends once, and is shown again only if no step was made from it.

use switchboard_core::{
    AgentId, Caller, DropReason, Event, Fate, Limits, LoopAnswer, MessageId, MessageKind, Notice,
    ReachPolicy, TurnEnd,
};

use crate::world::{World, call};

fn claimed_child() -> (World, AgentId, AgentId) {
    let mut world = World::new();
    let lead = world.root("lead");
    let child = world.child(lead, "reviewer");
    world.claim(child);
    (world, lead, child)
}

/// The fates all readers were told of.
fn told(world: &World) -> Vec<(AgentId, MessageId, Fate)> {
    let told = world.messages().into_iter().flat_map(|message| match message.kind {
        MessageKind::Notice(Notice::Fates { ended }) => {
            ended.into_iter().map(|(id, _, fate)| (message.to, id, fate)).collect()
        }
        _ => Vec::new(),
    });
    told.collect()
}

/// The delivery numbers under which a message was shown.
fn shown(world: &World, agent: AgentId, id: MessageId) -> Vec<u32> {
    let claims = world.claims(agent);
    let all = claims.iter().flat_map(|claim| &claim.messages);
    all.filter(|shown| shown.id == id).map(|shown| shown.delivery).collect()
}

#[test]
fn fate_1_a_message_is_consumed_by_the_first_step_made_from_it_and_only_once() {
    let (mut world, lead, child) = claimed_child();
    let sent = world.send(lead, child, "look").ok().message;
    let prompt = world.messages()[0].id;
    world.claim(child);
    world.record(child, "thinking", vec![call("look")]);
    world.call_done(child, 0);
    world.finish(child, "done");
    let consumed: Vec<MessageId> = world
        .log
        .iter()
        .flat_map(|event| match event {
            Event::StepRecorded { agent, consumed, .. } if *agent == child => consumed.clone(),
            _ => Vec::new(),
        })
        .collect();
    assert_eq!(consumed, [prompt, sent]);
}

#[test]
fn fate_3_two_notices_shown_in_vain_come_to_an_end_whatever_their_reader_does() {
    let mut world = World::new();
    let lead = world.root("lead");
    world.settle();
    let children = ["reviewer", "tester"].map(|kind| world.child(lead, kind));
    let mut turns = 0;
    for child in children {
        world.finish(child, "done");
        world.settle();
        while world.known(lead).turn.is_some() {
            world.claim(lead);
            world.end(lead, TurnEnd::Error);
            world.settle();
            turns += 1;
            assert!(turns < 20, "it ends");
        }
    }
    assert_eq!(turns, 6, "each was shown three times");
    assert_eq!(world.known(lead).inbox.len(), 2, "nothing is lost");
}

#[test]
fn fate_2_every_end_but_consumed_reaches_the_sender_without_waking_it() {
    let (mut world, lead, child) = claimed_child();
    let prompt = world.messages()[0].id;
    world.interrupt(lead, child).ok();
    world.end(child, TurnEnd::Interrupted);
    assert_eq!(told(&world), [(lead, prompt, Fate::Dropped(DropReason::Interrupted))]);
    assert!(world.known(lead).turn.is_none());
}

#[test]
fn fate_2_a_consumed_message_is_told_to_nobody() {
    let (mut world, _, child) = claimed_child();
    world.record(child, "done", vec![]);
    world.settle();
    assert_eq!(told(&world), []);
}

#[test]
fn fate_2_several_ends_are_one_notice_for_each_sender() {
    let (mut world, lead, child) = claimed_child();
    let below = world.child(child, "helper");
    world.send(lead, child, "one").ok();
    world.send(below, child, "two").ok();
    world.send(lead, child, "three").ok();
    world.claim(child);
    world.interrupt_as(Caller::User, child).ok();
    world.end(child, TurnEnd::Interrupted);
    assert_eq!(world.waiting(lead), ["<interrupted>", "<fates 3>"], "the prompt is one of them");
    assert_eq!(world.waiting(below), ["<fates 1>"]);
}

#[test]
fn fate_3_each_showing_has_a_delivery_number_and_an_id_appears_once_under_each() {
    let (mut world, _, child) = claimed_child();
    let prompt = world.messages()[0].id;
    for _ in 0..2 {
        world.crash();
        world.settle();
        world.claim(child);
    }
    assert_eq!(shown(&world, child, prompt), [1, 2, 3]);
    assert!(world.frames(child)[0].contains("shown for the 3. time"));
}

#[test]
fn fate_3_after_three_attempts_it_is_dropped_as_poison_and_its_sender_told() {
    let (mut world, lead, child) = claimed_child();
    let prompt = world.messages()[0].id;
    for _ in 0..2 {
        world.crash();
        world.settle();
        world.claim(child);
    }
    assert_eq!(told(&world), []);
    world.crash();
    assert_eq!(told(&world), [(lead, prompt, Fate::Dropped(DropReason::Poison))]);
    world.settle();
    assert_eq!(world.claim(child), LoopAnswer::TurnOver(TurnEnd::Aborted), "nothing is left");
}

#[test]
fn fate_3_a_turn_that_keeps_failing_counts_attempts_whatever_it_calls_its_end() {
    for end in [TurnEnd::Error, TurnEnd::Ceiling, TurnEnd::Refusal] {
        let mut world = World::new();
        let lead = world.root("lead");
        let child = world.child(lead, "reviewer");
        for _ in 0..3 {
            assert_eq!(world.end(child, end), LoopAnswer::TurnOver(end));
        }
        let prompt = world.messages()[0].id;
        assert_eq!(told(&world), [(lead, prompt, Fate::Dropped(DropReason::Poison))], "{end}");
        assert_eq!(world.count("turn-opened"), 3, "it does not go round for ever");
    }
}

#[test]
fn fate_3_only_the_poison_is_dropped_and_newer_mail_stays() {
    let (mut world, lead, child) = claimed_child();
    world.end(child, TurnEnd::Error);
    world.end(child, TurnEnd::Error);
    world.send(lead, child, "newer").ok();
    world.claim(child);
    world.end(child, TurnEnd::Error);
    assert_eq!(world.claimed(child), ["newer"]);
    assert_eq!(told(&world).len(), 1);
}

#[test]
fn fate_3_a_drain_counts_no_attempt() {
    let (mut world, _, child) = claimed_child();
    let prompt = world.messages()[0].id;
    for _ in 0..5 {
        world.drain();
        world.stop_loop(child);
        world.crash();
        world.settle();
        world.claim(child);
    }
    assert_eq!(shown(&world, child, prompt), [1, 2, 3, 4, 5, 6], "the showings are counted");
    world.end(child, TurnEnd::Error);
    assert_eq!(told(&world), [], "that was the first attempt that counts");
}

#[test]
fn fate_3_a_close_counts_no_attempt() {
    let mut world = World::with(Limits { attempts: 1, ..Limits::default() }, ReachPolicy::Direct);
    let lead = world.root("lead");
    let child = world.child(lead, "reviewer");
    world.claim(child);
    world.close(Caller::User, child).ok();
    world.end(child, TurnEnd::Aborted);
    world.settle();
    assert_eq!(world.waiting(child), ["be a reviewer"]);
    assert_eq!(told(&world), []);
}

#[test]
fn fate_3_a_claim_put_back_stands_in_front_of_what_came_later() {
    let (mut world, lead, child) = claimed_child();
    world.record(child, "thinking", vec![call("look")]);
    world.call_done(child, 0);
    world.send(lead, child, "one").ok();
    world.send(lead, child, "two").ok();
    world.claim(child);
    world.send(lead, child, "three").ok();
    world.crash();
    assert_eq!(world.waiting(child), ["one", "two", "three"]);
    world.settle();
    world.claim(child);
    assert_eq!(world.claimed(child), ["one", "two", "three"]);
}

#[test]
fn fate_3_what_the_end_of_a_park_moved_to_the_front_is_put_back_to_the_front() {
    let (mut world, lead, child) = claimed_child();
    world.record(child, "thinking", vec![call("look")]);
    world.instruct(child, "one").ok();
    world.instruct(child, "two").ok();
    world.interrupt(lead, child).ok();
    world.end(child, TurnEnd::Interrupted);
    world.send(lead, child, "three").ok();
    assert_eq!(world.claimed(child), ["one", "two", "three"]);
    world.crash();
    world.settle();
    world.claim(child);
    assert_eq!(world.claimed(child), ["one", "two", "three"], "all of it, not one of next-turn");
}

#[test]
fn fate_3_replay_never_shows_consumed_mail_again() {
    let (mut world, _, child) = claimed_child();
    let prompt = world.messages()[0].id;
    world.record(child, "thinking", vec![call("look")]);
    for _ in 0..4 {
        world.crash();
        world.settle();
        world.claim(child);
    }
    assert_eq!(shown(&world, child, prompt), [1]);
}
