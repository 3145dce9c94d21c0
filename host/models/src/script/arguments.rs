//! The arguments of a call: JSON whose texts are templates.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::error::{Place, ScriptError, Within};
use super::template::{Scope, Template};

/// The arguments by name.
#[derive(Clone, Debug)]
pub(super) struct Arguments(Vec<(String, Argument)>);

#[derive(Clone, Debug)]
enum Argument {
    Text(Template),
    List(Vec<Argument>),
    Table(Arguments),
    Constant(Value),
}

impl Arguments {
    pub(super) fn compile(table: Map<String, Value>) -> Result<Self, ScriptError> {
        let compiled = table.into_iter().map(|(name, value)| {
            let argument = Argument::compile(value).within(at(&name))?;
            Ok((name, argument))
        });
        compiled.collect::<Result<_, _>>().map(Self)
    }

    pub(super) fn check_variables(&self, known: &BTreeSet<&str>) -> Result<(), ScriptError> {
        let mut arguments = self.0.iter();
        arguments.try_for_each(|(name, argument)| argument.check_variables(known).within(at(name)))
    }

    pub(super) fn fill(&self, scope: &Scope) -> Result<Value, ScriptError> {
        let filled = self.0.iter().map(|(name, argument)| {
            let value = argument.fill(scope).within(at(name))?;
            Ok((name.clone(), value))
        });
        filled.collect::<Result<_, _>>().map(Value::Object)
    }
}

impl Argument {
    fn compile(value: Value) -> Result<Self, ScriptError> {
        Ok(match value {
            Value::String(source) => Self::Text(Template::new(&source)?),
            Value::Array(items) => {
                Self::List(items.into_iter().map(Self::compile).collect::<Result<_, _>>()?)
            }
            Value::Object(table) => Self::Table(Arguments::compile(table)?),
            constant @ (Value::Null | Value::Bool(_) | Value::Number(_)) => {
                Self::Constant(constant)
            }
        })
    }

    fn check_variables(&self, known: &BTreeSet<&str>) -> Result<(), ScriptError> {
        match self {
            Self::Text(template) => template.check_variables(known),
            Self::List(items) => items.iter().try_for_each(|item| item.check_variables(known)),
            Self::Table(table) => table.check_variables(known),
            Self::Constant(_) => Ok(()),
        }
    }

    fn fill(&self, scope: &Scope) -> Result<Value, ScriptError> {
        match self {
            Self::Text(template) => {
                serde_json::to_value(template.evaluate(scope)?).map_err(ScriptError::new)
            }
            Self::List(items) => items
                .iter()
                .map(|item| item.fill(scope))
                .collect::<Result<_, _>>()
                .map(Value::Array),
            Self::Table(table) => table.fill(scope),
            Self::Constant(value) => Ok(value.clone()),
        }
    }
}

fn at(name: &str) -> Place {
    Place::Argument(name.to_owned())
}
