//! The shell as a host program sees it, on the ledger in memory, with a driver and tools that do
//! what a test says.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on is to stop")]

mod fakes;
mod gate;

mod asking;
mod board;
mod calls;
mod delivery;
mod drain;
mod everywhere;
mod fate;
mod handshake;
mod interrupt;
mod ledger;
mod observe;
mod pause;
mod restart;
mod waiting;
mod screening;
