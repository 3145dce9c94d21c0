//! One reaction: when it fits, and what it answers.

use minijinja::Value;
use switchboard_core::{StepRecord, TurnEnd};

use super::call::Call;
use super::error::{Place, ScriptError, Within};
use super::pattern::Pattern;
use super::tables::RuleTable;
use super::template::{self, Scope, Template};
use crate::memory::Memory;

const SAY: Place = Place::Key("say");

#[derive(Clone, Debug)]
pub(super) struct Rule {
    place: Place,
    on: Option<Pattern>,
    seen: Vec<Pattern>,
    unseen: Vec<Pattern>,
    unsaid: Vec<Pattern>,
    pub(super) hold: bool,
    say: Template,
    pub(super) calls: Vec<Call>,
}

impl Rule {
    /// The rule at this place, from 0, of a script that has these `lets`.
    pub(super) fn compile(
        index: usize,
        table: RuleTable,
        lets: &[&str],
    ) -> Result<Self, ScriptError> {
        let place = Place::Rule(index, table.name.clone());
        let compiled = Self::from_table(table, place.clone());
        let checked = compiled.and_then(|rule| rule.check_names(lets).map(|()| rule));
        checked.within(place)
    }

    fn from_table(table: RuleTable, place: Place) -> Result<Self, ScriptError> {
        if table.say.is_none() && table.calls.is_empty() {
            return Err(ScriptError::new("it does nothing; give it `say`, `calls` or both"));
        }
        let calls = table.calls.into_iter().enumerate();
        Ok(Self {
            place,
            on: patterns("on", table.on)?.pop(),
            seen: patterns("seen", table.seen)?,
            unseen: patterns("unseen", table.unseen)?,
            unsaid: patterns("unsaid", table.unsaid)?,
            hold: table.hold,
            say: Template::words(&table.say.unwrap_or_default()).within(SAY)?,
            calls: calls
                .map(|(index, call)| Call::compile(index, call))
                .collect::<Result<_, _>>()?,
        })
    }

    fn check_names(&self, lets: &[&str]) -> Result<(), ScriptError> {
        let mut known = template::given_names();
        known.extend(lets);
        for name in self.on.iter().chain(&self.seen).flat_map(Pattern::names) {
            template::check_name(name)?;
            if !known.insert(name) {
                return Err(ScriptError::new(format!("`{name}` is captured or named twice")));
            }
        }
        self.say.check_variables(&known).within(SAY)?;
        self.calls.iter().try_for_each(|call| call.check_variables(&known))
    }

    /// The answer, if the rule fits. A rule whose calls come to none is passed over, since an
    /// answer without calls would end the turn.
    pub(super) fn answer(
        &self,
        memory: &Memory<'_>,
        scope: &Scope,
    ) -> Result<Option<StepRecord>, ScriptError> {
        let Some(captured) = self.fits(memory) else { return Ok(None) };
        let mut scope = scope.clone();
        scope.extend(captured);
        self.record(&scope).within(self.place.clone())
    }

    /// The captures of its patterns, each from the newest text that matches.
    fn fits(&self, memory: &Memory<'_>) -> Option<Scope> {
        let said = |pattern: &Pattern| memory.said.iter().any(|text| pattern.is_match(text));
        let heard = |pattern: &Pattern| memory.heard().any(|text| pattern.is_match(text));
        if self.unsaid.iter().any(said) || self.unseen.iter().any(heard) {
            return None;
        }
        let mut captured = Scope::new();
        let on = self.on.iter().map(|pattern| memory.fresh().find_map(|text| pattern.first(text)));
        let seen = self.seen.iter();
        let seen = seen.map(|pattern| memory.heard().find_map(|text| pattern.first(text)));
        for captures in on.chain(seen) {
            captured.extend(captures?.into_iter().map(|(name, text)| (name, Value::from(text))));
        }
        Some(captured)
    }

    fn record(&self, scope: &Scope) -> Result<Option<StepRecord>, ScriptError> {
        let mut calls = Vec::new();
        for call in &self.calls {
            calls.extend(call.uses(scope)?);
        }
        if calls.is_empty() && !self.calls.is_empty() {
            return Ok(None);
        }
        let text = self.say.evaluate(scope).within(SAY)?;
        let text = text.to_string().into();
        Ok(Some(StepRecord { text, calls, end: TurnEnd::Completed }))
    }
}

fn patterns(
    key: &'static str,
    sources: impl IntoIterator<Item = String>,
) -> Result<Vec<Pattern>, ScriptError> {
    let compiled = sources.into_iter().map(|source| Pattern::new(&source));
    compiled.collect::<Result<_, _>>().within(Place::Key(key))
}
