//! FATE-4 to FATE-6: what a sender may ask for with a message: acknowledgement, an end to its
//! waiting, and that it wakes nobody.

use switchboard_core::{
    AgentId, Answer, Caller, Code, Command, Content, Delivery, Draft, Effect, Fate, HostKey,
    Limits, MessageId, MessageKind, Millis, Notice, ReachPolicy, Receipt, Target, Timer, WallTime,
};

use crate::world::{Came, World};

fn pair() -> (World, AgentId, AgentId) {
    let mut world = World::new();
    let lead = world.root("lead");
    world.instruct(lead, "go").ok();
    let child = world.child(lead, "reviewer");
    world.step_once(child);
    (world, lead, child)
}

fn sent(world: &mut World, from: AgentId, to: AgentId, content: Content) -> Came<Receipt> {
    let (caller, to) = (world.caller(from), Target::Agent(to));
    world.send_draft(caller, Draft { to, content }, None)
}

fn lasting(words: &str, millis: u64) -> Content {
    Content { expires_in: Some(Millis(millis)), ..Content::text(words) }
}

fn to_acknowledge(words: &str) -> Content {
    Content { acknowledge: true, ..Content::text(words) }
}

fn optional(words: &str) -> Content {
    Content { reply_optional: true, ..Content::text(words) }
}

fn acknowledge(
    world: &mut World,
    by: AgentId,
    message: MessageId,
    key: Option<HostKey>,
) -> Came<Receipt> {
    let (caller, ticket) = (world.caller(by), world.ticket());
    let note = Some("seen".to_owned());
    world.act(Command::Acknowledge { ticket, caller, key, message, note });
    world.receipt(ticket)
}

fn fates(world: &World) -> Vec<(AgentId, MessageId, Fate)> {
    let told = world.messages().into_iter().flat_map(|message| match message.kind {
        MessageKind::Notice(Notice::Fates { ended }) => {
            ended.into_iter().map(|(id, _, fate)| (message.to, id, fate)).collect()
        }
        _ => Vec::new(),
    });
    told.collect()
}

fn notices(world: &World, to: AgentId) -> Vec<Notice> {
    let all = world.messages().into_iter().filter(|message| message.to == to);
    let notices = all.filter_map(|message| match message.kind {
        MessageKind::Notice(notice) => Some(notice),
        _ => None,
    });
    notices.collect()
}

#[test]
fn fate_5_a_message_that_expired_is_not_claimed_and_its_sender_is_told() {
    let (mut world, lead, child) = pair();
    let late = sent(&mut world, lead, child, lasting("soon", 1_000)).ok().message;
    let other = sent(&mut world, lead, child, Content::text("any time")).ok().message;
    world.pass(Millis(1_000));
    world.claim(child);
    assert_eq!(world.claimed(child), ["any time"]);
    assert_eq!(fates(&world), [(lead, late, Fate::Expired)]);
    assert!(late < other);
}

#[test]
fn fate_5_one_that_is_claimed_in_time_never_expires_put_back_or_not() {
    let (mut world, lead, child) = pair();
    sent(&mut world, lead, child, lasting("soon", 1_000)).ok();
    world.pass(Millis(999));
    world.claim(child);
    assert_eq!(world.claimed(child), ["soon"]);
    world.crash();
    world.pass(Millis(60_000));
    world.settle();
    world.claim(child);
    assert_eq!(world.claimed(child), ["soon"], "it had been claimed before");
    assert_eq!(fates(&world), []);
}

#[test]
fn fate_5_without_anybody_claiming_a_timer_decides_also_after_a_restart() {
    let (mut world, lead, child) = pair();
    let late = sent(&mut world, lead, child, lasting("soon", 5_000)).ok().message;
    world.act(Command::Timer(Timer::Expiry(child)));
    assert_eq!(fates(&world), [], "a timer that came too early changes nothing");
    world.crash();
    let timers: Vec<Timer> = world.timers().into_iter().map(|(timer, _)| timer).collect();
    assert!(timers.contains(&Timer::Expiry(child)), "it is set again");
    world.pass(Millis(5_000));
    world.act(Command::Timer(Timer::Expiry(child)));
    assert_eq!(fates(&world), [(lead, late, Fate::Expired)]);
}

#[test]
fn fate_5_an_agent_that_was_due_for_what_expired_alone_gets_no_turn() {
    let limits = Limits { places: 1, ..Limits::default() };
    let mut world = World::with(limits, ReachPolicy::Direct);
    let lead = world.root("lead");
    let child = world.settled_child(lead, "reviewer");
    world.instruct(lead, "go").ok();
    let ticket = sent(&mut world, lead, child, lasting("soon", 1_000)).parked();
    world.settle();
    world.receipt(ticket).ok();
    assert!(world.known(child).turn.is_none(), "the only place is taken");
    world.pass(Millis(2_000));
    world.finish(lead, "done");
    world.settle();
    assert_eq!(fates(&world).len(), 1);
    assert_eq!(world.claims(child).len(), 1, "its first turn's");
}

#[test]
fn fate_5_what_says_nothing_of_it_expires_after_a_week_and_no_sender_gets_longer() {
    let (mut world, lead, child) = pair();
    let week = Limits::default().unclaimed;
    assert_eq!(week, Millis::days(7));
    sent(&mut world, lead, child, Content::text("a")).ok();
    sent(&mut world, lead, child, lasting("b", week.0 * 2)).ok();
    world.pass(week);
    world.claim(child);
    assert_eq!(world.claimed(child), [] as [&str; 0]);
    assert_eq!(fates(&world).len(), 2);
}

#[test]
fn send_4_a_message_that_expires_at_once_is_an_invalid_argument() {
    let (mut world, lead, child) = pair();
    let refusal = sent(&mut world, lead, child, lasting("a", 0)).refused();
    assert_eq!(refusal.code, Code::InvalidArgument);
}

#[test]
fn fate_6_what_needs_no_answer_wakes_nobody_and_is_read_with_the_next_that_does() {
    let mut world = World::new();
    let lead = world.root("lead");
    world.settle();
    let child = world.child(lead, "reviewer");
    let receipt = sent(&mut world, child, lead, optional("thanks")).ok();
    assert_eq!(receipt.delivery, Delivery::Queued);
    assert!(world.known(lead).turn.is_none());
    world.send(child, lead, "and now this").ok();
    assert_eq!(world.claimed(lead), ["thanks", "and now this"]);
    let header = world.frames(lead)[0].lines().next().unwrap().to_owned();
    assert!(header.contains("no answer is needed"), "{header}");
}

#[test]
fn fate_6_what_needs_no_answer_brings_no_stored_agent_back() {
    let mut world = World::new();
    let lead = world.root("lead");
    let child = world.settled_child(lead, "reviewer");
    world.instruct(lead, "go on").ok();
    let resumes = world.count("resume-ordered");
    sent(&mut world, lead, child, optional("thanks")).ok();
    world.settle();
    assert_eq!(world.count("resume-ordered"), resumes);
    assert_eq!(world.waiting(child), ["thanks"]);
}

#[test]
fn send_11_what_wakes_nobody_never_keeps_out_what_does() {
    let limits = Limits { pending: 2, bucket: 10, ..Limits::default() };
    let mut world = World::with(limits, ReachPolicy::Direct);
    let lead = world.root("lead");
    world.settle();
    let child = world.child(lead, "reviewer");
    for _ in 0..2 {
        sent(&mut world, child, lead, optional("thanks")).ok();
    }
    assert_eq!(sent(&mut world, child, lead, optional("more")).refused().code, Code::InboxFull);
    let receipt = world.send(child, lead, "and now this").ok();
    assert_eq!((receipt.pending, receipt.delivery), (3, Delivery::Delivered));
    assert_eq!(world.claimed(lead).len(), 3);
}

#[test]
fn del_4_what_needs_no_answer_waits_behind_what_waits_for_its_reader() {
    let mut world = World::with(Limits::default(), ReachPolicy::Tree);
    let lead = world.root("lead");
    let child = world.child(lead, "reviewer");
    let deep = world.child(child, "helper");
    world.finish(deep, "done");
    world.settle();
    world.step_once(child);
    world.close(Caller::User, child).ok();
    let first = world.instruct(deep, "first").parked();
    let caller = Caller::User;
    let draft = Draft { to: Target::Agent(deep), content: optional("second") };
    let second = world.send_draft(caller, draft, None).parked();
    world.settle();
    let order = [world.receipt(first).ok().message, world.receipt(second).ok().message];
    assert!(order.is_sorted(), "{order:?}");
}

#[test]
fn fate_5_what_nobody_ever_claims_ends_after_a_week_by_itself() {
    let mut world = World::new();
    let lead = world.root("lead");
    let child = world.settled_child(lead, "reviewer");
    world.instruct(lead, "go on").ok();
    let kept = sent(&mut world, lead, child, optional("thanks")).ok().message;
    let timers: Vec<Timer> = world.timers().into_iter().map(|(timer, _)| timer).collect();
    assert!(timers.contains(&Timer::Expiry(child)));
    world.pass(Millis::days(7));
    world.act(Command::Timer(Timer::Expiry(child)));
    assert_eq!(fates(&world), [(lead, kept, Fate::Expired)]);
}

#[test]
fn fate_5_an_agent_has_one_timer_however_much_it_gets() {
    let (mut world, lead, child) = pair();
    for wait in [9_000, 5_000, 7_000] {
        sent(&mut world, lead, child, lasting("soon", wait)).ok();
    }
    let set = world.timers().into_iter().filter(|(timer, _)| *timer == Timer::Expiry(child));
    let after: Vec<Millis> = set.map(|(_, after)| after).collect();
    assert_eq!(after.last(), Some(&Millis(5_000)), "the later one needs none of its own");
}

#[test]
fn fate_5_timers_do_not_pile_up_however_often_something_expires() {
    let (mut world, lead, child) = pair();
    world.send(lead, child, "any time").ok();
    for _ in 0..10 {
        world.pass(Millis(2_000));
        sent(&mut world, lead, child, lasting("soon", 1_000)).ok();
        world.pass(Millis(1_000));
        world
            .effects
            .retain(|effect| !matches!(effect, Effect::SetTimer { after: Millis(1_000), .. }));
        world.act(Command::Timer(Timer::Expiry(child)));
    }
    assert_eq!(fates(&world).len(), 10);
    let set = world.timers().into_iter().filter(|(timer, _)| *timer == Timer::Expiry(child));
    assert_eq!(set.count(), 1, "the first one's, a week from now");
}

#[test]
fn fate_6_an_instruction_that_needs_no_answer_costs_no_turn_of_its_own() {
    let mut world = World::new();
    let lead = world.root("lead");
    let caller = Caller::User;
    let draft = Draft { to: Target::Agent(lead), content: optional("by the way") };
    world.send_draft(caller, draft, None).ok();
    world.instruct(lead, "go").ok();
    assert_eq!(world.claimed(lead), ["by the way", "go"]);
}

#[test]
fn fate_4_the_person_cannot_ask_for_what_nobody_could_give() {
    let (mut world, lead, _) = pair();
    let draft = Draft { to: Target::Agent(lead), content: to_acknowledge("look") };
    let refusal = world.send_draft(Caller::User, draft, None).refused();
    assert_eq!(refusal.code, Code::InvalidArgument);
}

#[test]
fn fate_4_an_acknowledgement_reaches_the_sender_and_wakes_it_not() {
    let (mut world, lead, child) = pair();
    let asked = sent(&mut world, lead, child, to_acknowledge("look")).ok().message;
    assert_eq!(world.known(child).owes, [], "it has not read it");
    world.step_once(child);
    assert_eq!(world.known(child).owes.len(), 1);
    let row = world.forest.observed(Caller::User, &Target::Agent(child)).unwrap();
    assert_eq!(row.obligations, 1, "obs_1: whoever observes it sees so");
    world.finish(lead, "I wait");
    acknowledge(&mut world, child, asked, None).ok();
    assert_eq!(world.known(child).owes, []);
    assert!(world.known(lead).turn.is_none());
    let [Notice::Acknowledged { message, by, note, .. }] = &notices(&world, lead)[..] else {
        panic!("{:?}", notices(&world, lead))
    };
    assert_eq!((*message, *by, note.as_deref()), (asked, child, Some("seen")));
}

#[test]
fn fate_4_only_what_was_read_and_asked_for_can_be_acknowledged_and_once() {
    let (mut world, lead, child) = pair();
    let plain = world.send(lead, child, "look").ok().message;
    let asked = sent(&mut world, lead, child, to_acknowledge("look")).ok().message;
    assert_eq!(acknowledge(&mut world, child, asked, None).refused().code, Code::NotFound);
    world.step_once(child);
    assert_eq!(acknowledge(&mut world, child, plain, None).refused().code, Code::NotFound);
    assert_eq!(acknowledge(&mut world, lead, asked, None).refused().code, Code::NotFound);
    acknowledge(&mut world, child, asked, None).ok();
    assert_eq!(acknowledge(&mut world, child, asked, None).refused().code, Code::NotFound);
    let ticket = world.ticket();
    let (caller, key, note) = (Caller::User, None, None);
    world.act(Command::Acknowledge { ticket, caller, key, message: asked, note });
    let Answer::Refused(refusal) = &world.answers[&ticket] else { panic!("it is refused") };
    assert_eq!(refusal.code, Code::InvalidArgument);
}

#[test]
fn turn_3_a_repeated_acknowledgement_gets_its_first_receipt() {
    let (mut world, lead, child) = pair();
    let asked = sent(&mut world, lead, child, to_acknowledge("look")).ok().message;
    let other = sent(&mut world, lead, child, to_acknowledge("and here")).ok().message;
    world.step_once(child);
    let key = world.key(child, 0);
    let first = acknowledge(&mut world, child, asked, Some(key)).ok();
    world.crash();
    world.settle();
    let again = acknowledge(&mut world, child, asked, Some(key)).ok();
    assert_eq!(again, Receipt { repeated: true, ..first });
    let refusal = acknowledge(&mut world, child, other, Some(key)).refused();
    assert_eq!(refusal.code, Code::InvalidArgument);
}

#[test]
fn fate_4_coming_to_rest_without_acknowledging_is_told_to_the_sender_once() {
    let (mut world, lead, child) = pair();
    let asked = sent(&mut world, lead, child, to_acknowledge("look")).ok().message;
    world.finish(child, "done");
    world.settle();
    let told = |world: &World| {
        let owed = notices(world, lead).into_iter().filter_map(|notice| match notice {
            Notice::Unacknowledged { by, messages, .. } => Some((by, messages)),
            _ => None,
        });
        owed.collect::<Vec<_>>()
    };
    assert_eq!(told(&world), [(child, vec![asked])]);
    let settled = notices(&world, lead).into_iter().find_map(|notice| match notice {
        Notice::Settled { unacknowledged, .. } => Some(unacknowledged),
        _ => None,
    });
    assert_eq!(settled, Some(1));
    world.bring_back(child);
    let late = acknowledge(&mut world, child, asked, None).refused();
    assert_eq!(late.code, Code::NotFound, "nobody waits for it any more");
    world.finish(child, "done again");
    world.settle();
    assert_eq!(told(&world).len(), 1);
}

#[test]
fn fate_4_what_is_dropped_before_it_is_read_is_owed_by_nobody() {
    let (mut world, lead, child) = pair();
    let content = Content { acknowledge: true, ..lasting("soon", 10) };
    sent(&mut world, lead, child, content).ok();
    world.pass(Millis(10));
    world.finish(child, "done");
    world.settle();
    let notices = notices(&world, lead);
    assert!(!notices.iter().any(|notice| matches!(notice, Notice::Unacknowledged { .. })));
    let settled = |notice: &Notice| matches!(notice, Notice::Settled { unacknowledged: 0, .. });
    assert!(notices.iter().any(settled), "{notices:?}");
}

#[test]
fn frame_1_the_header_says_how_long_ago_a_message_was_written_where_that_matters() {
    let (mut world, lead, child) = pair();
    for (wait, age) in [(59_000, None), (90_000, Some("1 min ago")), (7_200_000, Some("2 h ago"))] {
        world.send(lead, child, "look").ok();
        world.pass(Millis(wait));
        world.step_once(child);
        let header = world.frames(child).pop().unwrap().lines().next().unwrap().to_owned();
        assert_eq!(header.contains(" ago"), age.is_some(), "{header}");
        assert!(age.is_none_or(|age| header.contains(age)), "{header}");
    }
    assert_eq!(WallTime(1) + Millis(2), WallTime(3));
}
