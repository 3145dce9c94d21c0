//! Walks a configuration and says what was found.

use std::fmt::Write;
use std::sync::atomic::Ordering;
use std::time::Instant;

use stateright::{Checker, HasDiscoveries, Model};

use super::model::{Configuration, LAWFUL, Walk, broken};

/// What a walk came to.
#[derive(Debug)]
pub(crate) struct Report {
    /// Each law holds and each race was reached.
    pub(crate) passed: bool,
    pub(crate) text: String,
}

/// Walks every state of a configuration.
pub(crate) fn walk(configuration: Configuration, threads: usize) -> Report {
    let began = Instant::now();
    let checker = Walk::of(configuration).checker().threads(threads);
    let checker = checker.finish_when(HasDiscoveries::AnyFailures).spawn_dfs().join();
    let (states, moves) = (checker.unique_state_count(), checker.state_count());
    let (depth, seconds) = (checker.max_depth(), began.elapsed().as_secs_f64());
    let name = configuration.name;
    let mut text =
        format!("{name}: {states} states, {moves} moves, depth {depth}, {seconds:.1} s\n");
    let mut passed = true;
    if let Some(path) = checker.discovery(LAWFUL) {
        passed = false;
        let law = broken(path.last_state()).expect("the last state of the path breaks it");
        let _ = writeln!(text, "  BROKEN {}: {}", law.law, law.what);
        for (world, next) in path.into_vec() {
            for event in world.told.iter().flat_map(|(_, step)| &step.events) {
                let _ = writeln!(text, "      {event:?}");
            }
            next.into_iter().for_each(|next| _ = writeln!(text, "    {next:?}"));
        }
    }
    let walk = checker.model();
    for (race, reached) in configuration.races.iter().zip(&walk.reached) {
        let reached = reached.load(Ordering::Relaxed);
        passed &= reached > 0;
        let mark = if reached > 0 { "" } else { "  NOT REACHED" };
        let _ = writeln!(text, "  {reached:>9} {}{mark}", race.name);
    }
    Report { passed, text }
}
