//! The shape of the code is tested like its behaviour: what is not tested does not stay so.

use std::collections::BTreeSet;
use std::fs::read_to_string;

use crate::harness::{files, relative, workspace};

const SOURCES: &[&str] = &["benches", "host", "guest-sdk", "plugins", "tests", "fuzz"];
const LONGEST_FILE: usize = 450;
const LONGEST_LINE: usize = 100;

/// Every line of our Rust sources for which `wrong` says so, as `file:line`.
fn lines(folders: &[&str], wrong: impl Fn(&str) -> bool) -> Vec<String> {
    let mut found = Vec::new();
    for path in files(folders, ".rs") {
        let text = read_to_string(&path).unwrap();
        for (number, line) in (1..).zip(text.lines()) {
            if wrong(line) {
                found.push(format!("{}:{number}: {}", relative(&path), line.trim()));
            }
        }
    }
    found
}

#[test]
fn no_file_is_longer_than_one_thing() {
    let long: Vec<String> = files(SOURCES, ".rs")
        .iter()
        .map(|path| (relative(path), read_to_string(path).unwrap().lines().count()))
        .filter(|(_, count)| *count > LONGEST_FILE)
        .map(|(path, count)| format!("{path}: {count} lines"))
        .collect();
    assert!(long.is_empty(), "over {LONGEST_FILE} lines: {long:#?}");
}

#[test]
fn no_line_is_wider_than_its_room() {
    let wide = lines(SOURCES, |line| line.chars().count() > LONGEST_LINE);
    assert!(wide.is_empty(), "over {LONGEST_LINE} characters: {wide:#?}");
}

#[test]
fn the_core_touches_nothing_outside() {
    let reaches = [
        "tokio",
        "wasmtime",
        "rusqlite",
        "std::fs",
        "std::net",
        "std::thread",
        "std::env",
        "std::time",
        "Mutex",
        "RwLock",
        "HashMap",
        "HashSet",
        "SystemTime",
        "Instant",
        "async fn",
    ];
    let comment = |line: &str| line.trim_start().starts_with("//");
    let found = lines(&["host/core/src"], |line| {
        !comment(line) && reaches.iter().any(|word| line.contains(word))
    });
    assert!(found.is_empty(), "{found:#?}");
}

#[test]
fn every_queue_is_bounded() {
    let this = "every_queue";
    let found = lines(&["host", "guest-sdk", "plugins"], |line| {
        line.contains("unbounded") && !line.trim_start().starts_with("//") && !line.contains(this)
    });
    assert!(found.is_empty(), "{found:#?}");
}

#[test]
fn the_one_unsafe_is_the_loading_of_compiled_code() {
    let found = lines(&["host"], |line| {
        let code = line.trim_start();
        !code.starts_with("//") && (code.contains("unsafe {") || code.contains("unsafe fn"))
    });
    assert_eq!(found.len(), 1, "{found:#?}");
    assert!(found[0].starts_with("host/sandbox/src/"), "{found:#?}");
}

/// Ids like SEND-3 in a text.
fn clauses(text: &str) -> BTreeSet<String> {
    let word = |character: char| !(character.is_ascii_alphanumeric() || character == '-');
    let is_clause = |word: &&str| {
        word.split_once('-').is_some_and(|(part, number)| {
            part.len() > 1
                && part.bytes().all(|byte| byte.is_ascii_uppercase())
                && !number.is_empty()
                && number.bytes().all(|byte| byte.is_ascii_digit())
        })
    };
    text.split(word).filter(is_clause).map(str::to_owned).collect()
}

#[test]
fn every_guarantee_of_the_semantics_page_is_named_by_a_test() {
    let promised = clauses(&read_to_string(workspace().join("docs/semantics.md")).unwrap());
    assert!(promised.len() > 60, "the page was read: {}", promised.len());
    let mut tests = String::new();
    for path in files(&["host", "guest-sdk", "plugins", "tests"], ".rs") {
        let text = read_to_string(&path).unwrap();
        for (line, next) in text.lines().zip(text.lines().skip(1)) {
            if line.contains("#[test]") || line.contains("#[tokio::test") || next.contains("fn ") {
                tests.push_str(&next.to_ascii_lowercase());
                tests.push('\n');
            }
        }
    }
    let named = |clause: &String| {
        let name = clause.to_ascii_lowercase().replace('-', "_");
        tests.contains(&format!("{name}_"))
    };
    let missing: Vec<&String> = promised.iter().filter(|clause| !named(clause)).collect();
    assert!(missing.is_empty(), "guarantees without a test: {missing:?}");
}

/// Tests the page on security names: their words are joined by at least three underscores.
fn named_tests(page: &str) -> impl Iterator<Item = &str> {
    let quoted = page.split('`').skip(1).step_by(2);
    let names = quoted.map(|words| words.rsplit("::").next().unwrap_or(words));
    let is_word = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_';
    names.filter(move |name| name.matches('_').count() > 2 && name.bytes().all(is_word))
}

#[test]
fn every_test_the_security_page_names_is_there() {
    let page = read_to_string(workspace().join("docs/security.md")).unwrap();
    let mut sources = String::new();
    for path in files(&["host", "plugins", "tests"], ".rs") {
        sources.push_str(&read_to_string(&path).unwrap());
    }
    let named: Vec<_> = named_tests(&page).collect();
    assert!(named.len() > 150, "the page was read: {}", named.len());
    let missing: Vec<_> =
        named.iter().filter(|name| !sources.contains(&format!("fn {name}("))).collect();
    assert!(missing.is_empty(), "tests that are not there: {missing:?}");
}

/// It says what must not be found in what is shipped.
const LOOKS_FOR_PATHS: &str = "guest-sdk/componentize/tests/dist.rs";

#[test]
fn the_project_names_no_path_of_a_machine() {
    let ours: Vec<_> = ["", "docs", "wit", "scripts", "crews", "host", "guest-sdk", "plugins"]
        .iter()
        .flat_map(|folder| files(&[folder], ".md"))
        .chain(files(SOURCES, ".rs"))
        .chain(files(&["wit"], ".wit"))
        .chain(files(&["crews"], ".toml"))
        .filter(|path| !path.ends_with(LOOKS_FOR_PATHS))
        .collect();
    let paths = [concat!("/wo", "rk/"), concat!("/ro", "ot/"), concat!("../sha", "red")];
    for path in ours {
        let text = read_to_string(&path).unwrap();
        for word in paths {
            assert!(!text.contains(word), "{} names {word}", relative(&path));
        }
    }
}
