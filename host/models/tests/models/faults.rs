//! What is wrong with a script is said with its place.

use switchboard_models::Script;
use switchboard_runtime::Entry;

use crate::asking::{ask, read, returned, script};

/// What reading this script says.
fn fault(text: &str) -> String {
    let tables: toml::Table = toml::from_str(text).unwrap();
    Script::parse("lead", tables).unwrap_err().to_string()
}

/// What asking this script says.
fn failure(text: &str, transcript: &[Entry]) -> String {
    ask(&script(text), transcript).unwrap_err().to_string()
}

#[test]
fn an_unknown_key_is_named_with_those_there_are() {
    let said = fault("rules = [{ say = 'x', sen = ['y'] }]");
    assert!(
        said.starts_with("script `lead`: unknown field `sen`, expected one of `name`"),
        "{said}"
    );
    let said = fault("rules = []\nrule = 1");
    assert!(said.starts_with("script `lead`: unknown field `rule`, expected `let` or"), "{said}");
}

#[test]
fn a_script_without_rules_is_refused() {
    assert_eq!(fault("rules = []"), "script `lead`: it has no rules, so it could never answer");
    assert!(fault("").contains("missing field `rules`"));
}

#[test]
fn a_rule_that_does_nothing_is_refused() {
    let said = fault("rules = [{ say = 'x' }, { name = 'idle', hold = true }]");
    let expected =
        "script `lead`, rule 2 (`idle`): it does nothing; give it `say`, `calls` or both";
    assert_eq!(said, expected);
}

#[test]
fn a_bad_pattern_is_named_with_its_rule_and_key() {
    let expected =
        "script `lead`, rule 1, `seen`: `(a` is not a regular expression: unclosed group";
    assert_eq!(fault("rules = [{ seen = ['(a'], say = 'x' }]"), expected);
    assert!(fault("rules = [{ on = '(a', say = 'x' }]").contains("rule 1, `on`: "));
    assert!(fault("rules = [{ unsaid = ['(a'], say = 'x' }]").contains("rule 1, `unsaid`: "));
    assert!(fault("rules = [{ unseen = ['(a'], say = 'x' }]").contains("rule 1, `unseen`: "));
}

#[test]
fn a_bad_template_is_named_with_its_rule_and_place() {
    let said = fault("rules = [{ say = '{% if %}' }]");
    assert!(said.starts_with("script `lead`, rule 1, `say`: syntax error: "), "{said}");
    let said =
        fault("rules = [{ calls = [{ tool = 'open', arguments = { a = ['{{ 1 + }}'] } }] }]");
    let place = "script `lead`, rule 1, call of `open`, argument `a`: syntax error: ";
    assert!(said.starts_with(place), "{said}");
    let said = fault("rules = [{ calls = [{ tool = 'open', each = '1 +' }] }]");
    assert!(said.starts_with("script `lead`, rule 1, call of `open`, `each`: syntax"), "{said}");
    let said = fault("let = { a = '1 +' }\nrules = [{ say = 'x' }]");
    assert!(said.starts_with("script `lead`, let `a`: syntax error: "), "{said}");
}

#[test]
fn an_unknown_variable_is_found_when_the_script_is_read() {
    let said = fault("let = { hits = '[]' }\nrules = [{ say = '{{ hts }}' }]");
    let known = "there are `hits`, `name`, `read`, `results`";
    assert_eq!(said, format!("script `lead`, rule 1, `say`: there is no `hts` here; {known}"));
    let said = fault("rules = [{ calls = [{ tool = 't', arguments = { a = '{{ it }}' } }] }]");
    assert!(said.contains("call of `t`, argument `a`: there is no `it` here"), "{said}");
    let said = fault("let = { a = '[]', b = 'a | first' }\nrules = [{ say = 'x' }]");
    assert!(said.contains("let `b`: there is no `a` here; there are `name`"), "{said}");
}

#[test]
fn an_unknown_filter_or_test_is_found_when_the_script_is_read() {
    let said = fault("let = { a = '[] | frist' }\nrules = [{ say = 'x' }]");
    let expected = "there is no filter `frist`; did you mean `first`?";
    assert_eq!(said, format!("script `lead`, let `a`: {expected}"));
    let rules = "rules = [{ say = 'x' }, { say = '{% if 1 %}{{ read | lenght }}{% endif %}' }]";
    let said = fault(rules);
    assert!(
        said.starts_with("script `lead`, rule 2, `say`: there is no filter `lenght`"),
        "{said}"
    );
    let said = fault("rules = [{ say = '{{ read is defind }} a | b' }]");
    assert!(said.ends_with("there is no test `defind`; did you mean `defined`?"), "{said}");
}

#[test]
fn a_fault_says_which_keys_lead_to_it() {
    let path = |text: &str| {
        let tables: toml::Table = toml::from_str(text).unwrap();
        Script::parse("lead", tables).unwrap_err().path().join(".")
    };
    assert_eq!(path("rules = []"), "");
    assert_eq!(path("let = { a = '1 +' }\nrules = [{ say = 'x' }]"), "let.a");
    assert_eq!(path("rules = [{ say = 'x' }, { say = '{{' }]"), "rules.1.say");
    let call = |arguments: &str| {
        let calls = format!("[{{ tool = 's' }}, {{ tool = 't', arguments = {arguments} }}]");
        path(&format!("rules = [{{ calls = {calls} }}]"))
    };
    assert_eq!(call("{ a = '{{' }"), "rules.0.calls.1.arguments.a");
    assert_eq!(call("{ a = { b = '{{' } }"), "rules.0.calls.1.arguments.a.b");
    assert_eq!(
        path("rules = [{ calls = [{ tool = 't', each = '1 +' }] }]"),
        "rules.0.calls.0.each"
    );
}

#[test]
fn a_name_that_means_something_already_is_refused() {
    let said = fault("rules = [{ on = '(?<read>x)', say = 'x' }]");
    assert_eq!(said, "script `lead`, rule 1: `read` is taken; use another name");
    let said = fault("let = { it = '1' }\nrules = [{ say = 'x' }]");
    assert_eq!(said, "script `lead`, let `it`: `it` is taken; use another name");
    let said = fault("rules = [{ seen = ['(?<a>x)', '(?<a>y)'], say = 'x' }]");
    assert_eq!(said, "script `lead`, rule 1: `a` is captured or named twice");
}

#[test]
fn a_template_that_fails_is_named_when_it_is_asked() {
    let heard = [read(&["x"])];
    let said = failure("rules = [{ name = 'r', say = '{{ (results | first).text }}' }]", &heard);
    let place = "script `test`, rule 1 (`r`), `say`: undefined value";
    assert!(said.starts_with(place), "{said}");
    let said = failure("rules = [{ say = '{{ read | matches(\"(\") }}' }]", &heard);
    assert!(said.contains("`(` is not a regular expression: unclosed group"), "{said}");
    let said = failure("rules = [{ say = '{{ 7 | matches(\"x\") }}' }]", &heard);
    assert!(said.contains("rule 1, `say`: "), "{said}");
}

#[test]
fn an_expression_without_a_value_is_an_error_and_not_nothing() {
    let text = "rules = [{ calls = [{ tool = 't', arguments = { a = '{{ results[0] }}' } }] }]";
    let said = failure(text, &[read(&["x"])]);
    assert_eq!(said, "script `test`, rule 1, call of `t`, argument `a`: `results[0]` is undefined");
}

#[test]
fn no_rule_that_fits_is_an_error_with_the_newest_thing_read() {
    let text = "rules = [{ seen = ['never'], say = 'x' }]";
    let heard = [read(&["old"]), returned("look", "new")];
    let expected = "script `test`: no rule fits; the newest thing it has read is:\nnew";
    assert_eq!(failure(text, &heard), expected);
    assert!(failure(text, &[]).ends_with("is:\nnothing at all"));
    assert!(failure(text, &[read(&["long ".repeat(100).as_str()])]).ends_with('…'));
}

#[test]
fn a_script_can_be_part_of_a_larger_file() {
    #[derive(Debug, serde::Deserialize)]
    struct Crew {
        scripts: std::collections::BTreeMap<String, Script>,
    }
    let text = "[scripts.lead]\nrules = [{ say = 'x' }]";
    assert_eq!(toml::from_str::<Crew>(text).unwrap().scripts.len(), 1);
    let said = toml::from_str::<Crew>("[scripts.lead]\nrules = [{ say = '{{' }]").unwrap_err();
    assert!(said.to_string().contains("rule 1, `say`: syntax error"), "{said}");
}
