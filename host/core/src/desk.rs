//! What is only in memory and was promised to nobody: parked sends in order of arrival, token
//! buckets, and what this process has under way. Empty (or full) again after a restart.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use crate::budget::Bucket;
use crate::command::{Caller, HostKey, Ticket};
use crate::ids::{AgentId, Incarnation, TurnId};
use crate::limits::Limits;
use crate::message::{Content, Draft};
use crate::time::{Millis, Monotonic};

/// A send that is decided now, or again later.
#[derive(Clone, Debug)]
pub(crate) struct SendAttempt {
    pub(crate) ticket: Ticket,
    pub(crate) caller: Caller,
    pub(crate) key: Option<HostKey>,
    pub(crate) draft: Draft,
    pub(crate) patience: Millis,
    /// It has waited before, and its timer runs.
    pub(crate) parked: bool,
}

impl SendAttempt {
    pub(crate) fn content(&self) -> &Content {
        &self.draft.content
    }
}

/// The desk of one host process.
#[derive(Debug, Default)]
pub(crate) struct Desk {
    /// Sends that wait for their target to be up, or out of the way (SEND-14).
    lines: BTreeMap<AgentId, VecDeque<SendAttempt>>,
    /// By sender number: what it may still send, by target.
    buckets: Vec<Vec<(AgentId, Bucket)>>,
    /// Turns whose loop runs in this process.
    pub(crate) loops: BTreeMap<AgentId, TurnId>,
    /// Agents whose disposal was ordered in this process.
    pub(crate) disposing: BTreeSet<AgentId>,
    /// Since when the stays are parked whose putting away is timed.
    pub(crate) parked_since: BTreeMap<(AgentId, Incarnation), Monotonic>,
    /// The host is about to stop (DRAIN-1).
    pub(crate) draining: bool,
    /// Those who wait for nothing to run any more.
    pub(crate) drain_waiters: Vec<Ticket>,
}

impl Desk {
    pub(crate) fn park(&mut self, target: AgentId, attempt: SendAttempt) {
        self.lines.entry(target).or_default().push_back(attempt);
    }

    /// How many wait for this target.
    pub(crate) fn parked(&self, target: AgentId) -> usize {
        self.lines.get(&target).map_or(0, VecDeque::len)
    }

    pub(crate) fn has_line(&self, target: AgentId) -> bool {
        self.lines.contains_key(&target)
    }

    pub(crate) fn targets(&self) -> impl Iterator<Item = AgentId> {
        self.lines.keys().copied()
    }

    /// Takes the first of a line, at most `left` of it being left behind afterwards.
    pub(crate) fn next_parked(&mut self, target: AgentId) -> Option<SendAttempt> {
        let line = self.lines.get_mut(&target)?;
        let first = line.pop_front();
        if line.is_empty() {
            self.lines.remove(&target);
        }
        first
    }

    /// Takes a whole line.
    pub(crate) fn take_line(&mut self, target: AgentId) -> VecDeque<SendAttempt> {
        self.lines.remove(&target).unwrap_or_default()
    }

    /// Takes every line.
    pub(crate) fn take_lines(&mut self) -> impl Iterator<Item = SendAttempt> + use<> {
        std::mem::take(&mut self.lines).into_values().flatten()
    }

    /// Takes the attempt of this ticket out of its line.
    pub(crate) fn withdraw(&mut self, ticket: Ticket) -> Option<SendAttempt> {
        let (&target, place) = self.lines.iter().find_map(|(target, line)| {
            Some((target, line.iter().position(|attempt| attempt.ticket == ticket)?))
        })?;
        let line = self.lines.get_mut(&target)?;
        let attempt = line.remove(place);
        if line.is_empty() {
            self.lines.remove(&target);
        }
        attempt
    }

    /// Takes a token of this pair and says how many are left.
    ///
    /// # Errors
    /// After how long there will be one.
    pub(crate) fn take_token(
        &mut self,
        sender: AgentId,
        target: AgentId,
        limits: &Limits,
        now: Monotonic,
    ) -> Result<u32, Millis> {
        let place = usize::try_from(sender.number()).unwrap_or(usize::MAX);
        if self.buckets.len() <= place {
            self.buckets.resize_with(place + 1, Vec::new);
        }
        let buckets = &mut self.buckets[place];
        let known = buckets.iter().position(|(of, _)| *of == target);
        let place = known.unwrap_or_else(|| {
            buckets.push((target, Bucket::full(limits, now)));
            buckets.len() - 1
        });
        buckets[place].1.take(limits, now)
    }
}
