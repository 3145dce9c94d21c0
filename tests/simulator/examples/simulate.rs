//! Simulates histories: of one seed in full, or of as many as one likes.
//!
//! `cargo run --release -p switchboard-simulator --example simulate -- 1..1000000`
#![allow(clippy::unwrap_used, reason = "a bug here is to stop it")]

use std::collections::BTreeMap;

use switchboard_simulator::{Outcome, simulate, storm};

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let first = words.first().expect("a seed, or a range like 1..1000").clone();
    if words.iter().any(|word| word == "--log") {
        tracing_subscriber::fmt().with_env_filter("trace").without_time().init();
    }
    if first == "storm" {
        let seed = words.get(1).and_then(|seed| seed.parse().ok()).unwrap_or(1);
        let storm = storm(seed);
        storm.outcome.tally.iter().for_each(|(what, count)| println!("{count:>10}  {what}"));
        println!("{} agents, {:#?}\n{:#?}", storm.agents, storm.fates, storm.outcome.problems);
        return;
    }
    let (from, to) = match first.split_once("..") {
        Some((from, to)) => (from.parse().unwrap(), to.parse().unwrap()),
        None => (first.parse().unwrap(), first.parse::<u64>().unwrap() + 1),
    };
    let mut sum = BTreeMap::<String, u64>::new();
    let mut failed = 0;
    for seed in from..to {
        let outcome: Outcome = simulate(seed);
        if words.iter().any(|word| word == "--twice") {
            assert_eq!(outcome.digest, simulate(seed).digest, "seed {seed}");
        }
        for (what, count) in &outcome.tally {
            *sum.entry(what.clone()).or_default() += count;
        }
        if words.iter().any(|word| word == "--ledger") {
            outcome.ledger.iter().for_each(|line| println!("{line}"));
        }
        if !outcome.problems.is_empty() {
            failed += 1;
            println!("seed {seed}: {:#?}\n{}", outcome.problems, outcome.plan);
        }
    }
    sum.iter().for_each(|(what, count)| println!("{count:>10}  {what}"));
    println!("{failed} of {} failed", to - from);
    std::process::exit(i32::from(failed > 0));
}
