//! Whether a file is a ledger at all, from its first bytes: a file of somebody else's is never
//! handed to SQLite, which might change it.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use super::problem::Problem;

/// What SQLite keeps in the file to tell whose it is: `SWBD`.
pub(super) const APPLICATION: u32 = u32::from_be_bytes(*b"SWBD");

const MAGIC: &[u8] = b"SQLite format 3\0";
const APPLICATION_AT: usize = 68;
const LENGTH: u64 = 100;

/// Refuses what is no ledger, and says what it is instead.
pub(super) fn check(path: &Path) -> Result<(), Problem> {
    if path.is_dir() {
        return Err(Problem::new("it is a directory. Name the ledger file in it"));
    }
    // Asked before it is opened: opening a pipe waits for somebody to write into it.
    if !std::fs::metadata(path)?.is_file() {
        return Err(Problem::new("it is a pipe or a device, so no ledger. Name a file"));
    }
    let mut header = Vec::new();
    File::open(path)?.take(LENGTH).read_to_end(&mut header)?;
    if header.is_empty() {
        return Err(Problem::new(
            "the file is empty: its making was cut short. Remove it and begin a new one",
        ));
    }
    if !header.starts_with(MAGIC) {
        return Err(Problem::new("it is not a SQLite file, so no ledger. Check the path"));
    }
    match application(&header) {
        Some(APPLICATION) => Ok(()),
        _ => Err(Problem::new("it is a SQLite file of another program. Check the path")),
    }
}

/// Refuses a file of several names. The log and the lock of a ledger are found by its name: two
/// hosts would each write a log of their own for the one file.
#[cfg(unix)]
pub(super) fn check_only_name(path: &Path) -> Result<(), Problem> {
    let names = std::os::unix::fs::MetadataExt::nlink(&std::fs::metadata(path)?);
    if names > 1 {
        return Err(Problem::new(format!(
            "the file has {names} names (hard links), under which hosts would not see each other. \
             Copy it with what lies beside it, and go on with the copy"
        )));
    }
    Ok(())
}

#[cfg(not(unix))]
pub(super) fn check_only_name(_: &Path) -> Result<(), Problem> {
    Ok(())
}

fn application(header: &[u8]) -> Option<u32> {
    let bytes = header.get(APPLICATION_AT..)?.first_chunk()?;
    Some(u32::from_be_bytes(*bytes))
}
