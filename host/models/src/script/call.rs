//! A tool call as a rule has it: made once, or once for each element of a list.

use std::collections::BTreeSet;

use switchboard_core::ToolUse;

use super::arguments::Arguments;
use super::error::{Place, ScriptError, Within};
use super::tables::CallTable;
use super::template::{ELEMENT, Scope, Template};

const EACH: Place = Place::Key("each");

#[derive(Clone, Debug)]
pub(super) struct Call {
    /// Which of its rule, from 0.
    index: usize,
    pub(super) tool: String,
    each: Option<Template>,
    arguments: Arguments,
}

impl Call {
    pub(super) fn compile(index: usize, table: CallTable) -> Result<Self, ScriptError> {
        let CallTable { tool, each, arguments } = table;
        let each = each.as_deref().map(Template::expression).transpose();
        let each = each.within(EACH).within(Place::Call(index, tool.clone()))?;
        let arguments = Arguments::compile(arguments).within(Place::Call(index, tool.clone()))?;
        Ok(Self { index, tool, each, arguments })
    }

    pub(super) fn check_variables(&self, known: &BTreeSet<&str>) -> Result<(), ScriptError> {
        let mut inside = known.clone();
        if let Some(each) = &self.each {
            each.check_variables(known).within(EACH).within(self.place())?;
            inside.insert(ELEMENT);
        }
        self.arguments.check_variables(&inside).within(self.place())
    }

    /// The calls it comes to; with `each` that may be none.
    pub(super) fn uses(&self, scope: &Scope) -> Result<Vec<ToolUse>, ScriptError> {
        let made = match &self.each {
            None => self.one(scope).map(|call| vec![call]),
            Some(each) => self.many(each, scope),
        };
        made.within(self.place())
    }

    fn many(&self, each: &Template, scope: &Scope) -> Result<Vec<ToolUse>, ScriptError> {
        let list = each.evaluate(scope).within(EACH)?;
        let elements = list.try_iter().map_err(ScriptError::new).within(EACH)?;
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

    fn place(&self) -> Place {
        Place::Call(self.index, self.tool.clone())
    }
}
