//! One folder, and nothing outside it. Everything here blocks; it runs on threads made for that
//! and looks at a flag that says to stop.

mod failure;
mod hidden;
mod listing;
mod path;
mod reading;
mod searching;
mod walk;
mod watching;

use std::io;
use std::path::{Path, PathBuf};

use cap_std::ambient_authority;
use cap_std::fs::{Dir, Metadata};

pub(crate) use failure::Failure;
use hidden::Rules;
pub(crate) use listing::{Entry, Kind, Listing};
pub(crate) use reading::Text;
pub(crate) use searching::{Findings, Hit, Query};
pub(crate) use watching::{Change, State};

/// The folder, opened once. All paths are resolved from it by the operating system's own bounded
/// lookup, so `..`, absolute paths and links that lead outside find nothing, however they are
/// made and whoever changes them meanwhile.
#[derive(Debug)]
pub(crate) struct Folder {
    root: Dir,
    /// The ignore rules of the folders above, up to the one that is the repository.
    above: Rules,
}

impl Folder {
    pub(crate) fn open(dir: &Path) -> io::Result<Self> {
        let root = Dir::open_ambient_dir(dir, ambient_authority())?;
        Ok(Self { root, above: Rules::above(&dir.canonicalize()?) })
    }

    /// The place a guest means, if it may see it. The same answer for what is not there and what
    /// git ignores, also when a link that git does not ignore leads to it.
    fn find(&self, text: &str) -> Result<(PathBuf, Metadata), Failure> {
        let path = path::parse(text)?;
        let found = self.root.metadata(path::or_here(&path));
        let found = found.map_err(|error| Failure::of(text, &error))?;
        let real = self.root.canonicalize(path::or_here(&path));
        let real = path::without_dots(&real.map_err(|error| Failure::of(text, &error))?);
        let hidden = |path: &Path| self.hides(path, found.is_dir());
        if hidden(&path) || (real != path && hidden(&real)) {
            return Err(Failure::not_found(text));
        }
        Ok((path, found))
    }

    fn hides(&self, path: &Path, is_dir: bool) -> bool {
        self.above.clone().hide(&self.root, path, is_dir)
    }
}

#[cfg(test)]
mod tests;
