//! Reading arguments, and the schema of what can be read.

use serde_json::{Map, Value};

use crate::{Invalid, Property, Schema};

/// A value that a model can write: its schema, and how it is read from JSON.
///
/// Derive it for an `enum` without fields; the model writes its variants in snake case.
pub trait Argument: Sized {
    /// What the host tells the model about such values.
    const SCHEMA: Schema;
    /// Whether the model has to write it.
    const REQUIRED: bool = true;

    /// Reads a value, or says what is wrong with it.
    fn read(value: Value) -> Result<Self, Invalid>;

    /// What stands for a value that was left out; a required one has no such.
    fn absent() -> Option<Self> {
        None
    }
}

/// All arguments of a tool: a `struct` with named fields.
///
/// Derive it; the doc comments of the fields are what the model reads. A field that is an
/// `Option` may be left out. A struct may be the field of another.
pub trait Arguments: Argument {}

impl Argument for String {
    const SCHEMA: Schema = Schema::Text;

    fn read(value: Value) -> Result<Self, Invalid> {
        match value {
            Value::String(text) => Ok(text),
            other => Err(Invalid::mismatch("a string", &other)),
        }
    }
}

impl Argument for bool {
    const SCHEMA: Schema = Schema::Boolean;

    fn read(value: Value) -> Result<Self, Invalid> {
        value.as_bool().ok_or_else(|| Invalid::mismatch("true or false", &value))
    }
}

impl Argument for f64 {
    const SCHEMA: Schema = Schema::Number;

    fn read(value: Value) -> Result<Self, Invalid> {
        value.as_f64().ok_or_else(|| Invalid::mismatch("a number", &value))
    }
}

/// An optional value: `null` and nothing are the same.
impl<T: Argument> Argument for Option<T> {
    const SCHEMA: Schema = T::SCHEMA;
    const REQUIRED: bool = false;

    fn read(value: Value) -> Result<Self, Invalid> {
        if value.is_null() { Ok(None) } else { T::read(value).map(Some) }
    }

    fn absent() -> Option<Self> {
        Some(None)
    }
}

impl<T: Argument> Argument for Vec<T> {
    const SCHEMA: Schema = Schema::List(&T::SCHEMA);

    fn read(value: Value) -> Result<Self, Invalid> {
        let Value::Array(values) = value else {
            return Err(Invalid::mismatch("an array", &value));
        };
        let read = |(i, value)| T::read(value).map_err(|e| e.inside(&format!("[{i}]")));
        values.into_iter().enumerate().map(read).collect()
    }
}

/// What a model writes either in words or as an object for a program.
#[derive(Debug, Clone, PartialEq)]
pub enum TextOrObject {
    /// Words.
    Text(String),
    /// An object of any form.
    Object(Map<String, Value>),
}

impl Argument for TextOrObject {
    const SCHEMA: Schema = Schema::TextOrObject;

    fn read(value: Value) -> Result<Self, Invalid> {
        match value {
            Value::String(text) => Ok(Self::Text(text)),
            Value::Object(object) => Ok(Self::Object(object)),
            other => Err(Invalid::mismatch(&Self::SCHEMA.words(), &other)),
        }
    }
}

macro_rules! integers {
    ($($integer:ty: $minimum:expr, $maximum:expr;)*) => {$(
        impl Argument for $integer {
            const SCHEMA: Schema = Schema::Integer { minimum: $minimum, maximum: $maximum };

            fn read(value: Value) -> Result<Self, Invalid> {
                integer(&value)
                    .and_then(|n| n.try_into().ok())
                    .ok_or_else(|| Invalid::mismatch(&Self::SCHEMA.words(), &value))
            }
        }
    )*};
}

// JSON in the wild is read as doubles, so bounds that those cannot hold are left unsaid.
integers! {
    u8: Some(0), Some(u8::MAX as i64);
    u16: Some(0), Some(u16::MAX as i64);
    u32: Some(0), Some(u32::MAX as i64);
    u64: Some(0), None;
    i8: Some(i8::MIN as i64), Some(i8::MAX as i64);
    i16: Some(i16::MIN as i64), Some(i16::MAX as i64);
    i32: Some(i32::MIN as i64), Some(i32::MAX as i64);
    i64: None, None;
}

/// `3.0` is an integer to JSON Schema, so it is one here.
fn integer(value: &Value) -> Option<i128> {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    let number = value.as_number()?;
    let whole = number.as_f64().filter(|n| n.fract() == 0.0 && n.abs() <= EXACT);
    number.as_i128().or(whole.map(|n| n as i128))
}

/// The fields of an object that is being read; written for the derived code.
#[doc(hidden)]
#[derive(Debug)]
pub struct Fields(Vec<(String, Value)>);

impl Fields {
    pub fn open(value: Value, schema: Schema) -> Result<Self, Invalid> {
        let Value::Object(fields) = value else {
            return Err(Invalid::mismatch("an object", &value));
        };
        let known = schema.properties();
        match fields.keys().find(|name| !known.iter().any(|p| p.name == **name)) {
            Some(stranger) => Err(Invalid::unknown(stranger, known)),
            None => Ok(Self(fields.into_iter().collect())),
        }
    }

    pub fn take<T: Argument>(&mut self, name: &str) -> Result<T, Invalid> {
        match self.0.iter().position(|(given, _)| given == name) {
            Some(i) => T::read(self.0.swap_remove(i).1).map_err(|e| e.inside(name)),
            None => T::absent().ok_or_else(|| Invalid::missing(name)),
        }
    }
}

/// Reads a variant by its place among the names; written for the derived code.
#[doc(hidden)]
pub fn choice(value: Value, schema: Schema) -> Result<usize, Invalid> {
    let Schema::Choice(names) = schema else { unreachable!("an enum's schema is a choice") };
    let place = names.iter().position(|name| value.as_str() == Some(name));
    place.ok_or_else(|| Invalid::mismatch(&schema.words(), &value))
}

/// A tool without arguments.
impl Argument for () {
    const SCHEMA: Schema = Schema::Object(&[] as &[Property]);

    fn read(value: Value) -> Result<Self, Invalid> {
        Fields::open(value, Self::SCHEMA).map(drop)
    }
}
impl Arguments for () {}
