//! A model that is written down: reactions to what an agent reads, as data.
//!
//! A script knows neither clock nor other agents nor file contents. It keeps no state: what it
//! answers follows from the transcript alone, so after a crash it goes on as if there had been
//! none.

mod arguments;
mod call;
mod error;
mod filters;
mod known;
mod pattern;
mod rule;
mod tables;
mod template;

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer};
use switchboard_core::StepRecord;
use switchboard_runtime::Entry;

pub use error::ScriptError;
pub(crate) use error::{Place, Within};
pub use tables::{CallTable, RuleTable, ScriptTable};

use crate::memory::Memory;
use rule::Rule;
use template::{Scope, Template};

/// Rules, of which the first that fits makes the answer.
///
/// A rule fits by what the agent has read (`on`, `seen`) and has not said yet (`unsaid`), and
/// answers with words (`say`), tool calls (`calls`) or both. All texts are templates over what
/// the agent has read and what its tools returned.
#[derive(Clone, Debug, Deserialize)]
#[serde(try_from = "ScriptTable")]
pub struct Script {
    lets: BTreeMap<String, Template>,
    rules: Vec<Rule>,
}

/// What a script does about what an agent has read.
#[derive(Debug)]
pub(crate) struct Reaction {
    /// The answer is given only once mail waits.
    pub(crate) hold: bool,
    pub(crate) record: StepRecord,
}

impl Script {
    /// Reads the tables of the script called `name`.
    ///
    /// # Errors
    /// What is wrong with them, in which rule of which script.
    pub fn parse<'de>(name: &str, tables: impl Deserializer<'de>) -> Result<Self, ScriptError> {
        let tables = ScriptTable::deserialize(tables).map_err(ScriptError::new);
        tables.and_then(Self::try_from).within(Place::Script(name.to_owned()))
    }

    /// The tools its rules call, each with the place of the rule and of the call in it, from 0.
    pub fn calls(&self) -> impl Iterator<Item = (usize, usize, &str)> {
        self.rules.iter().enumerate().flat_map(|(rule, compiled)| {
            let calls = compiled.calls.iter().enumerate();
            calls.map(move |(call, made)| (rule, call, made.tool.as_str()))
        })
    }

    /// The answer of the agent called `name` after this transcript.
    pub(crate) fn react(&self, name: &str, transcript: &[Entry]) -> Result<Reaction, ScriptError> {
        let memory = Memory::of(transcript);
        let scope = self.scope(name, &memory)?;
        for rule in &self.rules {
            if let Some(record) = rule.answer(&memory, &scope)? {
                return Ok(Reaction { hold: rule.hold, record });
            }
        }
        Err(nothing_fits(&memory))
    }

    fn scope(&self, name: &str, memory: &Memory<'_>) -> Result<Scope, ScriptError> {
        let given = template::given(name, memory);
        let mut scope = given.clone();
        for (name, expression) in &self.lets {
            scope.insert(name.clone(), expression.evaluate(&given).within(in_let(name))?);
        }
        Ok(scope)
    }
}

impl TryFrom<ScriptTable> for Script {
    type Error = ScriptError;

    fn try_from(tables: ScriptTable) -> Result<Self, ScriptError> {
        let mut lets = BTreeMap::new();
        for (name, source) in tables.lets {
            let expression = let_expression(&name, &source).within(in_let(&name))?;
            lets.insert(name, expression);
        }
        let names: Vec<&str> = lets.keys().map(String::as_str).collect();
        let numbered = tables.rules.into_iter().enumerate();
        let rules = numbered.map(|(index, table)| Rule::compile(index, table, &names));
        let rules = rules.collect::<Result<Vec<_>, _>>()?;
        if rules.is_empty() {
            return Err(ScriptError::new("it has no rules, so it could never answer"));
        }
        Ok(Self { lets, rules })
    }
}

fn let_expression(name: &str, source: &str) -> Result<Template, ScriptError> {
    template::check_name(name)?;
    let expression = Template::expression(source)?;
    expression.check_variables(&template::given_names())?;
    Ok(expression)
}

fn in_let(name: &str) -> Place {
    Place::Let(name.to_owned())
}

const NEWEST_SHOWN: usize = 200;

fn nothing_fits(memory: &Memory<'_>) -> ScriptError {
    let newest = memory.heard().next().unwrap_or("nothing at all");
    let newest = filters::cut(newest, NEWEST_SHOWN);
    ScriptError::new(format!("no rule fits; the newest thing it has read is:\n{newest}"))
}
