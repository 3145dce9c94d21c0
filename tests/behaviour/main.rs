//! The whole, through its public doors.
#![allow(clippy::unwrap_used, reason = "a broken expectation ends a test")]

mod shape;
