//! A configuration as stateright walks it.

use std::sync::atomic::{AtomicU64, Ordering};

use stateright::{Model, Property};
use switchboard_core::Limits;

use super::alphabet::{INEVITABLE, Letter, Move};
use super::laws;
use super::races::{Passage, Race};
use super::world::{Broken, World};

/// One small world and what may happen in it.
#[derive(Clone, Copy)]
pub(crate) struct Configuration {
    pub(crate) name: &'static str,
    pub(crate) limits: fn() -> Limits,
    /// How it begins.
    pub(crate) begin: fn(&mut World),
    /// What may happen, and how often.
    pub(crate) alphabet: &'static [(&'static Letter, u8)],
    /// What must be reached.
    pub(crate) races: &'static [&'static Race],
}

/// A configuration, and how often each of its races was reached.
pub(crate) struct Walk {
    pub(crate) configuration: Configuration,
    pub(crate) reached: Vec<AtomicU64>,
}

/// The name of the one property: which law it is, the state says.
pub(crate) const LAWFUL: &str = "every law holds";

impl Walk {
    pub(crate) fn of(configuration: Configuration) -> Self {
        let reached = configuration.races.iter().map(|_| AtomicU64::new(0)).collect();
        Self { configuration, reached }
    }

    fn note_races(&self, before: &World, letter: &Letter, after: &World) {
        let passage = Passage { before, letter, after };
        for (race, count) in self.configuration.races.iter().zip(&self.reached) {
            if (race.seen)(&passage) {
                count.fetch_add(1, Ordering::Relaxed);
            }
        }
    }
}

impl Model for Walk {
    type State = World;
    type Action = Move;

    fn init_states(&self) -> Vec<World> {
        let mut world = World::new((self.configuration.limits)());
        (self.configuration.begin)(&mut world);
        world.left = self.configuration.alphabet.iter().map(|(_, times)| *times).collect();
        vec![world]
    }

    fn actions(&self, world: &World, moves: &mut Vec<Move>) {
        if world.broken.is_some() {
            return;
        }
        let budgeted = self.configuration.alphabet.iter().zip(&world.left).enumerate();
        let allowed = budgeted.filter(|(_, (_, left))| **left > 0);
        let allowed = allowed.map(|(place, ((letter, _), _))| (Some(place), *letter));
        for (place, letter) in INEVITABLE.iter().map(|letter| (None, *letter)).chain(allowed) {
            let choices = letter.choices(world).into_iter();
            moves.extend(choices.map(|pair| Move { letter, place, pair }));
        }
    }

    fn next_state(&self, before: &World, Move { letter, place, pair }: Move) -> Option<World> {
        let mut after = before.clone();
        after.told.clear();
        if let Some(place) = place {
            after.left[place] -= 1;
        }
        letter.play(&mut after, pair);
        self.note_races(before, letter, &after);
        Some(after)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        vec![Property::always(LAWFUL, |_, world| laws::state(world).is_ok())]
    }
}

/// The law a state breaks, if it does.
pub(crate) fn broken(world: &World) -> Option<Broken> {
    laws::state(world).err()
}
