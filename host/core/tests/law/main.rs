//! The machine, clause by clause. One binary; a module for each part of the law.
#![allow(clippy::unwrap_used, reason = "a broken expectation ends a test")]

mod world;

mod identity;
mod reach;
mod send;
mod many;
mod chain;
mod park;
mod keys;
mod delivery;
mod fate;
mod asked;
mod turn;
mod residency;
mod places;
mod settlement;
mod start;
mod drain;
mod tree_drain;
mod pause;
mod frame;
mod ledger;
mod altered;
mod notices;
mod limits;
mod interrupt;
mod handshake;
mod plan;
mod settle;
mod close;
mod delete;
mod wait;
mod asking;
mod observe;
mod scenarios;
mod reports;
mod explore;
mod histories;
