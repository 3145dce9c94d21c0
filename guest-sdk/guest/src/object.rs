//! A JSON object in the making. A guest that only writes a few fields needs no more, and what
//! formats any value at all would double its size. It is written as it will be read: each piece
//! formatted by itself took longer than all else a control tool does.

use std::fmt::{self, Display, Formatter, Write};

/// An object whose fields are added one by one.
#[derive(Debug, Clone, Default)]
pub(crate) struct Object {
    /// What stands between its braces.
    fields: String,
}

impl Object {
    pub(crate) fn text(mut self, name: &str, value: &str) -> Self {
        self.name(name);
        quote(&mut self.fields, value);
        self
    }

    pub(crate) fn number(mut self, name: &str, value: impl Into<u64>) -> Self {
        self.name(name);
        self.fields += &value.into().to_string();
        self
    }

    pub(crate) fn flag(mut self, name: &str, value: bool) -> Self {
        self.name(name);
        self.fields += if value { "true" } else { "false" };
        self
    }

    pub(crate) fn texts(self, name: &str, values: &[String]) -> Self {
        self.list(name, values.iter(), |json, value| quote(json, value))
    }

    pub(crate) fn objects(self, name: &str, values: impl Iterator<Item = Object>) -> Self {
        self.list(name, values, |json, value| value.close(json))
    }

    pub(crate) fn object(mut self, name: &str, value: Object) -> Self {
        self.name(name);
        value.close(&mut self.fields);
        self
    }

    fn list<V>(
        mut self,
        name: &str,
        values: impl Iterator<Item = V>,
        write: impl Fn(&mut String, V),
    ) -> Self {
        self.name(name);
        self.fields.push('[');
        for (place, value) in values.enumerate() {
            if place > 0 {
                self.fields.push(',');
            }
            write(&mut self.fields, value);
        }
        self.fields.push(']');
        self
    }

    fn name(&mut self, name: &str) {
        if !self.fields.is_empty() {
            self.fields.push(',');
        }
        quote(&mut self.fields, name);
        self.fields.push(':');
    }

    fn close(&self, json: &mut String) {
        json.push('{');
        json.push_str(&self.fields);
        json.push('}');
    }
}

impl Display for Object {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{{{}}}", self.fields)
    }
}

/// Writes a string, what needs no escaping in one piece.
fn quote(json: &mut String, text: &str) {
    json.push('"');
    let mut rest = text;
    while let Some(at) = rest.find(|letter| matches!(letter, '"' | '\\' | '\0'..' ')) {
        json.push_str(&rest[..at]);
        match rest.as_bytes()[at] {
            b'"' => json.push_str("\\\""),
            b'\\' => json.push_str("\\\\"),
            b'\n' => json.push_str("\\n"),
            control => write!(json, "\\u{control:04x}").expect("a string takes it"),
        }
        rest = &rest[at + 1..];
    }
    json.push_str(rest);
    json.push('"');
}
