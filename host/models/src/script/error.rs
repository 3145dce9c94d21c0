//! What is wrong with a script, and where.

use std::fmt;

/// A fault of a script, found when it is read or when it answers. It says which script, which
/// rule and which part of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScriptError {
    /// Innermost first.
    places: Vec<String>,
    problem: String,
}

impl ScriptError {
    pub(crate) fn new(problem: impl fmt::Display) -> Self {
        Self { places: Vec::new(), problem: problem.to_string() }
    }
}

/// Says of a fault where it is.
pub(crate) trait Within {
    fn within(self, place: impl Into<String>) -> Self;
}

impl Within for ScriptError {
    fn within(mut self, place: impl Into<String>) -> Self {
        self.places.push(place.into());
        self
    }
}

impl<T> Within for Result<T, ScriptError> {
    fn within(self, place: impl Into<String>) -> Self {
        self.map_err(|error| error.within(place))
    }
}

impl fmt::Display for ScriptError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let places: Vec<_> = self.places.iter().rev().map(String::as_str).collect();
        if !places.is_empty() {
            write!(out, "{}: ", places.join(", "))?;
        }
        out.write_str(self.problem.trim_end())
    }
}

impl std::error::Error for ScriptError {}
