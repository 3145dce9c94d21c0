//! Ids: parsed once at the boundary, printed with their kind (ID-4).

use std::fmt;
use std::hash::{Hash, Hasher};
use std::marker::PhantomData;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use crate::spelling::Spelling;

/// Which ledger an id belongs to: 25 bits of its identity, five characters in print.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "u32")]
pub struct LedgerTag(u32);

const DIGITS: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";
const TAG_DIGITS: usize = 5;

impl LedgerTag {
    /// The tag made of these bits; bits above the 25th are ignored.
    pub fn new(bits: u32) -> Self {
        Self(bits & 0x1ff_ffff)
    }

    fn parse(text: &str) -> Option<Self> {
        if text.len() != TAG_DIGITS {
            return None;
        }
        let mut bits = 0;
        for digit in text.bytes() {
            let value = DIGITS.iter().position(|known| *known == digit)?;
            bits = bits << 5 | u32::try_from(value).ok()?;
        }
        Some(Self(bits))
    }

    /// How it is written, from its last digit on.
    pub(crate) fn digits_reversed(self) -> impl Iterator<Item = u8> {
        (0..TAG_DIGITS).map(move |place| DIGITS[(self.0 >> (5 * place) & 31) as usize])
    }
}

impl TryFrom<u32> for LedgerTag {
    type Error = String;
    /// A tag whose ids could not be printed is none.
    fn try_from(bits: u32) -> Result<Self, String> {
        let tag = Self::new(bits);
        if tag.0 == bits { Ok(tag) } else { Err(format!("{bits} has more bits than a tag")) }
    }
}

impl fmt::Display for LedgerTag {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut spelling = Spelling::default();
        spelling.tag(*self);
        out.write_str(spelling.text())
    }
}

/// What an id names. The prefix is part of the printed id.
pub trait Kind {
    /// What stands in front, with its underscore: `agt_`.
    const PREFIX: &'static str;
    /// What a person calls it: `an agent id`.
    const NOUN: &'static str;
}

macro_rules! kinds {
    ($($(#[$doc:meta])* $kind:ident, $alias:ident, $prefix:literal, $noun:literal;)*) => {$(
        #[doc = concat!("The kind whose ids begin with `", $prefix, "`.")]
        #[derive(Debug)]
        pub enum $kind {}
        impl Kind for $kind {
            const PREFIX: &'static str = $prefix;
            const NOUN: &'static str = $noun;
        }
        $(#[$doc])*
        pub type $alias = Id<$kind>;
    )*
    /// The kinds there are, by prefix, to say what a wrong one is.
    const KINDS: &[(&str, &str)] = &[$(($prefix, $noun)),*];
    };
}

kinds! {
    /// Names an agent for ever, also after it is deleted.
    AgentKind, AgentId, "agt_", "an agent id";
    /// Names an accepted message.
    MessageIdKind, MessageId, "msg_", "a message id";
    /// Names one turn of one agent.
    TurnKind, TurnId, "turn_", "a turn id";
    /// Names a request that wants one answer.
    RequestKind, RequestId, "req_", "a request id";
}

/// An id: which ledger, and the how-manieth of its kind there. Ids of one ledger are in the order
/// in which they were given.
pub struct Id<K> {
    tag: LedgerTag,
    number: u64,
    kind: PhantomData<fn() -> K>,
}

impl<K> Id<K> {
    /// The id with this number in the ledger with this tag.
    pub fn new(tag: LedgerTag, number: u64) -> Self {
        Self { tag, number, kind: PhantomData }
    }

    /// The ledger it belongs to.
    pub fn tag(self) -> LedgerTag {
        self.tag
    }

    /// Its place among the ids of its kind, from 1.
    pub fn number(self) -> u64 {
        self.number
    }
}

impl<K> Clone for Id<K> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<K> Copy for Id<K> {}
impl<K> PartialEq for Id<K> {
    fn eq(&self, other: &Self) -> bool {
        (self.number, self.tag) == (other.number, other.tag)
    }
}
impl<K> Eq for Id<K> {}
impl<K> PartialOrd for Id<K> {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}
impl<K> Ord for Id<K> {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        (self.number, self.tag).cmp(&(other.number, other.tag))
    }
}
impl<K> Hash for Id<K> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.number.hash(state);
    }
}

impl<K: Kind> fmt::Display for Id<K> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(Spelling::of(*self).text())
    }
}

impl<K: Kind> fmt::Debug for Id<K> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, out)
    }
}

/// Why a text is not the id that was wanted.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum IdError {
    /// It is an id, but of something else (ID-4).
    #[error("`{text}` is {found}, and {wanted} is wanted here")]
    WrongKind {
        /// What was given.
        text: String,
        /// What kind that is.
        found: &'static str,
        /// What kind was wanted.
        wanted: &'static str,
    },
    /// It is no id at all.
    #[error("`{text}` is not {wanted} (such an id looks like `{prefix}7k2m9-12`)")]
    Malformed {
        /// What was given.
        text: String,
        /// What kind was wanted.
        wanted: &'static str,
        /// How that kind begins.
        prefix: &'static str,
    },
}

impl<K: Kind> FromStr for Id<K> {
    type Err = IdError;

    fn from_str(text: &str) -> Result<Self, IdError> {
        if let Some(id) = text.strip_prefix(K::PREFIX).and_then(parse_rest) {
            return Ok(id);
        }
        let other = KINDS.iter().find(|(prefix, _)| {
            *prefix != K::PREFIX && text.strip_prefix(prefix).and_then(parse_rest::<K>).is_some()
        });
        Err(match other {
            Some((_, found)) => {
                IdError::WrongKind { text: text.to_owned(), found, wanted: K::NOUN }
            }
            None => {
                IdError::Malformed { text: text.to_owned(), wanted: K::NOUN, prefix: K::PREFIX }
            }
        })
    }
}

/// Whether it is spelled as an id of some kind is.
pub(crate) fn is_any(text: &str) -> bool {
    let rests = KINDS.iter().filter_map(|(prefix, _)| text.strip_prefix(prefix));
    rests.filter_map(parse_rest::<AgentKind>).next().is_some()
}

fn parse_rest<K>(rest: &str) -> Option<Id<K>> {
    let (tag, number) = rest.split_once('-')?;
    let canonical = number.bytes().all(|digit| digit.is_ascii_digit()) && !number.starts_with('0');
    let number = if canonical { number.parse().ok()? } else { return None };
    Some(Id::new(LedgerTag::parse(tag)?, number))
}

impl<K: Kind> Serialize for Id<K> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(Spelling::of(*self).text())
    }
}

impl<'de, K: Kind> Deserialize<'de> for Id<K> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Text<K>(PhantomData<K>);
        impl<K: Kind> de::Visitor<'_> for Text<K> {
            type Value = Id<K>;
            fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                out.write_str(K::NOUN)
            }
            fn visit_str<E: de::Error>(self, text: &str) -> Result<Id<K>, E> {
                text.parse().map_err(E::custom)
            }
        }
        deserializer.deserialize_str(Text(PhantomData))
    }
}

/// Counts the stays of an agent in memory; a holder of another number is a stale one (ID-2).
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
pub struct Incarnation(pub u32);

impl Incarnation {
    /// The one after this. After four thousand million stays the numbers come again.
    pub fn next(self) -> Self {
        Self(self.0.wrapping_add(1))
    }
}

impl fmt::Display for Incarnation {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(out)
    }
}

/// What the boundaries of one claim's frames carry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Nonce(pub u64);

impl fmt::Display for Nonce {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{:016x}", self.0)
    }
}

impl Serialize for Nonce {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Nonce {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = std::borrow::Cow::<str>::deserialize(deserializer)?;
        u64::from_str_radix(&text, 16).map(Nonce).map_err(de::Error::custom)
    }
}
