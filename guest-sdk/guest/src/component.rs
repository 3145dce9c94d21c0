//! What the macros write against: a component's description as compile-time JSON, and the way
//! from the host's call to the author's function.

mod json;

pub use crate::argument::choice;
#[cfg(target_arch = "wasm32")]
pub use crate::diag::tell_of_panics;
pub use crate::generated::export_component;
pub use crate::generated::exports::switchboard::plugin::tool::Guest;
pub use json::{bytes, length, text};

use crate::invalid::nearest;
use crate::{Arguments, Failure, Reply, Schema, Value};

/// The real host, through the imports.
#[derive(Debug)]
pub struct Host;

/// What a component says of itself.
#[derive(Debug, Clone, Copy)]
pub struct Description {
    pub world: &'static str,
    pub tools: &'static [Tool],
}

/// What a component says of one of its tools.
#[derive(Debug, Clone, Copy)]
pub struct Tool {
    pub name: &'static str,
    pub description: &'static str,
    pub input: Schema,
    pub read_only: bool,
    pub writes: bool,
    pub reports: Option<&'static [(&'static str, Example)]>,
}

/// A value in an example call: text, or JSON as it stands.
#[derive(Debug, Clone, Copy)]
pub enum Example {
    Text(&'static str),
    Json(&'static str),
}

/// Reads the arguments and runs the tool with them.
pub fn run<A: Arguments, R: Into<Reply>>(
    arguments: &str,
    tool: impl FnOnce(A) -> Result<R, Failure>,
) -> Result<Reply, Failure> {
    tool(A::read(parse(arguments)?)?).map(Into::into)
}

/// Some callers write nothing where a tool needs no arguments.
fn parse(arguments: &str) -> Result<Value, Failure> {
    let arguments = if arguments.trim().is_empty() { "{}" } else { arguments };
    serde_json::from_str(arguments)
        .map_err(|e| Failure::invalid_argument(format!("The arguments are not JSON: {e}.")))
}

pub fn no_such_tool(name: &str, tools: &[Tool]) -> Failure {
    let names = || tools.iter().map(|tool| tool.name);
    let hint = match nearest(name, names()) {
        Some(nearest) => format!("did you mean `{nearest}`?"),
        None => format!("it has {}.", names().collect::<Vec<_>>().join(", ")),
    };
    Failure::new("not-found", format!("This component has no tool `{name}`; {hint}"))
}

/// An example that names what is not an argument would mislead every model that reads it.
const fn names_arguments(example: &[(&str, Example)], schema: Schema) -> bool {
    let mut i = 0;
    while i < example.len() {
        if !has_property(schema, example[i].0) {
            return false;
        }
        i += 1;
    }
    true
}

const fn has_property(schema: Schema, name: &str) -> bool {
    let properties = schema.properties();
    let mut i = 0;
    while i < properties.len() {
        if same(properties[i].name, name) {
            return true;
        }
        i += 1;
    }
    false
}

const fn same(a: &str, b: &str) -> bool {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    let mut i = 0;
    while i < a.len() && i < b.len() && a[i] == b[i] {
        i += 1;
    }
    i == a.len() && i == b.len()
}
