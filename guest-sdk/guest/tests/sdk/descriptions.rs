//! The JSON that a host reads in a component.

use switchboard_guest::{
    Argument, Arguments, Failure, Output, Reply, Subagents, Value, json, tools,
};

#[derive(Arguments)]
#[allow(dead_code, reason = "only their schema is of interest")]
struct Everything {
    /// A "quoted" word,
    /// wrapped over two lines.
    ///
    /// - a list
    /// - of two
    text: String,
    flag: Option<bool>,
    number: f64,
    small: i8,
    large: u64,
    any: Option<i64>,
    choice: Choice,
    list: Vec<Vec<u32>>,
    /// A struct in a struct.
    inside: Inside,
}

#[derive(Arguments)]
#[allow(dead_code, reason = "only their schema is of interest")]
struct Inside {
    r#type: Option<String>,
}

#[derive(Argument)]
#[allow(dead_code, reason = "only their schema is of interest")]
enum Choice {
    One,
    TheOther,
}

#[tools]
mod described {
    use super::*;

    /// Takes everything.
    #[tool(read_only, reports(text = "{parent}", small = 5, flag = true))]
    fn everything(_: Everything, _: &impl Subagents) -> Result<Output, Failure> {
        Ok(Output::text("nothing"))
    }

    /// Takes nothing, and answers later.
    #[tool(writes)]
    fn nothing(_: &impl Subagents) -> Result<Reply, Failure> {
        Ok(Reply::Later("ticket".into()))
    }
}

mod telling {
    use switchboard_guest::{Failure, Output, Workspace, tool};

    /// Says something in the log.
    #[tool(read_only, diag)]
    pub(super) fn telling(_: &impl Workspace) -> Result<Output, Failure> {
        Ok(Output::text("told"))
    }
}

#[test]
fn a_tool_that_writes_to_the_log_says_so_by_its_world() {
    let description: Value = telling::Component::DESCRIPTION.parse().unwrap();
    assert_eq!(description["world"], "workspace-diag-tool");
    let said = telling::telling(&switchboard_guest::fake::Workspace::answering([]));
    assert!(said.is_ok());
}

fn description() -> Value {
    Component::DESCRIPTION.parse().unwrap()
}

#[test]
fn it_says_its_format_its_sdk_and_its_world() {
    let description = description();
    assert_eq!(description["format"], 1);
    assert_eq!(description["sdk"], env!("CARGO_PKG_VERSION"));
    assert_eq!(description["world"], "control-tool");
}

#[test]
fn every_type_has_its_schema() {
    let expected = json!({
        "type": "object",
        "properties": {
            "text": {
                "type": "string",
                "description": "A \"quoted\" word, wrapped over two lines.\n\n- a list\n- of two",
            },
            "flag": { "type": "boolean" },
            "number": { "type": "number" },
            "small": { "type": "integer", "minimum": -128, "maximum": 127 },
            "large": { "type": "integer", "minimum": 0 },
            "any": { "type": "integer" },
            "choice": { "type": "string", "enum": ["one", "the_other"] },
            "list": {
                "type": "array",
                "items": {
                    "type": "array",
                    "items": { "type": "integer", "minimum": 0, "maximum": 4_294_967_295u32 },
                },
            },
            "inside": {
                "type": "object",
                "properties": { "type": { "type": "string" } },
                "additionalProperties": false,
                "description": "A struct in a struct.",
            },
        },
        "required": ["text", "number", "small", "large", "choice", "list", "inside"],
        "additionalProperties": false,
    });
    assert_eq!(description()["tools"][0]["input_schema"], expected);
}

#[test]
fn each_tool_says_what_it_does_and_what_it_changes() {
    let tools = &description()["tools"];
    assert_eq!(tools[0]["name"], "everything");
    assert_eq!(tools[0]["description"], "Takes everything.");
    assert_eq!(tools[0]["annotations"], json!({ "read_only": true }));
    assert_eq!(tools[1]["name"], "nothing");
    assert_eq!(tools[1]["annotations"], json!({ "read_only": false, "writes": true }));
    let nothing = json!({ "type": "object", "properties": {}, "additionalProperties": false });
    assert_eq!(tools[1]["input_schema"], nothing);
}

#[test]
fn an_example_of_a_report_is_there_for_those_that_have_one() {
    let tools = &description()["tools"];
    let example = json!({ "text": "{parent}", "small": 5, "flag": true });
    assert_eq!(tools[0]["reports"], example);
    assert_eq!(tools[1].get("reports"), None);
}

#[test]
fn each_tool_is_called_by_its_name() {
    let host = switchboard_guest::fake::Subagents::answering([]);
    assert_eq!(Component::call("nothing", "{}", &host), Ok(Reply::Later("ticket".into())));
    assert!(Component::call("everything", "{}", &host).is_err());
}
