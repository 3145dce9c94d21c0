//! What an author can rely on, in one binary so that it links once.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod answers;
mod arguments;
mod descriptions;
mod refusals;
