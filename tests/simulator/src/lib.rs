//! Whole histories of the runtime in virtual time.
//!
//! A history is made from one number, its seed: hosts that open one ledger after each other, models
//! and tools that are slow, fail, panic and fall silent, a ledger that does the same, persons that
//! interfere, and deaths at any point. What runs is the runtime itself, with its owner, its loops
//! and its recovery; only time, the disk, the models and the tools are made up. Whatever anybody is
//! told is checked against what is stored at that moment; at the end, when days of virtual time
//! have passed in peace, all of it is checked once more. The same seed gives the same history, byte
//! for byte.
#![warn(missing_docs)]

mod history;

mod chance;
mod plan;

mod book;
mod witness;
mod world;

mod deeds;
mod disk;
mod fabric;
mod frames;
mod guests;
mod life;
mod model;
mod panics;
mod person;
mod rest;
mod storm;

mod checks;

pub use history::{Outcome, simulate};
pub use storm::{Storm, storm};
