//! Ledgers that are shown and verified.

use switchboard_cli::crew::resolve::Overrides;
use switchboard_cli::ledgers::{Reading, read};
use switchboard_cli::run::keep;
use switchboard_cli::verify::verify;
use switchboard_core::{Event, Limits, TurnEnd, WallTime};
use switchboard_ledger::{Ledger, Sqlite, Stored};

use crate::command::Folder;
use crate::events::{agent, ended, numbered, relay, story};

fn reading(events: Vec<Stored>) -> Reading {
    let (limits, reach) = Default::default();
    Reading { path: "some.db".into(), events, quarantined: vec![], misfiled: vec![], limits, reach }
}

/// The story with one more event at its end.
fn with(event: Event) -> Vec<Stored> {
    let events = story().into_iter().map(|stored| stored.event);
    numbered(events.chain([event]).collect())
}

/// What is wrong, all checks together.
fn problems(events: Vec<Stored>) -> Vec<String> {
    let checks = verify(&reading(events)).checks;
    checks.into_iter().flat_map(|check| check.problems).collect()
}

#[test]
fn a_story_that_fits_together_holds() {
    assert_eq!(problems(story()), [""; 0]);
}

#[test]
fn a_turn_that_ends_twice_is_found() {
    let found = problems(with(ended(1, 1, TurnEnd::Completed, &[])));
    assert!(
        found.contains(&"record 22: turn_00007-1 ends and is not open".to_owned()),
        "{found:?}"
    );
}

#[test]
fn a_message_that_is_accepted_twice_is_found() {
    let found = problems(with(relay(3, "Again.")));
    let twice = "record 22: msg_00007-3 is accepted again".to_owned();
    assert!(found.contains(&twice), "{found:?}");
}

#[test]
fn a_gap_is_found() {
    let mut events = story();
    events.remove(12);
    let found = problems(events);
    assert!(found.contains(&"record 14 follows record 12".to_owned()), "{found:?}");
}

#[test]
fn a_call_without_a_result_that_nobody_cut_is_found() {
    let mut events = story();
    events[15].event = ended(2, 2, TurnEnd::Interrupted, &[]);
    let found = problems(events);
    let nameless = "record 16: turn_00007-2 ends with calls it does not name".to_owned();
    assert_eq!(found, [nameless]);
}

#[test]
fn verify_exits_with_one_when_a_ledger_does_not_hold() {
    let folder = Folder::new();
    let events: Vec<Event> =
        with(ended(1, 1, TurnEnd::Completed, &[])).into_iter().map(|stored| stored.event).collect();
    let mut ledger = Sqlite::create(folder.path().join("bad.db")).unwrap();
    ledger.append(WallTime(1), &events).unwrap();
    drop(ledger);
    let said = folder.switchboard(&["ledger", "verify", "bad.db"]);
    assert_eq!(said.code, 1, "{said:?}");
    assert!(said.out.contains("broken every turn has one end record"), "{}", said.out);
    let said = folder.switchboard(&["ledger", "verify", "bad.db", "--json", "--story"]);
    let report: serde_json::Value = serde_json::from_str(&said.out).unwrap();
    assert_eq!((said.code, &report["holds"]), (1, &serde_json::Value::Bool(false)));
    assert!(!report["story"].as_array().unwrap().is_empty());
}

#[test]
fn a_ledger_is_verified_under_the_limits_its_crew_was_kept_with() {
    let folder = Folder::new();
    let nothing = Overrides { workspace: Some(folder.path().to_owned()), input: None };
    let mut crew = switchboard_cli::crew::read("review", nothing).unwrap();
    crew.limits.attempts = 7;
    let path = folder.path().join("own.db");
    keep(&mut Sqlite::create(&path).unwrap(), &crew).unwrap();
    assert_eq!(read(&path).unwrap().limits, crew.limits);
    let foreign = folder.path().join("foreign.db");
    drop(Sqlite::create(&foreign).unwrap());
    assert_eq!(read(&foreign).unwrap().limits, Limits::default());
}

#[test]
fn one_agents_part_is_what_it_lived_through_and_what_it_said() {
    let folder = Folder::new();
    let events: Vec<Event> = story().into_iter().map(|stored| stored.event).collect();
    let mut ledger = Sqlite::create(folder.path().join("good.db")).unwrap();
    ledger.append(WallTime(1), &events).unwrap();
    let said = folder.switchboard(&["ledger", "show", "good.db", "--agent", "helper"]);
    assert_eq!(said.code, 0, "{said:?}");
    assert!(said.out.contains("→ lead message: “Found it.”"), "{}", said.out);
    assert!(!said.out.contains("Begin."), "{}", said.out);
    let said = folder.switchboard(&["ledger", "show", "good.db", "--agent", "hepler"]);
    assert_eq!(said.code, 2);
    assert!(said.err.contains("did you mean `helper`?"), "{}", said.err);
}

#[test]
fn what_is_no_ledger_is_refused_with_the_reason() {
    let folder = Folder::new();
    folder.write("text.db", "not a ledger");
    let said = folder.switchboard(&["ledger", "verify", "text.db"]);
    assert_eq!(said.code, 1);
    assert!(said.err.starts_with("error: cannot read the ledger `text.db`: "), "{}", said.err);
}

#[test]
fn a_record_filed_under_another_agent_or_kind_does_not_hold() {
    let folder = Folder::new();
    let path = folder.path().join("bent.db");
    let events: Vec<Event> = story().into_iter().map(|stored| stored.event).collect();
    Sqlite::create(&path).unwrap().append(WallTime(1), &events).unwrap();
    assert_eq!(folder.switchboard(&["ledger", "verify", "bent.db"]).code, 0);
    let ledger = rusqlite::Connection::open(path).unwrap();
    ledger.execute_batch("UPDATE events SET agent = 2 WHERE seq = 7").unwrap();
    ledger.execute_batch("UPDATE events SET kind = 'closing' WHERE seq = 9").unwrap();
    drop(ledger);
    let said = folder.switchboard(&["ledger", "verify", "bent.db"]);
    assert_eq!(said.code, 1, "{said:?}");
    assert!(said.out.contains("record 7: it is filed as step-recorded of agent 2"), "{}", said.out);
    assert!(said.out.contains("record 9: it is filed as closing of agent 1"), "{}", said.out);
}

#[test]
fn an_incarnation_that_does_not_grow_is_found() {
    let incarnation = switchboard_core::Incarnation(1);
    let found = problems(with(Event::ResumeOrdered { agent: agent(2), incarnation }));
    let back = "record 22: agt_00007-2 is in incarnation 1 after 2".to_owned();
    assert!(found.contains(&back), "{found:?}");
}

#[test]
fn id_5_a_sibling_of_the_same_name_is_found() {
    let mut again = story()[7].event.clone();
    let Event::StartAdmitted { agent: id, .. } = &mut again else { panic!("the story changed") };
    *id = agent(3);
    let found = problems(with(again));
    let twice = "record 22: agt_00007-3 is called helper as agt_00007-2 is".to_owned();
    assert!(found.contains(&twice), "{found:?}");
}

#[test]
fn absurd_numbers_are_told_without_a_panic() {
    let mut events = story();
    let Event::StepRecorded { step, .. } = &mut events[6].event else {
        panic!("the story changed")
    };
    *step = u32::MAX;
    assert!(!problems(events.clone()).is_empty());
    let chronicle = switchboard_cli::show::chronicle::Chronicle::of(&events);
    assert!(!switchboard_cli::show::summary::summary(&chronicle).is_empty());
}
