//! What a message follows from (SEND-17).

use serde::{Deserialize, Serialize};

use crate::ids::MessageId;

/// What a message follows from: which message began it all, and how many stand between (SEND-17).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, Hash)]
pub struct Cause {
    /// The first of the chain.
    pub chain: MessageId,
    /// How many messages this is behind the first.
    pub hop: u32,
}

impl Cause {
    /// What follows from this.
    #[must_use]
    pub fn next(self) -> Self {
        Self { hop: self.hop.saturating_add(1), ..self }
    }
}
