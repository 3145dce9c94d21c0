//! Files people name.

use std::fs;
use std::io::{Error, ErrorKind, Result};
use std::path::Path;

/// What a file holds. Only of a regular one: a pipe is waited for, and a device may have no end.
///
/// # Errors
/// It is something else, or cannot be read.
pub fn read(path: &Path) -> Result<Vec<u8>> {
    let found = fs::metadata(path)?;
    if !found.is_file() && !found.is_dir() {
        return Err(Error::new(ErrorKind::InvalidInput, "it is a pipe or a device; name a file"));
    }
    fs::read(path)
}

/// The same, as text.
///
/// # Errors
/// It is something else, cannot be read, or is no text.
pub fn read_text(path: &Path) -> Result<String> {
    String::from_utf8(read(path)?).map_err(|error| Error::new(ErrorKind::InvalidData, error))
}
