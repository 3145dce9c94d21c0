//! What is said of crew files, and what they come to.

use std::fs;

use switchboard_cli::crew::read;
use switchboard_cli::crew::resolve::Overrides;

use crate::command::{Folder, Said, WATCHES, crew_of_one};

#[test]
fn a_typo_is_named_with_its_line_the_key_and_the_nearest_key() {
    let folder = Folder::new();
    folder.write("crew.toml", &crew_of_one(WATCHES).replace("tools = [", "tolos = ["));
    let said = folder.switchboard(&["run", "crew.toml"]);
    assert_eq!((said.code, said.out.as_str()), (2, ""));
    let expected = "error: crew.toml:11:1: unknown key `tolos` in [agents.solo]; did you mean \
                    `tools`?";
    assert!(said.err.starts_with(expected), "{}", said.err);
}

#[test]
fn a_tool_that_is_nowhere_is_named_with_its_line_and_the_nearest_one() {
    let folder = Folder::new();
    folder.write("crew.toml", &crew_of_one(WATCHES).replace("[\"files\"]", "[\"send_mesage\"]"));
    let said = folder.switchboard(&["run", "crew.toml"]);
    assert_eq!(said.code, 2);
    assert!(said.err.contains("crew.toml:11:10: `send_mesage` is neither"), "{}", said.err);
    assert!(said.err.contains("did you mean `send_message`?"), "{}", said.err);
}

#[test]
fn what_a_crew_asks_of_its_sandbox_holds_for_its_tools() {
    let folder = Folder::new();
    let asks = |table: &str| {
        crew_of_one(WATCHES).replace("[tools.files]", &format!("{table}\n[tools.files]"))
    };
    let file = folder.write("crew.toml", &asks("[crew.sandbox]\ncrashes_before_rest = 0"));
    let crew = read(file.to_str().unwrap(), Overrides::default()).unwrap();
    assert_eq!(crew.sandbox.config().crashes_before_rest, None);
    folder.write("crew.toml", &asks("[crew.sandbox]\nmost_effort = 1_000"));
    // What is compiled already would be taken as it is.
    let mut run = folder.command(&["run", "crew.toml"]);
    let said: Said = run.env("XDG_CACHE_HOME", folder.path()).output().unwrap().into();
    assert_eq!(said.code, 1, "{said:?}");
    assert!(said.err.contains("would be more than 1000 units of work"), "{}", said.err);
}

#[test]
fn a_component_nobody_listed_takes_no_built_in_name() {
    let folder = Folder::new();
    let crew = crew_of_one(WATCHES).replace("[\"files\"]", "[\"send_message\"]");
    let hostile = "limits = { wall = \"20s\" }\nas = { read_file = \"send_message\" }";
    folder.write("crew.toml", &crew.replace("limits = { wall = \"20s\" }", hostile));
    let said = folder.switchboard(&["run", "crew.toml"]);
    assert_eq!(said.code, 2, "{said:?}");
    let expected = "crew.toml:6:13: `builtin:workspace-files` has a tool `send_message`, a name \
                    that is taken (built in); give it another name: as = { read_file = \"...\" }";
    assert!(said.err.contains(expected), "{}", said.err);
    let named = crew.replace("[tools.files]", "[tools.send_message]");
    folder.write("crew.toml", &named);
    let said = folder.switchboard(&["run", "crew.toml"]);
    assert!(said.err.contains("[tools.send_message] has the name of a built-in"), "{}", said.err);
    assert!(!folder.path().join(".switchboard").exists());
}

#[test]
fn a_table_of_a_built_in_component_may_have_its_names() {
    let folder = Folder::new();
    let own = "[tools.talk]\ncomponent = \"builtin:send-message\"\n[agents.solo]";
    let says = "[[scripts.solo.rules]]\nsay = \"So.\"\n";
    let crew = crew_of_one(says).replace("[agents.solo]", own);
    let file = folder.write("crew.toml", &crew.replace("[\"files\"]", "[\"talk\"]"));
    let crew = read(file.to_str().unwrap(), Overrides::default()).unwrap();
    assert_eq!(crew.agents["solo"].tools, ["send_message"]);
}

#[test]
fn what_is_said_of_a_hostile_crew_file_does_nothing_to_a_terminal() {
    let folder = Folder::new();
    let key = r#""\u001B[2J\u202Eevil\nnext: rm -rf ~" = 1"#;
    folder.write("a\u{1b}[31m.toml", &format!("{key}\n{}", crew_of_one(WATCHES)));
    let said = folder.switchboard(&["run", "a\u{1b}[31m.toml"]);
    assert_eq!(said.code, 2, "{said:?}");
    let harmful = |c: char| (c.is_control() && c != '\n') || c == '\u{202e}';
    assert!(!said.err.contains(harmful), "{said:?}");
    assert!(said.err.contains("<U+001B>[2J<U+202E>evil<U+000A>next: rm"), "{}", said.err);
    assert_eq!(said.err.matches("\nnext: ").count(), 1, "{}", said.err);
}

#[cfg(unix)]
#[test]
fn a_pipe_is_no_crew_file_and_is_not_waited_for() {
    let folder = Folder::new();
    let made = std::process::Command::new("mkfifo").arg(folder.path().join("crew.toml")).status();
    assert!(made.unwrap().success());
    let said = folder.switchboard(&["run", "crew.toml"]);
    assert_eq!(said.code, 2, "{said:?}");
    assert!(said.err.contains("it is a pipe or a device"), "{}", said.err);
}

#[test]
fn a_script_that_makes_no_sense_is_named_with_its_line() {
    let folder = Folder::new();
    folder.write("crew.toml", &crew_of_one("[[scripts.solo.rules]]\nsya = \"hello\"\n"));
    let said = folder.switchboard(&["run", "crew.toml"]);
    assert_eq!(said.code, 2);
    let key = "crew.toml:13:1: unknown key `sya` in [[scripts.solo.rules]]; did you mean `say`?";
    assert!(said.err.contains(key), "{}", said.err);
}

#[test]
fn a_filter_there_is_none_of_is_named_with_its_line_and_the_nearest_one() {
    let folder = Folder::new();
    let rules = "[[scripts.solo.rules]]\nsay = \"{{ read | frist }}\"\n";
    folder.write("crew.toml", &crew_of_one(rules));
    let said = folder.switchboard(&["run", "crew.toml"]);
    assert_eq!(said.code, 2, "{said:?}");
    let expected = "error: crew.toml:13:7: script `solo`, rule 1, `say`: there is no filter \
                    `frist`; did you mean `first`?\n";
    assert!(said.err.starts_with(expected), "{}", said.err);
    assert!(!folder.path().join(".switchboard").exists());
}

#[test]
fn a_tool_that_a_script_calls_and_its_agent_lacks_is_named_with_its_line() {
    let folder = Folder::new();
    folder.write("crew.toml", &crew_of_one(&WATCHES.replace("\"watch_file\"", "\"watchfile\"")));
    let said = folder.switchboard(&["run", "crew.toml"]);
    assert_eq!(said.code, 2, "{said:?}");
    let expected = "crew.toml:16:19: `solo` has no tool `watchfile`; did you mean `watch_file`?";
    assert!(said.err.contains(expected), "{}", said.err);
}

#[test]
fn a_model_nobody_answers_for_is_refused_before_anything_runs() {
    let folder = Folder::new();
    folder.write("crew.toml", &crew_of_one(WATCHES).replace("script:solo", "oracle:big"));
    let said = folder.switchboard(&["run", "crew.toml"]);
    assert_eq!(said.code, 2);
    assert!(said.err.contains("crew.toml:10:9: "), "{}", said.err);
    assert!(said.err.contains("`oracle:big`"), "{}", said.err);
}

#[test]
fn a_workspace_that_is_not_there_is_refused_before_anything_is_written() {
    let folder = Folder::new();
    let said = folder.switchboard(&["run", "review", "--workspace", "nowhere"]);
    assert_eq!(said.code, 2);
    assert!(said.err.starts_with("error: cannot use the workspace `nowhere`: "), "{}", said.err);
    assert!(!folder.path().join(".switchboard").exists());
    folder.write("crew.toml", &crew_of_one(WATCHES).replace("dir = \".\"", "dir = \"gone\""));
    let said = folder.switchboard(&["run", "crew.toml"]);
    assert!(said.err.contains("crew.toml:7:10: the workspace `"), "{}", said.err);
    assert_eq!(said.err.matches("crew.toml:").count(), 1, "{}", said.err);
}

#[test]
fn an_unknown_crew_is_named_with_the_nearest_one() {
    let said = Folder::new().switchboard(&["run", "reveiw"]);
    assert_eq!(said.code, 2);
    assert!(said.err.contains("did you mean `review`?"), "{}", said.err);
}

#[test]
fn the_built_in_crew_comes_to_kinds_tools_and_a_way_to_report() {
    let crew = read("review", Overrides::default()).unwrap();
    let reviewer = &crew.agents["reviewer"];
    let tools = ["send_message", "list_files", "read_file", "search_files", "watch_file"];
    assert_eq!(reviewer.tools, tools);
    let reports = reviewer.reports.as_ref().unwrap();
    assert_eq!(reports.tool, "send_message");
    assert!(reports.example.contains("{parent}"), "{}", reports.example);
    assert_eq!(crew.agents["lead"].starts, ["reviewer"]);
    assert!(crew.components[0].grants.workspace.as_ref().unwrap().dir.is_absolute());
}

#[test]
fn a_crew_is_the_same_after_it_was_kept_in_a_ledger() {
    let crew = read("review", Overrides::default()).unwrap();
    let kept = serde_json::to_string(&crew).unwrap();
    assert_eq!(crew, serde_json::from_str(&kept).unwrap());
}

#[test]
fn a_workspace_of_the_command_line_wins_over_the_files() {
    let folder = Folder::new();
    let workspace = Some(folder.path().to_owned());
    let crew = read("review", Overrides { workspace, input: None }).unwrap();
    let granted = &crew.components[0].grants.workspace.as_ref().unwrap().dir;
    assert_eq!(*granted, folder.path().canonicalize().unwrap());
}

#[test]
fn paths_are_relative_to_the_crew_file() {
    let folder = Folder::new();
    let file = folder.write("inner/crew.toml", &crew_of_one(WATCHES));
    let crew = read(file.to_str().unwrap(), Overrides::default()).unwrap();
    let granted = &crew.components[0].grants.workspace.as_ref().unwrap().dir;
    assert_eq!(*granted, folder.path().join("inner").canonicalize().unwrap());
}

#[test]
fn init_writes_a_crew_that_runs_to_its_report() {
    let folder = Folder::new();
    let said = folder.switchboard(&["init", "mine"]);
    assert_eq!(said.code, 0, "{said:?}");
    assert!(said.out.contains("switchboard run mine/crew.toml"), "{}", said.out);
    let said = folder.switchboard(&["run", "mine/crew.toml", "--quiet"]);
    assert_eq!(said.code, 0, "{said:?}");
    let report = "# What is in this folder\n\nFound: these are here\ncrew.toml\n";
    assert!(said.out.trim_start().starts_with(report), "{}", said.out);
    let told = said.out.split("Who said what").next().unwrap();
    assert!(!told.contains(['{', '}']), "{told}");
}

#[test]
fn init_never_overwrites() {
    let folder = Folder::new();
    folder.write("crew.toml", "mine");
    let said = folder.switchboard(&["init"]);
    assert_eq!(said.code, 1);
    assert!(said.err.contains("is there already and is left as it is"), "{}", said.err);
    assert_eq!(fs::read_to_string(folder.path().join("crew.toml")).unwrap(), "mine");
}
