//! What drivers answer, asked from outside. One binary, a module for each behaviour.
//!
//! `review` plays the built-in crew in a small `world` without the runtime, in many orders.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod asking;
mod faults;
mod hold;
mod models;
mod review;
mod rules;
mod templates;
mod world;
