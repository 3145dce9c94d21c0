//! SEND-1 to SEND-9 (SEND-2 apart) and SEND-12: who may hand in what, for whom; in which order
//! it is checked.

use switchboard_core::{
    AgentId, Attachment, Block, Caller, Code, Content, Draft, Event, Id, Incarnation, Limits,
    Message, MessageId, MessageKind, Millis, Mode, ReachPolicy, Relation, Relationship, Schedule,
    Sender, Target,
};

use crate::world::{Came, World, descriptor};

fn pair() -> (World, AgentId, AgentId) {
    let mut world = World::new();
    let lead = world.root("lead");
    let child = world.child(lead, "reviewer");
    (world, lead, child)
}

fn content(blocks: Vec<Block>) -> Content {
    Content { blocks, ..Content::default() }
}

fn image() -> Block {
    Block::Image(Attachment { handle: "img-1".into(), media_type: "image/png".into() })
}

fn hand_in(world: &mut World, from: AgentId, to: AgentId, content: Content) -> Came<Code> {
    let caller = world.caller(from);
    match world.send_draft(caller, Draft { to: Target::Agent(to), content }, None) {
        Came::Refused(refusal) => Came::To(refusal.code),
        Came::To(receipt) => panic!("accepted: {receipt:?}"),
        Came::Parked(ticket) => Came::Parked(ticket),
    }
}

/// A child that runs one task, as the ledger of a later host may hold it.
pub(crate) fn one_shot(world: &mut World, parent: AgentId, name: &str) -> AgentId {
    let agent = Id::new(parent.tag(), world.forest.agents().count() as u64 + 1);
    let name = switchboard_core::AgentName::new(name).unwrap();
    let last = world.messages().iter().map(|message| message.id.number()).max().unwrap_or(0);
    let from = Sender::Agent {
        id: parent,
        name: world.known(parent).name.clone(),
        relationship: Relationship::Parent,
    };
    let prompt = Message {
        id: MessageId::new(parent.tag(), last + 1),
        from,
        to: agent,
        kind: MessageKind::Prompt,
        content: Content::text("one task").into(),
        schedule: Schedule::NextTurn,
        wakes: true,
        at: Default::default(),
        cause: None,
    };
    let descriptor = descriptor(name.as_str(), Mode::OneShot);
    world.plant(Event::StartAdmitted {
        agent,
        parent,
        name,
        descriptor,
        prompt,
        key: None,
        seed: None,
    });
    world.plant(Event::Published { agent, incarnation: Incarnation(1) });
    agent
}

#[test]
fn send_1_a_stale_sender_is_told_so_before_anything_else() {
    let (mut world, _, child) = pair();
    world.drain();
    let stale = Caller::Agent { agent: child, incarnation: Incarnation(7) };
    let draft = Draft { to: Target::Agent(child), content: Content::text("") };
    let key = world.key(child, 0);
    assert_eq!(world.send_draft(stale, draft, Some(key)).refused().code, Code::Unauthorized);
}

#[test]
fn send_3_a_draining_host_takes_nothing_in() {
    let (mut world, lead, child) = pair();
    world.send(child, lead, "before").ok();
    world.drain();
    let refusal = world.send(child, lead, "after").refused();
    assert_eq!(refusal.code, Code::Draining);
    assert!(refusal.code.retry());
    assert_eq!(world.instruct(child, "after").refused().code, Code::Draining);
}

#[test]
fn send_4_an_empty_message_is_an_invalid_argument_and_a_handle_alone_is_none() {
    let (mut world, lead, child) = pair();
    let blank = || Block::Text(" \n\t ".into());
    for blocks in [vec![], vec![blank()], vec![blank(), blank()]] {
        let code = hand_in(&mut world, child, lead, content(blocks)).ok();
        assert_eq!(code, Code::InvalidArgument);
    }
    let file = Attachment { handle: "file-1".into(), media_type: "text/plain".into() };
    let draft = Draft { to: Target::Agent(lead), content: content(vec![Block::Attached(file)]) };
    let caller = world.caller(child);
    world.send_draft(caller, draft, None).ok();
}

#[test]
fn send_4_exactly_at_the_limit_fits_and_one_more_is_refused_with_both_numbers() {
    let (mut world, lead, child) = pair();
    world.send(child, lead, &"a".repeat(16_384)).ok();
    let refusal = world.send(child, lead, &"a".repeat(16_385)).refused();
    assert_eq!(refusal.code, Code::MessageTooLarge);
    for number in ["16385 characters", "16385 bytes", "16384 characters", "65536 bytes"] {
        assert!(refusal.text.contains(number), "{refusal}");
    }
    assert_eq!(world.messages().last().unwrap().content.bytes(), 16_384, "nothing was cut");
}

#[test]
fn send_4_characters_are_unicode_scalar_values_and_bytes_are_counted_apart() {
    let limits = Limits { message_chars: 4, message_bytes: 9, ..Limits::default() };
    let mut world = World::with(limits, ReachPolicy::Direct);
    let lead = world.root("lead");
    world.instruct(lead, "äöüß").ok();
    world.instruct(lead, "日本語").ok();
    let refusal = world.instruct(lead, "日本語a").refused();
    assert_eq!(refusal.code, Code::MessageTooLarge, "ten bytes are too many");
    assert!(refusal.text.contains("4 characters and 10 bytes"), "{refusal}");
    let refusal = world.instruct(lead, "äöüßa").refused();
    assert!(refusal.text.contains("5 characters and 9 bytes"), "{refusal}");
    let refusal = world.instruct(lead, "e\u{301}e\u{301}e").refused();
    assert!(refusal.text.contains("5 characters"), "an accent of its own counts: {refusal}");
}

#[test]
fn send_4_text_data_and_its_kind_are_counted_together_and_handles_are_not() {
    let limits = Limits { message_chars: 9, message_bytes: 9, ..Limits::default() };
    let mut world = World::with(limits, ReachPolicy::Direct);
    let lead = world.root("lead");
    let data = |json: &str| Block::Data { kind: "k".into(), json: json.into() };
    let file = Attachment { handle: "a-long-handle".into(), media_type: "text/plain".into() };
    let blocks = vec![Block::Text("1234".into()), data("5678"), Block::Attached(file)];
    let mut draft = Draft { to: Target::Agent(lead), content: content(blocks) };
    world.send_draft(Caller::User, draft.clone(), None).ok();
    draft.content.blocks.push(data("9"));
    let refusal = world.send_draft(Caller::User, draft, None).refused();
    assert_eq!(refusal.code, Code::MessageTooLarge);
}

#[test]
fn send_4_what_stands_around_the_words_is_bounded_too() {
    let mut world = World::new();
    let lead = world.root("lead");
    let mut refused = |content: Content| {
        let draft = Draft { to: Target::Agent(lead), content };
        world.send_draft(Caller::User, draft, None).refused().code
    };
    let long = "x".repeat(257);
    let file = |handle: &str, media_type: &str| {
        Block::Attached(Attachment { handle: handle.into(), media_type: media_type.into() })
    };
    assert_eq!(refused(content(vec![file(&long, "text/plain")])), Code::MessageTooLarge);
    assert_eq!(refused(content(vec![file("a", &long)])), Code::MessageTooLarge);
    let kind = Block::Data { kind: long, json: "1".into() };
    assert_eq!(refused(content(vec![kind])), Code::MessageTooLarge);
    assert_eq!(refused(content(vec![Block::Text("a".into()); 65])), Code::MessageTooLarge);
    let summary = Some("s".repeat(201));
    assert_eq!(refused(Content { summary, ..Content::text("a") }), Code::MessageTooLarge);
}

#[test]
fn send_5_an_id_a_name_parent_and_a_role_with_a_name_are_addresses() {
    let (mut world, lead, child) = pair();
    let addresses = [child.to_string(), "reviewer".into(), "Reviewer ".into()];
    for address in addresses {
        assert_eq!(world.say(lead, &address, "hi").ok().to, child);
    }
    world.pass(Millis::seconds(5));
    for address in ["child:reviewer", "CHILD: Reviewer"] {
        assert_eq!(world.say(lead, address, "hi").ok().to, child);
    }
    for address in ["parent", "Parent", "parent:lead"] {
        assert_eq!(world.say(child, address, "hi").ok().to, lead);
    }
    world.pass(Millis::seconds(5));
    let named = Target::Member(Relation::Child, Some("reviewer".into()));
    let caller = world.caller(lead);
    assert_eq!(world.send_as(caller, named, "hi", None).ok().to, child);
    let above = Target::Member(Relation::Parent, None);
    let caller = world.caller(child);
    assert_eq!(world.send_as(caller, above, "hi", None).ok().to, lead);
}

#[test]
fn send_5_an_address_for_nobody_is_unreachable() {
    let (mut world, lead, child) = pair();
    for address in ["child:other", "sibling:reviewer", "parent", "user", "re viewer", ""] {
        assert_eq!(world.say(lead, address, "hi").refused().code, Code::Unreachable, "{address}");
    }
    assert_eq!(world.say(child, "child:", "hi").refused().code, Code::Unreachable);
    assert_eq!(world.say(lead, "boss:reviewer", "hi").refused().code, Code::InvalidArgument);
}

#[test]
fn send_5_a_wrong_kind_of_id_names_both_kinds() {
    let (mut world, lead, child) = pair();
    let message = world.send(child, lead, "hi").ok().message;
    let refusal = world.say(lead, &message.to_string(), "hi").refused();
    assert_eq!(refusal.code, Code::InvalidArgument);
    assert!(refusal.text.contains("a message id") && refusal.text.contains("an agent id"));
}

#[test]
fn send_5_a_name_that_fits_several_is_ambiguous_and_their_ids_are_not() {
    let mut world = World::new();
    let lead = world.root("reviewer");
    let child = world.child(lead, "reviewer");
    let below = world.child(child, "reviewer");
    let refusal = world.say(child, "reviewer", "hi").refused();
    assert_eq!(refusal.code, Code::Ambiguous);
    let addresses: Vec<String> =
        refusal.candidates.iter().map(|candidate| candidate.address.clone()).collect();
    assert_eq!(addresses, [lead.to_string(), below.to_string()]);
    assert_eq!(world.say(child, &addresses[1], "hi").ok().to, below);
    assert_eq!(world.say(child, "child:reviewer", "hi").ok().to, below);
    assert_eq!(world.say(lead, "reviewer", "hi").ok().to, child, "one's own name is no match");
}

#[test]
fn send_5_candidates_of_an_ambiguous_name_are_at_most_ten() {
    let limits = Limits { places: 99, ..Limits::default() };
    let mut world = World::with(limits, ReachPolicy::Tree);
    let lead = world.root("lead");
    for _ in 0..12 {
        let above = world.child(lead, "above");
        world.child(above, "helper");
    }
    let refusal = world.say(lead, "helper", "hi").refused();
    assert_eq!(refusal.code, Code::Ambiguous);
    assert!(refusal.text.contains("12 agents"), "{refusal}");
    assert_eq!(refusal.candidates.len(), 10);
}

#[test]
fn send_6_a_message_to_oneself_is_refused_however_it_is_addressed() {
    let (mut world, lead, child) = pair();
    for address in [child.to_string(), "self".into()] {
        assert_eq!(world.say(child, &address, "hi").refused().code, Code::SelfMessage);
    }
    world.send(child, lead, "hi").ok();
}

#[test]
fn send_8_a_one_shot_child_may_send_nothing_and_is_told_why() {
    let (mut world, lead, child) = pair();
    let single = one_shot(&mut world, lead, "single");
    let refusal = world.send(single, lead, "hi").refused();
    assert_eq!(refusal.code, Code::Unauthorized);
    assert!(refusal.text.contains("continuable"), "{refusal}");
    world.send(child, lead, "hi").ok();
}

#[test]
fn send_8_a_closing_sender_may_send_nothing_not_even_to_a_live_parent() {
    let (mut world, lead, child) = pair();
    let below = world.child(child, "helper");
    world.close(Caller::User, child).ok();
    assert_eq!(world.send(child, lead, "hi").refused().code, Code::ActivationClosing);
    assert_eq!(world.send(child, below, "hi").refused().code, Code::ActivationClosing);
    assert_eq!(
        world.send(below, child, "hi").refused().code,
        Code::ActivationClosing,
        "a child of a closing parent is closing itself"
    );
}

#[test]
fn send_8_an_absent_continuable_parent_is_brought_back_first() {
    let mut world = World::new();
    let lead = world.root("lead");
    let middle = world.child(lead, "middle");
    let below = world.settled_child(middle, "helper");
    world.settle();
    world.bring_back(below);
    let ticket = world.send(below, middle, "found").parked();
    assert_eq!(world.orders(), [middle]);
    world.settle();
    assert_eq!(world.receipt(ticket).ok().to, middle);
    assert_eq!(world.claimed(middle), ["found"]);
}

#[test]
fn send_8_a_parent_that_cannot_be_brought_back_is_unavailable() {
    let mut world = World::new();
    let lead = world.root("lead");
    let middle = world.child(lead, "middle");
    let below = world.settled_child(middle, "helper");
    world.settle();
    world.bring_back(below);
    let upward = world.send(below, middle, "found").parked();
    let downward = world.send(lead, middle, "come").parked();
    world.fail(middle);
    assert_eq!(world.receipt(upward).refused().code, Code::ParentUnavailable);
    assert_eq!(world.receipt(downward).refused().code, Code::StartFailed);
}

#[test]
fn send_8_a_root_that_is_put_away_is_gone_for_its_children() {
    let mut world = World::new();
    let lead = world.root("lead");
    let child = world.settled_child(lead, "reviewer");
    world.close(Caller::User, lead).ok();
    world.settle();
    world.bring_back(child);
    assert_eq!(world.send(child, lead, "hi").refused().code, Code::ParentUnavailable);
    assert!(world.orders().is_empty(), "what the person closed is not started by its child");
    let ticket = world.instruct(lead, "back to work").parked();
    world.settle();
    world.receipt(ticket).ok();
    world.send(child, lead, "hi").ok();
}

#[test]
fn send_9_images_need_a_model_that_takes_them() {
    let (mut world, lead, child) = pair();
    let code = hand_in(&mut world, lead, child, content(vec![image()])).ok();
    assert_eq!(code, Code::ModelDoesNotSupportImages);
    let mut seeing = (*descriptor("painter", Mode::Continuable)).clone();
    seeing.images = true;
    let caller = world.caller(lead);
    let painter = world.start_as(caller, seeing.into(), "paint", None).ok().agent;
    let draft = Draft { to: Target::Agent(painter), content: content(vec![image()]) };
    let ticket = world.send_draft(caller, draft, None).parked();
    world.settle();
    world.receipt(ticket).ok();
}

#[test]
fn send_9_an_image_for_one_who_is_only_stored_is_refused_without_bringing_it_back() {
    let mut world = World::new();
    let lead = world.root("lead");
    let child = world.settled_child(lead, "reviewer");
    let code = hand_in(&mut world, lead, child, content(vec![image()])).ok();
    assert_eq!(code, Code::ModelDoesNotSupportImages);
    assert!(world.orders().is_empty());
}

/// Each of these is refused for the first reason of the order, though later ones hold as well.
#[test]
fn send_1_to_11_the_first_reason_in_order_is_the_answer() {
    let (mut world, lead, child) = pair();
    let single = one_shot(&mut world, lead, "single");
    let long = "x".repeat(20_000);
    let nobody = Id::new(lead.tag(), 99);
    let too_large = world.send(child, nobody, &long).refused().code;
    assert_eq!(too_large, Code::MessageTooLarge, "size before the target");
    assert_eq!(world.send(single, single, "hi").refused().code, Code::SelfMessage);
    assert_eq!(world.send(single, child, "hi").refused().code, Code::Unreachable);
    let code = hand_in(&mut world, single, lead, content(vec![image()])).ok();
    assert_eq!(code, Code::Unauthorized, "standing before images");
    let code = hand_in(&mut world, lead, single, content(vec![image()])).ok();
    assert_eq!(code, Code::ModelDoesNotSupportImages, "images before the target's state");
    world.drain();
    assert_eq!(world.send(child, nobody, &long).refused().code, Code::Draining);
}

#[test]
fn send_12_a_refusal_and_a_wait_leave_no_trace() {
    let (mut world, lead, child) = pair();
    let below = world.start(child, "helper").ok().agent;
    for _ in 0..3 {
        world.send(child, lead, "hi").ok();
    }
    let before = world.log.len();
    let refused = [
        world.send(child, lead, "too often").refused().code,
        world.send(child, lead, " ").refused().code,
        world.send(child, child, "hi").refused().code,
        world.say(child, "nobody", "hi").refused().code,
        world.send(lead, below, "hi").refused().code,
        hand_in(&mut world, lead, child, content(vec![image()])).ok(),
    ];
    assert_eq!(refused.len(), 6);
    let ticket = world.send(child, below, "hi").parked();
    assert_eq!(world.log.len(), before);
    world.settle();
    world.receipt(ticket).ok();
    assert!(world.log.len() > before);
}

#[test]
fn send_12_the_receipt_comes_with_the_fact_it_confirms() {
    let (mut world, lead, child) = pair();
    let (before, ticket) = (world.log.len(), world.ticket());
    let draft = Draft { to: Target::Agent(lead), content: Content::text("hi") };
    let (caller, patience) = (world.caller(child), Millis(1));
    let step =
        world.act(switchboard_core::Command::Send { ticket, caller, key: None, draft, patience });
    assert_eq!(step.answers.len(), 1);
    let receipt = world.receipt(ticket).ok();
    assert!(matches!(&world.log[before], Event::Accepted { message, .. }
        if message.id == receipt.message));
}
