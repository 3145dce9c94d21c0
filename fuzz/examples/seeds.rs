//! Writes what the targets begin with, made of words, of a story, of the crews and pages of this
//! project, and of a component that is smaller than any useful one.
#![allow(clippy::unwrap_used, reason = "it writes its files or says which it could not")]

use std::fs;
use std::path::{Path, PathBuf};

use switchboard_core::ReachPolicy;
use switchboard_fuzz::family::Family;
use wit_component::{ComponentEncoder, StringEncoding, embed_component_metadata};
use wit_parser::Resolve;

const NAMES: &[&str] = &[
    "agt_00007-1",
    "msg_00007-2",
    "turn_00007-3",
    "req_zzzzz-18446744073709551615",
    "agt_00007-02",
    "msg_00007",
    "turn_00007-3/0/0/0",
    "turn_00007-1/4294967295/1/2",
    "reviewer-2",
    "REVIEWER",
    "parent",
    "main",
    "self",
    "all",
    "rev*",
    "Sibling: other",
    "child:",
];

/// Which tool, and its arguments; see `targets/arguments.rs`.
const ARGUMENTS: &[(u8, &str)] = &[
    (0, r#"{"agent_id": "parent", "message": "done", "summary": "in short"}"#),
    (1, r#"{"agent_id": "reviewer"}"#),
    (
        2,
        r#"{"description": "a look", "prompt": "Look.", "agent": "reviewer",
            "run_in_background": true}"#,
    ),
    (3, r#"{"path": "review"}"#),
    (4, r#"{"path": "review/crew.toml"}"#),
    (4, r#"{"path": "../README.md"}"#),
    (5, r#"{"pattern": "name|root"}"#),
    (6, r#"{"path": "review/crew.toml", "deadline_ms": 1}"#),
];

fn main() {
    write("names", NAMES);
    write("records", records());
    write("crews", crews());
    write("components", components());
    write(
        "arguments",
        ARGUMENTS.iter().map(|(tool, words)| [&[*tool, 5], words.as_bytes()].concat()),
    );
}

fn write(target: &str, seeds: impl IntoIterator<Item = impl AsRef<[u8]>>) {
    let folder = here().join("corpus").join(target);
    fs::create_dir_all(&folder).unwrap();
    for (place, seed) in (1..).zip(seeds) {
        fs::write(folder.join(format!("seed-{place}")), seed).unwrap();
    }
}

fn here() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// A story as text, and the beginning of one as facts.
fn records() -> Vec<Vec<u8>> {
    let mut family = Family::new("helper", ReachPolicy::Tree);
    family.start("helper").unwrap();
    for address in ["reviewer", "helper", "agt_00007-2"] {
        family.say(Some(family.lead), address);
    }
    let lines = family.stored.iter().map(|event| serde_json::to_string(event).unwrap());
    let lines: Vec<String> = lines.collect();
    vec![format!("t{}", lines.join("\n")).into(), vec![0; 64]]
}

/// The crews, and what the pages show of crew files.
fn crews() -> Vec<String> {
    let files = |folder: &str| {
        let entries = fs::read_dir(here().join("..").join(folder)).unwrap();
        entries.map(|entry| entry.unwrap().path()).collect::<Vec<PathBuf>>()
    };
    let crew = |folder: PathBuf| fs::read_to_string(folder.join("crew.toml")).unwrap();
    let pages = files("docs").into_iter().map(|page| fs::read_to_string(page).unwrap());
    let shown = pages.flat_map(|page| {
        let blocks = page.split("```toml\n").skip(1).map(str::to_owned).collect::<Vec<_>>();
        blocks.into_iter().map(|block| block.split("```").next().unwrap().to_owned())
    });
    files("crews").into_iter().map(crew).chain(shown).collect()
}

/// The built-in ones, unchanged, and two as they are: of nothing, and one that can be called.
fn components() -> Vec<Vec<u8>> {
    let mut seeds: Vec<Vec<u8>> = (1..=4).map(|base| vec![base]).collect();
    let plain = ["(component)".to_owned(), "(component (component))".to_owned()];
    let mut components: Vec<_> = plain.iter().map(|text| wat::parse_str(text).unwrap()).collect();
    components.push(smallest());
    seeds.extend(components.into_iter().map(|component| [vec![0], component].concat()));
    seeds
}

/// A tool that fails, with a code and a text of three letters.
const MODULE: &str = r#"(module
    (memory (export "memory") 1)
    (func (export "cabi_realloc") (param i32 i32 i32 i32) (result i32) (i32.const 1024))
    (func (export "switchboard:plugin/tool@0.1.0#call") (param i32 i32 i32 i32) (result i32)
        (i32.store (i32.const 64) (i32.const 1))
        (i32.store (i32.const 68) (i32.const 32))
        (i32.store (i32.const 72) (i32.const 3))
        (i32.store (i32.const 76) (i32.const 32))
        (i32.store (i32.const 80) (i32.const 3))
        (i32.const 64))
    (data (i32.const 32) "yes")
    (@custom "switchboard:tool" DESCRIPTION))"#;

const DESCRIPTION: &str = concat!(
    r#"{"format":1,"sdk":"0","world":"w","#,
    r#""tools":[{"name":"t","description":"","input_schema":{"type":"object"}}]}"#,
);

fn smallest() -> Vec<u8> {
    let mut resolve = Resolve::default();
    let (package, _) = resolve.push_dir(here().join("../wit")).unwrap();
    let world = resolve.select_world(&[package], Some("pure-tool")).unwrap();
    let text = MODULE.replace("DESCRIPTION", &format!("{DESCRIPTION:?}"));
    let mut module = wat::parse_str(text).unwrap();
    embed_component_metadata(&mut module, &resolve, world, StringEncoding::UTF8).unwrap();
    ComponentEncoder::default().module(&module).unwrap().encode().unwrap()
}
