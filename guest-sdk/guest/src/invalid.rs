//! Why arguments were not accepted, said so that the model can mend them.

use std::fmt::{self, Display, Formatter};

use serde_json::Value;

use crate::Property;

/// What is wrong with which argument.
#[derive(Debug, PartialEq)]
pub struct Invalid {
    /// The path to it, like `filters[2].name`; empty for the arguments as a whole.
    place: String,
    wrong: Wrong,
}

#[derive(Debug, PartialEq)]
enum Wrong {
    Missing,
    Unknown { known: &'static [Property] },
    Mismatch { expected: String, found: String },
}

impl Invalid {
    pub(crate) fn missing(name: &str) -> Self {
        Self { place: name.into(), wrong: Wrong::Missing }
    }

    pub(crate) fn unknown(name: &str, known: &'static [Property]) -> Self {
        Self { place: name.into(), wrong: Wrong::Unknown { known } }
    }

    /// The value is another than was expected.
    pub fn mismatch(expected: &str, found: &Value) -> Self {
        let wrong = Wrong::Mismatch { expected: expected.into(), found: brief(found) };
        Self { place: String::new(), wrong }
    }

    pub(crate) fn inside(mut self, outer: &str) -> Self {
        let joint = if self.place.is_empty() || self.place.starts_with('[') { "" } else { "." };
        self.place = format!("{outer}{joint}{}", self.place);
        self
    }

    fn name(&self) -> &str {
        self.place.rsplit('.').next().unwrap_or(&self.place)
    }
}

impl Display for Invalid {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let place = &self.place;
        match &self.wrong {
            Wrong::Missing => write!(f, "The argument `{place}` is missing."),
            Wrong::Unknown { known } => {
                write!(f, "There is no argument `{place}`; {}", instead(self.name(), known))
            }
            Wrong::Mismatch { expected, found } if place.is_empty() => {
                write!(f, "The arguments must be {expected}, not {found}.")
            }
            Wrong::Mismatch { expected, found } => {
                write!(f, "The argument `{place}` must be {expected}, not {found}.")
            }
        }
    }
}

impl std::error::Error for Invalid {}

fn instead(name: &str, known: &[Property]) -> String {
    if known.is_empty() {
        return "there are none.".into();
    }
    if let Some(nearest) = nearest(name, known.iter().map(|p| p.name)) {
        return format!("did you mean `{nearest}`?");
    }
    let names: Vec<_> = known.iter().map(|p| format!("`{}`", p.name)).collect();
    format!("there are {}.", names.join(", "))
}

/// The name that was most likely meant, if any is near enough.
pub(crate) fn nearest<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let (distance, nearest) = known.map(|k| (distance(name, k), k)).min()?;
    (distance <= 2.max(name.len() / 3)).then_some(nearest)
}

/// How many letters have to be put in, taken out or changed.
fn distance(a: &str, b: &str) -> usize {
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.bytes().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], i + 1);
        for (j, y) in b.bytes().enumerate() {
            let changed = diagonal + usize::from(x != y);
            diagonal = row[j + 1];
            row[j + 1] = changed.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

fn brief(value: &Value) -> String {
    const SHOWN: usize = 40;
    match value {
        Value::Array(_) => "an array".into(),
        Value::Object(_) => "an object".into(),
        Value::String(text) if text.chars().count() > SHOWN => {
            format!("\"{}…\"", text.chars().take(SHOWN).collect::<String>())
        }
        Value::String(text) => format!("\"{text}\""),
        Value::Number(number) => match number.as_i128() {
            Some(whole) => whole.to_string(),
            None => "a fraction".into(),
        },
        Value::Bool(value) => value.to_string(),
        Value::Null => "null".into(),
    }
}
