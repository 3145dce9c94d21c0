//! The tools as their host calls them.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use switchboard_guest::fake::{self, Look, Seen};
use switchboard_guest::workspace::{
    self, Change, Entry, EntryKind, Findings, Hit, Listing, SearchRequest, Text,
};
use switchboard_guest::{Block, Failure, Reply, Value, json};
use workspace_files::Component;

/// Calls a tool whose host sees this, and gives the lines, the data and what the host was asked.
fn see(tool: &str, arguments: Value, seen: Seen) -> (String, Value, Look) {
    let host = fake::Workspace::answering([Ok(seen)]);
    let reply = Component::call(tool, &arguments.to_string(), &host);
    let Ok(Reply::Now(output)) = reply else { panic!("an answer was expected: {reply:?}") };
    let [Block::Text(text)] = &output.blocks[..] else { panic!("one block was expected") };
    let data = output.structured.unwrap().parse().unwrap();
    (text.clone(), data, host.asked().remove(0))
}

fn entry(path: &str, kind: EntryKind) -> Entry {
    Entry { path: path.into(), kind, size: 7 }
}

fn listing(more: bool) -> Seen {
    let entries = vec![entry("src", EntryKind::Folder), entry("src/a.rs", EntryKind::File)];
    Seen::Listing(Listing { entries, more })
}

#[test]
fn a_listing_has_one_path_a_line_and_marks_folders() {
    let (text, data, look) = see("list_files", json!({}), listing(false));
    assert_eq!(text, "src/\nsrc/a.rs");
    assert_eq!(data["entries"][0], json!({ "path": "src", "kind": "folder", "size": 7 }));
    assert_eq!(look, Look::List { path: "".into(), recursive: false, limit: 200 });
}

#[test]
fn a_listing_is_asked_for_as_the_model_said() {
    let arguments = json!({ "path": "src", "recursive": true, "limit": 2 });
    let (text, data, look) = see("list_files", arguments, listing(true));
    assert!(text.contains("\n(cut after 2: "), "{text}");
    assert_eq!(data["more"], true);
    assert_eq!(look, Look::List { path: "src".into(), recursive: true, limit: 2 });
}

#[test]
fn an_empty_folder_is_said_to_be_empty() {
    let nothing = Seen::Listing(Listing { entries: Vec::new(), more: false });
    assert_eq!(see("list_files", json!({}), nothing).0, "(nothing is there)");
}

#[test]
fn lines_are_read_with_their_numbers() {
    let content = "fn a() {}\n\nfn b() {}\n".into();
    let seen = Seen::Text(Text { content, first_line: 9, total_lines: 40, more: true });
    let arguments = json!({ "path": "a.rs", "first_line": 9, "lines": 3 });
    let (text, data, look) = see("read_file", arguments, seen);
    let expected = "9: fn a() {}\n10: \n11: fn b() {}\n\
        (cut: there are 40 lines; go on at line 12)";
    assert_eq!(text, expected);
    assert_eq!(data["total_lines"], 40);
    assert_eq!(look, Look::Read { path: "a.rs".into(), first_line: 9, lines: 3 });
}

#[test]
fn reading_behind_the_end_is_no_empty_answer() {
    let seen = Seen::Text(Text { content: "".into(), first_line: 9, total_lines: 3, more: false });
    let (text, ..) = see("read_file", json!({ "path": "a.rs", "first_line": 9 }), seen);
    assert_eq!(text, "(nothing from line 9 on; there are 3)");
}

#[test]
fn a_search_shows_path_line_and_text() {
    let hit = Hit { path: "src/a.rs".into(), line: 3, text: "fn b() {}".into() };
    let seen = Seen::Findings(Findings { hits: vec![hit], files_searched: 5, more: true });
    let (text, data, look) = see("search_files", json!({ "pattern": "fn \\w+" }), seen);
    assert!(text.starts_with("src/a.rs:3: fn b() {}\n(cut after 1: "), "{text}");
    let found = json!({ "path": "src/a.rs", "line": 3, "text": "fn b() {}" });
    assert_eq!(data, json!({ "hits": [found], "files_searched": 5, "more": true }));
    let expected = SearchRequest {
        pattern: "fn \\w+".into(),
        path: "".into(),
        ignore_case: false,
        limit: 100,
        extra: Vec::new(),
    };
    assert_eq!(look, Look::Search(expected));
}

#[test]
fn a_search_that_finds_nothing_says_how_far_it_looked() {
    let seen = Seen::Findings(Findings { hits: Vec::new(), files_searched: 5, more: false });
    let (text, ..) = see("search_files", json!({ "pattern": "x" }), seen);
    assert_eq!(text, "(nothing found; files searched: 5)");
}

#[test]
fn a_watched_file_is_answered_in_one_word() {
    let arguments = json!({ "path": "a.rs", "deadline_ms": 50 });
    let (text, data, look) = see("watch_file", arguments, Seen::Change(Change::Removed));
    assert_eq!(text, "removed");
    assert_eq!(data, json!({ "change": "removed" }));
    assert_eq!(look, Look::Watch { path: "a.rs".into(), deadline_ms: 50 });
}

#[test]
fn what_the_host_denies_each_tool_passes_on() {
    let calls = [
        ("list_files", json!({ "path": "../.." })),
        ("read_file", json!({ "path": "/etc/passwd" })),
        ("search_files", json!({ "pattern": "x", "path": ".." })),
        ("watch_file", json!({ "path": "../a" })),
    ];
    for (tool, arguments) in calls {
        let denied = workspace::Failure {
            code: "not-granted".into(),
            text: "That leads outside.".into(),
            retry: false,
            extra: Vec::new(),
        };
        let host = fake::Workspace::answering([Err(denied)]);
        let failure = Component::call(tool, &arguments.to_string(), &host).unwrap_err();
        assert_eq!(failure, Failure::new("not-granted", "That leads outside."));
    }
}

#[test]
fn none_of_them_writes() {
    let description: Value = Component::DESCRIPTION.parse().unwrap();
    let tools = description["tools"].as_array().unwrap();
    let names: Vec<_> = tools.iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["list_files", "read_file", "search_files", "watch_file"]);
    assert!(tools.iter().all(|tool| tool["annotations"]["read_only"] == true));
}
