//! Names of agents (ID-5): parsed once at the boundary, folded, and never confused with an id.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use serde::{Deserialize, Serialize, Serializer};

use crate::ids;

/// A name an agent goes by among its siblings (ID-5): `[a-z0-9][a-z0-9_-]{0,63}`, and behind it the
/// generation, `#2` and so on, if others were deleted that had it before.
#[derive(Clone, Deserialize)]
#[serde(try_from = "String")]
pub struct AgentName(Letters);

/// The letters of a name. Nearly every name is short, and a short one is copied: each message and
/// receipt carries names, and to count who shares one would cost more than to copy it.
#[derive(Clone)]
enum Letters {
    Short { length: u8, ascii: [u8; SHORT_NAME] },
    Long(Arc<str>),
}

/// Names that mean somebody else than a child of that name.
const RESERVED: &[&str] = &["parent", "all", "self", "root", "main", "user"];
const NAME_LENGTH: usize = 64;
/// With its length and its kind such a name takes three words; a shared one would take two.
const SHORT_NAME: usize = 22;

/// Why a text is not a name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NameError {
    /// It has other characters, too many, or none.
    #[error(
        "`{0}` is not a name: use up to 64 of a-z, 0-9, `_` and `-`, with a letter or digit first"
    )]
    Malformed(String),
    /// It means something already.
    #[error("`{0}` is a reserved word and cannot be an agent's name")]
    Reserved(String),
}

impl AgentName {
    /// Parses a name, folding its case.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn new(text: &str) -> Result<Self, NameError> {
        let folded = text.to_ascii_lowercase();
        let allowed = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
        let well_formed = folded.len() <= NAME_LENGTH
            && folded.bytes().next().is_some_and(allowed)
            && folded.bytes().all(|byte| allowed(byte) || byte == b'_' || byte == b'-');
        if !well_formed {
            return Err(NameError::Malformed(text.chars().take(NAME_LENGTH).collect()));
        }
        if ids::is_any(&folded) || RESERVED.contains(&folded.as_str()) {
            return Err(NameError::Reserved(folded));
        }
        Ok(Self(Letters::of(&folded)))
    }

    /// Parses a name as it is told, with its generation (`reviewer#2`) if it has one.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn parse(text: &str) -> Result<Self, NameError> {
        let Some((stem, generation)) = text.split_once('#') else { return Self::new(text) };
        let canonical = |number: &u32| *number > 1 && number.to_string() == generation;
        match generation.parse().ok().filter(canonical) {
            Some(generation) => Ok(Self::new(stem)?.of_generation(generation)),
            None => Err(NameError::Malformed(text.chars().take(NAME_LENGTH).collect())),
        }
    }

    /// This name when it is used again after that many before it were freed: they are told apart,
    /// so that what is meant for one of them never comes to another (ID-5).
    pub(crate) fn of_generation(&self, generation: u32) -> Self {
        match generation {
            0 | 1 => Self(Letters::of(self.stem())),
            _ => Self(Letters::of(&format!("{}#{generation}", self.stem()))),
        }
    }

    /// The name without its generation.
    pub fn stem(&self) -> &str {
        let name = self.as_str();
        name.split_once('#').map_or(name, |(stem, _)| stem)
    }

    /// This name, or for `ordinal` above 1 the name with that number behind it, shortened so
    /// that it stays a name.
    pub(crate) fn numbered(&self, ordinal: u32) -> Self {
        if ordinal <= 1 {
            return self.clone();
        }
        let suffix = format!("-{ordinal}");
        let stem = self.as_str();
        let kept = stem.len().min(NAME_LENGTH - suffix.len());
        let numbered = Self::new(&format!("{}{suffix}", &stem[..kept]));
        // `agt_7k2m9` is a name, and with a number behind it an id.
        numbered.unwrap_or_else(|_| Self(Letters::of(&format!("{stem}_{ordinal}"))))
    }

    /// The name as text.
    pub fn as_str(&self) -> &str {
        match &self.0 {
            Letters::Short { length, ascii } => {
                std::str::from_utf8(&ascii[..usize::from(*length)]).expect("names are ASCII")
            }
            Letters::Long(shared) => shared,
        }
    }
}

impl Letters {
    fn of(name: &str) -> Self {
        let mut ascii = [0; SHORT_NAME];
        match ascii.get_mut(..name.len()) {
            Some(letters) => {
                letters.copy_from_slice(name.as_bytes());
                Self::Short { length: name.len() as u8, ascii }
            }
            None => Self::Long(name.into()),
        }
    }
}

impl PartialEq for AgentName {
    fn eq(&self, other: &Self) -> bool {
        self.as_str() == other.as_str()
    }
}
impl Eq for AgentName {}
impl PartialOrd for AgentName {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}
impl Ord for AgentName {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.as_str().cmp(other.as_str())
    }
}
impl Hash for AgentName {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.as_str().hash(state);
    }
}

impl fmt::Debug for AgentName {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_tuple("AgentName").field(&self.as_str()).finish()
    }
}

impl TryFrom<String> for AgentName {
    type Error = NameError;
    fn try_from(text: String) -> Result<Self, NameError> {
        Self::parse(&text)
    }
}

impl Serialize for AgentName {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

impl fmt::Display for AgentName {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.as_str())
    }
}
