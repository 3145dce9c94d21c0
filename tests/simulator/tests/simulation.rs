//! The histories every change has to pass, by number and not by time. A seed that fails is named,
//! and `cargo run -p switchboard-simulator --example simulate -- SEED` makes its history again.

use std::collections::BTreeMap;

use switchboard_core::Event;
use switchboard_simulator::{Outcome, simulate, storm};

/// Histories of a run.
const SEEDS: u64 = 80;
/// Histories that are made twice.
const TWICE: u64 = 12;

/// What failed, with the command that makes it again.
fn failed(outcome: &Outcome) -> Option<String> {
    let Outcome { seed, problems, .. } = outcome;
    let again = format!("cargo run -p switchboard-simulator --example simulate -- {seed}");
    (!problems.is_empty()).then(|| format!("seed {seed}: {problems:#?}\nagain: {again}"))
}

fn in_all(seeds: impl Iterator<Item = u64>) -> BTreeMap<String, u64> {
    let (mut tally, mut failures) = (BTreeMap::new(), Vec::new());
    for outcome in seeds.map(simulate) {
        failures.extend(failed(&outcome));
        for (what, count) in outcome.tally {
            *tally.entry(what).or_default() += count;
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    tally
}

#[test]
fn fate_1_led_4_histories_of_chance_keep_every_promise_and_come_to_rest() {
    let tally = in_all(0..SEEDS);
    tally.iter().for_each(|(what, count)| println!("{count:>8}  {what}"));
    let absent: Vec<_> =
        Event::KINDS.iter().filter(|kind| !tally.contains_key(&format!("event {kind}"))).collect();
    assert!(absent.is_empty(), "no history has these: {absent:?}");
}

#[test]
fn a_seed_gives_the_same_history_byte_for_byte() {
    for seed in 0..TWICE {
        let (once, again) = (simulate(seed), simulate(seed));
        assert_eq!(once.ledger, again.ledger, "seed {seed}");
        assert_eq!(once.digest, again.digest, "seed {seed}");
    }
}

#[test]
fn other_seeds_give_other_histories() {
    assert_ne!(simulate(1).digest, simulate(2).digest);
}

#[test]
fn res_5_fate_3_in_a_storm_of_a_thousand_agents_of_which_every_fifth_crashes_all_have_a_fate() {
    let storm = storm(1);
    println!("{} agents, {:#?}", storm.agents, storm.fates);
    assert_eq!(failed(&storm.outcome), None);
    assert_eq!(storm.agents, 1_000);
    assert!(storm.outcome.tally["crashes"] >= 200, "{:?}", storm.outcome.tally);
    assert!(storm.fates["dropped, poison"] > 0, "{:?}", storm.fates);
}
