//! The schemas that arguments can have. They are values, so that the compiler makes the JSON.

/// What a value may be: the few forms that every model provider takes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Schema {
    /// Text.
    Text,
    /// True or false.
    Boolean,
    /// Any number.
    Number,
    /// A whole number.
    Integer {
        /// The least one.
        minimum: Option<i64>,
        /// The greatest one.
        maximum: Option<i64>,
    },
    /// One of several words.
    Choice(&'static [&'static str]),
    /// Any number of values of one form.
    List(&'static Schema),
    /// Named values, and no others.
    Object(&'static [Property]),
    /// Text, or an object of any form.
    TextOrObject,
}

/// One value of an object.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Property {
    /// The name that the model writes.
    pub name: &'static str,
    /// What the model reads about it.
    pub description: &'static str,
    /// Whether it has to be there.
    pub required: bool,
    /// What it may be.
    pub schema: &'static Schema,
}

impl Schema {
    /// The properties of an object; of anything else none.
    pub const fn properties(&self) -> &'static [Property] {
        match self {
            Self::Object(properties) => properties,
            _ => &[],
        }
    }

    pub(crate) fn words(&self) -> String {
        match self {
            Self::Text => "a string".into(),
            Self::Boolean => "true or false".into(),
            Self::Number => "a number".into(),
            Self::Integer { minimum: Some(low), maximum: Some(high) } => {
                format!("an integer from {low} to {high}")
            }
            Self::Integer { minimum: Some(low), .. } => format!("an integer from {low}"),
            Self::Integer { .. } => "an integer".into(),
            Self::Choice(names) => format!("one of {}", names.join(", ")),
            Self::List(_) => "an array".into(),
            Self::Object(_) => "an object".into(),
            Self::TextOrObject => "a string or an object".into(),
        }
    }
}
