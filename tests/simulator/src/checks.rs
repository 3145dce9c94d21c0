//! What must hold of a history, from what it left and from what everybody was told.

mod told;
mod transcripts;

use std::collections::BTreeSet;
use std::path::PathBuf;

use switchboard_cli::ledgers::Reading;
use switchboard_cli::verify::verify;
use switchboard_core::{Event, MessageKind, Stop, TurnEnd, TurnId};
use switchboard_ledger::{Quarantined, Stored};
use switchboard_runtime::Mailbag;

use crate::rest::Rested;
use crate::world::World;

/// Everything that is not as it should be. Of a ledger with spoiled records less can be said.
pub(crate) fn all(
    world: &World,
    events: &[Stored],
    quarantined: Vec<Quarantined>,
    rested: &Rested,
) -> Vec<String> {
    let mut problems = Vec::new();
    if !world.plan.spoils {
        problems.extend(verified(world, events, quarantined));
        problems.extend(ended(events));
        problems.extend(transcripts::check(world, events, rested));
        problems.extend(told::check(world, events));
    }
    problems.extend(ended_otherwise(events));
    problems
}

/// The product's own verification of a ledger.
fn verified(
    world: &World,
    events: &[Stored],
    quarantined: Vec<Quarantined>,
) -> impl Iterator<Item = String> {
    let reading = Reading {
        path: PathBuf::from("simulated"),
        events: events.to_vec(),
        quarantined,
        misfiled: Vec::new(),
        limits: world.plan.limits.clone(),
        reach: world.plan.reach,
    };
    let checks = verify(&reading).checks.into_iter();
    checks.flat_map(|check| {
        let promise = check.promise;
        check.problems.into_iter().map(move |problem| format!("{promise}: {problem}"))
    })
}

/// FATE-1, after days of rest: only what never expires can still wait (FATE-5: prompts, notices,
/// and what was claimed once), and no turn is open.
fn ended(events: &[Stored]) -> Vec<String> {
    let mut mailbag = Mailbag::default();
    let mut open = BTreeSet::<TurnId>::new();
    for stored in events {
        mailbag.take(stored);
        match &stored.event {
            Event::TurnOpened { turn, .. } => drop(open.insert(*turn)),
            Event::TurnEnded { turn, .. } => drop(open.remove(turn)),
            _ => {}
        }
    }
    let waits = mailbag.values().filter(|mail| mail.standing.fate().is_none());
    let expires = waits.filter(|mail| {
        let expires = matches!(mail.message.kind, MessageKind::Relay | MessageKind::Instruction);
        expires && mail.showings.is_empty()
    });
    let lost = expires.map(|mail| format!("FATE-1: {} has no fate", mail.message.id));
    let open = open.iter().map(|turn| format!("TURN-5: {turn} has no end"));
    lost.chain(open).collect()
}

/// TURN-4: turns that were told to stop, and ended as something else than that or a completion.
fn ended_otherwise(events: &[Stored]) -> Vec<String> {
    let mut stopping = BTreeSet::<TurnId>::new();
    let mut problems = Vec::new();
    for Stored { seq, event, .. } in events {
        match event {
            Event::InterruptAdmitted { answer, .. } => {
                let stopped = std::iter::once(&answer.target).chain(&answer.below);
                stopping.extend(stopped.filter_map(|one| match one.stop {
                    Stop::Cancelling(turn) => Some(turn),
                    _ => None,
                }));
            }
            Event::TurnEnded { turn, end, .. } if stopping.contains(turn) => {
                // An answer that was there before is a completion, and wins.
                if matches!(end, TurnEnd::Error | TurnEnd::Aborted) {
                    problems.push(format!("record {seq}: {turn} was stopped and ended as {end}"));
                }
            }
            _ => {}
        }
    }
    problems
}
