//! Arguments are read exactly, and what is wrong with them is said in words.

use switchboard_guest::{Argument, Arguments, Failure, Output, Value, json, tool};

#[derive(Debug, PartialEq, Arguments)]
struct Query {
    pattern: String,
    limit: Option<u8>,
    whole_words: Option<bool>,
    order: Option<Order>,
    filters: Option<Vec<Filter>>,
}

#[derive(Debug, PartialEq, Arguments)]
struct Filter {
    name: String,
    weight: Option<f64>,
}

#[derive(Debug, PartialEq, Argument)]
enum Order {
    Name,
    LastChange,
}

fn read(value: Value) -> Result<Query, String> {
    Query::read(value).map_err(|invalid| invalid.to_string())
}

#[test]
fn everything_that_is_given_is_read() {
    let query = read(json!({
        "pattern": "x", "limit": 3.0, "whole_words": true, "order": "last_change",
        "filters": [{ "name": "a", "weight": 1 }],
    }));
    let filters = vec![Filter { name: "a".into(), weight: Some(1.0) }];
    let expected = Query {
        pattern: "x".into(),
        limit: Some(3),
        whole_words: Some(true),
        order: Some(Order::LastChange),
        filters: Some(filters),
    };
    assert_eq!(query, Ok(expected));
}

#[test]
fn nothing_and_null_are_the_same_for_what_is_optional() {
    let without = read(json!({ "pattern": "x" }));
    assert_eq!(read(json!({ "pattern": "x", "limit": null, "filters": null })), without);
}

#[test]
fn what_is_missing_is_named() {
    assert_eq!(read(json!({})), Err("The argument `pattern` is missing.".into()));
    let inside = read(json!({ "pattern": "x", "filters": [{ "name": "a" }, {}] }));
    assert_eq!(inside, Err("The argument `filters[1].name` is missing.".into()));
}

#[test]
fn an_unknown_name_is_answered_with_the_nearest() {
    let said = read(json!({ "patern": "x" }));
    assert_eq!(said, Err("There is no argument `patern`; did you mean `pattern`?".into()));
    let inside = read(json!({ "pattern": "x", "filters": [{ "nam": "a" }] }));
    let expected = "There is no argument `filters[0].nam`; did you mean `name`?";
    assert_eq!(inside, Err(expected.into()));
}

#[test]
fn a_name_near_to_none_is_answered_with_all() {
    let said = read(json!({ "pattern": "x", "filters": [{ "colour": "red" }] }));
    let expected = "There is no argument `filters[0].colour`; there are `name`, `weight`.";
    assert_eq!(said, Err(expected.into()));
}

#[test]
fn a_value_of_another_type_is_shown_with_what_it_should_be() {
    let cases = [
        (json!({ "pattern": 7 }), "The argument `pattern` must be a string, not 7."),
        (json!({ "pattern": null }), "The argument `pattern` must be a string, not null."),
        (
            json!({ "pattern": "x", "limit": 256 }),
            "The argument `limit` must be an integer from 0 to 255, not 256.",
        ),
        (
            json!({ "pattern": "x", "limit": "ten" }),
            "The argument `limit` must be an integer from 0 to 255, not \"ten\".",
        ),
        (
            json!({ "pattern": "x", "limit": 1.5 }),
            "The argument `limit` must be an integer from 0 to 255, not a fraction.",
        ),
        (
            json!({ "pattern": "x", "whole_words": "yes" }),
            "The argument `whole_words` must be true or false, not \"yes\".",
        ),
        (
            json!({ "pattern": "x", "order": "size" }),
            "The argument `order` must be one of name, last_change, not \"size\".",
        ),
        (
            json!({ "pattern": "x", "filters": {} }),
            "The argument `filters` must be an array, not an object.",
        ),
        (json!(["x"]), "The arguments must be an object, not an array."),
    ];
    for (value, expected) in cases {
        assert_eq!(read(value), Err(expected.into()));
    }
}

/// Says how late it is.
#[tool(read_only)]
fn tell_time() -> Result<Output, Failure> {
    Ok(Output::text("late"))
}

#[test]
fn a_tool_without_arguments_takes_none() {
    for arguments in ["", "{}"] {
        assert_eq!(Component::call("tell_time", arguments), Ok(Output::text("late").into()));
    }
    let failure = Component::call("tell_time", r#"{"zone": "UTC"}"#).unwrap_err();
    assert_eq!(failure.code, "invalid-argument");
    assert_eq!(failure.text, "There is no argument `zone`; there are none.");
}

#[test]
fn what_is_no_json_is_refused() {
    let failure = Component::call("tell_time", "{").unwrap_err();
    assert_eq!(failure.code, "invalid-argument");
    assert!(failure.text.starts_with("The arguments are not JSON: "), "{}", failure.text);
}

#[test]
fn a_tool_that_the_component_does_not_have_is_not_found() {
    let failure = Component::call("tell_times", "{}").unwrap_err();
    assert_eq!(failure.code, "not-found");
    assert!(failure.text.ends_with("did you mean `tell_time`?"), "{}", failure.text);
}
