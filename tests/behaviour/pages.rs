//! What the pages list is what there is.

use std::fs::read_to_string;

use switchboard_core::Event;

use crate::harness::workspace;

/// The variants of the events, in their order, each with its fields, read from the source: data
/// alone does not say which fields it could have had.
fn fields_of_events() -> Vec<Vec<String>> {
    let source = read_to_string(workspace().join("host/core/src/event.rs")).unwrap();
    let (_, declared) = source.split_once("pub enum Event {\n").unwrap();
    let (declared, _) = declared.split_once("\n}\n").unwrap();
    let mut variants: Vec<Vec<String>> = Vec::new();
    for line in declared.lines().filter(|line| !line.trim_start().starts_with(['/', '#'])) {
        let field = line.strip_prefix("        ").and_then(|line| line.split_once(": "));
        match field {
            Some((name, _)) => variants.last_mut().unwrap().push(name.to_owned()),
            None if line.trim_start().starts_with(char::is_uppercase) => variants.push(Vec::new()),
            None => {}
        }
    }
    variants
}

#[test]
fn the_json_page_has_each_event_with_its_fields() {
    let page = read_to_string(workspace().join("docs/json.md")).unwrap();
    let variants = fields_of_events();
    assert_eq!(variants.len(), Event::KINDS.len());
    for (kind, fields) in Event::KINDS.iter().zip(variants) {
        let begin = format!("| `{kind}` | ");
        let row = page.lines().find_map(|line| line.strip_prefix(&begin)).expect(kind);
        let (told, _) = row.split_once('|').unwrap();
        let told: Vec<&str> = told.split('`').skip(1).step_by(2).collect();
        assert_eq!(told, fields, "{kind}");
    }
}
