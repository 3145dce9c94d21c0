//! Crews: the file people write, and what it comes to.

pub mod file;
pub mod keys;
pub mod parse;
pub mod source;
