//! Paths as guests write them.

use std::path::{Component, Path, PathBuf};

use super::Failure;

const MOST_BYTES: usize = 4_096;

/// A path below the folder. `..` is refused even where it would lead back inside: what it means
/// depends on links, and no guest needs it.
pub(super) fn parse(text: &str) -> Result<PathBuf, Failure> {
    if text.len() > MOST_BYTES {
        return Err(Failure::invalid(format!("a path has at most {MOST_BYTES} bytes")));
    }
    if text.contains('\0') {
        return Err(Failure::invalid("a path contains no NUL"));
    }
    if Path::new(text).has_root() || text.split('/').any(|part| part == "..") {
        return Err(Failure::outside(text));
    }
    Ok(text.split('/').filter(|part| !part.is_empty() && *part != ".").collect())
}

/// The path, or `.` for the folder itself, which the operating system wants named.
pub(super) fn or_here(path: &Path) -> &Path {
    if path.as_os_str().is_empty() { Path::new(".") } else { path }
}

/// The same place, without the `.` the operating system may have put in.
pub(super) fn without_dots(path: &Path) -> PathBuf {
    path.components().filter(|part| matches!(part, Component::Normal(_))).collect()
}

/// The path as a guest reads it. One that is not text, or that has a line break or another control
/// character, has none: it would forge lines in what a model reads.
pub(super) fn shown(path: &Path) -> Option<String> {
    let parts: Option<Vec<_>> = path.iter().map(|part| part.to_str()).collect();
    parts.map(|parts| parts.join("/")).filter(|path| !path.contains(char::is_control))
}
