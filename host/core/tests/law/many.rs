//! SEND-15: one message for many; and SEND-5 of the addresses that mean them.

use std::collections::BTreeSet;

use proptest::prelude::*;
use switchboard_core::{
    AgentId, Caller, Code, Command, Content, Draft, Kinship, Limits, Millis, ReachPolicy,
    Recipient, Relation, Relationship, Target, Timer, TurnEnd, Verb, may, relationship,
};

use crate::world::{Came, World};

/// A lead with three children under a policy; the lead has begun its turn.
fn family(reach: ReachPolicy) -> (World, AgentId, [AgentId; 3]) {
    let mut world = World::with(Limits::default(), reach);
    let lead = world.root("lead");
    world.instruct(lead, "go").ok();
    let children = ["reviewer", "tester", "reviewer"].map(|kind| world.child(lead, kind));
    (world, lead, children)
}

fn spoken(words: &str) -> Target {
    Target::Spoken(words.into())
}

fn got(recipients: &[Recipient]) -> Vec<AgentId> {
    let accepted = recipients.iter().filter(|recipient| recipient.outcome.is_ok());
    accepted.map(|recipient| recipient.to).collect()
}

#[test]
fn send_15_all_are_those_whom_the_sender_may_send_to_each_with_its_own_receipt() {
    let (mut world, lead, children) = family(ReachPolicy::Family);
    let all = world.send_to_many(lead, Target::Everyone, "listen", None).ok();
    assert_eq!(got(&all), children);
    let receipts: BTreeSet<_> =
        all.iter().map(|one| one.outcome.clone().unwrap().message).collect();
    assert_eq!(receipts.len(), 3);
    let [one, other, third] = children;
    let family = world.send_to_many(one, spoken("all"), "found", None).ok();
    assert_eq!(got(&family), [lead, other, third], "the parent and the siblings, never oneself");
    let names: Vec<_> = family.iter().map(|one| one.name.to_string()).collect();
    assert_eq!(names, ["lead", "tester", "reviewer-2"]);
}

#[test]
fn send_15_without_siblings_in_reach_a_childs_all_is_its_parent() {
    let (mut world, lead, [one, ..]) = family(ReachPolicy::Direct);
    assert_eq!(got(&world.send_to_many(one, spoken("All"), "hi", None).ok()), [lead]);
    let siblings = Target::Member(Relation::Sibling, Some("all".into()));
    let refusal = world.send_to_many(one, siblings, "hi", None).refused();
    assert_eq!(refusal.code, Code::Unreachable);
}

#[test]
fn send_5_a_pattern_or_a_role_with_all_chooses_among_them() {
    let (mut world, lead, [one, other, third]) = family(ReachPolicy::Family);
    let mut to = |from, words: &str| got(&world.send_to_many(from, spoken(words), "hi", None).ok());
    assert_eq!(to(lead, "review*"), [one, third]);
    assert_eq!(to(lead, "child:reviewer-?"), [third]);
    assert_eq!(to(other, "sibling:all"), [one, third]);
    assert_eq!(to(one, " Sibling : T* "), [other]);
    assert_eq!(to(one, "{lead,tester}"), [lead, other]);
}

#[test]
fn send_15_a_pattern_that_nobody_fits_is_unreachable_and_a_bad_one_is_said_to_be() {
    let (mut world, lead, _) = family(ReachPolicy::Family);
    let refusal = world.send_to_many(lead, spoken("painter-*"), "hi", None).refused();
    assert_eq!(refusal.code, Code::Unreachable);
    assert_eq!(refusal.candidates.len(), 3);
    let refusal = world.send_to_many(lead, spoken("review["), "hi", None).refused();
    assert_eq!(refusal.code, Code::InvalidArgument);
    assert!(refusal.text.contains("`review[` is no pattern"), "{}", refusal.text);
    assert_eq!(world.count("accepted"), 1, "the person's alone");
}

#[test]
fn send_15_one_that_is_refused_harms_no_other() {
    let (mut world, lead, [one, other, third]) = family(ReachPolicy::Family);
    for _ in 0..3 {
        world.send(lead, other, "again").ok();
    }
    let all = world.send_to_many(lead, spoken("all"), "listen", None).ok();
    assert_eq!(got(&all), [one, third]);
    assert_eq!(all[1].outcome.clone().unwrap_err().code, Code::RateLimited);
}

#[test]
fn send_15_what_is_wrong_with_the_message_itself_is_said_once() {
    let (mut world, lead, _) = family(ReachPolicy::Family);
    assert_eq!(
        world.send_to_many(lead, spoken("all"), " ", None).refused().code,
        Code::InvalidArgument
    );
    world.drain();
    assert_eq!(world.send_to_many(lead, spoken("all"), "hi", None).refused().code, Code::Draining);
}

#[test]
fn send_15_all_that_can_be_accepted_at_once_is_one_batch() {
    let (mut world, lead, children) = family(ReachPolicy::Family);
    let before = world.log.len();
    world.send_to_many(lead, spoken("all"), "listen", None).ok();
    let batch = world.batches.iter().filter(|end| **end > before).count();
    assert_eq!(batch, 1);
    assert!(world.log.len() >= before + children.len());
}

#[test]
fn send_15_who_has_to_be_brought_back_first_is_waited_for_and_the_others_have_theirs_already() {
    let mut world = World::with(Limits::default(), ReachPolicy::Family);
    let lead = world.root("lead");
    world.instruct(lead, "go").ok();
    let stored = world.settled_child(lead, "reviewer");
    let up = world.child(lead, "tester");
    world.instruct(lead, "go on").ok();
    let before = world.count("accepted");
    let ticket = world.send_to_many(lead, spoken("all"), "listen", None).parked();
    assert_eq!(world.count("accepted"), before + 1);
    world.settle();
    let all = world.recipients(ticket).ok();
    assert_eq!(got(&all), [stored, up]);
}

#[test]
fn send_13_one_that_is_not_up_in_time_is_timed_out_alone() {
    let mut world = World::with(Limits::default(), ReachPolicy::Family);
    let lead = world.root("lead");
    world.instruct(lead, "go").ok();
    let up = world.child(lead, "tester");
    world.start(lead, "slow").ok();
    world.start(lead, "stuck").ok();
    let ticket = world.send_to_many(lead, spoken("all"), "listen", None).parked();
    world.act(Command::Timer(Timer::Parking(ticket)));
    let all = world.recipients(ticket).ok();
    assert_eq!(got(&all), [up]);
    for late in &all[1..] {
        assert_eq!(late.outcome.clone().unwrap_err().code, Code::TimedOut);
    }
    world.settle();
    assert_eq!(world.count("accepted"), 2, "the late are not sent to after all");
}

#[test]
fn send_13_a_caller_that_is_gone_withdraws_what_still_waits() {
    let mut world = World::with(Limits::default(), ReachPolicy::Family);
    let lead = world.root("lead");
    world.instruct(lead, "go").ok();
    world.start(lead, "slow").ok();
    world.start(lead, "stuck").ok();
    let ticket = world.send_to_many(lead, spoken("all"), "listen", None).parked();
    world.act(Command::Withdraw { ticket });
    world.settle();
    world.recipients(ticket).parked();
    assert_eq!(world.count("accepted"), 1, "the person's alone");
}

#[test]
fn send_2_a_known_key_gives_everybodys_first_receipt_and_sends_to_those_who_have_none() {
    let (mut world, lead, [one, other, third]) = family(ReachPolicy::Family);
    let key = world.key(lead, 0);
    for _ in 0..3 {
        world.send(lead, other, "again").ok();
    }
    let first = world.send_to_many(lead, spoken("all"), "listen", Some(key)).ok();
    assert_eq!(got(&first), [one, third]);
    world.crash();
    world.settle();
    world.pass(Millis(10_000));
    let before = world.count("accepted");
    let again = world.send_to_many(lead, spoken("all"), "listen", Some(key)).ok();
    assert_eq!(got(&again), [one, other, third]);
    assert_eq!(world.count("accepted"), before + 1, "the one that was refused then");
    let repeated: Vec<_> = again.iter().map(|one| one.outcome.clone().unwrap().repeated).collect();
    assert_eq!(repeated, [true, false, true]);
    let refusal = world.send_to_many(lead, spoken("all"), "other words", Some(key)).refused();
    assert_eq!(refusal.code, Code::InvalidArgument);
    let alone = world.send_keyed(lead, one, "listen", key).refused();
    assert_eq!(alone.code, Code::InvalidArgument, "one is another call than all");
}

#[test]
fn send_2_a_call_to_many_is_one_of_the_last_keys_however_many_it_was_for() {
    let limits = Limits { receipts: 2, bucket: 100, ..Limits::default() };
    let mut world = World::with(limits, ReachPolicy::Family);
    let lead = world.root("lead");
    world.instruct(lead, "go").ok();
    let children = ["reviewer", "tester", "helper"].map(|kind| world.child(lead, kind));
    let [first, second, third] = [0, 1, 2].map(|nth| world.key(lead, nth));
    world.send_to_many(lead, spoken("all"), "one", Some(first)).ok();
    world.send_to_many(lead, spoken("all"), "two", Some(second)).ok();
    let before = world.count("accepted");
    let kept = world.send_to_many(lead, spoken("all"), "one", Some(first)).ok();
    assert_eq!((got(&kept), world.count("accepted")), (children.to_vec(), before));
    world.send_to_many(lead, spoken("all"), "three", Some(third)).ok();
    world.send_to_many(lead, spoken("all"), "one", Some(first)).ok();
    assert_eq!(world.count("accepted"), before + 6, "the first call's were given up");
}

#[test]
fn send_1_and_send_3_come_before_what_is_wrong_with_a_pattern() {
    let (mut world, lead, [one, ..]) = family(ReachPolicy::Family);
    let stale = world.caller(one);
    world.finish(one, "done");
    world.settle();
    let ticket = world.ticket();
    let draft = || Draft { to: spoken("review["), content: Content::text("hi") };
    let patience = Millis(8_000);
    let send = Command::Send { ticket, caller: stale, key: None, draft: draft(), patience };
    world.act(send);
    assert_eq!(world.recipients(ticket).refused().code, Code::Unauthorized);
    world.drain();
    let refusal = world.send_to_many(lead, spoken("review["), "hi", None).refused();
    assert_eq!(refusal.code, Code::Draining);
}

#[test]
fn send_5_the_origin_is_who_ended_a_park_and_not_who_had_written_before() {
    let (mut world, lead, [one, other, third]) = family(ReachPolicy::Family);
    world.step_once(one);
    world.send(other, one, "before").ok();
    world.interrupt(lead, one).ok();
    world.end(one, TurnEnd::Interrupted);
    world.settle();
    world.send(third, one, "after").ok();
    assert_eq!(world.claimed(one).len(), 2);
    let caller = world.caller(one);
    assert_eq!(world.send_as(caller, Target::Origin, "yes?", None).ok().to, third);
}

#[test]
fn send_5_the_origin_is_the_agent_whose_message_woke_the_sender() {
    let (mut world, lead, [one, other, _]) = family(ReachPolicy::Family);
    let caller = world.caller(one);
    let to_lead = world.send_as(caller, Target::Origin, "found", None).ok();
    assert_eq!(to_lead.to, lead, "its prompt woke it");
    world.finish(one, "done with my task");
    world.settle();
    let ticket = world.send(other, one, "look at this").parked();
    world.settle();
    world.receipt(ticket).ok();
    let caller = world.caller(one);
    let back = world.send_as(caller, Target::Origin, "looked", None).ok();
    assert_eq!(back.to, other);
}

#[test]
fn send_5_who_was_woken_by_the_person_has_no_origin() {
    let (mut world, lead, [one, ..]) = family(ReachPolicy::Family);
    let caller = world.caller(lead);
    let refusal = world.send_as(caller, Target::Origin, "done", None).refused();
    assert_eq!(refusal.code, Code::Unreachable);
    world.finish(one, "done");
    let caller = world.caller(one);
    let refusal = world.send_as(caller, Target::Origin, "late", None).refused();
    assert_eq!(refusal.code, Code::Unreachable, "nor has one without an open turn");
}

#[test]
fn send_5_a_send_that_waits_goes_to_whoever_woke_its_sender_then_and_not_since() {
    let (mut world, lead, [one, other, _]) = family(ReachPolicy::Family);
    for child in [one, other] {
        world.step_once(child);
    }
    world.finish(one, "done");
    world.settle();
    let ticket = world.send(other, one, "look").parked();
    world.settle();
    world.receipt(ticket).ok();
    world.close(Caller::User, other).ok();
    let caller = world.caller(one);
    let back = world.send_as(caller, Target::Origin, "for you alone", None).parked();
    world.finish(one, "done again");
    world.send(lead, one, "and now this").parked();
    world.settle();
    let came = world.receipt(back);
    assert!(!matches!(came, Came::To(receipt) if receipt.to == lead), "it was not for the lead");
}

#[test]
fn drain_1_a_call_to_many_that_a_drain_cuts_is_refused_whole_and_asked_again_under_its_key() {
    let mut world = World::with(Limits::default(), ReachPolicy::Family);
    let lead = world.root("lead");
    world.instruct(lead, "go").ok();
    let up = world.child(lead, "tester");
    let slow = world.start(lead, "slow").ok().agent;
    let key = world.key(lead, 0);
    let ticket = world.send_to_many(lead, spoken("all"), "listen", Some(key)).parked();
    world.drain();
    let refusal = world.recipients(ticket).refused();
    assert_eq!((refusal.code, refusal.uncertain), (Code::Draining, true), "one of them has it");
    world.crash();
    world.settle();
    let before = world.count("accepted");
    let again = world.send_to_many(lead, spoken("all"), "listen", Some(key)).ok();
    assert_eq!((got(&again), world.count("accepted")), (vec![up, slow], before + 1));
}

#[test]
fn send_15_a_pattern_has_a_length_and_is_not_said_back() {
    let (mut world, lead, _) = family(ReachPolicy::Family);
    let refusal = world.send_to_many(lead, spoken(&"*".repeat(100_000)), "hi", None).refused();
    assert_eq!(refusal.code, Code::InvalidArgument);
    assert!(refusal.text.len() < 100, "{}", refusal.text);
}

proptest! {
    #[test]
    fn send_15_all_is_exactly_whom_the_policy_lets_the_sender_send_to(
        parents in proptest::collection::vec(any::<prop::sample::Index>(), 1..8),
        policy in prop::sample::select(vec![
            ReachPolicy::Direct, ReachPolicy::Family, ReachPolicy::Tree,
        ]),
        sender in any::<prop::sample::Index>(),
    ) {
        let limits = Limits { depth: 10, ..Limits::default() };
        let mut world = World::with(limits, policy);
        let mut agents = vec![world.root("lead"), world.root("other")];
        for parent in parents {
            let parent = agents[parent.index(agents.len())];
            agents.push(world.child(parent, "worker"));
        }
        let sender = agents[sender.index(agents.len())];
        let expected: Vec<AgentId> = agents
            .iter()
            .copied()
            .filter(|other| may(policy, Verb::Send, relation(&world, sender, *other)))
            .collect();
        let came = world.send_to_many(sender, Target::Everyone, "listen", None);
        if expected.is_empty() {
            prop_assert_eq!(came.refused().code, Code::Unreachable);
        } else {
            let mut found: Vec<AgentId> = came.ok().iter().map(|one| one.to).collect();
            found.sort();
            let mut expected = expected;
            expected.sort();
            prop_assert_eq!(found, expected);
        }
    }
}

fn relation(world: &World, one: AgentId, other: AgentId) -> Relationship {
    struct Edges<'a>(&'a World);
    impl Kinship for Edges<'_> {
        fn parent(&self, agent: AgentId) -> Option<AgentId> {
            self.0.forest.agent(agent)?.parent
        }
    }
    relationship(&Edges(world), one, other)
}

#[test]
fn send_15_the_persons_all_are_the_roots() {
    let mut world = World::with(Limits::default(), ReachPolicy::Direct);
    let roots = [world.root("lead"), world.root("other")];
    world.settle();
    world.child(roots[0], "reviewer");
    let ticket = world.ticket();
    let draft = Draft { to: Target::Everyone, content: Content::text("listen") };
    let patience = Millis(8_000);
    world.act(Command::Send { ticket, caller: Caller::User, key: None, draft, patience });
    assert_eq!(got(&world.recipients(ticket).ok()), roots);
}
