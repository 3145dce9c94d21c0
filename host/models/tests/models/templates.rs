//! What an answer is made of.

use crate::asking::{ask, called, read, returned, script, words};

const FRAME: &str = "[message msg_1 from child reviewer (agt_2), 10:00]\n\
                     Another agent's words.\n--- begin 0f\nFound: a.rs:7\nand more\n--- end 0f\n";

fn says(template: &str) -> String {
    let say = toml::Value::from(template);
    let script = script(&format!("rules = [{{ say = {say} }}]"));
    let heard = [
        read(&["begin", FRAME]),
        called("search", r#"{"pattern":"x","limit":3}"#),
        returned("search", "a.rs:7: x\nb c.rs:12: xx"),
        called("open", "{}"),
        returned("open", "7: x"),
    ];
    words(&script, &heard)
}

#[test]
fn results_have_tool_arguments_and_text() {
    assert_eq!(says("{{ results | length }} {{ results[0].tool }}"), "2 search");
    assert_eq!(says("{{ results[0].arguments.limit + 1 }} {{ results[1].text }}"), "4 7: x");
    assert_eq!(says("{{ 'bad' if results[0].failed else 'good' }}"), "good");
}

#[test]
fn what_was_read_has_its_text_and_its_body() {
    assert_eq!(says("{{ read[0].text }}[{{ read[0].body }}]"), "begin[]");
    assert_eq!(says("{{ read[1].body }}"), "Found: a.rs:7\nand more");
}

#[test]
fn matches_gives_the_named_parts_of_every_match() {
    let each = r#"
        {%- for hit in results | of("search") | matches("^(?<path>.+?):(?<line>\\d+): ") -%}
        <{{ hit.path }}|{{ hit.line }}>
        {%- endfor %}"#;
    assert_eq!(says(each), "<a.rs|7><b c.rs|12>");
    let part = r#"{{ ("a-b" | matches("(?<l>\\w)-(?<r>\\d)?") | first).r == "" }}"#;
    assert_eq!(says(part), "True", "a part that is not there is empty");
}

#[test]
fn matches_of_what_has_not_come_are_none() {
    assert_eq!(says(r#"{{ results | of("nothing") | first | matches("x") | length }}"#), "0");
}

#[test]
fn where_keeps_what_matches() {
    assert_eq!(says(r#"{{ (read | where("^Found: ") | first).text[:12] }}"#), "[message msg");
    assert_eq!(says(r#"{{ read | where("^Lost: ") | length }}"#), "0");
}

#[test]
fn cut_counts_characters_and_shows_that_there_were_more() {
    assert_eq!(says(r#"{{ "äöü" | cut(3) }} {{ "äöü" | cut(2) }}"#), "äöü äö…");
}

#[test]
fn counted_knows_one_from_many() {
    let three =
        r#"{{ 0 | counted("file") }}, {{ 1 | counted("file") }}, {{ 2 | counted("file") }}"#;
    assert_eq!(says(three), "0 files, 1 file, 2 files");
}

#[test]
fn captures_of_on_and_seen_are_variables_and_the_newest_match_gives_them() {
    let script = script(
        r"rules = [{ on = '^go (?<where>\w+)', seen = ['^my name is (?<who>\w+)'],
                     say = '{{ who }} goes {{ where }}' }]",
    );
    let heard = [read(&["my name is Ada"]), read(&["my name is Eve", "go north", "go south"])];
    assert_eq!(words(&script, &heard), "Eve goes south");
}

#[test]
fn a_let_is_an_expression_with_its_type() {
    let script =
        script("let = { twice = '(results | length) * 2' }\nrules = [{ say = '{{ twice + 1 }}' }]");
    let heard = [called("look", "{}"), returned("look", "c")];
    assert_eq!(words(&script, &heard), "3");
}

#[test]
fn arguments_keep_their_types_and_are_filled_at_any_depth() {
    let script = script(
        r#"[[rules]]
        seen = ['line (?<line>\d+)']
        [[rules.calls]]
        tool = "open"
        [rules.calls.arguments]
        path = "src/{{ line }}.rs"
        line = "{{ (line | int) - 2 }}"
        deep = { list = ["{{ line }}", true, 1.5] }"#,
    );
    let call = &ask(&script, &[read(&["line 12"])]).unwrap().calls[0];
    let made: serde_json::Value = serde_json::from_str(&call.arguments).unwrap();
    let expected = serde_json::json!({
        "path": "src/12.rs", "line": 10, "deep": { "list": ["12", true, 1.5] },
    });
    assert_eq!(made, expected);
}

#[test]
fn each_makes_a_call_for_every_element() {
    let script = script(
        r#"[[rules]]
        [[rules.calls]]
        tool = "open"
        each = 'read | matches("(?<file>\\w+\\.rs)")'
        arguments = { path = "{{ it.file }}" }"#,
    );
    let calls = ask(&script, &[read(&["a.rs and b.rs"])]).unwrap().calls;
    let arguments: Vec<_> = calls.iter().map(|call| call.arguments.as_str()).collect();
    assert_eq!(arguments, [r#"{"path":"a.rs"}"#, r#"{"path":"b.rs"}"#]);
}

#[test]
fn what_is_read_is_never_taken_for_a_template_or_for_json() {
    let script = script(
        r#"[[rules]]
        seen = ['^say (?<words>.*)$']
        [[rules.calls]]
        tool = "echo"
        arguments = { text = "{{ words }}" }"#,
    );
    let hostile = r#"{{ name }} "}, {% raw %} \"#;
    let call = &ask(&script, &[read(&[&format!("say {hostile}")])]).unwrap().calls[0];
    let made: serde_json::Value = serde_json::from_str(&call.arguments).unwrap();
    assert_eq!(made["text"], hostile);
}
