//! What a component says of itself: missing, malformed, too much, or meant to mislead.

use serde_json::{Value, json};
use switchboard_runtime::Outcome::Done;
use switchboard_sandbox::{Grants, LoadRequest};

use crate::attempt::{Attempt, component, guest, scene};
use crate::binary::good;
use crate::case::{Case, End, Fault};
use crate::ground::{GOOD, source};
use crate::guest::{ECHO, Guest, description, section};

const AT: &str = "its section";

pub(crate) fn cases() -> Vec<Case> {
    let long = "a".repeat(65);
    let mut cases = vec![
        component(AT, "none", || Guest::new(ECHO).described(None).build())
            .refused(Fault::Description, "is missing"),
        component(AT, "two", twice).refused(Fault::Description, "more than once"),
        component(AT, "a hundred thousand sections of others", with_others)
            .told("hello")
            .ends(Done, "hello"),
        said("nothing in it", "").refused(Fault::Description, "cannot be read"),
        said("text that is no JSON", "tool").refused(Fault::Description, "cannot be read"),
        said("half of it", &usual()[..60]).refused(Fault::Description, "cannot be read"),
        said("ten thousand lists deep", &"[".repeat(10_000)).refused(Fault::Description, ""),
        said("another format", &usual().replacen(":1", ":2", 1))
            .refused(Fault::Description, "this host reads 1"),
        said("a format of thirty digits", &usual().replacen(":1", &format!(":{:030}", 1), 1))
            .refused(Fault::Description, "cannot be read"),
        said("a quarter of a megabyte and more", &(usual() + &" ".repeat(256 << 10)))
            .refused(Fault::Description, "more than"),
        said("no tool", &description(&[])).refused(Fault::Description, "0 tools"),
        said("65 tools", &description(&many())).refused(Fault::Description, "65 tools"),
        said("one name twice", &description(&["tool", "tool"]))
            .refused(Fault::Description, "two tools `tool`"),
        said("words that turn around in its text", &turned()).told("hello").ends(Done, "hello"),
    ];
    let names = [
        ("an empty name", ""),
        ("a name of 65 letters", long.leak()),
        ("a name with a space", "to ol"),
        ("a name with a NUL", "tool\u{0}"),
        ("a name with a line break", "tool\n"),
        ("a name that turns around", "\u{202e}loot"),
        ("a name with a mark upon a letter", "too\u{301}l"),
        ("a name of another alphabet", "t\u{43e}\u{43e}l"),
        ("a name with a letter nobody sees", "to\u{200b}ol"),
        ("a name that is a path", "../tool"),
        ("a name with a dot", "a.tool"),
    ];
    cases.extend(names.map(|(name, its)| {
        said(name, &description(&[its])).refused(Fault::Description, "is not a name")
    }));
    let schemas = [
        ("a schema that is no object", json!(true)),
        ("a schema of text", json!({ "type": "string" })),
        ("a schema of several types", json!({ "type": ["object", "null"] })),
        ("a schema that is a choice", json!({ "type": "object", "anyOf": [] })),
        ("a schema that refers to itself", json!({ "type": "object", "a": { "$ref": "#" } })),
    ];
    cases.extend(schemas.map(|(name, schema)| {
        said(name, &with_schema(&schema)).refused(Fault::Description, "has a schema")
    }));
    cases.push(scene(AT, "the name of a tool that is there", TAKEN, GOOD, |ground| async move {
        let renamed = Guest::new(ECHO).described(Some(description(&[GOOD]))).build();
        let request = LoadRequest::new(source(renamed), Grants::default());
        ground.load_as_it_is(request).await.unwrap_err()
    }));
    cases.push(scene(AT, "a name given that is none", BAD, "64", |ground| async move {
        let names = [("tool".to_owned(), "a tool".to_owned())].into();
        let request = LoadRequest::new(source(good()), Grants::default());
        ground.load_as_it_is(LoadRequest { names, ..request }).await.unwrap_err()
    }));
    cases
}

const TAKEN: End = End::Refused(Fault::NameTaken);
const BAD: End = End::Refused(Fault::BadName);

fn said(name: &'static str, words: &str) -> Attempt {
    guest(AT, name, Guest::new(ECHO).described(Some(words.to_owned())))
}

fn usual() -> String {
    description(&["tool"])
}

fn twice() -> Vec<u8> {
    let mut component = good();
    section(&mut component, &usual());
    component
}

/// Sections of a name nobody knows, each empty.
fn with_others() -> Vec<u8> {
    const OTHER: [u8; 4] = [0, 2, 1, b'x'];
    [good(), OTHER.repeat(100_000)].concat()
}

fn many() -> Vec<&'static str> {
    (0..65).map(|number| &*format!("tool-{number}").leak()).collect()
}

fn turned() -> String {
    usual().replace("A tool of a test.", "\u{202e}safe\u{202c}\u{200b}\\u0000 \\u001b[2J")
}

fn with_schema(schema: &Value) -> String {
    let mut whole: Value = serde_json::from_str(&usual()).unwrap();
    whole["tools"][0]["input_schema"] = schema.clone();
    whole.to_string()
}
