//! Help, exit codes and colour.

use crate::command::{Folder, Said, crew_of_one};

const COMMANDS: &[&[&str]] = &[
    &["run"],
    &["resume"],
    &["ledger"],
    &["ledger", "show"],
    &["ledger", "message"],
    &["ledger", "verify"],
    &["plugin"],
    &["plugin", "inspect"],
    &["doctor"],
    &["init"],
];

#[test]
fn alone_it_says_what_it_is_and_where_to_begin() {
    let said = Folder::new().switchboard(&[]);
    assert_eq!(said.code, 0);
    assert!(said.out.contains("switchboard run review"), "{said:?}");
    assert_eq!(said.err, "");
}

#[test]
fn every_command_has_help_with_examples() {
    let folder = Folder::new();
    for command in COMMANDS {
        let said = folder.switchboard(&[*command, &["--help"]].concat());
        assert_eq!(said.code, 0, "{command:?}");
        assert!(said.out.contains("Examples:\n  switchboard "), "{command:?}: {}", said.out);
    }
}

#[test]
fn the_exit_codes_stand_in_the_help() {
    let said = Folder::new().switchboard(&["--help"]);
    for code in ["  0 ", "  1 ", "  2 ", "  3 ", "  130 "] {
        assert!(said.out.contains(code), "{code}: {}", said.out);
    }
}

#[test]
fn a_log_is_written_to_standard_error_when_the_environment_asks_for_it() {
    let folder = Folder::new();
    assert!(folder.switchboard(&["--help"]).out.contains("SWITCHBOARD_LOG"));
    folder.write(
        "crew.toml",
        &crew_of_one("[[scripts.solo.rules]]\nname = \"end\"\nsay = \"So.\"\n"),
    );
    let run = |level: &str| -> Said {
        let mut run = folder.command(&["run", "crew.toml", "--new", "--quiet"]);
        run.env("SWITCHBOARD_LOG", level).output().unwrap().into()
    };
    let (logged, silent, wrong) = (run("debug"), run(""), run("a=b=c"));
    assert!(logged.err.contains("DEBUG") && !logged.out.contains("DEBUG"), "{logged:?}");
    assert!(!silent.err.contains("DEBUG"), "{silent:?}");
    assert_eq!((logged.code, silent.code, wrong.code), (0, 0, 2), "{wrong:?}");
}

#[test]
fn a_wrong_argument_is_a_usage_error() {
    let folder = Folder::new();
    assert_eq!(folder.switchboard(&["rnu"]).code, 2);
    assert_eq!(folder.switchboard(&["run", "review", "--json", "--quiet"]).code, 2);
}

#[test]
fn what_goes_wrong_is_said_on_standard_error_with_what_to_do_next() {
    let said = Folder::new().switchboard(&["ledger", "show"]);
    assert_eq!((said.code, said.out.as_str()), (1, ""));
    assert!(
        said.err.starts_with("error: there is no ledger in `.switchboard`\nnext: "),
        "{said:?}"
    );
}

#[test]
fn colour_is_for_terminals_unless_it_is_asked_for() {
    let folder = Folder::new();
    assert!(!folder.switchboard(&[]).out.contains('\u{1b}'), "a pipe is no terminal");
    assert!(folder.switchboard(&["--color", "always"]).out.contains('\u{1b}'));
    assert!(!folder.switchboard(&["--color", "never"]).out.contains('\u{1b}'));
}

#[test]
fn no_color_wins_over_what_forces_colour() {
    let folder = Folder::new();
    let forced = folder.command(&[]).env("CLICOLOR_FORCE", "1").output().unwrap();
    assert!(forced.stdout.contains(&0x1b));
    let silenced =
        folder.command(&[]).env("CLICOLOR_FORCE", "1").env("NO_COLOR", "1").output().unwrap();
    assert!(!silenced.stdout.contains(&0x1b));
}

#[test]
fn doctor_finds_a_local_folder_fit() {
    let folder = Folder::new();
    let said = folder.switchboard(&["doctor", "--json"]);
    assert_eq!(said.code, 0, "{said:?}");
    let report: serde_json::Value = serde_json::from_str(&said.out).unwrap();
    assert_eq!(report["fit"], true);
    assert!(folder.switchboard(&["doctor"]).out.ends_with("crews can be run here\n"));
}

#[test]
fn a_component_is_shown_with_what_it_imports_and_the_lines_that_grant_it() {
    let folder = Folder::new();
    let said = folder.switchboard(&["plugin", "inspect", "builtin:workspace-files"]);
    assert_eq!(said.code, 0, "{said:?}");
    assert!(said.out.contains("switchboard:plugin/workspace@"), "{}", said.out);
    assert!(said.out.contains("grants = { workspace = { dir ="), "{}", said.out);
    for (builtin, kind) in [("interrupt-agent", "interrupt"), ("acknowledge", "acknowledge")] {
        let said = folder.switchboard(&["plugin", "inspect", &format!("builtin:{builtin}")]);
        let line = format!("grants = {{ subagents = {{ kinds = [\"{kind}\"] }} }}");
        assert!(said.out.contains(&line), "{}", said.out);
    }
    let said = folder.switchboard(&["plugin", "inspect", "builtin:send-message", "--json"]);
    let shown: serde_json::Value = serde_json::from_str(&said.out).unwrap();
    assert_eq!(shown["tools"][0]["name"], "send_message");
    assert_eq!(shown["imports"].as_array().unwrap().len(), 1);
}

#[test]
fn a_file_that_is_no_component_is_refused_with_the_reason() {
    let folder = Folder::new();
    folder.write("tool.wasm", "not wasm");
    let said = folder.switchboard(&["plugin", "inspect", "tool.wasm"]);
    assert_eq!(said.code, 1);
    assert!(said.err.starts_with("error: `tool.wasm` is no tool: "), "{said:?}");
}
