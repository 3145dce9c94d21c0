//! Events in, lines out.

use switchboard_cli::show::book::Book;
use switchboard_cli::show::chronicle::{Began, Chronicle};
use switchboard_cli::show::diagram::diagram;
use switchboard_cli::show::line::line;
use switchboard_cli::show::paint::Paint;
use switchboard_cli::show::story::story as tell;
use switchboard_cli::show::summary::summary;
use switchboard_core::{Event, TurnEnd};

use crate::events::{agent, ended, numbered, opened, relay, story};

/// The lines of these events.
fn lines(events: &[switchboard_ledger::Stored]) -> Vec<String> {
    let mut book = Book::default();
    let told = events.iter().map(|stored| {
        book.learn(&stored.event);
        line(&book, Paint::OFF, stored)
    });
    told.collect()
}

#[test]
fn every_event_is_one_line_that_says_when_who_and_what() {
    let lines = lines(&story());
    assert_eq!(lines[0], "00:00:01.001Z  host           ledger 00007 begins, format 2");
    assert_eq!(
        lines[12],
        "00:00:01.013Z  helper         → lead message: “Found it.” (msg_00007-3, steers)"
    );
    assert_eq!(
        lines[13],
        "00:00:01.014Z  lead           step 1 of turn_00007-1 steered with msg_00007-3 from helper"
    );
    assert!(lines.iter().all(|line| !line.contains('\n')));
}

#[test]
fn an_interrupt_says_what_was_in_flight() {
    let lines = lines(&story());
    let told = "interrupts: helper stops turn_00007-2; in flight: watch_file “enough”";
    assert!(lines[14].ends_with(told), "{}", lines[14]);
    assert!(lines[15].ends_with("turn_00007-2 interrupted; cut watch_file"), "{}", lines[15]);
}

#[test]
fn hostile_words_are_one_harmless_line() {
    let hostile = format!(
        "\u{1b}]0;owned\u{7}\u{1b}[2J\r\n\u{202e}reversed\u{2066} a{}",
        "\u{301}".repeat(16_000)
    );
    let events: Vec<Event> = story().into_iter().map(|stored| stored.event).take(10).collect();
    let told = lines(&numbered([events, vec![relay(3, &hostile)]].concat())).pop().unwrap();
    let harmful = |c: char| c.is_control() || ('\u{202a}'..='\u{202e}').contains(&c);
    assert!(!told.contains(harmful), "{told:?}");
    assert!(!told.contains('\u{2066}'), "{told:?}");
    assert!(told.chars().count() < 250, "{}", told.chars().count());
}

#[test]
fn colour_changes_nothing_but_colour() {
    let mut book = Book::default();
    for stored in story() {
        book.learn(&stored.event);
        let plain = line(&book, Paint::OFF, &stored);
        let painted = line(&book, Paint::ON, &stored);
        assert_eq!(anstream::adapter::strip_str(&painted).to_string(), plain);
    }
}

#[test]
fn the_picture_has_a_column_for_each_and_an_arrow_for_each_message() {
    let picture = diagram(&Chronicle::of(&story()), Paint::OFF, 40);
    assert_eq!(
        picture,
        [
            "person                      lead                        helper",
            "│─ Begin. ─────────────────▶│                           │",
            "│                           │─ Look around. ───────────▶│",
            "│                           │◀────────────── Found it. ─│  steers step 1",
            "│                           │◀╌╌╌╌╌ settled: completed ╌│",
        ]
    );
}

#[test]
fn a_picture_that_would_be_long_says_how_many_more_there_are() {
    let picture = diagram(&Chronicle::of(&story()), Paint::OFF, 1);
    assert_eq!(picture.len(), 3);
    assert_eq!(picture[2], "… and 3 more messages");
}

#[test]
fn the_numbers_tell_fates_turns_and_how_long_calls_took() {
    let told = summary(&Chronicle::of(&story()));
    let lines: Vec<&str> = told.iter().map(|(_, line)| line.as_str()).collect();
    assert_eq!(
        lines,
        [
            "4 accepted: 3 consumed, 1 waiting; 1 steered into a running turn",
            "2 run: 1 completed, 1 interrupted; 3 steps",
            "2 made: 1 cut, 1 done; p50 1.5 ms, p99 1.5 ms",
            "1 call, in total 0 µs waiting, 0 µs starting, 1.2 ms in guests, 300 µs in 0 host \
             calls; at most 0 B each",
        ]
    );
}

#[test]
fn the_story_says_at_which_step_a_message_was_read_and_how_it_ended() {
    let told = tell(&Chronicle::of(&story()), Paint::OFF).join("\n");
    assert!(told.contains("steered into running turn_00007-1 at step 1, consumed"), "{told}");
    assert!(told.contains("watch_file; 1 message parked until something newer comes"), "{told}");
    assert!(told.contains("(a cold resume); in memory to the last record"), "{told}");
    assert!(
        told.contains("is done (completed), said in msg_00007-4, after its report msg_00007-3")
    );
    assert!(told.contains("└ waiting in the inbox of lead"), "{told}");
}

#[test]
fn a_claimed_message_is_told_as_claimed_in_every_view() {
    let events = story().into_iter().map(|stored| stored.event).chain([opened(1, 3, &[4])]);
    let chronicle = Chronicle::of(&numbered(events.collect()));
    let told = tell(&chronicle, Paint::OFF).join("\n");
    assert!(told.contains("claimed by turn_00007-3, which made no step from it yet"), "{told}");
    assert!(told.contains("messages     4 accepted: 1 claimed, 3 consumed;"), "{told}");
    assert!(!told.contains("waiting in"), "{told}");
}

#[test]
fn a_run_without_a_call_says_nothing_of_the_sandbox() {
    let with =
        |what: &str| summary(&Chronicle::of(&story()[..7])).iter().any(|(head, _)| *head == what);
    assert!(with("messages") && !with("sandbox"));
}

#[test]
fn what_went_wrong_in_a_turn_is_told_whole_and_a_ceiling_is_explained() {
    let mut end = ended(1, 1, TurnEnd::Ceiling, &[]);
    let Event::TurnEnded { note, .. } = &mut end else { panic!("it changed") };
    let words = "script `lead`, rule 3: ".repeat(12);
    *note = Some(words.clone());
    let events = story().into_iter().take(7).map(|stored| stored.event).chain([end]);
    let told = lines(&numbered(events.collect())).pop().unwrap();
    let whole = format!("turn_00007-1 ceiling (a limit was reached): {}", words.trim_end());
    assert!(told.ends_with(&whole), "{told}");
}

#[test]
fn a_second_stay_is_told_from_the_first() {
    let chronicle = Chronicle::of(&story());
    let began: Vec<Began> = chronicle.stays_of(agent(2)).map(|stay| stay.began).collect();
    assert_eq!(began, [Began::First, Began::ColdResume]);
}

#[test]
fn a_picture_of_many_agents_has_the_columns_there_is_room_for() {
    let mut events: Vec<Event> = story().into_iter().map(|stored| stored.event).collect();
    for number in 3..=80 {
        let mut start = events[7].clone();
        let Event::StartAdmitted { agent: id, .. } = &mut start else { panic!("it changed") };
        *id = agent(number);
        events.push(start);
    }
    let picture = diagram(&Chronicle::of(&numbered(events)), Paint::OFF, 40);
    let widest = picture.iter().map(|line| line.chars().count()).max().unwrap();
    assert!(widest <= 100 + "  steers step 1".len(), "{widest}");
    let more = "… and 75 more agents; `switchboard ledger verify FILE --story` has all";
    assert_eq!(picture.last().unwrap(), more);
}
