//! What an agent is doing, in one word.

use std::fmt;

/// What an agent is doing, for people and for its kin.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Activity {
    /// On its way into memory.
    Starting,
    /// A turn is open, or about to be.
    Running,
    /// Quiet, but something below it is not.
    Waiting,
    /// Held by an interrupt until something new comes.
    Parked,
    /// Kept by the person from taking anything up (PAUSE-1).
    Paused,
    /// Quiet, with everything below it.
    Idle,
    /// Being put away.
    Closing,
    /// Only stored.
    Absent,
}

impl fmt::Display for Activity {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::Starting => "starting",
            Self::Running => "running",
            Self::Waiting => "waiting",
            Self::Parked => "parked",
            Self::Paused => "paused",
            Self::Idle => "idle",
            Self::Closing => "closing",
            Self::Absent => "absent",
        })
    }
}
