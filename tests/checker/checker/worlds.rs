//! The configurations: which agents there are, what may happen and how often, what must be met.

mod deletions;
mod large;
mod requests;
mod small;
mod waits;

use switchboard_core::{Caller, Command, Limits, Millis, Mode, StartRequest, Ticket};

use super::alphabet::{INEVITABLE, host, person};
use super::model::Configuration;
use super::world::{TICK, World, agent};

/// The worlds that are walked with all other tests.
pub(crate) fn small() -> impl Iterator<Item = &'static Configuration> {
    [small::WORLDS, deletions::WORLDS, waits::WORLDS, requests::WORLDS].into_iter().flatten()
}

/// Those that take minutes or longer.
pub(crate) fn large() -> impl Iterator<Item = &'static Configuration> {
    large::WORLDS.iter()
}

fn plain() -> Limits {
    Limits { put_away: Millis(0), ..Limits::default() }
}

fn one_place() -> Limits {
    Limits { places: 1, ..plain() }
}

fn two_attempts() -> Limits {
    Limits { attempts: 2, ..plain() }
}

/// Requests have half a tick of the clock for being read, and as long for being answered.
fn short_requests() -> Limits {
    let (shutdown_unread, grace) = (Millis(TICK / 2), Millis(TICK / 2));
    Limits { shutdown_unread, grace, plan_answer: Millis(TICK / 2), ..plain() }
}

/// A root and agents below it, each the child of the one with the given number: with a first turn
/// that has just begun, or, `at_rest`, put away behind it.
fn family(world: &mut World, parents: &[u64], at_rest: bool) {
    let descriptor = World::descriptor(Mode::Root);
    let (ticket, name) = (Ticket(0), World::root_name());
    world.tell(Command::Register { ticket, name, descriptor });
    bring_up(world);
    for parent in parents {
        let parent = agent(*parent);
        let incarnation = world.known(parent).incarnation;
        let caller = Caller::Agent { agent: parent, incarnation };
        let descriptor = Some(World::descriptor(Mode::Continuable));
        let request = StartRequest {
            kind: "w".into(),
            descriptor,
            description: String::new(),
            prompt: "p".into(),
            background: true,
            fork: false,
        };
        world.tell(Command::Start { ticket, caller, key: None, request });
        bring_up(world);
    }
    if at_rest {
        come_to_rest(world);
    }
    world.told.clear();
}

/// What comes by itself comes, in one order, until nothing more does.
fn come_to_rest(world: &mut World) {
    let next = |world: &World| {
        INEVITABLE.iter().find_map(|letter| Some((*letter, *letter.choices(world).first()?)))
    };
    while let Some((letter, pair)) = next(world) {
        letter.play(world, pair);
    }
}

/// A root alone, in a turn that has just begun.
fn at_work(world: &mut World) {
    family(world, &[], false);
    person::INSTRUCT.play(world, (0, 1));
    world.told.clear();
}

fn bring_up(world: &mut World) {
    while let Some(pair) = host::UP.choices(world).first() {
        host::UP.play(world, *pair);
    }
}
