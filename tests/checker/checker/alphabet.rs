//! All that can happen, a letter each. What comes by itself sooner or later is in [`INEVITABLE`];
//! everything else a configuration allows so many times. A new command of the machine is a new
//! letter: a [`Deed`] if a guest calls for it, a [`Does::Happens`] otherwise.

pub(crate) mod asking;
pub(crate) mod deeds;
pub(crate) mod host;
pub(crate) mod loops;
pub(crate) mod person;

use std::fmt;

use switchboard_core::{AgentId, Caller, Command, HostKey, Ticket};

use super::world::World;

/// Two numbers that say who and whom; what they mean is the letter's own.
pub(crate) type Pair = (u64, u64);

/// One thing that can happen.
#[derive(Debug)]
pub(crate) struct Letter {
    pub(crate) name: &'static str,
    pub(crate) does: Does,
}

/// How it happens.
#[derive(Debug)]
pub(crate) enum Does {
    /// A model asks for a tool, whose guest makes one control call.
    Deed(Deed),
    /// Anything else.
    Happens {
        /// Between whom it may happen now.
        choices: fn(&World) -> Vec<Pair>,
        play: fn(&mut World, Pair),
    },
}

/// What a guest calls for. After a crash it is called for again, under the same key (TURN-3).
#[derive(Debug)]
pub(crate) struct Deed {
    /// Whom an agent may do it to.
    pub(crate) targets: fn(&World, AgentId) -> Vec<AgentId>,
    pub(crate) command: fn(&World, Call) -> Command,
}

/// One control call.
#[derive(Debug)]
pub(crate) struct Call {
    pub(crate) ticket: Ticket,
    pub(crate) caller: Caller,
    pub(crate) key: HostKey,
    pub(crate) target: AgentId,
}

/// What comes by itself: nobody may wait for anything else for ever.
pub(crate) const INEVITABLE: &[&Letter] = &[
    &host::COMMIT,
    &host::UP,
    &host::AWAY,
    &host::REBUILD,
    &host::EXPIRE,
    &host::REQUEST_DUE,
    &host::RESTART,
    &loops::CLAIM,
    &loops::CALL,
    &loops::WAIT,
    &loops::RESULT,
    &loops::LEAVE,
    &loops::STOP,
    &loops::FINISH,
];

impl Letter {
    /// Between whom it may happen now.
    pub(crate) fn choices(&self, world: &World) -> Vec<Pair> {
        match &self.does {
            Does::Happens { choices, .. } => choices(world),
            Does::Deed(deed) => loops::asking(world)
                .flat_map(|who| {
                    let targets = (deed.targets)(world, who).into_iter();
                    targets.map(move |whom| (who.number(), whom.number()))
                })
                .collect(),
        }
    }

    /// Lets it happen.
    pub(crate) fn play(&self, world: &mut World, pair: Pair) {
        match &self.does {
            Does::Happens { play, .. } => play(world, pair),
            Does::Deed(_) => loops::ask_for(world, self.name, pair),
        }
    }
}

/// One thing that happens.
#[derive(Clone, Copy)]
pub(crate) struct Move {
    pub(crate) letter: &'static Letter,
    /// Which of the configuration's letters it is; none if it comes by itself.
    pub(crate) place: Option<usize>,
    pub(crate) pair: Pair,
}

impl PartialEq for Move {
    fn eq(&self, other: &Self) -> bool {
        (self.letter.name, self.pair) == (other.letter.name, other.pair)
    }
}

impl fmt::Debug for Move {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{} {}-{}", self.letter.name, self.pair.0, self.pair.1)
    }
}
