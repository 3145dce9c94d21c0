//! One binary, a module a behaviour.
#![allow(clippy::unwrap_used)]

mod contract;
mod crashes;
mod events;
mod files;
mod lock;
mod memory;
mod reading;
