//! How a call ends without an answer. Told apart by type, never by the text of an error; what the
//! model is told says nothing about the host (SAND-5).

use std::fmt;
use std::str::Utf8Error;
use std::time::Duration;

use switchboard_runtime::Outcome;
use wasmtime::{PoolConcurrencyLimitError, Trap, WasmtimeBug};

use crate::crash::Crash;

/// Why there is no answer. Printed, it is what the model is told. A host function that returns
/// one as its error ends the call with it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Ending {
    #[error("there is no tool `{0}` here")]
    NoSuchTool(String),
    #[error("the tool was not started: too many are running. Try again in a moment")]
    NoRoom,
    #[error(
        "the tool was not started: {0} of your calls are running, and one agent may have no more \
         at once. Try again when some have ended, or ask for less at once"
    )]
    NoShare(usize),
    #[error("the tool was not started: its arguments have {bytes} bytes, {most} are allowed")]
    ArgumentsTooLarge { bytes: usize, most: usize },
    #[error("the tool was stopped, because the turn was")]
    Cancelled,
    #[error("the tool was stopped: it took longer than {0:?}")]
    TimedOut(Duration),
    #[error("the tool was stopped: it computed for longer than {0:?}")]
    ComputedTooLong(Duration),
    #[error("the tool was stopped: it wanted more memory than {0} bytes")]
    OutOfMemory(u64),
    #[error("the tool was stopped: it wanted more than {0} table elements")]
    TooManyElements(u64),
    #[error("the tool was stopped: it called the host more than {0} times")]
    TooManyHostCalls(u32),
    #[error("the tool answered with {bytes} bytes, {most} are allowed. Ask it for less")]
    OutputTooLarge { bytes: usize, most: usize },
    #[error("the tool is faulty: {0}")]
    InvalidData(&'static str),
    #[error("the tool crashed{1} ({0})")]
    Trapped(Trap, Stage),
    #[error("the tool crashed: {0}. Change what you ask of it, or do without it")]
    Panicked(Crash),
    #[error(
        "the tool was not started: it crashed {crashes} times in a row on what you asked of it, \
         and rests for {seconds} s. Ask something else of it then, or do without it"
    )]
    Resting { crashes: u32, seconds: u64 },
    #[error(
        "the tool was not started: it has crashed often on what you asked of it, and another call \
         shows just now whether it still does. Try again when that one has ended"
    )]
    OnTrial,
    #[error("the host failed to run the tool; its log says why")]
    Internal,
}

/// How far a call had come when an error arose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stage {
    /// Its instance was being made.
    Instantiating,
    /// The guest's function had been entered.
    Calling,
}

impl fmt::Display for Stage {
    /// What a model is told of it: nothing it asked for has to do with a crash at the start.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Instantiating => out.write_str(" while it started"),
            Self::Calling => Ok(()),
        }
    }
}

impl Ending {
    /// The case of the closed set.
    pub(crate) fn outcome(&self) -> Outcome {
        match self {
            Self::NoSuchTool(_)
            | Self::NoRoom
            | Self::NoShare(_)
            | Self::ArgumentsTooLarge { .. }
            | Self::Resting { .. }
            | Self::OnTrial => Outcome::Refused,
            Self::Cancelled => Outcome::Cancelled,
            Self::TimedOut(_) => Outcome::TimedOut,
            Self::ComputedTooLong(_) => Outcome::ComputedTooLong,
            Self::OutOfMemory(_) | Self::TooManyElements(_) => Outcome::OutOfMemory,
            Self::TooManyHostCalls(_) => Outcome::TooManyHostCalls,
            Self::OutputTooLarge { .. } => Outcome::OutputTooLarge,
            Self::InvalidData(_) => Outcome::InvalidData,
            Self::Trapped(..) | Self::Panicked(_) => Outcome::Trapped,
            Self::Internal => Outcome::Internal,
        }
    }

    /// What an error out of wasmtime means.
    pub(crate) fn of(error: &wasmtime::Error, stage: Stage) -> Self {
        if let Some(ending) = error.downcast_ref::<Self>() {
            return ending.clone();
        }
        if let Some(trap) = error.downcast_ref::<Trap>() {
            let crash = Crash::of(error);
            if crash.is_panic() {
                return Self::Panicked(crash);
            }
            return Self::of_trap(*trap, stage);
        }
        if error.is::<Utf8Error>() {
            return Self::InvalidData("it handed over text that is not UTF-8");
        }
        let ours = error.is::<PoolConcurrencyLimitError>()
            || error.is::<WasmtimeBug>()
            || error.is::<std::io::Error>();
        // While its instance is made, only what came out of its own code is its doing.
        let its_doing = stage == Stage::Calling || !Crash::of(error).is_empty();
        if ours || !its_doing {
            return Self::Internal;
        }
        Self::InvalidData(
            "it handed over data that is malformed, or more of it than may pass at once",
        )
    }

    fn of_trap(trap: Trap, stage: Stage) -> Self {
        match trap {
            Trap::StringOutOfBounds | Trap::ListOutOfBounds | Trap::UnalignedPointer => {
                Self::InvalidData("it handed over data that lies outside its memory")
            }
            Trap::InvalidChar | Trap::InvalidDiscriminant => {
                Self::InvalidData("it handed over a value that is none")
            }
            other => Self::Trapped(other, stage),
        }
    }
}
