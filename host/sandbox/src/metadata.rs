//! What a component says of its tools: a custom section, read without running anything.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::error::ComponentError;

/// The section's name.
pub(crate) const SECTION: &str = "switchboard:tool";
/// The format this host reads.
const FORMAT: u32 = 1;
const MOST_BYTES: usize = 256 << 10;
const MOST_TOOLS: usize = 64;

/// What a component says of itself.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Description {
    /// The version of the format.
    pub format: u32,
    /// The version of the SDK it was built with.
    pub sdk: String,
    /// The world it was built for.
    pub world: String,
    /// Its tools.
    pub tools: Vec<ToolDescription>,
}

/// What a component says of one of its tools.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ToolDescription {
    /// The name it has in the component.
    pub name: String,
    /// What it does, for the model.
    pub description: String,
    /// JSON Schema of its arguments.
    pub input_schema: Value,
    /// Hints. They may make the host more careful, never less (HAND-2).
    #[serde(default)]
    pub annotations: Annotations,
    /// Example arguments with which it reports to a parent (SET-5).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reports: Option<Value>,
}

/// Hints about a tool.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Annotations {
    /// It says that it changes nothing.
    pub read_only: bool,
    /// It says that it changes something, though nothing it holds would let it.
    pub writes: bool,
}

/// Only the format, which decides what the rest means.
#[derive(Deserialize)]
struct Format {
    format: u32,
}

/// Reads the one section there must be.
pub(crate) fn read(sections: &[&[u8]]) -> Result<Description, ComponentError> {
    let section = match sections {
        [section] => *section,
        [] => return Err(wrong("is missing: build the component with `switchboard-guest`")),
        _ => return Err(wrong("is there more than once")),
    };
    if section.len() > MOST_BYTES {
        return Err(wrong(format!("has {} bytes, more than {MOST_BYTES}", section.len())));
    }
    let Format { format } = parse(section)?;
    if format != FORMAT {
        return Err(wrong(format!("has format {format}, this host reads {FORMAT}")));
    }
    let description: Description = parse(section)?;
    check(&description)?;
    Ok(description)
}

fn parse<'a, T: Deserialize<'a>>(section: &'a [u8]) -> Result<T, ComponentError> {
    serde_json::from_slice(section).map_err(|error| wrong(format!("cannot be read: {error}")))
}

fn check(description: &Description) -> Result<(), ComponentError> {
    let count = description.tools.len();
    if count == 0 || count > MOST_TOOLS {
        return Err(wrong(format!("has {count} tools, 1 to {MOST_TOOLS} are allowed")));
    }
    for (place, tool) in description.tools.iter().enumerate() {
        let name = &tool.name;
        if description.tools[..place].iter().any(|earlier| earlier.name == *name) {
            return Err(wrong(format!("has two tools `{name}`")));
        }
        if !is_tool_name(name) {
            return Err(wrong(format!("has a tool `{name}`, which is not a name")));
        }
        if let Some(problem) = schema_problem(&tool.input_schema) {
            return Err(wrong(format!("has a schema for `{name}` that {problem}")));
        }
        if tool.reports.as_ref().is_some_and(|example| !example.is_object()) {
            return Err(wrong(format!("has `reports` for `{name}` that is not an object")));
        }
    }
    Ok(())
}

/// Whether every model provider takes it as a tool's name.
pub(crate) fn is_tool_name(name: &str) -> bool {
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
    (1..=64).contains(&name.len()) && name.bytes().all(allowed)
}

/// One schema a provider refuses makes it refuse every tool of the request.
fn schema_problem(schema: &Value) -> Option<&'static str> {
    let Value::Object(top) = schema else { return Some("is not an object") };
    if top.get("type").and_then(Value::as_str) != Some("object") {
        return Some("does not say `\"type\": \"object\"` at its top");
    }
    if ["oneOf", "anyOf", "allOf", "not", "enum"].iter().any(|word| top.contains_key(*word)) {
        return Some("combines schemas at its top, which model providers refuse");
    }
    refers(schema).then_some("has a `$ref`, which model providers refuse")
}

fn refers(value: &Value) -> bool {
    match value {
        Value::Object(fields) => fields.contains_key("$ref") || fields.values().any(refers),
        Value::Array(items) => items.iter().any(refers),
        _ => false,
    }
}

fn wrong(problem: impl Into<String>) -> ComponentError {
    ComponentError::Description(problem.into())
}
