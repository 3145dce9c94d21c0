//! The cases, by what they are aimed at.

mod again;
mod allocating;
mod caching;
mod computing;
mod damage;
mod data;
mod deep;
mod describing;
mod dropping;
mod features;
mod host_calls;
mod importing;
mod memory;
mod parts;
mod paths;
mod racing;
mod runtimes;
mod stopping;
mod words;

use crate::case::Case;

pub(crate) fn all() -> Vec<Case> {
    [
        computing::cases(),
        runtimes::cases(),
        memory::cases(),
        parts::cases(),
        data::cases(),
        deep::cases(),
        allocating::cases(),
        host_calls::cases(),
        stopping::cases(),
        dropping::cases(),
        words::cases(),
        damage::cases(),
        describing::cases(),
        importing::cases(),
        features::cases(),
        caching::cases(),
        paths::cases(),
        again::cases(),
    ]
    .into_iter()
    .flatten()
    .collect()
}
