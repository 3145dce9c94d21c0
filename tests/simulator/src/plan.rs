//! What a seed decides before a history begins: its size, its limits, and which faults it has.

use switchboard_core::{Limits, Millis, ReachPolicy};

use crate::chance::Chance;

/// The frame of one history.
#[derive(Clone, Debug)]
pub(crate) struct Plan {
    /// Roots the host program brings.
    pub(crate) roots: u64,
    /// Persons that instruct and interrupt at once.
    pub(crate) persons: u64,
    /// What each of them does in the life of one host.
    pub(crate) deeds: u64,
    /// Answers with calls that all models together give.
    pub(crate) energy: u64,
    /// Hosts before the last one.
    pub(crate) lives: u64,
    /// The ledger is used in place, and whoever asks pushes the owner on; otherwise it is served
    /// by a task, as by the thread of a real one.
    pub(crate) in_place: bool,
    /// Records are made unreadable between two hosts.
    pub(crate) spoils: bool,
    pub(crate) limits: Limits,
    pub(crate) reach: ReachPolicy,
    pub(crate) rates: Rates,
    pub(crate) models: Models,
}

/// Who answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Models {
    /// Whatever chance wants.
    Wild,
    /// Those of a storm.
    Storm,
}

/// How often things go wrong, in a thousand times each.
#[derive(Clone, Debug, Default)]
pub(crate) struct Rates {
    /// An append fails, and its batch is stored or not.
    pub(crate) append_fails: u64,
    /// The host dies in an append, before or after its batch is stored.
    pub(crate) append_kills: u64,
    /// The host dies as a batch comes by a fail point.
    pub(crate) point_kills: u64,
    /// The records of an agent cannot be read.
    pub(crate) read_fails: u64,
    /// The ledger cannot be replayed or opened again.
    pub(crate) replay_fails: u64,
    /// A job of the ledger takes seconds.
    pub(crate) slow_jobs: u64,
    /// A model cannot be asked at all.
    pub(crate) model_fails: u64,
    /// A model is away for a while.
    pub(crate) model_away: u64,
    /// A driver panics.
    pub(crate) model_panics: u64,
    /// A model never answers, and may not even listen when it is told to stop.
    pub(crate) model_silent: u64,
    /// A tool fails, panics, or never ends.
    pub(crate) tool_fails: u64,
}

impl Plan {
    pub(crate) fn draw(chance: &Chance) -> Self {
        let policies = [ReachPolicy::Direct, ReachPolicy::Family, ReachPolicy::Tree];
        Self {
            roots: 1 + chance.below(3),
            persons: 1 + chance.below(3),
            deeds: 4 + chance.below(12),
            energy: [20, 60, 150, 400][chance.below(4) as usize],
            lives: chance.below(5),
            in_place: chance.below(3) == 0,
            spoils: chance.below(10) == 0,
            limits: limits(chance),
            reach: *chance.pick(&policies),
            rates: Rates::draw(chance),
            models: Models::Wild,
        }
    }
}

/// Small ones, so that a history comes by them.
fn limits(chance: &Chance) -> Limits {
    let usual = Limits::default();
    let some = |few: u64, usual: u64| *chance.pick(&[few, usual]);
    let size = |few: u64, usual: usize| some(few, usual as u64) as usize;
    Limits {
        pending: size(3, usual.pending),
        places: size(2, usual.places),
        children: size(3, usual.children),
        depth: some(2, usual.depth.into()) as u32,
        attempts: some(2, usual.attempts.into()) as u32,
        hops: some(6, usual.hops.into()) as u32,
        turn_steps: some(5, usual.turn_steps.into()) as u32,
        unclaimed: Millis(some(60_000, usual.unclaimed.0)),
        ..usual
    }
}

impl Rates {
    fn draw(chance: &Chance) -> Self {
        let rate = |low: u64, high: u64| *chance.pick(&[0, 0, low, high]);
        Self {
            append_fails: rate(3, 30),
            append_kills: rate(2, 10),
            point_kills: rate(1, 5),
            read_fails: rate(20, 200),
            replay_fails: rate(50, 300),
            slow_jobs: rate(20, 200),
            model_fails: rate(20, 100),
            model_away: rate(50, 200),
            model_panics: rate(20, 100),
            model_silent: rate(10, 50),
            tool_fails: rate(30, 150),
        }
    }
}
