//! Every interleaving of small worlds: the real machine, a shell reduced to what it may do in any
//! order, and a crash at any point. stateright walks the states; what must hold in each is here.
//!
//! The modules stand in reading order.

mod record;
mod shell;
mod world;
mod alphabet;
mod laws;
mod races;
pub(crate) mod model;
pub(crate) mod worlds;
pub(crate) mod report;
