//! The configurations: which agents there are, what may happen and how often, what must be met.

use switchboard_core::{Caller, Command, Limits, Millis, Mode, StartRequest, Ticket};

use super::alphabet::{INEVITABLE, deeds, host, loops, person};
use super::model::Configuration;
use super::races;
use super::world::{World, agent};

/// All of them, the small ones first.
pub(crate) static ALL: &[Configuration] = &[
    Configuration {
        name: "a child reports and is asked",
        small: true,
        limits: plain,
        begin: |world| family(world, &[1], false),
        alphabet: &[
            (&deeds::REPORT, 1),
            (&person::INSTRUCT, 1),
            (&deeds::ASK, 1),
            (&host::CRASH, 1),
        ],
        races: &[
            &races::REPORT_SETTLEMENT,
            &races::CRASH_CLAIM,
            &races::CRASH_CALL,
            &races::CRASH_CLOSING,
            &races::REPEATED,
            &races::SEND_CLOSING,
            &races::SEND_ABSENT,
            &races::SEND_WORKING,
            &races::REDELIVERED,
            &races::MAIL_SETTLING,
        ],
    },
    Configuration {
        name: "a turn is stopped",
        small: true,
        limits: plain,
        begin: |world| family(world, &[1], false),
        alphabet: &[
            (&person::HALT, 2),
            (&person::INSTRUCT, 1),
            (&deeds::ASK, 1),
            (&loops::WORK, 1),
            (&host::CRASH, 1),
        ],
        races: &[
            &races::INTERRUPT_COMPLETION,
            &races::INTERRUPT_CALLS,
            &races::INTERRUPT_CLAIM,
            &races::INTERRUPT_CLOSING,
            &races::INTERRUPT_TWICE,
            &races::INTERRUPT_REBUILT,
            &races::MAIL_BEHIND_INTERRUPT,
            &races::UNPARK,
            &races::CRASH_INTERRUPTED,
            &races::CRASH_PARKED,
        ],
    },
    Configuration {
        name: "a parked agent",
        small: true,
        limits: plain,
        begin: |world| family(world, &[1], false),
        alphabet: &[
            (&deeds::INTERRUPT, 1),
            (&person::INSTRUCT, 2),
            (&deeds::REPORT, 1),
            (&host::PUT_AWAY, 1),
            (&host::LATE_TIMER, 1),
        ],
        races: &[
            &races::PUT_AWAY,
            &races::UNPARK,
            &races::MAIL_BEHIND_INTERRUPT,
            &races::REPORT_SETTLEMENT,
        ],
    },
    Configuration {
        name: "an agent is closed",
        small: true,
        limits: plain,
        begin: |world| family(world, &[1], false),
        alphabet: &[
            (&person::CLOSE, 1),
            (&deeds::REPORT, 1),
            (&person::INSTRUCT, 1),
            (&host::AWAY_LASTS, 1),
            (&host::CRASH, 1),
        ],
        races: &[
            &races::CLOSE_WORKING,
            &races::FROM_CLOSING,
            &races::PARENT_GONE,
            &races::SEND_CLOSING,
            &races::ABANDONED,
            &races::LATE_DISPOSAL,
            &races::CRASH_CLOSING,
            &races::CRASH_WAITING,
            &races::STALE_LOOP,
        ],
    },
    Configuration {
        name: "an agent is brought back",
        small: true,
        limits: plain,
        begin: |world| family(world, &[1], true),
        alphabet: &[
            (&person::INSTRUCT, 3),
            (&host::LOAD_FAILS, 1),
            (&host::LOAD_LASTS, 1),
            (&host::IMPATIENCE, 1),
            (&host::CRASH, 1),
        ],
        races: &[
            &races::SEND_ABSENT,
            &races::RESUME_RESUME,
            &races::WAIT_FAILS,
            &races::LOAD_LASTS,
            &races::LATE_PUBLICATION,
            &races::TIMED_OUT,
            &races::CRASH_STARTING,
            &races::CRASH_WAITING,
        ],
    },
    Configuration {
        name: "an agent is given up",
        small: true,
        limits: plain,
        begin: |world| family(world, &[1], false),
        alphabet: &[
            (&host::LOAD_FAILS, 4),
            (&person::INSTRUCT, 1),
            (&deeds::REPORT, 1),
            (&host::CRASH, 1),
        ],
        races: &[&races::LOST, &races::WAIT_FAILS, &races::CRASH_CLAIM, &races::REDELIVERED],
    },
    Configuration {
        name: "a child is started",
        small: true,
        limits: plain,
        begin: |world| family(world, &[], false),
        alphabet: &[
            (&person::INSTRUCT, 2),
            (&deeds::START, 1),
            (&person::HALT, 1),
            (&person::CLOSE, 1),
            (&host::LOAD_FAILS, 1),
            (&host::CRASH, 1),
        ],
        races: &[
            &races::START_FAILS,
            &races::INTERRUPT_STARTING,
            &races::CLOSE_STARTING,
            &races::SEND_STARTING,
            &races::CRASH_STARTING,
            &races::REPEATED,
            &races::LATE_PUBLICATION,
        ],
    },
    Configuration {
        name: "one place for three",
        small: true,
        limits: one_place,
        begin: |world| family(world, &[1, 1], true),
        alphabet: &[(&person::INSTRUCT, 3), (&deeds::REPORT, 1), (&host::CRASH, 1)],
        races: &[&races::PLACE_WAIT, &races::SEND_WORKING, &races::REPORT_SETTLEMENT],
    },
    Configuration {
        name: "a drain",
        small: true,
        limits: plain,
        begin: |world| family(world, &[1], false),
        alphabet: &[
            (&host::DRAIN, 1),
            (&person::INSTRUCT, 2),
            (&deeds::REPORT, 1),
            (&deeds::ASK, 1),
            (&person::HALT, 1),
        ],
        races: &[
            &races::DRAIN_WAITING,
            &races::DRAIN_CLAIMED,
            &races::DRAIN_CALL,
            &races::RESTARTED,
            &races::REPEATED,
        ],
    },
    Configuration {
        name: "mail is given up",
        small: true,
        limits: two_attempts,
        begin: |world| family(world, &[1], false),
        alphabet: &[
            (&host::CRASH, 2),
            (&deeds::REPORT, 1),
            (&person::INSTRUCT, 1),
            (&loops::FAIL, 1),
        ],
        races: &[&races::POISON, &races::REDELIVERED, &races::CRASH_CLAIM],
    },
    Configuration {
        name: "mail expires",
        small: true,
        limits: plain,
        begin: |world| family(world, &[1], false),
        alphabet: &[(&deeds::HURRY, 2), (&host::TICK_ON, 1), (&loops::WORK, 1), (&host::CRASH, 1)],
        races: &[&races::EXPIRED, &races::REDELIVERED],
    },
    Configuration {
        name: "acknowledgements",
        small: true,
        limits: plain,
        begin: |world| family(world, &[1], false),
        alphabet: &[
            (&deeds::DEMAND, 2),
            (&deeds::ACKNOWLEDGE, 1),
            (&person::INSTRUCT, 1),
            (&host::CRASH, 1),
        ],
        races: &[&races::OWED, &races::ACKNOWLEDGED, &races::CRASH_CALL],
    },
    Configuration {
        name: "a slow disk",
        small: true,
        limits: plain,
        begin: |world| family(world, &[1], false),
        alphabet: &[
            (&host::SLOW_DISK, 1),
            (&person::INSTRUCT, 1),
            (&deeds::REPORT, 1),
            (&host::CRASH, 1),
        ],
        races: &[
            &races::CRASH_UNSTORED,
            &races::CRASH_CLAIM,
            &races::REPEATED,
            &races::REPORT_SETTLEMENT,
        ],
    },
    Configuration {
        name: "a slow disk and loads that last",
        small: true,
        limits: plain,
        begin: |world| family(world, &[1], true),
        alphabet: &[
            (&host::SLOW_DISK, 1),
            (&person::INSTRUCT, 2),
            (&host::LOAD_LASTS, 1),
            (&host::CRASH, 1),
        ],
        races: &[&races::CRASH_UNSTORED, &races::LOAD_LASTS, &races::CRASH_STARTING],
    },
    Configuration {
        name: "guests of stays that are over",
        small: true,
        limits: plain,
        begin: |world| family(world, &[1], false),
        alphabet: &[
            (&person::GHOST, 1),
            (&person::INSTRUCT, 1),
            (&deeds::REPORT, 1),
            (&host::LATE_TIMER, 1),
            (&host::CRASH, 1),
        ],
        races: &[&races::STALE, &races::REPORT_SETTLEMENT],
    },
    Configuration {
        name: "a grandchild",
        small: true,
        limits: plain,
        begin: |world| family(world, &[1, 2], false),
        alphabet: &[(&deeds::REPORT, 1), (&person::CLOSE, 1)],
        races: &[
            &races::CLOSE_WORKING,
            &races::FROM_CLOSING,
            &races::PARENT_GONE,
            &races::SEND_CLOSING,
            &races::REPORT_SETTLEMENT,
        ],
    },
    Configuration {
        name: "a grandchild is stopped from above",
        small: true,
        limits: plain,
        begin: |world| family(world, &[1, 2], false),
        alphabet: &[(&person::HALT_ALL, 1), (&person::INSTRUCT, 1)],
        races: &[&races::MAIL_BEHIND_INTERRUPT, &races::INTERRUPT_COMPLETION, &races::UNPARK],
    },
];

fn plain() -> Limits {
    Limits { put_away: Millis(0), ..Limits::default() }
}

fn one_place() -> Limits {
    Limits { places: 1, ..plain() }
}

fn two_attempts() -> Limits {
    Limits { attempts: 2, ..plain() }
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
        let request =
            StartRequest { kind: "w".into(), descriptor, prompt: "p".into(), background: true };
        world.tell(Command::Start { ticket, caller, key: None, request });
        bring_up(world);
    }
    while at_rest {
        let next =
            INEVITABLE.iter().find_map(|letter| Some((letter, *letter.choices(world).first()?)));
        let Some((letter, pair)) = next else { break };
        letter.play(world, pair);
    }
    world.told.clear();
}

fn bring_up(world: &mut World) {
    while let Some(pair) = host::UP.choices(world).first() {
        host::UP.play(world, *pair);
    }
}
