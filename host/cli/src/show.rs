//! What people read of a ledger: events in, lines out. Nothing here does any I/O.

pub mod book;
pub mod chronicle;
pub mod diagram;
pub mod letter;
pub mod line;
pub mod paint;
pub mod record;
pub mod requests;
pub mod safe;
pub mod standing;
pub mod story;
pub mod summary;
pub mod unfinished;
pub mod words;
