//! Keeps a second host out. The lock is on a file of its own, so that whoever only reads never
//! meets it; the system frees it with the process that holds it, however that ends.

use std::ffi::OsString;
use std::fs::{File, TryLockError};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

use super::connection::private;
use super::problem::Problem;

/// The right to write in one ledger, as long as it lives.
#[derive(Debug)]
pub(super) struct Lock(File);

impl Lock {
    /// Takes the lock of this ledger, and writes down who has it.
    pub(super) fn take(ledger: &Path) -> Result<Self, Problem> {
        let file = private().read(true).create(true).truncate(false).open(beside(ledger))?;
        match file.try_lock() {
            Ok(()) => {
                sign(&file)?;
                Ok(Self(file))
            }
            Err(TryLockError::WouldBlock) => Err(held(&file)),
            Err(TryLockError::Error(error)) => Err(error.into()),
        }
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        // Only so that nobody reads an old number there.
        let _ = self.0.set_len(0);
        // Closing the file is not enough: a process that is just being started by another thread
        // has it open too, until it begins.
        let _ = self.0.unlock();
    }
}

/// The file is never removed: a second host might just have opened it, and would then hold the
/// lock of a file that a third one no longer finds.
fn beside(ledger: &Path) -> PathBuf {
    let mut name = OsString::from(ledger);
    name.push(".lock");
    name.into()
}

fn sign(mut file: &File) -> Result<(), Problem> {
    file.set_len(0)?;
    writeln!(file, "{}", std::process::id())?;
    Ok(())
}

fn held(mut file: &File) -> Problem {
    let mut pid = String::new();
    // A holder that has not signed yet is still a holder.
    let _ = file.read_to_string(&mut pid);
    let pid = pid.trim();
    let (who, how) = match pid {
        "" => ("another process".to_owned(), String::new()),
        _ => (format!("process {pid}"), format!(" (`kill {pid}`)")),
    };
    Problem::new(format!(
        "a host has it open already: {who}. Stop that one first{how}, or only read along, which \
         is allowed meanwhile"
    ))
}
