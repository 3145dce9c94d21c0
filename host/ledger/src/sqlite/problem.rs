//! What went wrong, in words that say what to do about it.

use std::io;

use rusqlite::ErrorCode;

use crate::LedgerError;

/// What went wrong, without what was being done then: whoever knows that adds it.
#[derive(Debug)]
pub(super) struct Problem(String);

impl Problem {
    pub(super) fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    pub(super) fn while_doing(self, doing: impl Into<String>) -> LedgerError {
        LedgerError::new(doing, self.0)
    }
}

impl From<LedgerError> for Problem {
    fn from(error: LedgerError) -> Self {
        Self(error.to_string())
    }
}

impl From<io::Error> for Problem {
    fn from(error: io::Error) -> Self {
        let advice = match error.kind() {
            io::ErrorKind::NotFound => "Check the path",
            io::ErrorKind::AlreadyExists => "Take it up again, or choose another name",
            io::ErrorKind::IsADirectory => "Name a file",
            io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => NOT_WRITABLE,
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => FULL,
            _ => return Self(error.to_string()),
        };
        Self(format!("{error}. {advice}"))
    }
}

impl From<rusqlite::Error> for Problem {
    fn from(error: rusqlite::Error) -> Self {
        let advice = match error.sqlite_error_code() {
            Some(ErrorCode::DiskFull) => FULL,
            Some(ErrorCode::ReadOnly | ErrorCode::PermissionDenied) => NOT_WRITABLE,
            Some(ErrorCode::CannotOpen) => CANNOT_OPEN,
            Some(ErrorCode::NotADatabase | ErrorCode::DatabaseCorrupt) => DAMAGED,
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => BUSY,
            Some(ErrorCode::ConstraintViolation) => WRITTEN_BESIDE,
            _ => return Self(error.to_string()),
        };
        Self(format!("{error}. {advice}"))
    }
}

const FULL: &str = "Free some space there; nothing that was confirmed is lost";
const NOT_WRITABLE: &str =
    "Both the file and its folder must be writable: change that, or choose another place";
const CANNOT_OPEN: &str = "Reading needs the files SQLite keeps beside the ledger, so its folder \
                           must be writable: change that, or read a copy";
const DAMAGED: &str =
    "The file is damaged: copy it, and save what is readable with `sqlite3 COPY .recover`";
const BUSY: &str = "Another program has been writing in it for long: close that one";
const WRITTEN_BESIDE: &str =
    "Something else wrote in it meanwhile: a ledger is for reading, except for its host";
