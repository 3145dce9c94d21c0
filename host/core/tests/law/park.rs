//! SEND-10, SEND-11, SEND-13 and SEND-14: where the target is, room, waiting, and the line.

use switchboard_core::{
    Activity, AgentId, Caller, Code, Command, Limits, Millis, ReachPolicy, Ticket, Timer, TurnEnd,
};

use crate::send::one_shot;
use crate::world::World;

#[test]
fn send_10_a_one_shot_target_is_not_resumable_and_one_is_told_not_to_try_again() {
    let mut world = World::new();
    let lead = world.root("lead");
    let single = one_shot(&mut world, lead, "single");
    let refusal = world.send(lead, single, "hi").refused();
    assert_eq!(refusal.code, Code::NotResumable);
    assert!(refusal.text.contains("do not try again") && !refusal.code.retry(), "{refusal}");
    assert_eq!(world.instruct(single, "hi").refused().code, Code::NotResumable);
}

#[test]
fn send_10_a_send_to_a_starting_target_waits_for_its_publication_and_follows_its_prompt() {
    let mut world = World::new();
    let lead = world.root("lead");
    let child = world.start(lead, "reviewer").ok().agent;
    let ticket = world.send(lead, child, "and this").parked();
    assert_eq!(world.waiting(child), ["be a reviewer"], "nothing is accepted yet");
    world.publish(child);
    assert_eq!(world.receipt(ticket).ok().to, child);
    assert_eq!(world.claimed(child), ["be a reviewer", "and this"]);
}

#[test]
fn send_10_a_send_to_an_absent_target_waits_behind_its_cold_resume() {
    let mut world = World::new();
    let lead = world.root("lead");
    let child = world.settled_child(lead, "reviewer");
    let before = world.count("accepted");
    let ticket = world.send(lead, child, "again").parked();
    assert_eq!(world.orders(), [child]);
    assert_eq!(world.count("accepted"), before, "it is accepted only once the target is up");
    world.publish(child);
    world.receipt(ticket).ok();
    assert_eq!(world.claimed(child), ["again"]);
}

#[test]
fn send_10_a_send_to_a_closing_target_waits_for_the_end_of_its_disposal_then_brings_it_back() {
    let mut world = World::new();
    let lead = world.root("lead");
    let child = world.child(lead, "reviewer");
    world.finish(child, "done");
    let ticket = world.send(lead, child, "wait").parked();
    assert!(world.orders().is_empty(), "it is still being put away");
    world.dispose(child);
    assert_eq!(world.orders(), [child]);
    world.publish(child);
    world.receipt(ticket).ok();
    assert_eq!(world.claimed(child), ["wait"]);
}

#[test]
fn send_10_a_disposal_given_up_frees_the_line_as_one_that_succeeded() {
    let mut world = World::new();
    let lead = world.root("lead");
    let child = world.child(lead, "reviewer");
    world.finish(child, "done");
    let limits = Limits { parking_guest: Millis::minutes(1), ..Limits::default() };
    assert!(limits.disposal < limits.parking_guest);
    let ticket = world.send(lead, child, "wait").parked();
    world.fire(|timer| matches!(timer, Timer::Disposal(..)));
    assert_eq!(world.orders(), [child]);
    world.settle();
    world.receipt(ticket).ok();
}

#[test]
fn send_10_what_waited_is_decided_again_from_the_first_check() {
    let mut world = World::new();
    let lead = world.root("lead");
    let middle = world.child(lead, "middle");
    let below = world.start(middle, "helper").ok().agent;
    world.step_once(middle);
    let own = world.send(middle, below, "from one who is put away meanwhile").parked();
    let persons = world.instruct(below, "from the person").parked();
    world.close(Caller::User, middle).ok();
    assert_eq!(world.receipt(own).refused().code, Code::ActivationClosing);
    world.end(middle, TurnEnd::Aborted);
    world.settle();
    assert_eq!(world.receipt(persons).ok().to, below, "the person's send waited longer");
}

#[test]
fn send_10_a_sender_gone_while_it_waited_is_unauthorized() {
    let mut world = World::new();
    let lead = world.root("lead");
    let middle = world.child(lead, "middle");
    let below = world.settled_child(middle, "helper");
    world.settle();
    world.bring_back(below);
    let ticket = world.send(below, middle, "one more").parked();
    world.close(Caller::User, below).ok();
    world.dispose(below);
    world.publish(middle);
    assert_eq!(world.receipt(ticket).refused().code, Code::Unauthorized);
    assert!(world.waiting(middle).iter().all(|mail| mail.starts_with("<settled")));
}

fn filled(pending: usize) -> (World, AgentId, AgentId) {
    let limits = Limits { pending, bucket: 99, ..Limits::default() };
    let mut world = World::with(limits, ReachPolicy::Direct);
    let lead = world.root("lead");
    let child = world.child(lead, "reviewer");
    world.step_once(child);
    (world, lead, child)
}

#[test]
fn send_11_the_twentieth_message_fits_and_the_next_is_refused_until_some_are_read() {
    let (mut world, lead, child) = filled(20);
    for sent in 1..=20 {
        assert_eq!(world.send(lead, child, "more").ok().pending, sent);
    }
    let refusal = world.send(lead, child, "more").refused();
    assert_eq!(refusal.code, Code::InboxFull);
    assert!(refusal.code.retry() && refusal.text.contains("20"), "{refusal}");
    assert_eq!(world.instruct(child, "more").refused().code, Code::InboxFull, "for anybody");
    world.claim(child);
    assert_eq!(world.send(lead, child, "more").ok().pending, 1);
}

#[test]
fn send_11_mail_behind_a_mark_takes_no_room() {
    let (mut world, lead, child) = filled(2);
    world.send(lead, child, "one").ok();
    world.send(lead, child, "two").ok();
    assert_eq!(world.send(lead, child, "three").refused().code, Code::InboxFull);
    world.interrupt(lead, child).ok();
    assert_eq!(world.send(lead, child, "three").ok().pending, 1);
}

#[test]
fn send_11_notices_take_no_room_and_always_fit() {
    let (mut world, lead, child) = filled(1);
    world.instruct(lead, "go").ok();
    world.step_once(lead);
    world.send(child, lead, "fills it").ok();
    world.finish(child, "done");
    world.settle();
    assert_eq!(world.waiting(lead), ["fills it", "<settled completed>"]);
    world.claim(lead);
    world.record(lead, "thinking", vec![crate::world::call("look")]);
    let other = world.child(lead, "other");
    world.finish(other, "done");
    world.settle();
    world.instruct(lead, "one").ok();
}

#[test]
fn send_11_parked_sends_and_the_prompt_count_so_that_the_first_in_the_line_fits() {
    let limits = Limits { pending: 4, bucket: 99, ..Limits::default() };
    let mut world = World::with(limits, ReachPolicy::Direct);
    let lead = world.root("lead");
    let child = world.start(lead, "reviewer").ok().agent;
    let tickets: Vec<Ticket> =
        ["a", "b", "c"].map(|words| world.send(lead, child, words).parked()).into();
    assert_eq!(world.send(lead, child, "d").refused().code, Code::InboxFull);
    world.settle();
    for ticket in tickets {
        world.receipt(ticket).ok();
    }
    assert_eq!(world.claimed(child), ["be a reviewer", "a", "b", "c"]);
}

#[test]
fn send_11_a_pair_has_three_tokens_and_gets_one_back_each_second() {
    let mut world = World::new();
    let lead = world.root("lead");
    let (child, other) = (world.child(lead, "reviewer"), world.child(lead, "other"));
    let left = [(); 3].map(|()| world.send(lead, child, "hi").ok().budget_left);
    assert_eq!(left, [2, 1, 0]);
    world.pass(Millis(250));
    let refusal = world.send(lead, child, "hi").refused();
    assert_eq!((refusal.code, refusal.retry_after), (Code::RateLimited, Some(Millis(750))));
    assert!(!refusal.text.contains("again"), "whoever shows it says when: {refusal}");
    assert_eq!(world.send(lead, other, "hi").ok().budget_left, 2, "another pair");
    assert_eq!(world.send(child, lead, "hi").ok().budget_left, 2, "the other direction");
    world.pass(Millis(749));
    let refusal = world.send(lead, child, "hi").refused();
    assert_eq!(refusal.retry_after, Some(Millis(1)));
    world.pass(Millis(1));
    assert_eq!(world.send(lead, child, "hi").ok().budget_left, 0);
    world.pass(Millis::seconds(60));
    assert_eq!(world.send(lead, child, "hi").ok().budget_left, 2, "never more than three");
}

#[test]
fn send_11_a_refusal_takes_nothing_neither_room_nor_token() {
    let limits = Limits { pending: 2, ..Limits::default() };
    let mut world = World::with(limits, ReachPolicy::Direct);
    let lead = world.root("lead");
    let child = world.child(lead, "reviewer");
    world.step_once(child);
    world.send(lead, child, "one").ok();
    world.send(lead, child, "two").ok();
    for _ in 0..9 {
        assert_eq!(world.send(lead, child, "three").refused().code, Code::InboxFull);
        assert_eq!(world.send(lead, child, " ").refused().code, Code::InvalidArgument);
    }
    world.claim(child);
    assert_eq!(world.send(lead, child, "three").ok().budget_left, 0, "the third token was left");
    for _ in 0..9 {
        assert_eq!(world.send(lead, child, "four").refused().code, Code::RateLimited);
    }
    world.pass(Millis::seconds(1));
    assert_eq!(world.send(lead, child, "four").ok().pending, 2);
}

#[test]
fn send_11_a_send_that_waited_takes_its_token_when_it_is_accepted() {
    let mut world = World::new();
    let lead = world.root("lead");
    let child = world.start(lead, "reviewer").ok().agent;
    let tickets = ["a", "b", "c", "d"].map(|words| world.send(lead, child, words).parked());
    world.settle();
    for ticket in &tickets[..3] {
        world.receipt(*ticket).ok();
    }
    assert_eq!(world.receipt(tickets[3]).refused().code, Code::RateLimited);
}

#[test]
fn send_11_the_person_has_no_bucket() {
    let mut world = World::new();
    let lead = world.root("lead");
    for _ in 0..9 {
        world.instruct(lead, "again").ok();
    }
}

#[test]
fn send_13_the_sender_of_a_busy_target_does_not_wait() {
    let mut world = World::new();
    let lead = world.root("lead");
    let child = world.child(lead, "reviewer");
    world.instruct(lead, "go").ok();
    world.send(lead, child, "for you").ok();
    world.send(child, lead, "and for you").ok();
}

#[test]
fn send_13_what_waited_too_long_is_timed_out_and_nothing_is_accepted() {
    let mut world = World::new();
    let lead = world.root("lead");
    let child = world.settled_child(lead, "reviewer");
    let ticket = world.send(lead, child, "again").parked();
    let parking = (Timer::Parking(ticket), Limits::default().parking_guest);
    assert!(world.timers().contains(&parking));
    world.fire(|timer| *timer == parking.0);
    assert_eq!(world.receipt(ticket).refused().code, Code::TimedOut);
    world.settle();
    assert!(world.waiting(child).is_empty());
    assert_eq!(world.activity(child), Activity::Absent, "nothing kept it");
}

#[test]
fn send_13_waiting_again_after_a_disposal_gives_no_more_time() {
    let mut world = World::new();
    let lead = world.root("lead");
    let child = world.child(lead, "reviewer");
    world.finish(child, "done");
    let ticket = world.send(lead, child, "wait").parked();
    world.dispose(child);
    let parking = |timer: &Timer| *timer == Timer::Parking(ticket);
    assert_eq!(world.timers().iter().filter(|(timer, _)| parking(timer)).count(), 1);
    world.fire(parking);
    assert_eq!(world.receipt(ticket).refused().code, Code::TimedOut);
}

#[test]
fn send_13_a_caller_that_goes_away_takes_its_send_with_it() {
    let mut world = World::new();
    let lead = world.root("lead");
    let child = world.start(lead, "reviewer").ok().agent;
    let gone = world.send(lead, child, "never mind").parked();
    let stays = world.send(lead, child, "still").parked();
    world.act(Command::Withdraw { ticket: gone });
    world.settle();
    world.receipt(gone).parked();
    world.receipt(stays).ok();
    assert_eq!(world.claimed(child), ["be a reviewer", "still"]);
    world.fire(|timer| *timer == Timer::Parking(gone));
    world.receipt(gone).parked();
}

#[test]
fn send_13_an_accepted_send_is_not_timed_out_afterwards() {
    let mut world = World::new();
    let lead = world.root("lead");
    let child = world.start(lead, "reviewer").ok().agent;
    let ticket = world.send(lead, child, "hi").parked();
    world.settle();
    world.fire(|timer| *timer == Timer::Parking(ticket));
    world.receipt(ticket).ok();
    let other = world.ticket();
    world.act(Command::Withdraw { ticket: other });
}

#[test]
fn send_14_sends_to_one_child_are_accepted_in_the_order_they_arrived() {
    let mut world = World::new();
    let lead = world.root("lead");
    let child = world.child(lead, "reviewer");
    world.finish(child, "done");
    let mut tickets = vec![world.send(lead, child, "a").parked()];
    tickets.push(world.send(lead, child, "b").parked());
    world.dispose(child);
    tickets.push(world.send(lead, child, "c").parked());
    world.publish(child);
    let ids: Vec<_> = tickets.iter().map(|ticket| world.receipt(*ticket).ok().message).collect();
    assert!(ids.is_sorted(), "{ids:?}");
    assert_eq!(world.claimed(child), ["a", "b", "c"]);
}

#[test]
fn send_14_a_failed_one_does_not_fail_the_next() {
    let mut world = World::new();
    let lead = world.root("lead");
    let middle = world.child(lead, "middle");
    let below = world.child(middle, "helper");
    world.finish(below, "done");
    let fails = world.send(middle, below, "from the closed one").parked();
    let goes_on = world.instruct(below, "from the person").parked();
    world.close(Caller::User, middle).ok();
    world.settle();
    assert!(matches!(
        world.receipt(fails).refused().code,
        Code::ActivationClosing | Code::Unauthorized
    ));
    world.receipt(goes_on).ok();
}

#[test]
fn send_14_different_children_do_not_wait_for_each_other() {
    let mut world = World::new();
    let lead = world.root("lead");
    let slow = world.start(lead, "slow").ok().agent;
    let quick = world.start(lead, "quick").ok().agent;
    let waits = world.send(lead, slow, "hi").parked();
    let goes = world.send(lead, quick, "hi").parked();
    world.publish(quick);
    world.receipt(goes).ok();
    world.receipt(waits).parked();
}

#[test]
fn send_14_interrupt_close_and_drain_do_not_stand_in_the_line() {
    let mut world = World::new();
    let lead = world.root("lead");
    let one = world.start(lead, "one").ok().agent;
    let two = world.start(lead, "two").ok().agent;
    let three = world.start(lead, "three").ok().agent;
    let first = world.send(lead, one, "hi").parked();
    world.send(lead, two, "hi").parked();
    let third = world.send(lead, three, "hi").parked();
    world.interrupt(lead, one).ok();
    assert_eq!(world.receipt(first).refused().code, Code::Unreachable);
    world.close(Caller::User, two).ok();
    world.drain();
    assert_eq!(world.receipt(third).refused().code, Code::Draining);
}
