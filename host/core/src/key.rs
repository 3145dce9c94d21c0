//! The keys of calls that may be repeated (TURN-3).

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use crate::ids::TurnId;
use crate::spelling::Spelling;

/// Identifies one control call of one guest, so that a repeated one gets its first answer
/// (TURN-3): turn, step, call in the step, and how-manieth control call of that guest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct HostKey {
    /// The turn.
    pub turn: TurnId,
    /// The step in the turn, from 0.
    pub step: u32,
    /// The tool call in the step, from 0.
    pub call: u32,
    /// The control call of that guest, from 0.
    pub nth: u32,
}

impl HostKey {
    fn spelling(&self) -> Spelling {
        let mut spelling = Spelling::default();
        for number in [self.nth, self.call, self.step] {
            spelling.number(number.into());
            spelling.put(b'/');
        }
        spelling.id(self.turn);
        spelling
    }
}

impl fmt::Display for HostKey {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.spelling().text())
    }
}

impl FromStr for HostKey {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        let mut parts = text.split('/');
        let malformed = || format!("`{text}` is not a key like `turn_7k2m9-3/0/0/0`");
        let turn = parts.next().and_then(|part| part.parse().ok()).ok_or_else(malformed)?;
        let mut number = || parts.next().and_then(|part| part.parse().ok()).ok_or_else(malformed);
        Ok(Self { turn, step: number()?, call: number()?, nth: number()? })
    }
}

impl Serialize for HostKey {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.spelling().text())
    }
}

impl<'de> Deserialize<'de> for HostKey {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(de::Error::custom)
    }
}
