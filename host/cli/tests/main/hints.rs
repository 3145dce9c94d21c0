//! What is said to somebody who meant something else.

use switchboard_core::WallTime;
use switchboard_ledger::{Ledger, Sqlite};

use crate::command::{Folder, crew_of_one};
use crate::events::story;

const SAYS: &str = "[[scripts.solo.rules]]\nsay = \"So.\"\n";

/// A folder with a crew file and the ledger of one run of it.
fn folder() -> Folder {
    let folder = Folder::new();
    folder.write("crew.toml", &crew_of_one(SAYS));
    assert_eq!(folder.switchboard(&["run", "crew.toml"]).code, 0);
    folder
}

/// The code of a command that does not work, and what it says to do next.
#[track_caller]
fn hint(folder: &Folder, arguments: &[&str], code: i32, next: &str) {
    let said = folder.switchboard(arguments);
    assert_eq!((said.code, said.out.as_str()), (code, ""), "{said:?}");
    assert!(said.err.contains(next), "{}", said.err);
}

#[test]
fn a_crew_file_that_is_here_is_named_when_only_its_name_was_said() {
    let next = "next: run the crew file that is here: `switchboard run crew.toml`\n";
    hint(&folder(), &["run", "crew"], 2, next);
    hint(&Folder::new(), &["run", "crew"], 2, "next: name a crew file by its path");
}

#[test]
fn a_ledger_is_no_crew_and_a_crew_no_ledger() {
    let folder = folder();
    let ledger = ".switchboard/one-1.db";
    hint(&folder, &["run", ledger], 2, "`switchboard resume .switchboard/one-1.db`");
    hint(
        &folder,
        &["resume", "crew.toml"],
        1,
        "next: run a crew file: `switchboard run crew.toml`",
    );
    hint(&folder, &["ledger", "show", "crew.toml"], 1, "next: run a crew file: ");
    hint(&folder, &["init", "crew.toml"], 2, "next: write crew.toml into this folder: ");
}

#[test]
fn an_id_or_a_name_in_place_of_a_ledger_is_asked_for_where_it_belongs() {
    let folder = folder();
    let shown = "next: ask for an agent: `switchboard ledger show --agent solo`\n";
    hint(&folder, &["ledger", "show", "solo"], 1, shown);
    let asked = "next: ask for a message: `switchboard ledger message msg_7k2m9-12`\n";
    hint(&folder, &["ledger", "verify", "msg_7k2m9-12"], 1, asked);
    let first = "next: name the id first: `switchboard ledger message msg_7k2m9-12 one.db`\n";
    hint(&folder, &["ledger", "message", "one.db", "msg_7k2m9-12"], 2, first);
}

#[test]
fn the_ledger_that_an_id_belongs_to_is_named() {
    let folder = folder();
    let mut other = Sqlite::create(folder.path().join(".switchboard/two-1.db")).unwrap();
    let events: Vec<_> = story().into_iter().map(|stored| stored.event).collect();
    other.append(WallTime(1), &events).unwrap();
    drop(other);
    let one = ".switchboard/one-1.db";
    let next = "`switchboard ledger message msg_00007-3 .switchboard/two-1.db`\n";
    hint(&folder, &["ledger", "message", "msg_00007-3", one], 2, next);
    let next = "`switchboard ledger message msg_00009-3 LEDGER`\n";
    hint(&folder, &["ledger", "message", "msg_00009-3", one], 2, next);
    let next = "`switchboard ledger show .switchboard/two-1.db --agent agt_00007-2`\n";
    hint(&folder, &["ledger", "show", one, "--agent", "agt_00007-2"], 2, next);
}

#[test]
fn a_component_that_is_not_there_is_named_with_one_that_is() {
    let folder = Folder::new();
    let inspect = |file: &str, next: &str| hint(&folder, &["plugin", "inspect", file], 2, next);
    inspect("nofile", "next: check the path of the component\n  or: look at a built-in one: ");
    inspect("send-mesage.wasm", "`switchboard plugin inspect builtin:send-message`\n");
    inspect("builtin:subagnt", "did you mean `subagent`? (there is: send-message, ");
    inspect(
        "builtin:subagnt",
        "next: look at a built-in one: `switchboard plugin inspect builtin:",
    );
}
