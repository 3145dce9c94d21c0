//! Ids and keys in print, put together from their end. Every record and receipt holds several, and
//! the formatting machinery took more than a third of the time of writing a record down.

use crate::ids::{Id, Kind, LedgerTag};

/// What is longest is a key: a turn's id of 31 characters, and three numbers of ten.
const LONGEST: usize = 64;

/// Something in print, as far as it was put together.
pub(crate) struct Spelling {
    ascii: [u8; LONGEST],
    from: usize,
}

impl Default for Spelling {
    fn default() -> Self {
        Self { ascii: [0; LONGEST], from: LONGEST }
    }
}

impl Spelling {
    /// An id alone.
    pub(crate) fn of<K: Kind>(id: Id<K>) -> Self {
        let mut spelling = Self::default();
        spelling.id(id);
        spelling
    }

    /// An id in front.
    pub(crate) fn id<K: Kind>(&mut self, id: Id<K>) {
        self.number(id.number());
        self.put(b'-');
        self.tag(id.tag());
        K::PREFIX.bytes().rev().for_each(|byte| self.put(byte));
    }

    /// A tag in front.
    pub(crate) fn tag(&mut self, tag: LedgerTag) {
        tag.digits_reversed().for_each(|digit| self.put(digit));
    }

    /// A number in front.
    pub(crate) fn number(&mut self, mut rest: u64) {
        loop {
            self.put(b'0' + (rest % 10) as u8);
            rest /= 10;
            if rest == 0 {
                return;
            }
        }
    }

    /// A character in front.
    pub(crate) fn put(&mut self, ascii: u8) {
        self.from -= 1;
        self.ascii[self.from] = ascii;
    }

    /// All of it.
    pub(crate) fn text(&self) -> &str {
        std::str::from_utf8(&self.ascii[self.from..]).expect("it is ASCII")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::TurnId;
    use crate::key::HostKey;

    #[test]
    fn id_4_the_longest_key_has_room_and_is_read_again() {
        let turn = TurnId::new(LedgerTag::new(u32::MAX), u64::MAX);
        let key = HostKey { turn, step: u32::MAX, call: u32::MAX, nth: u32::MAX };
        let text = "turn_zzzzz-18446744073709551615/4294967295/4294967295/4294967295";
        assert_eq!(key.to_string(), text);
        assert_eq!(text.len(), LONGEST);
        assert_eq!(text.parse(), Ok(key));
        let least = HostKey { turn: TurnId::new(LedgerTag::new(0), 0), step: 0, call: 0, nth: 10 };
        assert_eq!(least.to_string(), "turn_00000-0/0/0/10");
    }
}
