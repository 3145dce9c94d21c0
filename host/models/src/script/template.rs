//! Texts with holes, filled from what an agent has read and got back.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use minijinja::syntax::SyntaxConfig;
use minijinja::{Environment, UndefinedBehavior, Value, context};

use super::error::ScriptError;
use super::{filters, known};
use crate::memory::{Memory, ToolAnswer};

/// The variables a template can use.
pub(super) type Scope = BTreeMap<String, Value>;

/// A text with holes, or one expression whose value keeps its type.
#[derive(Clone, Debug)]
pub(super) enum Template {
    Words(String),
    Expression(String),
}

/// Instructions of one template: a second or so.
const FUEL: u64 = 5_000_000;

pub(super) static ENVIRONMENT: LazyLock<Environment<'static>> = LazyLock::new(|| {
    let mut environment = Environment::new();
    // A misspelled variable is a fault of the script and no empty text.
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    // A line that holds a tag alone leaves no empty line behind.
    let syntax = SyntaxConfig::builder().trim_blocks(true).lstrip_blocks(true).build();
    environment.set_syntax(syntax.expect("the usual delimiters differ from each other"));
    // A loop in a template is a loop in this program.
    environment.set_fuel(Some(FUEL));
    filters::add_to(&mut environment);
    environment
});

impl Template {
    /// A text. If it is nothing but `{{ ... }}`, it is that expression: a number stays one.
    pub(super) fn new(source: &str) -> Result<Self, ScriptError> {
        let inner = source.trim().strip_prefix("{{").and_then(|rest| rest.strip_suffix("}}"));
        match inner {
            Some(inner) if !inner.contains("}}") => Self::expression(inner),
            _ => Self::words(source),
        }
    }

    /// A text that stays one.
    pub(super) fn words(source: &str) -> Result<Self, ScriptError> {
        known::check(&ENVIRONMENT.template_from_str(source).map_err(ScriptError::new)?)?;
        Ok(Self::Words(source.to_owned()))
    }

    /// An expression without the braces.
    pub(super) fn expression(source: &str) -> Result<Self, ScriptError> {
        ENVIRONMENT.compile_expression(source).map_err(ScriptError::new)?;
        // As a text it shows what it is made of.
        let text = format!("{{{{ ({source}) }}}}");
        known::check(&ENVIRONMENT.template_from_str(&text).map_err(ScriptError::new)?)?;
        Ok(Self::Expression(source.to_owned()))
    }

    pub(super) fn evaluate(&self, scope: &Scope) -> Result<Value, ScriptError> {
        let scope = Value::from(scope.clone());
        match self {
            Self::Words(source) => ENVIRONMENT.render_str(source, scope).map(Value::from),
            Self::Expression(source) => {
                ENVIRONMENT.compile_expression(source).and_then(|compiled| compiled.eval(scope))
            }
        }
        .map_err(ScriptError::new)
        .and_then(|value| self.defined(value))
    }

    fn defined(&self, value: Value) -> Result<Value, ScriptError> {
        match self {
            Self::Expression(source) if value.is_undefined() => {
                Err(ScriptError::new(format!("`{}` is undefined", source.trim())))
            }
            _ => Ok(value),
        }
    }

    /// Refuses a template that uses another variable than these.
    pub(super) fn check_variables(&self, known: &BTreeSet<&str>) -> Result<(), ScriptError> {
        let unknown = self.variables()?.into_iter().find(|used| !known.contains(used.as_str()));
        unknown.map_or(Ok(()), |unknown| {
            let known: Vec<_> = known.iter().map(|name| format!("`{name}`")).collect();
            let known = known.join(", ");
            Err(ScriptError::new(format!("there is no `{unknown}` here; there are {known}")))
        })
    }

    /// In order, so that of several unknown ones the same is named every time.
    fn variables(&self) -> Result<BTreeSet<String>, ScriptError> {
        let used = match self {
            Self::Words(source) => ENVIRONMENT
                .template_from_str(source)
                .map(|template| template.undeclared_variables(false)),
            Self::Expression(source) => ENVIRONMENT
                .compile_expression(source)
                .map(|expression| expression.undeclared_variables(false)),
        };
        let used = used.map_err(ScriptError::new)?;
        let global = |name: &String| ENVIRONMENT.globals().any(|(global, _)| global == name);
        Ok(used.into_iter().filter(|name| !global(name)).collect())
    }
}

/// The name under which a call with `each` has its element.
pub(super) const ELEMENT: &str = "it";

const NAME: &str = "name";
const READ: &str = "read";
const RESULTS: &str = "results";

/// The names every template can use.
pub(super) fn given_names() -> BTreeSet<&'static str> {
    BTreeSet::from([NAME, READ, RESULTS])
}

/// Refuses a name of the script's own that means something already.
pub(super) fn check_name(name: &str) -> Result<(), ScriptError> {
    if name == ELEMENT || given_names().contains(name) {
        return Err(ScriptError::new(format!("`{name}` is taken; use another name")));
    }
    Ok(())
}

/// What every template can use: the agent's name, the frames it has read, what its tools returned.
pub(super) fn given(name: &str, memory: &Memory<'_>) -> Scope {
    let frames = memory.read.iter().map(|frame| context! { text => *frame, body => body(frame) });
    let results = memory.results.iter().map(result);
    Scope::from([
        (NAME.into(), name.into()),
        (READ.into(), Value::from_iter(frames)),
        (RESULTS.into(), Value::from_iter(results)),
    ])
}

/// A frame's words without what the host says about them.
fn body(frame: &str) -> &str {
    let inner = frame.split_once("--- begin ").and_then(|(_, rest)| rest.split_once('\n'));
    let Some((nonce, rest)) = inner else { return "" };
    rest.split_once(&format!("\n--- end {nonce}")).map_or("", |(body, _)| body)
}

fn result(answer: &ToolAnswer<'_>) -> Value {
    let ToolAnswer { tool, arguments, text, failed } = *answer;
    let arguments: Value = serde_json::from_str(arguments).unwrap_or_default();
    context! { tool, arguments, text, failed }
}
