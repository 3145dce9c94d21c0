//! The exit codes: the one place where they are said.

use std::process::ExitCode;

/// How a command ended, as a script can tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// It did what it was asked.
    Done,
    /// It was tried, and failed or was refused.
    Failed,
    /// The question is wrong: the arguments, or the crew file.
    Usage,
    /// The run is not over; `resume` goes on with it.
    Unfinished,
    /// A second Ctrl-C stopped it at once; `resume` goes on all the same.
    Stopped,
}

/// What every `--help` ends with.
pub const HELP: &str = "\
Exit codes:
  0    done
  1    failed or refused; a ledger that does not verify; a run whose root did not complete
  2    asked wrongly: the arguments or the crew file, where a grant may be missing
  3    the run is not over; `switchboard resume` goes on with it
  130  stopped at once by a second Ctrl-C; `switchboard resume` goes on all the same";

impl Exit {
    /// The number.
    pub fn number(self) -> u8 {
        match self {
            Self::Done => 0,
            Self::Failed => 1,
            Self::Usage => 2,
            Self::Unfinished => 3,
            Self::Stopped => 130,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit.number())
    }
}
