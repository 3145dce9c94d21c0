//! Whether a file is still as it was.

use std::time::SystemTime;

use super::{Failure, Folder};

/// How a file is at one moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum State {
    /// It is not there.
    Absent,
    /// It is there, of this size and age.
    Present(u64, Option<SystemTime>),
}

/// What happened to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Change {
    Changed,
    Created,
    Removed,
    Unchanged,
}

impl Folder {
    /// How a file is now. One that is not there yet is no failure: it may come.
    pub(crate) fn state(&self, path: &str) -> Result<State, Failure> {
        match self.find(path) {
            Ok((_, found)) => Ok(State::Present(
                found.len(),
                found.modified().ok().map(cap_std::time::SystemTime::into_std),
            )),
            Err(failure) if failure.code == "not-found" => Ok(State::Absent),
            Err(failure) => Err(failure),
        }
    }
}

impl State {
    /// What happened if it was this before and is `now`.
    pub(crate) fn change(self, now: Self) -> Change {
        match (self, now) {
            (Self::Absent, Self::Present(..)) => Change::Created,
            (Self::Present(..), Self::Absent) => Change::Removed,
            (before, now) if before != now => Change::Changed,
            _ => Change::Unchanged,
        }
    }
}
