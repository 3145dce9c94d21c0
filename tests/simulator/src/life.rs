//! The life of one host: it opens the ledger, works, and ends in one of several ways.

use std::sync::Arc;
use std::time::Duration;

use switchboard_core::Mode;
use switchboard_ledger::Stored;
use switchboard_runtime::{Driver, OpenError, Parts, Recovery, Switchboard};
use tokio::sync::broadcast::{Receiver, error::RecvError};
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

use crate::deeds::KINDS;
use crate::disk::Disk;
use crate::fabric::Fabric;
use crate::guests::Guests;
use crate::model::Model;
use crate::person::{Person, descriptor};
use crate::plan::Models;
use crate::rest::{Rested, rest};
use crate::storm::Stormy;
use crate::world::{Host, World};

/// How a host is to end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Plot {
    /// It dies after so long.
    Crash(Duration),
    /// It is stopped at once.
    Stop,
    /// It drains, and is stopped.
    Drain,
    /// It dies so long after it began to drain.
    CrashInDrain(Duration),
    /// It is the last one, and lives until all has come to rest.
    Rest,
}

/// How a host ended.
#[derive(Debug)]
pub(crate) enum Ending {
    /// Before its time: it died, could not open the ledger, or gave up.
    Early,
    AsPlanned,
    Rested(Rested),
}

impl Plot {
    pub(crate) fn draw(world: &World) -> Self {
        let chance = &world.chance;
        if world.plan.models == Models::Storm {
            let begun = Duration::from_secs(60);
            return Self::Crash(begun + chance.up_to(Duration::from_secs(240)));
        }
        match chance.below(8) {
            0..5 => Self::Crash(chance.up_to(Duration::from_secs(300))),
            5 => Self::Stop,
            6 => Self::Drain,
            _ => Self::CrashInDrain(chance.up_to(Duration::from_secs(40))),
        }
    }
}

/// Lives it. What is left of it goes with its runtime.
pub(crate) fn live(world: &Arc<World>, plot: Plot) -> Ending {
    let mut builder = tokio::runtime::Builder::new_current_thread();
    let runtime = builder.enable_time().start_paused(true).build().expect("a runtime can be had");
    let (ending, lived) = runtime.block_on(async {
        let host = Arc::new(Host::new(world.clone()));
        let ending = tokio::select! {
            biased;
            () = host.until_dead() => Ending::Early,
            ending = work(&host, plot) => ending,
        };
        // Whoever is dropped now sees nothing any more.
        host.die();
        (ending, host.age())
    });
    drop(runtime);
    world.pass(lived);
    ending
}

async fn work(host: &Arc<Host>, plot: Plot) -> Ending {
    let Some((board, recovery)) = open(host) else { return Ending::Early };
    if !recovery.quarantined.is_empty() && !host.world.plan.spoils {
        host.object(format!("LED-1: records that nobody spoiled: {:?}", recovery.quarantined));
    }
    let person = Person { host: host.clone(), board: board.clone() };
    person.bring_roots().await;
    if host.world.plan.models == Models::Storm && recovery.new {
        person.let_it_begin().await;
    }
    let mut persons = JoinSet::new();
    for _ in 0..host.world.plan.persons {
        persons.spawn(Person { host: host.clone(), board: board.clone() }.live());
    }
    if let Plot::Crash(after) = plot {
        sleep(after).await;
        return Ending::AsPlanned;
    }
    while let Some(lived) = persons.join_next().await {
        if let Err(error) = lived {
            host.object(format!("a person failed: {error}"));
        }
    }
    match plot {
        Plot::Rest => rest(host, &board).await.map_or(Ending::Early, Ending::Rested),
        Plot::CrashInDrain(after) => {
            let _ = timeout(after, board.drain()).await;
            Ending::AsPlanned
        }
        Plot::Drain => {
            drain(host, &board).await;
            stop(host, &board).await;
            Ending::AsPlanned
        }
        Plot::Stop | Plot::Crash(_) => {
            stop(host, &board).await;
            Ending::AsPlanned
        }
    }
}

/// DRAIN-1: it ends, whatever runs.
pub(crate) async fn drain(host: &Host, board: &Switchboard) {
    if let Some(Err(refusal)) = host.in_time("a drain", board.drain()).await {
        host.world.witness().count_refusal(&refusal);
    }
}

/// A stop ends, and gives the ledger back.
pub(crate) async fn stop(host: &Host, board: &Switchboard) {
    if let Some(None) = host.in_time("a stop", board.stop()).await {
        host.object("a stop gives no ledger back");
    }
}

fn open(host: &Arc<Host>) -> Option<(Switchboard, Recovery)> {
    let parts = parts(host);
    tokio::spawn(watch(host.clone(), parts.watch()));
    match Switchboard::open(Box::new(Disk::of(host)), parts) {
        Ok(opened) => Some(opened),
        Err(error) => {
            host.world.witness().count(format!("hosts that could not open: {}", kind(&error)));
            None
        }
    }
}

fn kind(error: &OpenError) -> &'static str {
    match error {
        OpenError::Ledger(_) => "ledger",
        OpenError::Broken(_) => "broken",
        _ => "other",
    }
}

fn parts(host: &Arc<Host>) -> Parts {
    let plan = &host.world.plan;
    let driver: Arc<dyn Driver> = match plan.models {
        Models::Wild => Arc::new(Model(host.clone())),
        Models::Storm => Arc::new(Stormy(host.clone())),
    };
    let mut parts = Parts::new(driver, Arc::new(Guests(host.clone())));
    let mode = |kind: &str| if kind == "once" { Mode::OneShot } else { Mode::Continuable };
    for kind in KINDS {
        parts.kinds.insert(kind.to_owned(), Arc::new(descriptor(kind, mode(kind))));
    }
    parts.limits = plan.limits.clone();
    parts.reach = plan.reach;
    parts.clock = Arc::new(Fabric(host.clone()));
    parts.fail_points = Some(Arc::new(Fabric(host.clone())));
    if !plan.in_place {
        parts.pace = Some(Arc::new(Fabric(host.clone())));
    }
    parts
}

/// LED-3: those who watch hear of every event in order, once, and of none that is not stored.
async fn watch(host: Arc<Host>, mut events: Receiver<Arc<Stored>>) {
    let mut last = None;
    loop {
        match events.recv().await {
            Ok(stored) => {
                let seq = stored.seq;
                if host.world.book().len < seq {
                    host.object(format!("LED-3: record {seq} is heard of and not stored"));
                }
                if last.is_some_and(|last| last + 1 != seq) {
                    host.object(format!("LED-3: record {seq} is heard of after {last:?}"));
                }
                last = Some(seq);
            }
            Err(RecvError::Lagged(_)) => last = None,
            Err(RecvError::Closed) => return,
        }
    }
}
