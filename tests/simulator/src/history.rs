//! One history: hosts live and die on one ledger, the last one until all is at rest; then
//! everything is checked.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hasher};
use std::sync::Arc;

use switchboard_ledger::{Ledger, Quarantined, Stored};

use crate::chance::Chance;
use crate::checks;
use crate::life::{Ending, Plot, live};
use crate::panics;
use crate::plan::Plan;
use crate::rest::Rested;
use crate::world::World;

/// What came of a history.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// What it was made from.
    pub seed: u64,
    /// What its seed decided before it began.
    pub plan: String,
    /// Of everything that was stored and told: two runs of a seed have the same.
    pub digest: u64,
    /// What is not as it should be.
    pub problems: Vec<String>,
    /// What happened in it, counted.
    pub tally: BTreeMap<String, u64>,
    /// The ledger it left, a record a line.
    pub ledger: Vec<String>,
}

/// Lives after those of the plan; in the last ones nothing fails.
const MORE_LIVES: u64 = 8;

/// Makes the history of a seed, and checks it.
pub fn simulate(seed: u64) -> Outcome {
    let chance = Chance::of(seed);
    let plan = Plan::draw(&chance);
    run(seed, World::new(chance, plan)).0
}

/// What came of it, and its events.
pub(crate) fn run(seed: u64, world: World) -> (Outcome, Vec<Stored>) {
    panics::notice();
    let world = Arc::new(world);
    let rested = live_on(&world);
    let (events, quarantined) = read(&world);
    let mut problems = std::mem::take(&mut world.witness().problems);
    problems.extend(panics::take().into_iter().map(|panic| format!("somebody panicked: {panic}")));
    match rested {
        Some(rested) => problems.extend(checks::all(&world, &events, quarantined, &rested)),
        None => problems.push("no host lived until all was at rest".to_owned()),
    }
    let tally = tally(&world, &events);
    let ledger = lines(&events);
    let plan = format!("{:?}", world.plan);
    let digest = digest(&world, &ledger);
    (Outcome { seed, plan, digest, problems, tally, ledger }, events)
}

fn live_on(world: &Arc<World>) -> Option<Rested> {
    for number in 0..world.plan.lives + MORE_LIVES {
        let plot = if number < world.plan.lives { Plot::draw(world) } else { Plot::Rest };
        if number + 3 > world.plan.lives + MORE_LIVES {
            world.calm_down();
        }
        match live(world, plot) {
            Ending::Rested(rested) => return Some(rested),
            Ending::Early => world.witness().count("lives that ended early"),
            Ending::AsPlanned => world.witness().count(format!("lives ended by {}", name(plot))),
        }
        spoil(world);
    }
    None
}

fn name(plot: Plot) -> &'static str {
    match plot {
        Plot::Crash(_) => "a crash",
        Plot::Stop => "a stop",
        Plot::Drain => "a drain",
        Plot::CrashInDrain(_) => "a crash in a drain",
        Plot::Rest => "rest",
    }
}

/// LED-1: between two hosts records rot. The first one stays: without it there is no ledger.
fn spoil(world: &World) {
    let records = world.book().len;
    if world.plan.spoils && records > 1 {
        let seq = 2 + world.chance.below(records - 1);
        let texts = ["", "{", r#"{"event":"no such thing"}"#, "null"];
        let text = *world.chance.pick(&texts);
        world.disk.spoil(seq, text);
        world.witness().count("records spoiled");
    }
}

fn read(world: &World) -> (Vec<Stored>, Vec<Quarantined>) {
    let mut events = Vec::new();
    let quarantined = world.disk.clone().replay(&mut |stored| events.push(stored));
    (events, quarantined.unwrap_or_default())
}

fn tally(world: &World, events: &[Stored]) -> BTreeMap<String, u64> {
    let mut tally = std::mem::take(&mut world.witness().tally);
    for stored in events {
        *tally.entry(format!("event {}", stored.event.kind())).or_default() += 1;
    }
    tally
}

fn lines(events: &[Stored]) -> Vec<String> {
    let line = |stored: &Stored| {
        let event = serde_json::to_string(&stored.event).unwrap_or_default();
        format!("{} {} {event}", stored.seq, stored.at.0)
    };
    events.iter().map(line).collect()
}

fn digest(world: &World, ledger: &[String]) -> u64 {
    let mut hasher = DefaultHasher::new();
    ledger.iter().for_each(|line| hasher.write(line.as_bytes()));
    hasher.write(format!("{:?}", world.witness()).as_bytes());
    // Where the stream of chance has come to.
    hasher.write_u64(world.chance.bits());
    hasher.finish()
}
