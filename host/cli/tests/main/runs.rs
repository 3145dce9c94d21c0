//! Runs from beginning to end.

use std::fs;

use serde_json::Value;

use crate::command::{Folder, WATCHES, crew_of_one};

/// A crew that says one thing and is done.
const SAYS: &str = "[[scripts.solo.rules]]\nsay = \"All is well.\"\n";

#[test]
fn a_run_ends_with_its_report_its_picture_and_what_to_do_next() {
    let folder = Folder::new();
    folder.write("src/main.rs", "// FIXME: wrong\n// TODO: more\n");
    let said = folder.switchboard(&["run", "review"]);
    assert_eq!(said.code, 0, "{said:?}");
    assert!(said.out.contains("src/main.rs:1: // FIXME: wrong"), "{}", said.out);
    assert!(said.out.contains("◀╌╌ settled: completed ╌│"), "{}", said.out);
    assert!(said.out.contains("14 accepted: 14 consumed"), "{}", said.out);
    let next = "switchboard ledger verify .switchboard/review-1.db --story";
    assert!(said.out.contains(next), "{}", said.out);
}

#[test]
fn json_is_one_object_for_each_event_and_nothing_else() {
    let folder = Folder::new();
    folder.write("crew.toml", &crew_of_one(SAYS));
    let said = folder.switchboard(&["run", "crew.toml", "--json"]);
    assert_eq!(said.code, 0, "{said:?}");
    let events: Vec<Value> =
        said.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let seqs: Vec<u64> = events.iter().map(|event| event["seq"].as_u64().unwrap()).collect();
    assert_eq!(seqs, (1..=events.len() as u64).collect::<Vec<_>>());
    assert_eq!(events.last().unwrap()["event"], "turn-ended");
}

#[test]
fn quiet_leaves_out_the_events() {
    let folder = Folder::new();
    folder.write("crew.toml", &crew_of_one(SAYS));
    let said = folder.switchboard(&["run", "crew.toml", "--quiet"]);
    assert!(said.out.trim_start().starts_with("All is well."), "{}", said.out);
}

#[test]
fn the_input_of_the_command_line_is_what_the_root_is_told() {
    let folder = Folder::new();
    folder.write("crew.toml", &crew_of_one(SAYS));
    let said = folder.switchboard(&["run", "crew.toml", "--input", "Something else."]);
    assert!(said.out.contains("→ solo instruction: “Something else.”"), "{}", said.out);
}

#[test]
fn an_input_that_is_too_long_is_refused_before_anything_is_written() {
    let folder = Folder::new();
    folder.write("crew.toml", &crew_of_one(SAYS));
    let said = folder.switchboard(&["run", "crew.toml", "--input", &"x".repeat(20_000)]);
    assert_eq!(said.code, 2, "{said:?}");
    assert!(said.err.contains("message-too-large"), "{}", said.err);
    assert!(!folder.path().join(".switchboard").exists());
}

#[test]
fn a_component_that_is_refused_leaves_no_ledger() {
    let folder = Folder::new();
    let crew = crew_of_one(SAYS).replace("grants =", "# grants =");
    folder.write("crew.toml", &crew);
    let said = folder.switchboard(&["run", "crew.toml", "--ledger", "x.db"]);
    assert_eq!(said.code, 2, "{said:?}");
    let line = "add to the tool's table in the crew file: grants = { workspace = { dir = \".\", ";
    assert!(said.err.contains(line), "{}", said.err);
    assert!(!folder.path().join("x.db").exists());
}

#[test]
fn a_ledger_whose_making_was_cut_short_says_what_to_do() {
    let folder = Folder::new();
    drop(switchboard_ledger::Sqlite::create(folder.path().join("cut.db")).unwrap());
    let said = folder.switchboard(&["resume", "cut.db"]);
    assert_eq!(said.code, 1, "{said:?}");
    assert!(said.err.contains("nothing is in it, so nothing is lost"), "{}", said.err);
    assert!(said.err.contains("remove `cut.db`, and begin anew"), "{}", said.err);
}

#[test]
fn a_run_that_is_over_is_left_as_it_is() {
    let folder = Folder::new();
    folder.write("crew.toml", &crew_of_one(SAYS));
    folder.switchboard(&["run", "crew.toml"]);
    let ledger = folder.path().join(".switchboard/one-1.db");
    let before = fs::read(&ledger).unwrap();
    let said = folder.switchboard(&["resume", ".switchboard/one-1.db"]);
    assert_eq!(said.code, 0, "{said:?}");
    assert!(said.err.contains("is over; nothing is left to do"), "{}", said.err);
    assert_eq!(fs::read(&ledger).unwrap(), before);
}

#[test]
fn a_root_that_fails_makes_the_run_fail() {
    let folder = Folder::new();
    let rules = "[[scripts.solo.rules]]\nseen = ['^never$']\nsay = \"x\"\n";
    folder.write("crew.toml", &crew_of_one(rules));
    let said = folder.switchboard(&["run", "crew.toml"]);
    assert_eq!(said.code, 1, "{said:?}");
    assert!(said.err.contains("the last turn of the root solo ended as error: "), "{}", said.err);
    assert!(said.err.contains("no rule fits; the newest thing it has read is:"), "{}", said.err);
}

/// It starts two children: one says its word, the other does not know what to say.
const STARTS: &str = r#"
[agents.first]
model = "script:says"
[agents.second]
model = "script:fails"
[[scripts.solo.rules]]
unsaid = ['^subagent ']
[[scripts.solo.rules.calls]]
tool = "subagent"
each = "['first', 'second']"
[scripts.solo.rules.calls.arguments]
agent = "{{ it }}"
prompt = "Go."
description = "goes"
run_in_background = true
[[scripts.solo.rules]]
say = "So."
[[scripts.says.rules]]
say = "Done."
[[scripts.fails.rules]]
seen = ['^never$']
say = "x"
"#;

#[test]
fn a_child_that_failed_is_warned_of_and_shown_next() {
    let folder = Folder::new();
    let own = "tools = [\"subagent\"]\nstarts = [\"first\", \"second\"]";
    let crew = crew_of_one(STARTS).replace("tools = [\"files\"]", own);
    folder.write("crew.toml", &crew);
    let said = folder.switchboard(&["run", "crew.toml"]);
    assert_eq!(said.code, 0, "{said:?}");
    let warning = "warning: the last turn of second ended as error: script `fails`: no rule fits";
    assert!(said.err.contains(warning), "{}", said.err);
    assert!(!said.err.contains("turn of first"), "{}", said.err);
    let next = "switchboard ledger show .switchboard/one-1.db --agent second\n";
    assert!(said.out.contains(next), "{}", said.out);
    let said = folder.switchboard(&["run", "crew.toml", "--json"]);
    let next = "next: switchboard ledger show .switchboard/one-2.db --agent second\n";
    assert!(said.err.ends_with(next), "{}", said.err);
}

#[test]
fn ledgers_are_numbered_and_stay_out_of_git() {
    let folder = Folder::new();
    folder.write("crew.toml", &crew_of_one(SAYS));
    folder.switchboard(&["run", "crew.toml"]);
    folder.switchboard(&["run", "crew.toml"]);
    let shelf = folder.path().join(".switchboard");
    assert!(shelf.join("one-1.db").exists() && shelf.join("one-2.db").exists());
    assert_eq!(fs::read_to_string(shelf.join(".gitignore")).unwrap(), "*\n");
}

#[test]
fn reading_an_older_ledger_does_not_make_it_the_newest() {
    let folder = Folder::new();
    folder.write("crew.toml", &crew_of_one(SAYS));
    folder.switchboard(&["run", "crew.toml"]);
    folder.switchboard(&["run", "crew.toml"]);
    folder.switchboard(&["ledger", "show", ".switchboard/one-1.db"]);
    let said = folder.switchboard(&["ledger", "verify"]);
    assert!(said.out.contains(".switchboard/one-2.db holds"), "{}", said.out);
}

#[test]
fn a_ledger_that_is_there_is_not_begun_anew() {
    let folder = Folder::new();
    folder.write("crew.toml", &crew_of_one(SAYS));
    let arguments = ["run", "crew.toml", "--ledger", "kept.db"];
    assert_eq!(folder.switchboard(&arguments).code, 0);
    let said = folder.switchboard(&arguments);
    assert_eq!(said.code, 1);
    assert!(said.err.starts_with("error: cannot make the ledger `kept.db`: "), "{}", said.err);
}

#[test]
fn a_component_that_changed_since_the_run_began_is_not_gone_on_with() {
    let folder = Folder::new();
    let dist = concat!(env!("CARGO_MANIFEST_DIR"), "/../../plugins/dist/");
    let copy = |from: &str| {
        fs::copy(format!("{dist}{from}.wasm"), folder.path().join("tool.wasm")).unwrap()
    };
    copy("workspace-files");
    folder
        .write("crew.toml", &crew_of_one(WATCHES).replace("builtin:workspace-files", "tool.wasm"));
    let mut run = crate::stopping::Running::start(&folder, &["run", "crew.toml"]);
    run.until("calls watch_file");
    run.kill();
    copy("send-message");
    let said = folder.switchboard(&["resume"]);
    assert_eq!(said.code, 1);
    assert!(said.err.contains("tool.wasm` has changed: the run began with sha256:"), "{said:?}");
}
