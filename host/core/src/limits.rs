//! Every bound of the machine, in one place; the relations between them are checked once.

use serde::{Deserialize, Serialize};

use crate::time::Millis;

/// The bounds the machine keeps. Any of them may be set; [`Limits::checked`] refuses a set that
/// contradicts itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Limits {
    /// Characters (Unicode scalar values) in one message (SEND-4).
    pub message_chars: usize,
    /// Bytes in one message (SEND-4).
    pub message_bytes: usize,
    /// Messages that may wait for one agent, unclaimed or parked (SEND-11).
    pub pending: usize,
    /// How many messages one sender may send one target at once (SEND-11).
    pub bucket: u32,
    /// After how long one more of them is allowed (SEND-11).
    pub bucket_refill: Millis,
    /// Levels below a root (START-2).
    pub depth: u32,
    /// Children an agent may have (START-2).
    pub children: usize,
    /// Agents below one root (START-2).
    pub agents: usize,
    /// Open turns in one tree (RES-5).
    pub places: usize,
    /// Steps in one turn; the turn that reaches it ends as `ceiling`.
    pub turn_steps: u32,
    /// Tool calls one answer of a model may ask for; a turn that asks for more ends as `error`.
    pub step_calls: usize,
    /// Bytes of one answer of a model, calls included; a turn that has more ends as `error`.
    pub answer_bytes: usize,
    /// How often a message is shown before it is dropped as poison (FATE-3).
    pub attempts: u32,
    /// How long what agents and the person say may wait unclaimed, and the longest a sender may ask
    /// for (FATE-5).
    pub unclaimed: Millis,
    /// How many messages may follow from one another before the next is refused (SEND-17).
    pub hops: u32,
    /// Bytes of message text one claim takes (DEL-3). The first item always fits.
    pub claim_bytes: usize,
    /// First receipts kept for each agent (SEND-2).
    pub receipts: usize,
    /// Candidates a refusal names (REACH-4).
    pub candidates: usize,
    /// How long a guest's call may be parked (SEND-13).
    pub parking_guest: Millis,
    /// How long a host program's call may be parked (SEND-13).
    pub parking_host: Millis,
    /// How often bringing an agent back is tried (RES-2).
    pub rebuilds: u32,
    /// How long to wait before the second try; doubled for each further one (RES-2).
    pub rebuild_backoff: Millis,
    /// How long bringing an agent into memory may take (START-4).
    pub publication: Millis,
    /// How long putting one agent away may take before it is reported abandoned (RES-4).
    pub disposal: Millis,
    /// After how long a parked agent is put away (RES-3).
    pub put_away: Millis,
    /// How long an agent that is to come to an end has for its answer, from when it reads that,
    /// unless it is said (HAND-1).
    pub grace: Millis,
    /// The longest such time that may be given.
    pub longest_grace: Millis,
    /// How long such a request may wait unread before its agent is put away by force (HAND-1).
    pub shutdown_unread: Millis,
    /// How long a plan may wait for its answer before that is a no (HAND-2).
    pub plan_answer: Millis,
    /// How long a drain lets calls in flight finish (DRAIN-1).
    pub drain: Millis,
    /// How long a child in the foreground may take before it is closed (START-4).
    pub foreground: Millis,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            message_chars: 16_384,
            message_bytes: 65_536,
            pending: 20,
            bucket: 3,
            bucket_refill: Millis(1_000),
            depth: 3,
            children: 64,
            agents: 256,
            places: 8,
            turn_steps: 256,
            step_calls: 64,
            answer_bytes: 1_048_576,
            attempts: 3,
            unclaimed: Millis::days(7),
            hops: 128,
            claim_bytes: 262_144,
            receipts: 1_000,
            candidates: 10,
            parking_guest: Millis::seconds(8),
            parking_host: Millis::seconds(30),
            rebuilds: 3,
            rebuild_backoff: Millis(250),
            publication: Millis::seconds(30),
            disposal: Millis::seconds(10),
            put_away: Millis::minutes(15),
            grace: Millis::seconds(30),
            longest_grace: Millis::minutes(10),
            shutdown_unread: Millis::minutes(5),
            plan_answer: Millis::minutes(60),
            drain: Millis::seconds(30),
            foreground: Millis::minutes(60),
        }
    }
}

/// A set of limits that cannot hold together.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("limit `{limit}` {problem}")]
pub struct LimitError {
    /// Which one.
    pub limit: &'static str,
    /// What is wrong with it.
    pub problem: &'static str,
}

impl Limits {
    /// Returns these limits if they hold together.
    ///
    /// # Errors
    /// The first relation that does not hold.
    pub fn checked(self) -> Result<Self, LimitError> {
        let relations = [
            ("message_chars", self.message_chars == 0, "must be at least 1"),
            (
                "message_bytes",
                self.message_bytes < self.message_chars,
                "must be at least message_chars: a character is a byte or more",
            ),
            ("pending", self.pending == 0, "must be at least 1"),
            ("bucket", self.bucket == 0, "must be at least 1"),
            ("bucket_refill", self.bucket_refill.0 == 0, "must be at least 1 ms"),
            ("places", self.places == 0, "must be at least 1"),
            ("turn_steps", self.turn_steps == 0, "must be at least 1"),
            ("step_calls", self.step_calls == 0, "must be at least 1"),
            ("answer_bytes", self.answer_bytes == 0, "must be at least 1"),
            ("attempts", self.attempts == 0, "must be at least 1"),
            ("hops", self.hops == 0, "must be at least 1"),
            ("unclaimed", self.unclaimed.0 == 0, "must be at least 1 ms"),
            ("rebuilds", self.rebuilds == 0, "must be at least 1"),
            ("receipts", self.receipts == 0, "must be at least 1"),
            ("grace", self.grace.0 == 0, "must be at least 1 ms"),
            ("longest_grace", self.longest_grace < self.grace, "must be at least grace"),
            ("shutdown_unread", self.shutdown_unread.0 == 0, "must be at least 1 ms"),
            ("plan_answer", self.plan_answer.0 == 0, "must be at least 1 ms"),
            ("agents", self.agents < self.children, "must be at least children"),
            (
                "claim_bytes",
                self.claim_bytes < self.message_bytes,
                "must be at least message_bytes: a claim takes whole messages",
            ),
        ];
        match relations.iter().find(|(_, broken, _)| *broken) {
            Some((limit, _, problem)) => Err(LimitError { limit, problem }),
            None => Ok(self),
        }
    }
}
