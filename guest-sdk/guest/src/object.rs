//! A JSON object in the making. A guest that only writes a few fields needs no more, and what
//! formats any value at all would double its size.

use std::fmt::{self, Display, Formatter, Write};

/// An object whose fields are added one by one.
#[derive(Debug, Clone, Default)]
pub(crate) struct Object(String);

impl Object {
    pub(crate) fn text(self, name: &str, value: &str) -> Self {
        self.json(name, &quoted(value))
    }

    pub(crate) fn number(self, name: &str, value: impl Into<u64>) -> Self {
        self.json(name, &value.into().to_string())
    }

    pub(crate) fn flag(self, name: &str, value: bool) -> Self {
        self.json(name, if value { "true" } else { "false" })
    }

    pub(crate) fn texts(self, name: &str, values: &[String]) -> Self {
        self.list(name, values.iter().map(|value| quoted(value)))
    }

    pub(crate) fn objects(self, name: &str, values: impl Iterator<Item = Object>) -> Self {
        self.list(name, values.map(|value| value.to_string()))
    }

    pub(crate) fn object(self, name: &str, value: Object) -> Self {
        self.json(name, &value.to_string())
    }

    fn list(self, name: &str, values: impl Iterator<Item = String>) -> Self {
        let values: Vec<_> = values.collect();
        self.json(name, &format!("[{}]", values.join(",")))
    }

    fn json(mut self, name: &str, json: &str) -> Self {
        let comma = if self.0.is_empty() { "" } else { "," };
        self.0 += &format!("{comma}{}:{json}", quoted(name));
        self
    }
}

impl Display for Object {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{{{}}}", self.0)
    }
}

fn quoted(text: &str) -> String {
    let mut json = String::from("\"");
    for letter in text.chars() {
        match letter {
            '"' => json.push_str("\\\""),
            '\\' => json.push_str("\\\\"),
            '\n' => json.push_str("\\n"),
            '\0'..' ' => write!(json, "\\u{:04x}", letter as u32).expect("a string takes it"),
            _ => json.push(letter),
        }
    }
    json + "\""
}
