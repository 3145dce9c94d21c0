//! A tool call as a rule has it: made once, or once for each element of a list.

use std::collections::BTreeSet;

use switchboard_core::ToolUse;

use super::arguments::Arguments;
use super::error::{ScriptError, Within};
use super::tables::CallTable;
use super::template::{ELEMENT, Scope, Template};

#[derive(Clone, Debug)]
pub(super) struct Call {
    tool: String,
    each: Option<Template>,
    arguments: Arguments,
}

impl Call {
    pub(super) fn compile(table: CallTable) -> Result<Self, ScriptError> {
        let CallTable { tool, each, arguments } = table;
        let each = each.as_deref().map(Template::expression).transpose();
        let each = each.within("`each`").within(place(&tool))?;
        let arguments = Arguments::compile(arguments).within(place(&tool))?;
        Ok(Self { tool, each, arguments })
    }

    pub(super) fn check_variables(&self, known: &BTreeSet<&str>) -> Result<(), ScriptError> {
        let mut inside = known.clone();
        if let Some(each) = &self.each {
            each.check_variables(known).within("`each`").within(place(&self.tool))?;
            inside.insert(ELEMENT);
        }
        self.arguments.check_variables(&inside).within(place(&self.tool))
    }

    /// The calls it comes to; with `each` that may be none.
    pub(super) fn uses(&self, scope: &Scope) -> Result<Vec<ToolUse>, ScriptError> {
        let made = match &self.each {
            None => self.one(scope).map(|call| vec![call]),
            Some(each) => self.many(each, scope),
        };
        made.within(place(&self.tool))
    }

    fn many(&self, each: &Template, scope: &Scope) -> Result<Vec<ToolUse>, ScriptError> {
        let list = each.evaluate(scope).within("`each`")?;
        let elements = list.try_iter().map_err(ScriptError::new).within("`each`")?;
        let mut inside = scope.clone();
        let calls = elements.map(|element| {
            inside.insert(ELEMENT.into(), element);
            self.one(&inside)
        });
        calls.collect()
    }

    fn one(&self, scope: &Scope) -> Result<ToolUse, ScriptError> {
        Ok(ToolUse { tool: self.tool.clone(), arguments: self.arguments.fill(scope)?.to_string() })
    }
}

fn place(tool: &str) -> String {
    format!("call of `{tool}`")
}
