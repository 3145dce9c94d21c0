//! What people read of a ledger: events in, lines out. Nothing here does any I/O.

pub mod paint;
pub mod safe;
