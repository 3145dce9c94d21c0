//! What happens to the host: agents come up and go away or fail to, timers come, the ledger takes
//! its time, the process dies.

use switchboard_core::{Command, Timer};

use super::{Does, Letter, Pair};
use crate::checker::shell::{DRAINING, Drain, Memory, Stay, is_idle};
use crate::checker::world::{TICK, World, agent};

/// What was being stored is stored.
pub(crate) static COMMIT: Letter =
    letter("commit", |world| once(world.shell.held.is_some()), |world, _| world.commit());

/// An agent's record is read: it is in memory.
pub(crate) static UP: Letter = letter("up", loading, |world, (who, _)| {
    let slot = world.shell.slots.get_mut(&agent(who)).expect("it was chosen");
    slot.memory = Memory::Up;
    let incarnation = slot.incarnation;
    world.tell(Command::Published { agent: agent(who), incarnation });
});

/// An agent is out of memory, its loop ended.
pub(crate) static AWAY: Letter = letter(
    "away",
    |world| {
        let ended = |stay: &&Stay| !world.shell.loops.contains_key(stay);
        world.shell.leaving.iter().filter(ended).map(pair).collect()
    },
    |world, (who, stay)| {
        let leaving = world.shell.leaving.iter().copied().find(|it| pair(it) == (who, stay));
        let (agent, incarnation) = leaving.expect("it was chosen");
        world.shell.leaving.remove(&(agent, incarnation));
        world.tell(Command::Disposed { agent, incarnation });
    },
);

/// It is time to try again to bring somebody back.
pub(crate) static REBUILD: Letter =
    letter("rebuild", |world| timers(world, |timer| matches!(timer, Timer::Rebuild(..))), fire);

/// Something may have waited too long.
pub(crate) static EXPIRE: Letter =
    letter("expire", |world| timers(world, |timer| matches!(timer, Timer::Expiry(_))), fire);

/// A request may have waited for long enough.
pub(crate) static REQUEST_DUE: Letter =
    letter("request due", |world| timers(world, |timer| matches!(timer, Timer::Request(_))), fire);

/// What was drained stops, and another host takes it up.
pub(crate) static RESTART: Letter = letter(
    "restart",
    |world| once(world.shell.drain == Some(Drain::Done)),
    |world, _| world.crash(),
);

/// The host is killed; another takes its ledger up.
pub(crate) static CRASH: Letter = letter("crash", |_| once(true), |world, _| world.crash());

/// The ledger takes its time: what is decided from now on is heard of at the next commit.
pub(crate) static SLOW_DISK: Letter =
    letter("slow disk", |world| once(world.shell.held.is_none()), |world, _| world.hold());

/// Somebody cannot be brought into memory.
pub(crate) static LOAD_FAILS: Letter = letter("load fails", loading, |world, (who, _)| {
    let slot = world.shell.slots.get_mut(&agent(who)).expect("it was chosen");
    slot.memory = Memory::Failed;
    let (agent, incarnation, why) = (agent(who), slot.incarnation, String::new());
    world.tell(Command::MaterialiseFailed { agent, incarnation, why });
});

/// Bringing somebody into memory takes too long.
pub(crate) static LOAD_LASTS: Letter = letter(
    "load lasts",
    |world| timers(world, |timer| matches!(timer, Timer::Publication(..))),
    fire,
);

/// Putting somebody away takes too long.
pub(crate) static AWAY_LASTS: Letter =
    letter("away lasts", |world| timers(world, |timer| matches!(timer, Timer::Disposal(..))), fire);

/// Somebody has waited at a closed door for long enough.
pub(crate) static IMPATIENCE: Letter =
    letter("impatience", |world| timers(world, |timer| matches!(timer, Timer::Parking(_))), fire);

/// The result of a call has been waited for for long enough.
pub(crate) static WAIT_LASTS: Letter =
    letter("wait lasts", |world| timers(world, |timer| matches!(timer, Timer::Waiting(_))), fire);

/// A parked agent has been left alone for long enough.
pub(crate) static PUT_AWAY: Letter =
    letter("put away", |world| timers(world, |timer| matches!(timer, Timer::PutAway(..))), fire);

/// A timer comes that is for nothing any more.
pub(crate) static LATE_TIMER: Letter = letter(
    "late timer",
    |world| {
        let late = |who: u64| (0..4).map(move |kind| (who, kind));
        let all = world.forest.agents().flat_map(|agent| late(agent.id.number()));
        all.filter(|pair| is_idle(late_timer(world, *pair), &world.forest)).collect()
    },
    |world, pair| world.tell(Command::Timer(late_timer(world, pair))),
);

/// The host is asked to stop.
pub(crate) static DRAIN: Letter = letter(
    "drain",
    |world| once(world.shell.drain.is_none()),
    |world, _| {
        world.shell.drain = Some(Drain::Asked);
        world.tell(Command::Drain { ticket: DRAINING });
    },
);

/// Calls in flight have had their time.
pub(crate) static DRAIN_OVER: Letter =
    letter("drain over", |world| timers(world, |timer| *timer == Timer::Drain), fire);

/// The clock goes on.
pub(crate) static TICK_ON: Letter = letter("tick", |_| once(true), |world, _| world.clock += 1);

const fn letter(
    name: &'static str,
    choices: fn(&World) -> Vec<Pair>,
    play: fn(&mut World, Pair),
) -> Letter {
    Letter { name, does: Does::Happens { choices, play } }
}

fn once(it_may: bool) -> Vec<Pair> {
    if it_may { vec![(0, 0)] } else { Vec::new() }
}

fn pair((id, incarnation): &Stay) -> Pair {
    (id.number(), incarnation.0.into())
}

fn loading(world: &World) -> Vec<Pair> {
    let slots = world.shell.slots.iter().filter(|(_, slot)| slot.memory == Memory::Loading);
    slots.map(|(id, slot)| pair(&(*id, slot.incarnation))).collect()
}

/// A timer that was once set for an agent, of one of four kinds.
fn late_timer(world: &World, (who, kind): Pair) -> Timer {
    let (id, stay) = (agent(who), world.known(agent(who)).incarnation);
    match kind {
        0 => Timer::Publication(id, stay),
        1 => Timer::Disposal(id, stay),
        2 => Timer::PutAway(id, stay),
        _ => Timer::Rebuild(id, stay),
    }
}

/// The timers that fit and may come by now, by their places.
fn timers(world: &World, fits: impl Fn(&Timer) -> bool) -> Vec<Pair> {
    let now = world.clock * TICK;
    let set = (0..).zip(&world.shell.timers);
    set.filter(|(_, (timer, due))| fits(timer) && *due <= now).map(|(at, _)| (at, 0)).collect()
}

fn fire(world: &mut World, (place, _): Pair) {
    let place = usize::try_from(place).expect("timers are few");
    let set = world.shell.timers.iter().nth(place).copied().expect("it was chosen");
    world.shell.timers.remove(&set);
    world.tell(Command::Timer(set.0));
}
