//! Small worlds in which agents are gone for good (DELETE-1).

use super::{at_work, family, plain};
use crate::checker::alphabet::{deeds, host, person};
use crate::checker::model::Configuration;
use crate::checker::races;

pub(crate) static WORLDS: &[Configuration] = &[
    Configuration {
        name: "an agent is deleted",
        limits: plain,
        begin: |world| family(world, &[1], false),
        alphabet: &[
            (&person::DELETE, 1),
            (&deeds::REPORT, 1),
            (&person::INSTRUCT, 1),
            (&host::CRASH, 1),
        ],
        races: &[
            &races::DELETE_CLAIMED,
            &races::DELETE_CLOSING,
            &races::DELETE_PARKED_SEND,
            &races::CRASH_DELETED,
            &races::SEND_DELETED,
        ],
    },
    Configuration {
        name: "an agent is deleted on its way back",
        limits: plain,
        begin: |world| family(world, &[1], true),
        alphabet: &[(&person::DELETE, 2), (&person::INSTRUCT, 2), (&host::CRASH, 1)],
        races: &[
            &races::DELETE_RESUME,
            &races::DELETE_PARKED_SEND,
            &races::DELETE_LATE,
            &races::DELETE_AGAIN,
            &races::CRASH_DELETED,
            &races::SEND_DELETED,
        ],
    },
    Configuration {
        name: "a name is used again",
        limits: plain,
        begin: at_work,
        alphabet: &[(&deeds::START, 2), (&deeds::DELETE, 1), (&host::CRASH, 1)],
        races: &[
            &races::DELETE_STARTING,
            &races::DELETE_LATE,
            &races::NAME_AGAIN,
            &races::CRASH_DELETED,
            &races::REPEATED,
        ],
    },
    Configuration {
        name: "a parent is deleted",
        limits: plain,
        begin: |world| family(world, &[1, 2], false),
        alphabet: &[(&person::DELETE, 1), (&deeds::REPORT, 1)],
        races: &[
            &races::DELETE_CLAIMED,
            &races::DELETE_CLOSING,
            &races::DELETE_PARENT,
            &races::FROM_CLOSING,
        ],
    },
];
