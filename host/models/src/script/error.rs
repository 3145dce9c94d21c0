//! What is wrong with a script, and where.

use std::fmt;

/// A fault of a script, found when it is read or when it answers. It says which script, which
/// rule and which part of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScriptError {
    /// Innermost first.
    places: Vec<Place>,
    problem: String,
}

/// A part of a script.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    Script(String),
    Let(String),
    /// From 0, with its name.
    Rule(usize, Option<String>),
    Key(&'static str),
    /// From 0, with its tool.
    Call(usize, String),
    Argument(String),
}

impl ScriptError {
    pub(crate) fn new(problem: impl fmt::Display) -> Self {
        Self { places: Vec::new(), problem: problem.to_string() }
    }

    /// The way from the script's own table to what is wrong: keys, and in a list the place from 0.
    pub fn path(&self) -> Vec<String> {
        let mut path = Vec::new();
        let mut outer: Option<&Place> = None;
        for place in self.places.iter().rev() {
            match place {
                Place::Script(_) => {}
                Place::Let(name) => path.extend(["let".to_owned(), name.clone()]),
                Place::Rule(index, _) => path.extend(["rules".to_owned(), index.to_string()]),
                Place::Key(key) => path.push((*key).to_owned()),
                Place::Call(index, _) => path.extend(["calls".to_owned(), index.to_string()]),
                Place::Argument(name) => {
                    let first = matches!(outer, Some(Place::Call(..)));
                    path.extend(first.then(|| "arguments".to_owned()));
                    path.push(name.clone());
                }
            }
            outer = Some(place);
        }
        path
    }
}

/// Says of a fault where it is.
pub(crate) trait Within {
    fn within(self, place: Place) -> Self;
}

impl Within for ScriptError {
    fn within(mut self, place: Place) -> Self {
        self.places.push(place);
        self
    }
}

impl<T> Within for Result<T, ScriptError> {
    fn within(self, place: Place) -> Self {
        self.map_err(|error| error.within(place))
    }
}

impl fmt::Display for Place {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Script(name) => write!(out, "script `{name}`"),
            Self::Let(name) => write!(out, "let `{name}`"),
            Self::Rule(index, None) => write!(out, "rule {}", index + 1),
            Self::Rule(index, Some(name)) => write!(out, "rule {} (`{name}`)", index + 1),
            Self::Key(key) => write!(out, "`{key}`"),
            Self::Call(_, tool) => write!(out, "call of `{tool}`"),
            Self::Argument(name) => write!(out, "argument `{name}`"),
        }
    }
}

impl fmt::Display for ScriptError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let places: Vec<_> = self.places.iter().rev().map(Place::to_string).collect();
        if !places.is_empty() {
            write!(out, "{}: ", places.join(", "))?;
        }
        out.write_str(self.problem.trim_end())
    }
}

impl std::error::Error for ScriptError {}
