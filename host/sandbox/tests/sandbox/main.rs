//! What the sandbox does, one module a behaviour. The guests are real components, made from a few
//! lines of text against the project's own WIT, so each test shows the whole of its guest.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod caching;
mod calling;
mod cancelling;
mod compiling;
mod control;
mod crashing;
mod diagnosing;
mod forgetting;
mod guest;
mod host;
mod handshakes;
mod importing;
mod labels;
mod limiting;
mod looking;
mod loading;
mod log;
mod meter;
mod panicking;
mod plane;
mod reading;
mod sharing;
mod shipped;
mod starting;
mod unshimmed;
mod using;
