//! What became of one message.

use switchboard_core::{DropReason, Event, TurnEnd, WallTime};
use switchboard_ledger::{Ledger, Sqlite};

use crate::command::{Folder, Said};
use crate::events::{agent, ended, message_id, opened, relay, story};

/// A folder with the story in `run.db`, and `more` behind it.
fn folder(more: Vec<Event>) -> Folder {
    let folder = Folder::new();
    let mut ledger = Sqlite::create(folder.path().join("run.db")).unwrap();
    for stored in story() {
        ledger.append(stored.at, &[stored.event]).unwrap();
    }
    ledger.append(WallTime(2_000), &more).unwrap();
    folder
}

/// What is said of the so-manieth message.
fn told(folder: &Folder, number: u64) -> Vec<String> {
    let said = ask(folder, &message_id(number).to_string(), &[]);
    assert_eq!((said.code, said.err.as_str()), (0, ""), "{said:?}");
    said.out.lines().map(str::to_owned).collect()
}

fn ask(folder: &Folder, id: &str, more: &[&str]) -> Said {
    folder.switchboard(&[&["ledger", "message", id, "run.db"], more].concat())
}

#[test]
fn fate_1_a_message_is_told_from_its_acceptance_to_the_step_that_consumed_it() {
    assert_eq!(
        told(&folder(vec![]), 3),
        [
            "helper → lead  message msg_00007-3",
            "",
            "  Found it.",
            "",
            "00:00:01.003Z  accepted",
            "00:00:01.014Z  steered into running turn_00007-1 at step 1",
            "00:00:01.017Z  consumed by step 1 of turn_00007-1",
        ]
    );
}

#[test]
fn fate_1_a_message_that_waits_or_is_claimed_says_where_and_how_often_it_was_shown() {
    assert_eq!(
        told(&folder(vec![]), 4),
        [
            "host → lead  notice msg_00007-4",
            "",
            "  helper settled: completed; its last words: “done”",
            "",
            "00:00:01.004Z  accepted",
            "               waiting in the inbox of lead",
        ]
    );
    let claimed = folder(vec![opened(1, 3, &[4])]);
    let open = "               claimed by turn_00007-3, which made no step from it yet";
    assert_eq!(told(&claimed, 4)[5..], ["00:00:02.000Z  read at step 0 of turn_00007-3", open]);
    let mut failed = ended(1, 3, TurnEnd::Error, &[]);
    let Event::TurnEnded { returned, .. } = &mut failed else { panic!("it changed") };
    returned.push(message_id(4));
    let again = told(&folder(vec![opened(1, 3, &[4]), failed]), 4);
    let waits =
        "waiting in the inbox of lead; put back 1 time before, which counts as 1 failed attempt";
    assert!(again[6].ends_with(waits), "{again:?}");
}

#[test]
fn fate_1_a_message_that_was_dropped_says_why() {
    let (messages, reason) = (vec![message_id(5)], DropReason::Poison);
    let dropped = Event::Dropped { agent: agent(1), messages, reason };
    let told = told(&folder(vec![relay(5, "Again."), dropped]), 5);
    assert_eq!(told[5], "00:00:02.000Z  dropped (poison)");
}

#[test]
fn a_message_is_shown_whole_line_by_line_and_without_its_teeth() {
    let long = "word ".repeat(100);
    let words = format!("{long}\n\n  - a list\n\u{1b}[2J");
    let told = told(&folder(vec![relay(5, &words)]), 5);
    assert_eq!(told[2], format!("  {}", long.trim_end()));
    assert_eq!(told[3..6], ["", "    - a list", "  <U+001B>[2J"]);
}

#[test]
fn fate_1_a_program_gets_the_whole_message_with_its_standing_and_its_showings() {
    let said = ask(&folder(vec![]), "msg_00007-3", &["--json"]);
    let asked: serde_json::Value = serde_json::from_str(&said.out).unwrap();
    assert_eq!((said.code, &asked["ledger"]), (0, &"run.db".into()));
    assert_eq!(asked["message"]["content"]["blocks"][0]["text"], "Found it.");
    assert_eq!((&asked["standing"], &asked["turn"]), (&"consumed".into(), &"turn_00007-1".into()));
    assert_eq!((&asked["step"], &asked["at"]), (&1.into(), &1_017.into()));
    assert_eq!(asked["showings"][0]["steered"], true);
}

#[test]
fn id_4_what_is_no_message_id_is_a_usage_error_that_says_what_one_looks_like() {
    let folder = folder(vec![]);
    let said = ask(&folder, "agt_00007-1", &[]);
    assert_eq!((said.code, said.out.as_str()), (2, ""));
    let both = "error: `agt_00007-1` is an agent id, and a message id is wanted here\nnext: ";
    assert!(said.err.starts_with(both), "{}", said.err);
    let said = ask(&folder, "third", &[]);
    assert_eq!(said.code, 2);
    assert!(said.err.contains("looks like `msg_7k2m9-12`"), "{}", said.err);
}

#[test]
fn a_message_that_is_not_there_is_refused_with_where_to_look() {
    let folder = folder(vec![]);
    let said = ask(&folder, "msg_00007-99", &[]);
    assert_eq!((said.code, said.out.as_str()), (2, ""));
    assert_eq!(
        said.err,
        "error: there is no message `msg_00007-99` in run.db\n\
         next: see which there are: `switchboard ledger verify run.db --story`\n"
    );
    let said = ask(&folder, "msg_00008-3", &[]);
    assert_eq!(said.code, 2);
    assert!(said.err.contains("the id of a message in another ledger"), "{}", said.err);
}

#[test]
fn a_record_that_cannot_be_read_is_warned_of_since_it_may_be_about_the_message() {
    let folder = folder(vec![]);
    let ledger = rusqlite::Connection::open(folder.path().join("run.db")).unwrap();
    ledger.execute_batch("UPDATE events SET data = '{' WHERE seq = 17").unwrap();
    drop(ledger);
    let said = ask(&folder, "msg_00007-3", &[]);
    assert_eq!(said.code, 0, "{said:?}");
    assert!(said.err.starts_with("warning: record 17 cannot be read: "), "{}", said.err);
    assert!(said.out.contains("claimed by turn_00007-1"), "{}", said.out);
}

#[test]
fn a_message_is_painted_when_colour_is_asked_for_and_plain_in_a_pipe() {
    let folder = folder(vec![]);
    let painted = ask(&folder, "msg_00007-3", &["--color", "always"]).out;
    let plain = ask(&folder, "msg_00007-3", &[]).out;
    assert!(painted.contains('\u{1b}') && !plain.contains('\u{1b}'));
    assert_eq!(anstream::adapter::strip_str(&painted).to_string(), plain);
}
