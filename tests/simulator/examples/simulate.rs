//! Simulates histories: of one seed, of as many as one likes, or a storm. Ends with 1 if something
//! was not as it should be.
//!
//! `cargo run --release -p switchboard-simulator --example simulate -- 0..1000000`

use std::collections::BTreeMap;
use std::ops::Range;
use std::process::ExitCode;

use switchboard_simulator::{Outcome, simulate, storm};

const USAGE: &str = "simulate SEED | FROM..TO | storm [SEED]
    --ledger  print what was stored
    --log     print what the hosts did
    --twice   make each history twice, and compare";

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let (options, words): (Vec<_>, Vec<_>) =
        words.into_iter().partition(|word| word.starts_with("--"));
    let asked = |option: &str| options.iter().any(|word| word == option);
    if asked("--log") {
        tracing_subscriber::fmt().with_env_filter("trace").without_time().init();
    }
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let kept = match words.as_slice() {
        ["storm"] => Some(blow(1)),
        ["storm", seed] => seed.parse().ok().map(blow),
        [seeds] => range(seeds).map(|seeds| all(seeds, asked("--ledger"), asked("--twice"))),
        _ => None,
    };
    match kept {
        Some(true) => ExitCode::SUCCESS,
        Some(false) => ExitCode::FAILURE,
        None => {
            eprintln!("{USAGE}");
            ExitCode::from(2)
        }
    }
}

fn range(words: &str) -> Option<Range<u64>> {
    let Some((from, to)) = words.split_once("..") else {
        let seed: u64 = words.parse().ok()?;
        return Some(seed..seed.checked_add(1)?);
    };
    Some(from.parse().ok()?..to.parse().ok()?)
}

/// Whether all of them kept every promise. Those that did not are printed as they come.
fn all(seeds: Range<u64>, ledger: bool, twice: bool) -> bool {
    let (mut tally, mut made, mut failed) = (BTreeMap::<String, u64>::new(), 0, 0);
    for seed in seeds {
        let mut outcome = simulate(seed);
        if twice && simulate(seed).digest != outcome.digest {
            outcome.problems.push("made again, it is another one".to_owned());
        }
        if ledger {
            outcome.ledger.iter().for_each(|line| println!("{line}"));
        }
        made += 1;
        failed += u64::from(!is_kept(&outcome));
        for (what, count) in outcome.tally {
            *tally.entry(what).or_default() += count;
        }
    }
    tally.iter().for_each(|(what, count)| println!("{count:>10}  {what}"));
    println!("{failed} of {made} failed");
    failed == 0
}

fn blow(seed: u64) -> bool {
    let storm = storm(seed);
    storm.outcome.tally.iter().for_each(|(what, count)| println!("{count:>10}  {what}"));
    println!("{} agents, {:#?}", storm.agents, storm.fates);
    is_kept(&storm.outcome)
}

fn is_kept(Outcome { seed, plan, problems, .. }: &Outcome) -> bool {
    if !problems.is_empty() {
        println!("seed {seed}: {problems:#?}\n{plan}");
    }
    problems.is_empty()
}
