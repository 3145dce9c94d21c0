//! When a rule fits.

use switchboard_core::{StepRecord, ToolUse, TurnEnd};
use switchboard_runtime::Entry;

use crate::asking::{ask, called, read, returned, said, script, words};

#[test]
fn the_first_rule_that_fits_answers() {
    let script = script("rules = [{ seen = ['b'], say = '1' }, { say = '2' }, { say = '3' }]");
    assert_eq!(words(&script, &[read(&["a"])]), "2");
    assert_eq!(words(&script, &[read(&["a", "b"])]), "1");
}

#[test]
fn on_looks_only_at_what_came_since_the_last_answer() {
    let script = script("rules = [{ on = 'fire', say = 'Run.' }, { say = 'Calm.' }]");
    assert_eq!(words(&script, &[read(&["fire"])]), "Run.");
    assert_eq!(words(&script, &[read(&["fire"]), said("Run."), read(&["rain"])]), "Calm.");
    let heard = [read(&["begin"]), called("look", "{}"), returned("look", "a fire")];
    assert_eq!(words(&script, &heard), "Run.", "results count as read");
}

#[test]
fn seen_looks_at_everything_ever_read_and_wants_all_of_its_patterns() {
    let script = script("rules = [{ seen = ['salt', 'bread'], say = 'Eat.' }, { say = 'No.' }]");
    assert_eq!(words(&script, &[read(&["salt"])]), "No.");
    assert_eq!(words(&script, &[read(&["salt"]), said("No."), read(&["bread"])]), "Eat.");
}

#[test]
fn unseen_holds_until_it_is_read() {
    let script = script("rules = [{ unseen = ['^stop'], say = 'On.' }, { say = 'Off.' }]");
    assert_eq!(words(&script, &[read(&["go"])]), "On.");
    assert_eq!(words(&script, &[read(&["stop"]), said("Off."), read(&["go"])]), "Off.");
}

#[test]
fn unsaid_looks_at_words_and_at_calls_with_their_arguments() {
    let text = r#"rules = [{ unsaid = ['^Hello', '^look .*"path":"a"'], say = 'Hello' },
                           { say = 'Again' }]"#;
    let script = script(text);
    assert_eq!(words(&script, &[read(&["Hello"])]), "Hello", "what is read is not said");
    assert_eq!(words(&script, &[read(&["x"]), said("Hello")]), "Again");
    assert_eq!(words(&script, &[read(&["x"]), called("look", r#"{"path":"b"}"#)]), "Hello");
    assert_eq!(words(&script, &[read(&["x"]), called("look", r#"{"path":"a"}"#)]), "Again");
}

#[test]
fn a_line_begins_after_every_line_break() {
    let script = script("rules = [{ seen = ['^b$'], say = 'Line.' }, { say = 'None.' }]");
    assert_eq!(words(&script, &[read(&["a\nb\nc"])]), "Line.");
    assert_eq!(words(&script, &[read(&["ab\nbc"])]), "None.");
}

#[test]
fn an_answer_has_words_and_calls_in_order() {
    let script = script(
        "rules = [{ say = 'Two.', calls = [{ tool = 'one', arguments = { n = 1 } },
                                           { tool = 'two' }] }]",
    );
    let call =
        |tool: &str, arguments: &str| ToolUse { tool: tool.into(), arguments: arguments.into() };
    let calls = vec![call("one", r#"{"n":1}"#), call("two", "{}")];
    let expected = StepRecord { text: "Two.".into(), calls, end: TurnEnd::Completed };
    assert_eq!(ask(&script, &[read(&["x"])]), Ok(expected));
}

#[test]
fn a_rule_with_nothing_to_call_for_is_passed_over() {
    let script = script(
        r"rules = [{ say = 'Opening.', calls = [{ tool = 'open', each = 'read | matches(`x`)' }] },
                   { say = 'Nothing.' }]"
            .replace('`', "\"")
            .as_str(),
    );
    assert_eq!(words(&script, &[read(&["abc"])]), "Nothing.");
    assert_eq!(ask(&script, &[read(&["axbx"])]).unwrap().calls.len(), 2);
}

#[test]
fn an_interrupt_makes_nothing_new_and_nothing_unread() {
    let script =
        script("rules = [{ on = 'fire', say = 'Run.' }, { seen = ['fire'], say = 'So.' }]");
    let transcript = [read(&["fire"]), said("Run."), Entry::Interrupted];
    assert_eq!(words(&script, &transcript), "So.");
}

#[test]
fn the_same_transcript_gives_the_same_answer_whoever_is_asked() {
    let text = r"
        let = { marks = 'read | matches(`(?<word>\w+)!`)' }
        rules = [{ say = '{{ marks | length }} {{ name }} {{ (results | last).text }}' }]"
        .replace('`', "\"")
        .replace(r"\w", r"\\w");
    let transcript = [read(&["a! b!"]), called("look", "{}"), returned("look", "c")];
    let first = script(&text);
    let answers = [&first, &first, &script(&text)].map(|script| words(script, &transcript));
    assert_eq!(answers, ["2 tester c", "2 tester c", "2 tester c"]);
}
