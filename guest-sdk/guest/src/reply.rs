//! What a tool answers.

pub use crate::generated::exports::switchboard::plugin::tool::{Block, Failure, Output, Reply};

use crate::Invalid;

impl Output {
    /// One block of text: what the model reads.
    pub fn text(text: impl Into<String>) -> Self {
        Self { blocks: vec![Block::Text(text.into())], structured: None, extra: Vec::new() }
    }

    /// The same answer as data, for programs: JSON, like what [`json!`](crate::json) makes.
    pub fn with_structured(self, json: impl ToString) -> Self {
        Self { structured: Some(json.to_string()), ..self }
    }
}

impl From<Output> for Reply {
    fn from(output: Output) -> Self {
        Self::Now(output)
    }
}

impl Failure {
    /// A failure that trying again does not help. The text says what to do next.
    pub fn new(code: impl Into<String>, text: impl Into<String>) -> Self {
        Self { code: code.into(), text: text.into(), retry: false, extra: Vec::new() }
    }

    /// The arguments are at fault, so the text says how they should be.
    pub fn invalid_argument(text: impl Into<String>) -> Self {
        Self::new("invalid-argument", text)
    }
}

impl From<Invalid> for Failure {
    fn from(invalid: Invalid) -> Self {
        Self::invalid_argument(invalid.to_string())
    }
}
