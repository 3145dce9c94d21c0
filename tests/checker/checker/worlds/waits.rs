//! Small worlds in which turns wait in the middle (TOOL-3, OBS-3).

use super::{at_work, family, one_place, plain};
use crate::checker::alphabet::{deeds, host, loops, person};
use crate::checker::model::Configuration;
use crate::checker::races;

pub(crate) static WORLDS: &[Configuration] = &[
    Configuration {
        name: "a child in the foreground",
        limits: plain,
        begin: at_work,
        alphabet: &[(&deeds::RUN, 1), (&person::HALT, 1), (&host::CRASH, 1)],
        races: &[
            &races::ENDED_FIRST,
            &races::INTERRUPT_WAIT,
            &races::INTERRUPT_RESULT,
            &races::CRASH_WAIT,
            &races::CRASH_TOLD,
        ],
    },
    Configuration {
        name: "a child in the foreground ends early",
        limits: plain,
        begin: at_work,
        alphabet: &[
            (&deeds::RUN, 1),
            (&person::CLOSE, 1),
            (&host::LOAD_FAILS, 1),
            (&host::WAIT_LASTS, 1),
        ],
        races: &[&races::CLOSE_RESULT, &races::START_FAILS, &races::WAIT_LASTS],
    },
    Configuration {
        name: "one place for those who wait",
        limits: one_place,
        begin: |world| family(world, &[1], true),
        alphabet: &[(&person::INSTRUCT, 2), (&deeds::RUN, 2)],
        races: &[&races::WAIT_PLACE, &races::TWO_ENDS, &races::PLACE_WAIT],
    },
    Configuration {
        name: "two wait for mail",
        limits: plain,
        begin: |world| family(world, &[1], true),
        alphabet: &[(&person::INSTRUCT, 2), (&loops::LISTEN_FOR, 2), (&deeds::REPORT, 1)],
        races: &[&races::NOBODY, &races::LAST_WAITS, &races::LAST_ENDS, &races::MAIL_CAME],
    },
];
