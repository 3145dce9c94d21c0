//! Writes a description as JSON while compiling, so that it can be a section of the binary.

use super::{Description, Example, Tool, names_arguments};
use crate::{Property, Schema};

const FORMAT: &str = "1";
const SDK: &str = env!("CARGO_PKG_VERSION");

/// How many bytes the JSON of a description has.
pub const fn length(description: &Description) -> usize {
    let mut json = Writer::<0>::new();
    json.description(description);
    json.length
}

/// The JSON of a description; `N` is its [`length`].
pub const fn bytes<const N: usize>(description: &Description) -> [u8; N] {
    let mut json = Writer::<N>::new();
    json.description(description);
    assert!(json.length == N, "the array has the length that was counted");
    json.bytes
}

/// The same as text.
pub const fn text(bytes: &[u8]) -> &str {
    match str::from_utf8(bytes) {
        Ok(text) => text,
        Err(_) => panic!("JSON of text is text"),
    }
}

/// Counts everything and keeps what fits: with no room it only counts.
struct Writer<const N: usize> {
    bytes: [u8; N],
    length: usize,
}

impl<const N: usize> Writer<N> {
    const fn new() -> Self {
        Self { bytes: [0; N], length: 0 }
    }

    const fn byte(&mut self, byte: u8) {
        if self.length < N {
            self.bytes[self.length] = byte;
        }
        self.length += 1;
    }

    const fn raw(&mut self, text: &str) {
        let mut i = 0;
        while i < text.len() {
            self.byte(text.as_bytes()[i]);
            i += 1;
        }
    }

    const fn string(&mut self, text: &str) {
        self.byte(b'"');
        let mut i = 0;
        while i < text.len() {
            self.escaped(text.as_bytes()[i]);
            i += 1;
        }
        self.byte(b'"');
    }

    const fn escaped(&mut self, byte: u8) {
        const HEX: &[u8] = b"0123456789abcdef";
        match byte {
            b'"' => self.raw("\\\""),
            b'\\' => self.raw("\\\\"),
            b'\n' => self.raw("\\n"),
            0..0x20 => {
                self.raw("\\u00");
                self.byte(HEX[(byte >> 4) as usize]);
                self.byte(HEX[(byte & 15) as usize]);
            }
            _ => self.byte(byte),
        }
    }

    const fn integer(&mut self, n: i64) {
        if n < 0 {
            self.byte(b'-');
        }
        let mut unit: u64 = 1;
        while n.unsigned_abs() / unit >= 10 {
            unit *= 10;
        }
        while unit > 0 {
            self.byte(b'0' + (n.unsigned_abs() / unit % 10) as u8);
            unit /= 10;
        }
    }

    const fn boolean(&mut self, value: bool) {
        self.raw(if value { "true" } else { "false" });
    }

    const fn description(&mut self, description: &Description) {
        self.raw("{\"format\":");
        self.raw(FORMAT);
        self.raw(",\"sdk\":");
        self.string(SDK);
        self.raw(",\"world\":");
        self.string(description.world);
        self.raw(",\"tools\":[");
        let mut i = 0;
        while i < description.tools.len() {
            self.comma(i);
            self.tool(&description.tools[i]);
            i += 1;
        }
        self.raw("]}");
    }

    const fn tool(&mut self, tool: &Tool) {
        self.raw("{\"name\":");
        self.string(tool.name);
        self.raw(",\"description\":");
        self.string(tool.description);
        self.raw(",\"input_schema\":{");
        self.schema(&tool.input);
        self.raw("},\"annotations\":{\"read_only\":");
        self.boolean(tool.read_only);
        if tool.writes {
            self.raw(",\"writes\":true");
        }
        self.byte(b'}');
        if let Some(example) = tool.reports {
            assert!(
                names_arguments(example, tool.input),
                "`reports` names an argument that the tool does not have"
            );
            self.raw(",\"reports\":");
            self.example(example);
        }
        self.byte(b'}');
    }

    const fn example(&mut self, example: &[(&str, Example)]) {
        self.byte(b'{');
        let mut i = 0;
        while i < example.len() {
            self.comma(i);
            self.string(example[i].0);
            self.byte(b':');
            match example[i].1 {
                Example::Text(text) => self.string(text),
                Example::Json(json) => self.raw(json),
            }
            i += 1;
        }
        self.byte(b'}');
    }

    /// The members of a schema, so that a property can add its description to them.
    const fn schema(&mut self, schema: &Schema) {
        match schema {
            Schema::Text => self.raw("\"type\":\"string\""),
            Schema::Boolean => self.raw("\"type\":\"boolean\""),
            Schema::Number => self.raw("\"type\":\"number\""),
            Schema::Integer { minimum, maximum } => {
                self.raw("\"type\":\"integer\"");
                self.bound(",\"minimum\":", *minimum);
                self.bound(",\"maximum\":", *maximum);
            }
            Schema::Choice(names) => {
                self.raw("\"type\":\"string\",\"enum\":");
                self.names(names);
            }
            Schema::List(items) => {
                self.raw("\"type\":\"array\",\"items\":{");
                self.schema(items);
                self.byte(b'}');
            }
            Schema::Object(properties) => self.object(properties),
            Schema::TextOrObject => {
                self.raw("\"anyOf\":[{\"type\":\"string\"},{\"type\":\"object\"}]");
            }
        }
    }

    const fn bound(&mut self, keyword: &str, bound: Option<i64>) {
        if let Some(n) = bound {
            self.raw(keyword);
            self.integer(n);
        }
    }

    const fn names(&mut self, names: &[&str]) {
        self.byte(b'[');
        let mut i = 0;
        while i < names.len() {
            self.comma(i);
            self.string(names[i]);
            i += 1;
        }
        self.byte(b']');
    }

    const fn object(&mut self, properties: &[Property]) {
        self.raw("\"type\":\"object\",\"properties\":{");
        let mut i = 0;
        while i < properties.len() {
            self.comma(i);
            self.property(&properties[i]);
            i += 1;
        }
        self.byte(b'}');
        self.required(properties);
        self.raw(",\"additionalProperties\":false");
    }

    const fn property(&mut self, property: &Property) {
        self.string(property.name);
        self.raw(":{");
        self.schema(property.schema);
        if !property.description.is_empty() {
            self.raw(",\"description\":");
            self.string(property.description);
        }
        self.byte(b'}');
    }

    /// Some providers refuse an empty list, so there is none.
    const fn required(&mut self, properties: &[Property]) {
        let mut found = 0;
        let mut i = 0;
        while i < properties.len() {
            if properties[i].required {
                self.raw(if found == 0 { ",\"required\":[" } else { "," });
                self.string(properties[i].name);
                found += 1;
            }
            i += 1;
        }
        if found > 0 {
            self.byte(b']');
        }
    }

    const fn comma(&mut self, place: usize) {
        if place > 0 {
            self.byte(b',');
        }
    }
}
