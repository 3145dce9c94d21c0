//! The components that are committed, and so embedded in the host, are what they should be.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::path::{Path, PathBuf};

use serde_json::Value;
use switchboard_componentize::{Crate, Inspected, Record, sources};

fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

/// Every component that is shipped, with its name.
fn components() -> Vec<(String, Vec<u8>)> {
    components_of("plugins")
}

fn components_of(folder: &str) -> Vec<(String, Vec<u8>)> {
    let folder = workspace().join(folder);
    let crates = Crate::all(&folder).unwrap();
    let read = |plugin: &Crate| {
        let path = folder.join("dist").join(plugin.name()).with_extension("wasm");
        (plugin.name().to_owned(), std::fs::read(path).unwrap())
    };
    crates.iter().map(read).collect()
}

fn component(name: &str) -> Inspected {
    let (_, bytes) = components().into_iter().find(|(n, _)| n == name).unwrap();
    Inspected::read(&bytes).unwrap()
}

fn contains(bytes: &[u8], text: &str) -> bool {
    bytes.windows(text.len()).any(|window| window == text.as_bytes())
}

#[test]
fn each_imports_the_one_interface_of_its_world() {
    let expected = [
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
    for (name, import) in expected {
        let component = component(name);
        assert_eq!(component.imports, [import], "{name}");
        assert_eq!(component.exports, ["switchboard:plugin/tool@0.1.0"], "{name}");
        component.keeps_to_its_world().unwrap();
    }
    assert_eq!(components().len(), expected.len());
}

#[test]
fn each_says_which_tools_it_has() {
    let expected = [
        ("acknowledge", vec!["acknowledge"]),
        ("agent-message", vec!["agent_message"]),
        ("agent-observe", vec!["get_agent", "recent_messages"]),
        ("close-agent", vec!["close_agent"]),
        ("delete-subagent", vec!["delete_subagent"]),
        ("interrupt-agent", vec!["interrupt_agent"]),
        ("list-agents", vec!["list_agents"]),
        ("message-status", vec!["message_status"]),
        ("named-send-message", vec!["SendMessage"]),
        ("request-plan-approval", vec!["request_plan_approval"]),
        ("request-shutdown", vec!["request_shutdown"]),
        ("respond-plan", vec!["respond_plan"]),
        ("respond-shutdown", vec!["respond_shutdown"]),
        ("send-message", vec!["send_message"]),
        ("subagent", vec!["subagent"]),
        ("subagent-fork", vec!["subagent_fork"]),
        ("wait-for-messages", vec!["wait_for_messages"]),
        ("workspace-files", vec!["list_files", "read_file", "search_files", "watch_file"]),
    ];
    for (name, tools) in expected {
        let description = component(name).description;
        assert_eq!(description["format"], 1);
        let named = description["tools"].as_array().unwrap();
        let named: Vec<_> = named.iter().map(|tool| tool["name"].as_str().unwrap()).collect();
        assert_eq!(named, tools);
    }
}

#[test]
fn every_schema_keeps_to_the_keywords_that_all_providers_take() {
    for (name, _) in components() {
        for tool in component(&name).description["tools"].as_array().unwrap() {
            assert_eq!(tool["input_schema"]["type"], "object");
            plain(&tool["input_schema"]);
        }
    }
}

fn plain(schema: &Value) {
    const KEYWORDS: [&str; 10] = [
        "additionalProperties",
        "anyOf",
        "description",
        "enum",
        "items",
        "maximum",
        "minimum",
        "properties",
        "required",
        "type",
    ];
    for (keyword, value) in schema.as_object().unwrap() {
        assert!(KEYWORDS.contains(&keyword.as_str()), "{keyword}");
        match keyword.as_str() {
            "properties" => value.as_object().unwrap().values().for_each(plain),
            "items" => plain(value),
            "anyOf" => value.as_array().unwrap().iter().for_each(plain),
            _ => {}
        }
    }
}

#[test]
fn none_knows_the_machine_that_it_was_built_on() {
    for (name, bytes) in components() {
        for path in ["/root/", "/home/", "/work/", "/Users/", ".cargo/registry", ".rustup"] {
            assert!(!contains(&bytes, path), "{name} has {path}");
        }
    }
}

#[test]
fn each_keeps_the_names_of_its_functions() {
    for (name, bytes) in components() {
        let functions = Inspected::read(&bytes).unwrap().functions;
        let own = name.replace('-', "_");
        assert!(functions.iter().any(|function| function.contains(&own)), "{name}");
    }
}

#[test]
fn they_are_made_of_the_sources_beside_them() {
    for folder in ["plugins", "tests/guests"] {
        let crates = workspace().join(folder);
        let record = Record::read(&crates.join("dist")).unwrap();
        let fresh = record.has_sources(&sources(&workspace(), &crates).unwrap());
        assert!(fresh, "build them again: cargo run -p switchboard-componentize -- --all");
        for (name, bytes) in components_of(folder) {
            assert!(record.has_component(&format!("{name}.wasm"), &bytes), "{name}");
        }
    }
}
