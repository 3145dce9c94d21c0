//! The first answers of calls that may be repeated (SEND-2, TURN-3).

use std::collections::BTreeMap;

use crate::command::{Closed, Interruption, Started};
use crate::handshake::{Digest, Requested, Responded};
use crate::ids::MessageId;
use crate::key::HostKey;
use crate::message::ContentDigest;
use crate::receipt::Receipt;

/// The first answer a key got (SEND-2, TURN-3).
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Kept {
    Receipt {
        content: ContentDigest,
        receipt: Receipt,
    },
    /// Of one call that sent to many (SEND-15).
    Receipts {
        content: ContentDigest,
        receipts: Vec<Receipt>,
    },
    Interruption(Interruption),
    Closed(Closed),
    Deleted(Closed),
    Acknowledged {
        message: MessageId,
        receipt: Receipt,
    },
    Requested {
        body: Digest,
        requested: Requested,
    },
    Responded {
        reply: Digest,
        responded: Responded,
    },
    Started {
        prompt: ContentDigest,
        started: Started,
    },
}

/// The first answers of an agent's last keyed calls.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct KeptAnswers {
    answers: BTreeMap<HostKey, Kept>,
    /// Receipts beyond one for each answer.
    more: usize,
}

/// Receipts beyond one for each answer that are kept for each answer that is.
const MORE: usize = 16;

impl KeptAnswers {
    pub(crate) fn get(&self, key: &HostKey) -> Option<&Kept> {
        self.answers.get(key)
    }

    /// Keeps an answer; of more than `most` the one with the oldest key goes.
    pub(crate) fn keep(&mut self, key: HostKey, answer: Kept, most: usize) {
        self.answers.insert(key, answer);
        self.make_room(key, most);
    }

    /// Keeps one more receipt of a call that sends to many.
    pub(crate) fn keep_one_of_many(
        &mut self,
        key: HostKey,
        content: impl FnOnce() -> ContentDigest,
        receipt: Receipt,
        most: usize,
    ) {
        match self.answers.get_mut(&key) {
            Some(Kept::Receipts { receipts, .. }) => {
                receipts.push(receipt);
                self.more += 1;
            }
            _ => {
                let first = Kept::Receipts { content: content(), receipts: vec![receipt] };
                self.answers.insert(key, first);
            }
        }
        self.make_room(key, most);
    }

    /// Calls to many keep as many receipts as they had readers. Of these too there is a most; but
    /// what a turn is asked again for after a crash stays while the turn is the latest (TURN-3).
    fn make_room(&mut self, latest: HostKey, most: usize) {
        while let Some((first, _)) = self.answers.first_key_value() {
            let full = self.answers.len() > most && *first != latest;
            let large = self.more > MORE * most && first.turn != latest.turn;
            if !full && !large {
                return;
            }
            if let Some((_, Kept::Receipts { receipts, .. })) = self.answers.pop_first() {
                self.more -= receipts.len() - 1;
            }
        }
    }
}
