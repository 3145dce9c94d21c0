//! DEL: what a boundary takes, in which order, and what a receipt says.

use proptest::prelude::*;
use switchboard_core::{
    Activity, AgentId, Caller, Delivery, Limits, LoopAnswer, Millis, ReachPolicy, TurnEnd,
};

use crate::world::{World, call};

fn working() -> (World, AgentId, AgentId) {
    roomy(Limits::default())
}

/// A root and a child in the middle of its first turn; nobody runs out of tokens.
fn roomy(limits: Limits) -> (World, AgentId, AgentId) {
    let mut world = World::with(Limits { bucket: 99, ..limits }, ReachPolicy::Direct);
    let lead = world.root("lead");
    let child = world.child(lead, "reviewer");
    world.step_once(child);
    (world, lead, child)
}

fn think(world: &mut World, agent: AgentId) {
    world.record(agent, "thinking", vec![call("look")]);
    world.call_done(agent, 0);
}

#[test]
fn del_1_agents_steer_and_the_person_and_prompts_queue() {
    let (mut world, lead, child) = working();
    world.instruct(child, "from the person").ok();
    world.send(lead, child, "from its parent").ok();
    world.claim(child);
    assert_eq!(world.claimed(child), ["from its parent"], "in the running turn");
    think(&mut world, child);
    world.finish(child, "done");
    assert_eq!(world.claimed(child), ["from the person"], "in the next one");
}

#[test]
fn del_2_a_working_agent_sees_a_message_at_its_next_step_and_an_idle_one_starts_with_it() {
    let (mut world, lead, child) = working();
    let turn = world.activation(child).turn;
    world.send(lead, child, "one").ok();
    assert!(world.claimed(child).is_empty(), "not before its next step");
    world.claim(child);
    assert_eq!((world.activation(child).turn, world.claimed(child)), (turn, vec!["one".into()]));
    world.send(child, lead, "two").ok();
    assert_eq!(world.claimed(lead), ["two"]);
}

#[test]
fn del_3_a_step_takes_all_of_next_step_in_order_of_acceptance() {
    let (mut world, lead, child) = working();
    let below = world.child(child, "helper");
    world.send(lead, child, "one").ok();
    world.send(below, child, "two").ok();
    world.send(lead, child, "three").ok();
    let answer = world.claim(child);
    assert_eq!(answer, LoopAnswer::GoOn(switchboard_core::Claimed { messages: 3 }));
    assert_eq!(world.claimed(child), ["one", "two", "three"]);
    assert_eq!(world.claims(child).last().unwrap().left, 0);
}

#[test]
fn del_3_the_byte_budget_leaves_the_rest_with_its_count_shown() {
    let limits =
        Limits { message_chars: 13, message_bytes: 13, claim_bytes: 13, ..Limits::default() };
    let (mut world, lead, child) = roomy(limits);
    for words in ["123456", "7890123", "x", "y"] {
        world.send(lead, child, words).ok();
    }
    world.instruct(child, "z").ok();
    world.claim(child);
    assert_eq!(world.claimed(child), ["123456", "7890123"], "exactly at the budget fits");
    assert_eq!(world.claims(child).last().unwrap().left, 3);
    assert!(world.frames(child)[0].contains("3 more waiting"));
    think(&mut world, child);
    world.claim(child);
    assert_eq!(world.claimed(child), ["x", "y"]);
}

#[test]
fn del_3_what_does_not_fit_holds_back_what_comes_after_it() {
    let limits =
        Limits { message_chars: 13, message_bytes: 13, claim_bytes: 13, ..Limits::default() };
    let (mut world, lead, child) = roomy(limits);
    for words in ["1234567", "7654321", "x"] {
        world.send(lead, child, words).ok();
    }
    world.claim(child);
    assert_eq!(world.claimed(child), ["1234567"], "`x` would fit, but it came later");
}

#[test]
fn del_3_a_turn_begins_with_one_of_next_turn_and_only_if_all_of_next_step_went() {
    let limits =
        Limits { message_chars: 13, message_bytes: 13, claim_bytes: 13, ..Limits::default() };
    let (mut world, lead, child) = roomy(limits);
    world.instruct(child, "first").ok();
    world.instruct(child, "second").ok();
    world.finish(child, "done");
    assert_eq!(world.claimed(child), ["first"]);
    assert_eq!(world.claims(child).last().unwrap().left, 1);
    world.send(lead, child, "1234567890123").ok();
    world.send(lead, child, "x").ok();
    world.record(child, "done", vec![]);
    assert_eq!(world.claimed(child), ["1234567890123"], "`x` did not go, so `second` does not");
    world.record(child, "done", vec![]);
    assert_eq!(world.claimed(child), ["second", "x"], "shown in order of acceptance");
}

#[test]
fn del_3_a_step_in_the_middle_of_a_turn_takes_nothing_of_next_turn() {
    let (mut world, _, child) = working();
    world.instruct(child, "later").ok();
    assert_eq!(world.claim(child), LoopAnswer::GoOn(switchboard_core::Claimed { messages: 0 }));
    assert_eq!(world.waiting(child), ["later"]);
}

#[test]
fn del_3_opening_a_turn_and_its_claim_are_one_event() {
    let (mut world, lead, _) = working();
    let claimed = world.count("claimed");
    world.instruct(lead, "go").ok();
    assert_eq!(world.claimed(lead), ["go"]);
    assert_eq!(world.count("claimed"), claimed);
}

#[derive(Clone, Debug)]
enum Doing {
    Send(bool),
    Instruct,
    Step,
    Finish,
    Interrupt,
    Crash,
}

fn doing() -> impl Strategy<Value = Doing> {
    prop_oneof![
        4 => any::<bool>().prop_map(Doing::Send),
        2 => Just(Doing::Instruct),
        3 => Just(Doing::Step),
        2 => Just(Doing::Finish),
        1 => Just(Doing::Interrupt),
        1 => Just(Doing::Crash),
    ]
}

/// One who reads, its two kin who write, and the person; each numbers what it says.
struct Talk {
    world: World,
    reader: AgentId,
    kin: [AgentId; 2],
    said: [u32; 3],
}

impl Talk {
    fn new() -> Self {
        let limits = Limits {
            bucket: 999,
            pending: 999,
            claim_bytes: 65_536,
            attempts: 999,
            ..Limits::default()
        };
        let mut world = World::with(limits, ReachPolicy::Direct);
        let lead = world.root("lead");
        let reader = world.child(lead, "reader");
        world.step_once(reader);
        let below = world.child(reader, "writer");
        Self { world, reader, kin: [lead, below], said: [0; 3] }
    }

    fn number(&mut self, who: usize) -> String {
        self.said[who] += 1;
        format!("{who}:{}", self.said[who])
    }

    fn act(&mut self, doing: &Doing) {
        let reader = self.reader;
        let open = self.world.known(reader).turn.is_some();
        match doing {
            Doing::Send(first) => {
                let who = usize::from(!first);
                let words = self.number(who);
                drop(self.world.send(self.kin[who], reader, &words));
            }
            Doing::Instruct => {
                let words = self.number(2);
                drop(self.world.instruct(reader, &words));
            }
            Doing::Step if open => {
                if let LoopAnswer::GoOn(_) = self.world.claim(reader) {
                    self.world.record(reader, "thinking", vec![call("look")]);
                }
            }
            Doing::Finish if open => {
                if let LoopAnswer::GoOn(_) = self.world.claim(reader) {
                    self.world.record(reader, "done", vec![]);
                }
            }
            Doing::Interrupt => {
                self.world.interrupt_as(Caller::User, reader).ok();
            }
            Doing::Crash => {
                self.world.crash();
                self.world.settle();
            }
            Doing::Step | Doing::Finish => {}
        }
    }

    /// The numbers a step was made from, in order, of one writer.
    fn consumed(&self, who: usize) -> Vec<u32> {
        let messages = self.world.messages();
        let words = |id| {
            let message = messages.iter().find(|message| message.id == id).unwrap();
            crate::world::words(message)
        };
        let consumed = self.world.log.iter().flat_map(|event| match event {
            switchboard_core::Event::StepRecorded { agent, consumed, .. }
                if *agent == self.reader =>
            {
                consumed.clone()
            }
            _ => Vec::new(),
        });
        let prefix = format!("{who}:");
        consumed.filter_map(|id| words(id).strip_prefix(&prefix)?.parse().ok()).collect()
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(192))]
    #[test]
    fn del_4_what_one_sender_says_is_read_in_the_order_it_said_it(
        story in proptest::collection::vec(doing(), 1..60)
    ) {
        let mut talk = Talk::new();
        for doing in &story {
            talk.act(doing);
        }
        for who in 0..3 {
            let read = talk.consumed(who);
            prop_assert!(read.is_sorted_by(|one, two| one < two), "{who} was read as {read:?}");
        }
        for claim in talk.world.claims(talk.reader) {
            prop_assert!(claim.messages.is_sorted_by_key(|shown| shown.id), "{claim:?}");
        }
    }
}

#[test]
fn del_5_a_wake_in_the_last_moment_of_a_turn_is_not_lost() {
    let (mut world, lead, child) = working();
    world.claim(child);
    world.send(lead, child, "just now").ok();
    assert_eq!(world.record(child, "done", vec![]), LoopAnswer::TurnOver(TurnEnd::Completed));
    assert_eq!(world.claimed(child), ["just now"]);
    assert_eq!(world.count("closing"), 0, "the send won against coming to rest");
}

#[test]
fn del_5_a_wake_survives_a_crash_at_any_moment() {
    let (mut world, lead, child) = working();
    world.send(lead, child, "one").ok();
    world.crash();
    world.settle();
    world.finish(child, "done");
    world.instruct(lead, "go").ok();
    world.crash();
    world.settle();
    world.claim(lead);
    assert!(world.claimed(lead).contains(&"go".to_owned()));
}

#[test]
fn del_5_mail_behind_a_mark_does_not_wake_and_newer_mail_does() {
    let (mut world, lead, child) = working();
    world.send(lead, child, "old").ok();
    world.interrupt(lead, child).ok();
    world.end(child, TurnEnd::Interrupted);
    world.crash();
    world.settle();
    assert_eq!(world.activity(child), Activity::Parked);
    assert_eq!(world.known(child).inbox.due_since(), None);
    world.send(lead, child, "new").ok();
    assert_eq!(world.claimed(child), ["old", "new"]);
}

#[test]
fn del_5_injected_and_fate_notices_do_not_wake() {
    let (mut world, lead, child) = working();
    world.send(lead, child, "unread").ok();
    world.claim(child);
    world.interrupt_as(Caller::User, child).ok();
    world.end(child, TurnEnd::Interrupted);
    assert_eq!(world.waiting(lead), ["<interrupted>", "<fates 1>"]);
    assert_eq!(world.activity(lead), Activity::Idle);
    world.instruct(lead, "go").ok();
    assert_eq!(world.claimed(lead), ["<interrupted>", "<fates 1>", "go"]);
}

#[test]
fn del_6_a_receipt_says_what_who_when_and_how_much_is_left() {
    let (mut world, lead, child) = working();
    let receipt = world.send(child, lead, "hi").ok();
    assert_eq!(receipt.message, world.messages().last().unwrap().id);
    assert_eq!(receipt.at, world.messages().last().unwrap().at);
    assert_eq!((receipt.to, receipt.name.as_str()), (lead, "lead"));
    assert_eq!((receipt.pending, receipt.budget_left), (1, 98));
    let receipt = world.send(child, lead, "hi").ok();
    assert_eq!((receipt.pending, receipt.budget_left), (1, 97), "the first is claimed");
    assert_eq!(world.send(child, lead, "hi").ok().pending, 2);
}

#[test]
fn del_6_delivered_means_a_turn_starts_and_queued_that_it_waits() {
    let (mut world, lead, child) = working();
    assert_eq!(world.send(child, lead, "hi").ok().delivery, Delivery::Delivered);
    assert!(world.known(lead).turn.is_some());
    assert_eq!(world.send(child, lead, "hi").ok().delivery, Delivery::Queued);
    world.interrupt(lead, child).ok();
    world.end(child, TurnEnd::Interrupted);
    let receipt = world.send(lead, child, "go on").ok();
    assert_eq!(receipt.delivery, Delivery::Delivered, "a parked one starts with it, too");
}

#[test]
fn del_6_without_a_free_place_a_message_for_an_idle_agent_is_queued() {
    let (mut world, lead, child) = roomy(Limits { places: 1, ..Limits::default() });
    assert_eq!(world.send(child, lead, "hi").ok().delivery, Delivery::Queued);
    assert!(world.known(lead).turn.is_none());
    world.finish(child, "done");
    assert!(world.known(lead).turn.is_some());
}

#[test]
fn del_6_of_those_that_waited_for_a_cold_resume_one_starts_the_turn() {
    let mut world = World::new();
    let lead = world.root("lead");
    let child = world.settled_child(lead, "reviewer");
    let tickets = ["one", "two"].map(|words| world.send(lead, child, words).parked());
    world.pass(Millis(5));
    world.settle();
    let delivery = tickets.map(|ticket| world.receipt(ticket).ok().delivery);
    assert_eq!(delivery, [Delivery::Delivered, Delivery::Queued]);
    assert_eq!(world.claimed(child), ["one", "two"]);
}

#[test]
fn del_6_after_a_restart_a_message_for_one_who_is_not_up_yet_is_accepted_and_queued() {
    let (mut world, lead, child) = working();
    world.crash();
    assert_eq!(world.send(child, lead, "hi").ok().delivery, Delivery::Queued);
    world.settle();
    assert_eq!(world.claimed(lead), ["hi"]);
}
