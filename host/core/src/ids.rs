//! Ids and names: parsed once at the boundary, printed with their kind (ID-4, ID-5).

use std::fmt;
use std::hash::{Hash, Hasher};
use std::marker::PhantomData;
use std::str::FromStr;
use std::sync::Arc;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

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

    fn digits(self) -> [u8; TAG_DIGITS] {
        let mut digits = [0; TAG_DIGITS];
        for (place, digit) in digits.iter_mut().rev().enumerate() {
            *digit = DIGITS[(self.0 >> (5 * place) & 31) as usize];
        }
        digits
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
        self.digits().iter().try_for_each(|digit| fmt::Write::write_char(out, *digit as char))
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
        write!(out, "{}{}-{}", K::PREFIX, self.tag, self.number)
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

fn parse_rest<K>(rest: &str) -> Option<Id<K>> {
    let (tag, number) = rest.split_once('-')?;
    let canonical = number.bytes().all(|digit| digit.is_ascii_digit()) && !number.starts_with('0');
    let number = if canonical { number.parse().ok()? } else { return None };
    Some(Id::new(LedgerTag::parse(tag)?, number))
}

impl<K: Kind> Serialize for Id<K> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
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

/// A name an agent goes by among its siblings (ID-5): `[a-z0-9][a-z0-9_-]{0,63}`.
#[derive(Clone, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
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
        let id_like = KINDS.iter().any(|(prefix, _)| {
            folded.strip_prefix(prefix).and_then(parse_rest::<AgentKind>).is_some()
        });
        if id_like || RESERVED.contains(&folded.as_str()) {
            return Err(NameError::Reserved(folded));
        }
        Ok(Self(Letters::of(&folded)))
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
        Self::new(&text)
    }
}

impl From<AgentName> for String {
    fn from(name: AgentName) -> Self {
        name.as_str().to_owned()
    }
}

impl fmt::Display for AgentName {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.as_str())
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
