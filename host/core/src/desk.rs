//! What is only in memory and was promised to nobody: parked sends in order of arrival, token
//! buckets, and what this process has under way. Empty (or full) again after a restart.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

use crate::answer::DrainedTrees;
use crate::budget::Bucket;
use crate::cause::Cause;
use crate::command::{Activation, Caller, Ticket};
use crate::ids::{AgentId, Incarnation, TurnId};
use crate::key::HostKey;
use crate::limits::Limits;
use crate::message::{Content, ContentDigest, Draft, Target};
use crate::receipt::Recipient;
use crate::time::{Millis, Monotonic, WallTime};
use crate::waits::Waits;

/// A send that is decided now, or again later.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct SendAttempt {
    pub(crate) ticket: Ticket,
    pub(crate) caller: Caller,
    /// With what tells the content from another under the same key.
    pub(crate) key: Option<(HostKey, ContentDigest)>,
    pub(crate) to: Target,
    pub(crate) content: Arc<Content>,
    /// What its sender had read when it was handed in (SEND-17).
    pub(crate) cause: Option<Cause>,
    pub(crate) patience: Millis,
    /// It has waited before, and its timer runs.
    pub(crate) parked: bool,
    /// It is one of the many of a round, under the same ticket.
    pub(crate) one_of_many: bool,
}

impl SendAttempt {
    pub(crate) fn new(
        ticket: Ticket,
        caller: Caller,
        key: Option<HostKey>,
        draft: Draft,
        patience: Millis,
    ) -> Self {
        let Draft { to, content } = draft;
        Self {
            ticket,
            caller,
            key: key.map(|key| (key, content.digest())),
            to,
            content: Arc::new(content),
            cause: None,
            patience,
            parked: false,
            one_of_many: false,
        }
    }
}

/// What one call sends to many, until each of them has its outcome (SEND-15).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Round {
    /// In order of their ids; who has none yet still waits.
    members: Vec<(AgentId, Option<Recipient>)>,
    waiting: usize,
    /// The timer of those that are parked runs.
    timed: bool,
}

/// The desk of one host process.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Desk {
    /// Sends that wait for their target to be up, or out of the way (SEND-14).
    lines: BTreeMap<AgentId, VecDeque<SendAttempt>>,
    rounds: BTreeMap<Ticket, Round>,
    /// By sender number: what it may still send, by target.
    buckets: Vec<Vec<(AgentId, Bucket)>>,
    /// Turns whose loop runs in this process.
    pub(crate) loops: BTreeMap<AgentId, TurnId>,
    /// Agents whose disposal was ordered in this process.
    pub(crate) disposing: BTreeSet<AgentId>,
    /// Agents that could not be brought up as they were ordered, until they are ordered anew.
    pub(crate) given_up: BTreeSet<AgentId>,
    /// Since when the stays are parked whose putting away is timed.
    pub(crate) parked_since: BTreeMap<(AgentId, Incarnation), Monotonic>,
    /// By agent number: for when timers of its mail are set, the soonest last (FATE-5). Each is
    /// sooner than those set before it, so they are few.
    expiries: Vec<Vec<WallTime>>,
    /// The host is about to stop (DRAIN-1).
    pub(crate) draining: bool,
    /// Those who wait for nothing to run any more.
    pub(crate) drain_waiters: Vec<Ticket>,
    pub(crate) waits: Waits,
    /// Loops of paused agents that wait at a boundary (PAUSE-1).
    pub(crate) held: Vec<(Ticket, Activation)>,
    /// Trees that are put away for a while; nobody in them is told anything (DRAIN-1).
    pub(crate) drains: Vec<TreeDrain>,
}

/// Trees being drained.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct TreeDrain {
    pub(crate) ticket: Ticket,
    pub(crate) tops: Vec<AgentId>,
    pub(crate) done: DrainedTrees,
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

    /// Takes the first of a line.
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

    /// Takes the attempts of this ticket out of their lines.
    pub(crate) fn take_parked(&mut self, ticket: Ticket) -> Vec<SendAttempt> {
        let mut taken = Vec::new();
        self.lines.retain(|_, line| {
            if line.iter().any(|attempt| attempt.ticket == ticket) {
                let (its, others) =
                    line.drain(..).partition(|attempt: &SendAttempt| attempt.ticket == ticket);
                *line = others;
                taken.extend::<VecDeque<_>>(its);
            }
            !line.is_empty()
        });
        taken
    }

    /// Whoever waits under this ticket waits no longer.
    pub(crate) fn withdraw(&mut self, ticket: Ticket) {
        self.take_parked(ticket);
        self.rounds.remove(&ticket);
        self.waits.withdraw(ticket);
        self.held.retain(|(held, _)| *held != ticket);
    }

    /// One call sends to these, whose outcomes come one by one.
    pub(crate) fn begin_round(&mut self, ticket: Ticket, members: &[AgentId]) {
        let members: Vec<_> = members.iter().map(|id| (*id, None)).collect();
        let waiting = members.len();
        self.rounds.insert(ticket, Round { members, waiting, timed: false });
    }

    /// Whether this is the first of a round that waits, so that its timer is to be set.
    pub(crate) fn is_first_to_wait(&mut self, ticket: Ticket) -> bool {
        let round = self.rounds.get_mut(&ticket);
        round.is_none_or(|round| !std::mem::replace(&mut round.timed, true))
    }

    /// Notes an outcome. With the last one the round is over, and all of them are given.
    pub(crate) fn note(&mut self, ticket: Ticket, recipient: Recipient) -> Option<Vec<Recipient>> {
        let round = self.rounds.get_mut(&ticket)?;
        let place = round.members.binary_search_by_key(&recipient.to, |(id, _)| *id).ok()?;
        let slot = &mut round.members[place].1;
        if slot.replace(recipient).is_none() {
            round.waiting -= 1;
        }
        if round.waiting > 0 {
            return None;
        }
        let round = self.rounds.remove(&ticket)?;
        Some(round.members.into_iter().filter_map(|(_, outcome)| outcome).collect())
    }

    /// Whether what this ticket asks for was done for some of those it is for (SEND-15).
    pub(crate) fn is_done_in_part(&self, ticket: Ticket) -> bool {
        let accepted = |(_, outcome): &(AgentId, Option<Recipient>)| {
            outcome.as_ref().is_some_and(|recipient| recipient.outcome.is_ok())
        };
        self.rounds.get(&ticket).is_some_and(|round| round.members.iter().any(accepted))
    }

    /// Notes that a timer of an agent's mail is set for then, unless one will come before. Says
    /// whether it is to be set.
    pub(crate) fn set_expiry(&mut self, agent: AgentId, expires: WallTime) -> bool {
        let place = usize::try_from(agent.number()).unwrap_or(usize::MAX);
        if self.expiries.len() <= place {
            self.expiries.resize_with(place + 1, Vec::new);
        }
        let set = &mut self.expiries[place];
        let sooner = set.last().is_none_or(|soonest| expires < *soonest);
        if sooner {
            set.push(expires);
        }
        sooner
    }

    /// A timer of an agent's mail came: the soonest.
    pub(crate) fn expiry_came(&mut self, agent: AgentId) {
        let place = usize::try_from(agent.number()).unwrap_or(usize::MAX);
        if let Some(set) = self.expiries.get_mut(place) {
            set.pop();
        }
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
