//! Small worlds with requests that want one answer (HAND).

use super::{family, short_requests};
use crate::checker::alphabet::{asking, deeds, host, person};
use crate::checker::model::Configuration;
use crate::checker::races;

pub(crate) static WORLDS: &[Configuration] = &[
    Configuration {
        name: "an agent is asked to end",
        limits: short_requests,
        begin: |world| family(world, &[1], false),
        alphabet: &[
            (&asking::DISMISS, 1),
            (&asking::AGREE, 1),
            (&asking::REFUSE, 1),
            (&host::TICK_ON, 2),
            (&host::CRASH, 1),
        ],
        races: &[
            &races::AGREED,
            &races::FORCED_READ,
            &races::FORCED_UNREAD,
            &races::ENDS_OTHERWISE,
            &races::ALREADY_SETTLED,
            &races::CRASH_ASKED,
            &races::CRASH_AGREED,
        ],
    },
    Configuration {
        name: "requests take the place of others",
        limits: short_requests,
        begin: |world| family(world, &[1], false),
        alphabet: &[(&asking::DISMISS, 2), (&asking::AGREE, 1), (&person::DELETE, 1)],
        races: &[
            &races::SUPERSEDED,
            &races::CANCELLED,
            &races::ENDS_OTHERWISE,
            &races::ANSWER_LATE,
        ],
    },
    Configuration {
        name: "a plan",
        limits: short_requests,
        begin: |world| family(world, &[1], false),
        alphabet: &[(&asking::PLAN, 1), (&asking::AGREE, 1), (&deeds::START, 1)],
        races: &[&races::APPROVED, &races::READ_ONLY],
    },
    Configuration {
        name: "a plan and a crash",
        limits: short_requests,
        begin: |world| family(world, &[1], false),
        alphabet: &[
            (&asking::PLAN, 1),
            (&asking::AGREE, 1),
            (&host::TICK_ON, 1),
            (&host::CRASH, 1),
        ],
        races: &[&races::APPROVED, &races::UNANSWERED, &races::CRASH_ASKED, &races::REPEATED],
    },
    Configuration {
        name: "who is to judge a plan goes away",
        limits: short_requests,
        begin: |world| family(world, &[1, 2], false),
        alphabet: &[(&asking::PLAN, 1), (&asking::JUDGE, 1), (&person::DELETE, 1)],
        races: &[&races::PASSED_ON, &races::CANCELLED, &races::APPROVED],
    },
];
