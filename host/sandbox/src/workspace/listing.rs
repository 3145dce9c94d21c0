//! What is in a folder.

use std::ops::ControlFlow;

use cap_std::fs::FileType;
use tokio_util::sync::CancellationToken;

use super::walk::Met;
use super::{Failure, Folder, path};

/// One thing in a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    pub(crate) path: String,
    pub(crate) kind: Kind,
    pub(crate) size: u64,
}

/// What it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    File,
    Folder,
    Other,
}

/// What is there, and whether there is more.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Listing {
    pub(crate) entries: Vec<Entry>,
    pub(crate) more: bool,
}

const MOST_ENTRIES: usize = 10_000;

impl Folder {
    pub(crate) fn list(
        &self,
        text: &str,
        recursive: bool,
        limit: u32,
        stop: &CancellationToken,
    ) -> Result<Listing, Failure> {
        let (start, found) = self.find(text)?;
        if !found.is_dir() {
            return Err(Failure::not_a_folder(text));
        }
        let limit = usize::try_from(limit).unwrap_or(usize::MAX).min(MOST_ENTRIES);
        let mut listing = Listing::default();
        let mut unnamed = false;
        let left_out = self.walk(&start, recursive, stop, &mut |met| {
            let Some(path) = path::shown(met.path) else {
                unnamed = true;
                return ControlFlow::Continue(());
            };
            if listing.entries.len() == limit {
                listing.more = true;
                return ControlFlow::Break(());
            }
            listing.entries.push(entry(path, met));
            ControlFlow::Continue(())
        });
        listing.more |= left_out || unnamed;
        Ok(listing)
    }
}

fn entry(path: String, met: &Met<'_>) -> Entry {
    let kind = kind(met.kind);
    let size = match kind {
        Kind::File => met.entry.metadata().map_or(0, |found| found.len()),
        Kind::Folder | Kind::Other => 0,
    };
    Entry { path, kind, size }
}

fn kind(found: FileType) -> Kind {
    if found.is_file() {
        Kind::File
    } else if found.is_dir() {
        Kind::Folder
    } else {
        Kind::Other
    }
}
