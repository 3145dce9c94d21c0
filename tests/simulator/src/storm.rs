//! A storm: a thousand agents in eight trees, of which every fifth crashes whenever it is to work.
//! Meanwhile two hosts die. In the end every message has its fate.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use switchboard_core::{AgentId, Fate, Limits, ReachPolicy, TurnEnd};
use switchboard_runtime::{Ask, BoxFuture, Driver, DriverError, Entry, Mailbag};
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

use crate::chance::Chance;
use crate::deeds::{Deed, Deeds, Letter, TALK};
use crate::history::{Outcome, run};
use crate::model::{Asking, Reply, say};
use crate::panics::end;
use crate::plan::{Models, Plan, Rates};
use crate::world::{Host, World};

/// Trees, the children of each root, and those of each of these: 8 x (1 + 4 + 4 x 30) = 1,000.
const ROOTS: u64 = 8;
const LEADS: u64 = 4;
const WORKERS: u64 = 30;
/// Starts one answer asks for. While all places of a tree are taken none of them is admitted.
const AT_ONCE: u64 = 3;
/// Every so-manieth agent crashes.
const CRASHING: u64 = 5;

/// A storm, and how its messages ended.
#[derive(Clone, Debug)]
pub struct Storm {
    /// The history.
    pub outcome: Outcome,
    /// Agents that there were.
    pub agents: usize,
    /// How many messages ended how; those that wait for ever, such as what the host has to say to
    /// one who crashes at every word, are `waiting`.
    pub fates: BTreeMap<String, u64>,
}

/// Makes the storm of a seed, under the usual limits, and checks it.
pub fn storm(seed: u64) -> Storm {
    let chance = Chance::of(seed);
    let plan = Plan {
        roots: ROOTS,
        persons: 0,
        deeds: 0,
        energy: u64::MAX,
        lives: 2,
        in_place: false,
        spoils: false,
        limits: Limits::default(),
        reach: ReachPolicy::Direct,
        rates: Rates::default(),
        models: Models::Storm,
    };
    let (outcome, events) = run(seed, World::new(chance, plan));
    let mut mailbag = Mailbag::default();
    events.iter().for_each(|stored| mailbag.take(stored));
    let mut fates = BTreeMap::new();
    for mail in mailbag.values() {
        *fates.entry(name(mail.standing.fate())).or_default() += 1;
    }
    let started = ["event agent-registered", "event start-admitted"];
    let agents = started.iter().filter_map(|kind| outcome.tally.get(*kind)).sum::<u64>();
    Storm { outcome, agents: usize::try_from(agents).unwrap_or(usize::MAX), fates }
}

fn name(fate: Option<Fate>) -> String {
    match fate {
        None => "waiting".to_owned(),
        Some(Fate::Consumed) => "consumed".to_owned(),
        Some(Fate::Expired) => "expired".to_owned(),
        Some(Fate::Dropped(reason)) => format!("dropped, {reason:?}").to_lowercase(),
    }
}

/// Starts those below it, reports, or crashes.
pub(crate) struct Stormy(pub(crate) Arc<Host>);

impl Driver for Stormy {
    fn answer<'a>(&'a self, ask: Ask, cancel: CancellationToken) -> BoxFuture<'a, Reply> {
        let asking = Asking::of(&self.0, &ask);
        Box::pin(async move {
            let _until_it_is_answered = asking;
            tokio::select! {
                biased;
                () = sleep(self.0.world.chance.up_to(Duration::from_secs(20))) => self.work(&ask),
                () = cancel.cancelled() => say("so far", Vec::new(), TurnEnd::Completed),
            }
        })
    }
}

impl Stormy {
    fn work(&self, ask: &Ask) -> Reply {
        let starts = starts(ask);
        let more = starts.saturating_sub(done(ask));
        if more > 0 {
            return say("Begin.", self.orders(starts, more), TurnEnd::Completed);
        }
        if crashes(ask.agent) {
            self.0.world.witness().count("crashes");
            return crash(ask.agent);
        }
        let reports = starts == 0 && !has_spoken(ask);
        let calls = if reports { vec![self.call(self.report())] } else { Vec::new() };
        say("Done.", calls, TurnEnd::Completed)
    }

    /// A start each for some of those that are not there yet.
    fn orders(&self, starts: u64, more: u64) -> Vec<(String, String)> {
        let kind = if starts == LEADS { "helper" } else { "worker" };
        let words = || self.0.world.new_words();
        let start = |_| {
            let (background, fork) = (true, false);
            self.call(Deed::Start { kind: kind.to_owned(), words: words(), background, fork })
        };
        (0..more.min(AT_ONCE)).map(start).collect()
    }

    fn report(&self) -> Deed {
        Deed::Send(Letter::to_parent(self.0.world.new_words()))
    }

    fn call(&self, deed: Deed) -> (String, String) {
        (TALK.to_owned(), Deeds { deeds: vec![deed] }.text())
    }
}

/// How many this one starts: roots start leads, and leads start workers.
fn starts(ask: &Ask) -> u64 {
    match ask.name.as_str() {
        name if name.starts_with("root") => LEADS,
        name if name.starts_with("helper") => WORKERS,
        _ => 0,
    }
}

fn crashes(agent: AgentId) -> bool {
    agent.number().is_multiple_of(CRASHING)
}

/// Half of them panic.
fn crash(agent: AgentId) -> Reply {
    if agent.number().is_multiple_of(2 * CRASHING) {
        end();
    }
    Err(DriverError::Failed("as every fifth".to_owned()))
}

/// Calls that did what they were to do.
fn done(ask: &Ask) -> u64 {
    let done = |entry: &&Entry| matches!(entry, Entry::Returned { failed: false, .. });
    ask.transcript.iter().filter(done).count() as u64
}

fn has_spoken(ask: &Ask) -> bool {
    ask.transcript.iter().any(|entry| matches!(entry, Entry::Said { .. }))
}
