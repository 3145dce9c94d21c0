//! The story of the review crew, told from its ledger alone.

use std::collections::BTreeSet;

use crate::harness::{Folder, Told};
use switchboard_cli::show::chronicle::Began;
use switchboard_core::{Event, Incarnation, MessageId, MessageKind, Notice, Sender, TurnEnd};
use switchboard_runtime::Mail;

use crate::HOST;

const MAIN: &str = "fn main() {\n    read().unwrap();\n    // FIXME: shows it twice\n}\n";

/// Two files with something marked in each.
pub(crate) fn some_files() -> Folder {
    Folder::of(&[("src/main.rs", MAIN), ("notes.md", "# Notes\n\nTODO: write them.\n")])
}

/// Runs the review over a folder; what any run must hold is looked at here.
fn told(folder: &Folder, name: &str) -> Told {
    let ledger = folder.ledger(name);
    let ended = HOST.review(folder, &ledger, None);
    assert!(ended.status.success(), "{}", ended.complaint);
    let told = Told::of(&ledger);
    assert_eq!(told.problems(), [] as [&str; 0]);
    told
}

fn reviewed() -> Told {
    told(&some_files(), "review")
}

/// The only message with these words at its beginning.
fn only<'a>(told: &'a Told, words: &'a str) -> &'a Mail {
    let found: Vec<_> = told.mail(words).collect();
    assert_eq!(found.len(), 1, "{words}");
    found[0]
}

#[test]
fn del_2_a_message_is_read_in_the_middle_of_a_turn_that_was_open_when_it_was_sent() {
    let told = reviewed();
    let watch = only(&told, "Watch ");
    let claim = told.events().find_map(|event| match event {
        Event::Claimed { turn, step, claim, .. }
            if claim.messages.iter().any(|shown| shown.id == watch.message.id) =>
        {
            Some((*turn, *step))
        }
        _ => None,
    });
    let (turn, step) = claim.expect("it is taken by a running turn");
    assert!(step >= 1);
    let opened = told.reading.events.iter().find(
        |stored| matches!(&stored.event, Event::TurnOpened { turn: opened, .. } if *opened == turn),
    );
    assert!(opened.unwrap().seq < watch.seq, "the turn was open when it was accepted");
}

#[test]
fn int_6_the_interrupt_stops_a_guest_that_was_at_work() {
    let told = reviewed();
    let [interrupt] = &told.chronicle.interrupts[..] else { panic!("one interrupt") };
    assert_eq!(interrupt.by, Some(told.agent("lead")));
    assert_eq!(interrupt.answer.target.agent, told.agent("reviewer-2"));
    assert_eq!(interrupt.answer.calls_cut, ["watch_file"]);
    let cut = told.events().filter_map(|event| match event {
        Event::TurnEnded { end: TurnEnd::Interrupted, agent, cut, .. } => Some((*agent, cut.len())),
        _ => None,
    });
    assert_eq!(cut.collect::<Vec<_>>(), [(told.agent("reviewer-2"), 1)]);
}

#[test]
fn res_1_the_first_reviewer_is_put_away_and_brought_back_by_a_question() {
    let told = reviewed();
    let reviewer = told.agent("reviewer");
    let stays: Vec<_> = told.chronicle.stays_of(reviewer).collect();
    let numbers = stays.iter().map(|stay| (stay.incarnation, stay.began));
    let both = [(Incarnation(1), Began::First), (Incarnation(2), Began::ColdResume)];
    assert_eq!(numbers.collect::<Vec<_>>(), both);
    let question = only(&told, "Question: ");
    assert_eq!(question.message.to, reviewer);
    let seq = |wanted: &dyn Fn(&Event) -> bool| {
        told.reading.events.iter().find(|stored| wanted(&stored.event)).unwrap().seq
    };
    let away = seq(&|event| matches!(event, Event::Released { agent, .. } if *agent == reviewer));
    let back = seq(&|event| matches!(event, Event::Published { incarnation: Incarnation(2), .. }));
    assert!(away < back && back < question.seq, "{away} < {back} < {}", question.seq);
}

/// The settlement notices, each with its place and its child's reports and their places.
fn settlements(told: &Told) -> Vec<(String, u64, Vec<u64>)> {
    let mail = || told.chronicle.messages.values();
    let settled = mail().filter_map(|mail| match &mail.message.kind {
        MessageKind::Notice(Notice::Settled { child, .. }) => Some((mail, *child)),
        _ => None,
    });
    let by = |mail: &Mail, child| match &mail.message.from {
        Sender::Agent { id, .. } => *id == child,
        _ => false,
    };
    let reports =
        |child| mail().filter(|mail| by(mail, child)).map(|mail| mail.seq).collect::<Vec<_>>();
    settled
        .map(|(mail, child)| (told.chronicle.book.label(child), mail.seq, reports(child)))
        .collect()
}

#[test]
fn set_1_the_lead_hears_of_three_settlements_each_after_that_childs_reports() {
    let told = reviewed();
    let settled = settlements(&told);
    let mut names: Vec<_> = settled.iter().map(|(name, _, _)| name.as_str()).collect();
    names.sort_unstable();
    assert_eq!(names, ["reviewer", "reviewer", "reviewer-2"]);
    for (place, (name, notice, reports)) in settled.iter().enumerate() {
        let before = reports.iter().filter(|report| *report < notice).count();
        let again = settled[..place].iter().any(|(other, _, _)| other == name);
        // Its early finding or that it watches, its report; on its second stay its answer too.
        let told_by_then = if again { 3 } else { 2 };
        assert_eq!(before, told_by_then, "{name} settled in record {notice}: {reports:?}");
        assert!(again || name != "reviewer" || reports.len() == 3);
    }
}

#[test]
fn del_4_every_settlement_is_read_after_the_reports_sent_before_it() {
    let told = reviewed();
    let mut read = Vec::new();
    for event in told.events() {
        if let Event::TurnOpened { claim, .. } | Event::Claimed { claim, .. } = event {
            read.extend(claim.messages.iter().map(|shown| shown.id));
        }
    }
    let lead = told.agent("lead");
    let place = |id: MessageId| read.iter().position(|shown| *shown == id).unwrap();
    let to_lead = told.chronicle.messages.values().filter(|mail| mail.message.to == lead);
    let places: Vec<_> = to_lead.map(|mail| place(mail.message.id)).collect();
    assert!(places.is_sorted(), "what the lead is sent it reads in order: {places:?}");
}

#[test]
fn start_1_two_children_are_started_in_the_background_by_one_step() {
    let told = reviewed();
    let lead = told.agent("lead");
    let keys = told.events().filter_map(|event| match event {
        Event::StartAdmitted { parent, key: Some(key), .. } if *parent == lead => Some(*key),
        _ => None,
    });
    let [first, second] = keys.collect::<Vec<_>>()[..] else { panic!("two starts") };
    assert_eq!((first.turn, first.step), (second.turn, second.step));
    assert_eq!((first.call, second.call), (0, 1));
    let ends =
        |event: &&Event| matches!(event, Event::TurnEnded { turn, .. } if *turn == first.turn);
    let opened = told.events().take_while(|event| !ends(event)).filter_map(|event| match event {
        Event::TurnOpened { agent, .. } => Some(*agent),
        _ => None,
    });
    assert_eq!(opened.collect::<BTreeSet<_>>().len(), 3, "all three work in one turn of the lead");
}

#[test]
fn what_is_reviewed_decides_what_is_reported() {
    let folder = some_files();
    let before = told(&folder, "before");
    assert!(before.report().contains("- src/main.rs:3: // FIXME: shows it twice"));
    assert!(before.report().contains("- notes.md:3: TODO: write them."));
    folder.write("src/main.rs", "fn main() {\n    // BUG: does nothing\n}\n");
    let after = told(&folder, "after");
    assert!(after.report().contains("## To fix first: src/main.rs:2"), "{}", after.report());
    assert!(after.report().contains("- src/main.rs:2: // BUG: does nothing"));
    assert!(!after.report().contains("FIXME"));
    assert_ne!(before.said(), after.said());
}

#[test]
fn running_twice_over_one_folder_says_the_same_twice() {
    let folder = some_files();
    let (first, second) = (told(&folder, "first"), told(&folder, "second"));
    assert_eq!(first.report(), second.report());
    assert_eq!(first.said(), second.said());
    assert_eq!(first.said().len(), 14);
}

#[test]
fn of_an_empty_folder_it_is_said_that_nothing_is_there() {
    let told = told(&Folder::of(&[]), "empty");
    assert!(told.report().contains("There is no file in this folder."), "{}", told.report());
    assert_eq!(told.chronicle.book.agents().count(), 1, "nobody is started for nothing");
}

#[test]
fn a_folder_with_nothing_marked_is_reviewed_and_its_file_watched() {
    let told = told(&Folder::of(&[("plain.txt", "nothing special\n")]), "plain");
    assert!(told.report().contains("1 file listed."), "{}", told.report());
    assert!(told.report().contains("## To fix first: nothing"), "{}", told.report());
    assert_eq!(told.chronicle.interrupts[0].answer.calls_cut, ["watch_file"]);
}

#[test]
fn a_folder_with_ten_thousand_files_is_reviewed() {
    let folder = Folder::of(&[]);
    for number in 0..10_000 {
        folder.write(&format!("part-{:02}/{number:04}.txt", number / 100), "TODO: this\n");
    }
    folder.write("zz/last.rs", "// FIXME: the needle\n");
    let told = told(&folder, "large");
    assert!(told.report().contains("listed, and there are more."), "{}", told.report());
    assert!(told.report().contains("- zz/last.rs:1: // FIXME: the needle"), "{}", told.report());
    assert!(told.report().contains("- and 40 more"), "{}", told.report());
}
