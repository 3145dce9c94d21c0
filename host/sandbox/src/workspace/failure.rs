//! Why a folder does not give what was asked for.

use std::io;

/// A failure a guest can act on. It names what the guest named and nothing of the host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Failure {
    pub(crate) code: &'static str,
    pub(crate) text: String,
}

const BUSY: &str = "busy";

impl Failure {
    pub(super) fn new(code: &'static str, text: impl Into<String>) -> Self {
        Self { code, text: text.into() }
    }

    /// So many read already that there is no thread for this.
    pub(crate) fn busy() -> Self {
        Self::new(BUSY, "too many are reading files just now; try again in a moment")
    }

    /// Whether trying again can help.
    pub(crate) fn passes(&self) -> bool {
        self.code == BUSY
    }

    pub(super) fn invalid(text: impl Into<String>) -> Self {
        Self::new("invalid-argument", text)
    }

    pub(super) fn not_found(path: &str) -> Self {
        Self::new(
            "not-found",
            format!("there is no `{path}`; list the folder to see what is there"),
        )
    }

    pub(super) fn outside(path: &str) -> Self {
        Self::new(
            "outside",
            format!("`{path}` leads outside; use a path below the folder, without `..`"),
        )
    }

    pub(super) fn not_a_file(path: &str) -> Self {
        Self::new("not-a-file", format!("`{path}` is not a file"))
    }

    pub(super) fn not_a_folder(path: &str) -> Self {
        Self::new("not-a-folder", format!("`{path}` is not a folder"))
    }

    /// What an error of the operating system means. A lookup that would leave the folder is
    /// denied without the operating system having been asked, so it has no number.
    pub(super) fn of(path: &str, error: &io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => Self::not_found(path),
            io::ErrorKind::PermissionDenied if error.raw_os_error().is_none() => {
                Self::outside(path)
            }
            io::ErrorKind::InvalidFilename => Self::invalid("the path is too long"),
            _ => Self::new("not-readable", format!("`{path}` cannot be read")),
        }
    }
}
