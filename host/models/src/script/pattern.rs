//! Regular expressions as scripts use them.

use std::collections::BTreeMap;

use regex::{Captures, Regex, RegexBuilder};

use super::error::ScriptError;

/// A regular expression whose `^` and `$` mean lines; `\A` and `\z` mean the whole text.
#[derive(Clone, Debug)]
pub(super) struct Pattern(Regex);

impl Pattern {
    pub(super) fn new(source: &str) -> Result<Self, ScriptError> {
        let built = RegexBuilder::new(source).multi_line(true).build();
        built.map(Self).map_err(|error| {
            let whole = error.to_string();
            // The engine draws the place on lines of its own; its last line is the reason.
            let reason = whole.lines().last().unwrap_or_default().trim_start_matches("error: ");
            ScriptError::new(format!("`{source}` is not a regular expression: {reason}"))
        })
    }

    pub(super) fn is_match(&self, text: &str) -> bool {
        self.0.is_match(text)
    }

    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.0.capture_names().flatten()
    }

    /// The named captures of its first match.
    pub(super) fn first(&self, text: &str) -> Option<BTreeMap<String, String>> {
        self.0.captures(text).map(|captures| self.named(&captures))
    }

    /// The named captures of all its matches.
    pub(super) fn all(&self, text: &str) -> Vec<BTreeMap<String, String>> {
        self.0.captures_iter(text).map(|captures| self.named(&captures)).collect()
    }

    /// A group that took no part is empty, so that a template can ask for it.
    fn named(&self, captures: &Captures<'_>) -> BTreeMap<String, String> {
        let text = |name| captures.name(name).map_or("", |found| found.as_str());
        self.names().map(|name| (name.to_owned(), text(name).to_owned())).collect()
    }
}
