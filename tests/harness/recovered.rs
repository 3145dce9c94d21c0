//! What had to be made good in a run whose host was killed.

use std::collections::BTreeSet;
use std::iter::Sum;

use switchboard_cli::show::chronicle::Began;
use switchboard_core::{Event, TurnId};

use super::told::Told;

/// Counts of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Recovered {
    /// Messages shown again, because no step was made from their first showing.
    pub(crate) shown_again: usize,
    /// Agents brought back into memory.
    pub(crate) brought_back: usize,
    /// Calls that were under way and were run again.
    pub(crate) run_again: usize,
}

impl Recovered {
    /// What this run shows of it.
    pub(crate) fn of(told: &Told) -> Self {
        let returned = told.events().map(|event| match event {
            Event::ClaimReturned { messages, .. } => messages.len(),
            _ => 0,
        });
        let stays = told.chronicle.stays.iter();
        Self {
            shown_again: returned.sum(),
            brought_back: stays.filter(|stay| stay.began == Began::Rebuilt).count(),
            run_again: run_again(told),
        }
    }
}

impl Sum for Recovered {
    fn sum<I: Iterator<Item = Self>>(all: I) -> Self {
        all.fold(Self::default(), |sum, one| Self {
            shown_again: sum.shown_again + one.shown_again,
            brought_back: sum.brought_back + one.brought_back,
            run_again: sum.run_again + one.run_again,
        })
    }
}

/// Calls that began under one host and ended under another.
fn run_again(told: &Told) -> usize {
    let (mut open, mut orphaned) = (BTreeSet::<(TurnId, u32, u32)>::new(), BTreeSet::new());
    let mut again = 0;
    for event in told.events() {
        match event {
            Event::StepRecorded { turn, step, calls, .. } => {
                open.extend((0..).zip(calls).map(|(call, _)| (*turn, *step, call)));
            }
            Event::CallEnded { turn, step, call, .. } => {
                open.remove(&(*turn, *step, *call));
                again += usize::from(orphaned.remove(&(*turn, *step, *call)));
            }
            Event::TurnEnded { turn, .. } => open.retain(|(other, _, _)| other != turn),
            Event::HostStarted => orphaned.clone_from(&open),
            _ => {}
        }
    }
    again
}
