//! The crews whose agents speak across: siblings among themselves, and each in the way it knows.

use std::collections::BTreeSet;

use crate::harness::{Folder, Told};
use switchboard_core::{Event, MessageKind, Sender};

use crate::HOST;
use crate::story::some_files;

fn told(crew: &str, folder: &Folder) -> Told {
    let ledger = folder.ledger(crew);
    let ended = HOST.built_in(crew, folder, &ledger);
    assert!(ended.status.success(), "{}", ended.complaint);
    let told = Told::of(&ledger);
    assert_eq!(told.problems(), [] as [&str; 0]);
    told
}

/// Who wrote to whom, by name: what agents said to each other and nothing else.
fn relays(told: &Told) -> BTreeSet<(String, String)> {
    let book = &told.chronicle.book;
    let relays = told.chronicle.messages.values().filter_map(|mail| match &mail.message {
        message if message.kind == MessageKind::Relay => {
            Some((book.sender(&message.from), book.label(message.to)))
        }
        _ => None,
    });
    relays.collect()
}

fn pairs(pairs: &[(&str, &str)]) -> BTreeSet<(String, String)> {
    pairs.iter().map(|(from, to)| ((*from).to_owned(), (*to).to_owned())).collect()
}

#[test]
fn send_7_siblings_exchange_what_they_find_without_their_parent() {
    let told = told("family", &some_files());
    let across = [("reader", "editor"), ("reader-2", "editor")];
    let to_all = [("editor", "lead"), ("editor", "reader"), ("editor", "reader-2")];
    assert_eq!(relays(&told), pairs(&[across.as_slice(), &to_all].concat()));
    assert!(told.report().contains("2 readers looked."), "{}", told.report());
    assert!(told.report().contains("- notes.md:3: TODO: write them."), "{}", told.report());
    assert!(told.report().contains("- src/main.rs:2: read().unwrap();"), "{}", told.report());
}

#[test]
fn send_15_the_editors_one_call_tells_all_of_them_and_each_has_a_receipt_of_its_own() {
    let told = told("family", &some_files());
    let editor = told.agent("editor");
    let keys = told.events().filter_map(|event| match event {
        Event::Accepted { message, terms: Some(terms) } if terms.one_of_many => {
            let by_editor = matches!(message.from, Sender::Agent { id, .. } if id == editor);
            assert!(by_editor);
            Some((terms.key, message.to))
        }
        _ => None,
    });
    let keys: Vec<_> = keys.collect();
    assert_eq!(keys.len(), 3);
    assert!(keys.iter().all(|(key, _)| key.is_some() && *key == keys[0].0), "one call");
    let [(looked, roster), (outcome, text)] = told.results("editor")[..] else {
        panic!("it looks, and tells")
    };
    assert_eq!((looked, outcome), ("done", "done"));
    assert!(["lead (", "reader (", "reader-2 ("].iter().all(|name| roster.contains(name)));
    assert_eq!(text.lines().count(), 3, "{text}");
}

#[test]
fn what_the_family_says_comes_from_the_files() {
    let folder = some_files();
    folder.write("notes.md", "# Notes\n");
    folder.write("src/main.rs", "fn main() {\n    panic!(\"no\")\n}\n");
    let report = told("family", &folder).report().to_owned();
    assert!(report.contains("## What is open\n\nNothing."), "{report}");
    assert!(report.contains("- src/main.rs:2: panic!(\"no\")"), "{report}");
    assert!(told("family", &Folder::of(&[])).report().contains("Nothing."));
}

#[test]
fn where_nothing_is_marked_the_mixed_crew_says_so() {
    let told = told("mixed", &Folder::of(&[("clean.md", "# Clean\n")]));
    assert!(told.report().contains("# Marked: 0 places"), "{}", told.report());
    assert!(told.report().contains("First: nothing is marked"), "{}", told.report());
}

#[test]
fn agents_that_each_know_another_way_to_speak_understand_each_other() {
    let told = told("mixed", &some_files());
    let said = [("scout", "scribe"), ("scribe", "lead"), ("lead", "scribe")];
    assert_eq!(relays(&told), pairs(&said));
    let report = told.report();
    assert!(report.contains("# Marked: 2 places"), "{report}");
    assert!(report.contains("First: src/main.rs:3: // FIXME: shows it twice"), "{report}");
    let calls = told.events().filter_map(|event| match event {
        Event::StepRecorded { calls, .. } => Some(calls.iter().map(|call| call.tool.as_str())),
        _ => None,
    });
    let used: BTreeSet<&str> = calls.flatten().collect();
    assert!(used.is_superset(&BTreeSet::from(["send_message", "agent_message", "SendMessage"])));
}
