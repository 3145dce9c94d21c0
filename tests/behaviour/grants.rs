//! What the shipped tools may ask of a host, as a person sees it before running them.

use std::fs;

use crate::harness::{Folder, Told, workspace};
use switchboard_sandbox::inspect;

use crate::HOST;

/// Each shipped component, and all of what it could ever ask for.
const SHIPPED: &[(&str, &str)] = &[
    ("acknowledge", "switchboard:plugin/subagents@0.1.0"),
    ("agent-message", "switchboard:plugin/subagents@0.1.0"),
    ("agent-observe", "switchboard:plugin/observation@0.1.0"),
    ("close-agent", "switchboard:plugin/delegation@0.1.0"),
    ("delete-subagent", "switchboard:plugin/delegation@0.1.0"),
    ("interrupt-agent", "switchboard:plugin/subagents@0.1.0"),
    ("list-agents", "switchboard:plugin/observation@0.1.0"),
    ("message-status", "switchboard:plugin/observation@0.1.0"),
    ("named-send-message", "switchboard:plugin/subagents@0.1.0"),
    ("request-plan-approval", "switchboard:plugin/subagents@0.1.0"),
    ("request-shutdown", "switchboard:plugin/subagents@0.1.0"),
    ("respond-plan", "switchboard:plugin/subagents@0.1.0"),
    ("respond-shutdown", "switchboard:plugin/subagents@0.1.0"),
    ("send-message", "switchboard:plugin/subagents@0.1.0"),
    ("subagent", "switchboard:plugin/delegation@0.1.0"),
    ("subagent-fork", "switchboard:plugin/delegation@0.1.0"),
    ("wait-for-messages", "switchboard:plugin/observation@0.1.0"),
    ("workspace-files", "switchboard:plugin/workspace@0.1.0"),
];

#[test]
fn tool_1_each_shipped_component_has_exactly_one_import() {
    let dist = workspace().join("plugins/dist");
    for (name, import) in SHIPPED {
        let bytes = fs::read(dist.join(format!("{name}.wasm"))).unwrap();
        assert_eq!(inspect(&bytes).unwrap().imports, [*import], "{name}");
    }
}

#[test]
fn no_component_is_shipped_that_is_not_looked_at_here() {
    let entries = fs::read_dir(workspace().join("plugins/dist")).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut shipped: Vec<_> =
        names.filter_map(|name| name.strip_suffix(".wasm").map(str::to_owned)).collect();
    shipped.sort();
    assert_eq!(shipped, SHIPPED.iter().map(|(name, _)| *name).collect::<Vec<_>>());
}

/// An agent that asks for what it will not get.
const NOSY: &str = r#"
[crew]
name = "nosy"
root = "nosy"
input = "Look."
[tools.files]
component = "builtin:workspace-files"
grants = { workspace = { dir = ".", access = "read" } }
[agents.nosy]
model = "script:nosy"
tools = ["files"]
[[scripts.nosy.rules]]
unsaid = ['^read_file ']
calls = [
    { tool = "read_file", arguments = { path = "gone.txt" } },
    { tool = "read_file", arguments = { path = "../crew.toml" } },
    { tool = "read_file", arguments = { path = "/etc/passwd" } },
    { tool = "read_file", arguments = { path = "sub" } },
    { tool = "read_file", arguments = { path = "notes.txt/under" } },
    { tool = "list_files", arguments = { path = "gone" } },
    { tool = "watch_file", arguments = { path = "../gone", deadline_ms = 1 } },
]
[[scripts.nosy.rules]]
say = "Looked."
"#;

#[test]
fn sand_5_what_a_tool_is_told_of_what_it_may_not_have_names_nothing_of_the_host() {
    let folder = Folder::of(&[("notes.txt", "notes\n"), ("sub/inner.txt", "inner\n")]);
    let ledger = folder.ledger("nosy");
    let ended = HOST.crew(&folder, NOSY, &ledger);
    assert!(ended.status.success(), "{}", ended.complaint);
    let told = Told::of(&ledger);
    let results = told.results("nosy");
    assert_eq!(results.len(), 7);
    let host = folder.files().parent().unwrap().display().to_string();
    for (outcome, text) in results {
        assert_eq!(outcome, "failed", "{text}");
        for word in [host.as_str(), "os error", "wasm", "panicked", ".rs:", "ambient"] {
            assert!(!text.contains(word), "{word} in: {text}");
        }
    }
}
