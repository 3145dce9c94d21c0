//! Taking a ledger up: at the start, and again after it failed or the machine did (LED-3, LED-4).

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use switchboard_core::{
    Agent, Command, Effect, Event, FORMAT, Forest, LedgerTag, LimitError, Stamp,
};
use switchboard_ledger::{Ledger, LedgerError, Quarantined, Stored};

use crate::caught;
use crate::parts::Parts;
use crate::writer;

/// What a ledger held when it was taken up (LED-4).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Recovery {
    /// There was nothing: the forest is new.
    pub new: bool,
    /// Agents that were resident and are brought back.
    pub agents: usize,
    /// Turns that were open and go on.
    pub open_turns: usize,
    /// Messages that wait in inboxes.
    pub mail_waiting: usize,
    /// Messages that had been claimed without a step made from them, and wait again.
    pub claims_returned: usize,
    /// Messages given up: shown as often as they may, or claimed by a turn that was interrupted.
    pub mail_lost: usize,
    /// Records that could not be read, and were skipped (LED-1).
    pub quarantined: Vec<Quarantined>,
}

/// Why a ledger could not be taken up.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OpenError {
    /// It could not be read or written.
    #[error(transparent)]
    Ledger(#[from] LedgerError),
    /// The limits contradict each other.
    #[error(transparent)]
    Limits(#[from] LimitError),
    /// It was written by a newer version.
    #[error("the ledger has format {found} and this version reads up to {known}; use a newer one")]
    Newer {
        /// Its format.
        found: u32,
        /// The newest one known.
        known: u32,
    },
    /// Its facts contradict each other, or those of the machine's rules.
    #[error("the ledger's facts do not fit together: {0}")]
    Broken(String),
    /// No thread could be had.
    #[error("no thread for the ledger: {0}")]
    Thread(String),
}

/// A forest that was taken up, and what that asks for.
pub(crate) struct Restored {
    pub(crate) forest: Forest,
    /// What is to be performed: all of it is durable.
    pub(crate) effects: Vec<Effect>,
    /// What those who watch have not heard of; at least that the host started.
    pub(crate) news: Vec<Arc<Stored>>,
    pub(crate) recovery: Recovery,
}

/// Replays a ledger, or begins an empty one, and starts the host on it. Those who watch have heard
/// of everything up to `heard`; with none, nobody watches yet.
///
/// # Errors
/// See [`OpenError`]. A failed append leaves the ledger to be opened again.
pub(crate) fn restore(
    ledger: &mut dyn Ledger,
    parts: &Parts,
    heard: Option<u64>,
) -> Result<Restored, OpenError> {
    let restoring = || replay(ledger, parts, heard)?.start(ledger, parts);
    catch_unwind(AssertUnwindSafe(restoring))
        .unwrap_or_else(|panic| Err(OpenError::Broken(caught::words(panic.as_ref()))))
}

/// A ledger as it was read.
struct Replayed {
    forest: Forest,
    /// What is to be stored before anything else.
    opening: Vec<Event>,
    news: Vec<Arc<Stored>>,
    quarantined: Vec<Quarantined>,
}

fn replay(
    ledger: &mut dyn Ledger,
    parts: &Parts,
    heard: Option<u64>,
) -> Result<Replayed, OpenError> {
    let mut forest = Forest::replaying(parts.limits.clone(), parts.reach);
    let (mut news, mut unfit, mut newer, mut empty) = (Vec::new(), Vec::new(), None, true);
    let mut quarantined = ledger.replay(&mut |stored| {
        empty = false;
        if let Event::ForestOpened { format, .. } = stored.event {
            newer = newer.or((format > FORMAT).then_some(format));
        }
        if newer.is_some() {
            return;
        }
        if let Err(error) = forest.apply(&stored.event) {
            unfit.push(Quarantined { seq: stored.seq, problem: error.to_string() });
        }
        if heard.is_some_and(|heard| stored.seq > heard) {
            news.push(Arc::new(stored));
        }
    })?;
    quarantined.extend(unfit);
    if let Some(found) = newer {
        return Err(OpenError::Newer { found, known: FORMAT });
    }
    if !empty {
        return Ok(Replayed { forest, opening: Vec::new(), news, quarantined });
    }
    match quarantined.first() {
        Some(bad) => Err(OpenError::Broken(format!("no record can be read; {}", bad.problem))),
        None => Ok(begin(parts)),
    }
}

fn begin(parts: &Parts) -> Replayed {
    let tag = tag(parts.clock.stamp());
    let (forest, opened) = Forest::open(tag, parts.limits.clone(), parts.reach);
    Replayed { forest, opening: vec![opened], news: Vec::new(), quarantined: Vec::new() }
}

/// A tag drawn by lot: ids of two ledgers are not mixed up.
fn tag(stamp: Stamp) -> LedgerTag {
    let [a, b, c, d, ..] = stamp.entropy.to_le_bytes();
    LedgerTag::new(u32::from_le_bytes([a, b, c, d]))
}

impl Replayed {
    fn start(self, ledger: &mut dyn Ledger, parts: &Parts) -> Result<Restored, OpenError> {
        let Self { mut forest, opening: mut events, mut news, quarantined } = self;
        let new = !events.is_empty();
        let agents = forest.agents().filter(|agent| agent.is_live()).count();
        let open_turns = forest.agents().filter(|agent| agent.turn.is_some()).count();
        let stamp = parts.clock.stamp();
        let step = forest.step(Command::HostStarted, stamp);
        events.extend(step.events);
        let claims_returned = events.iter().map(returned).sum();
        let mail_lost = events.iter().map(lost).sum();
        news.extend(writer::append(ledger, stamp.wall, events)?);
        let mail_waiting = forest.agents().map(|agent: &Agent| agent.inbox.len()).sum();
        let recovery = Recovery {
            new,
            agents,
            open_turns,
            mail_waiting,
            claims_returned,
            mail_lost,
            quarantined,
        };
        Ok(Restored { forest, effects: step.effects, news, recovery })
    }
}

fn returned(event: &Event) -> usize {
    match event {
        Event::ClaimReturned { messages, .. } => messages.len(),
        Event::TurnEnded { returned, .. } => returned.len(),
        _ => 0,
    }
}

fn lost(event: &Event) -> usize {
    match event {
        Event::Dropped { messages, .. } => messages.len(),
        Event::TurnEnded { dropped, .. } => dropped.len(),
        _ => 0,
    }
}
