//! Going through a folder in order of path.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use cap_std::fs::{Dir, DirEntry, FileType};
use tokio_util::sync::CancellationToken;

use super::Folder;
use super::hidden::{MOST_PARTS, Rules};
use super::path::or_here;

/// What was met.
pub(super) struct Met<'a> {
    pub(super) path: &'a Path,
    pub(super) entry: &'a DirEntry,
    pub(super) kind: FileType,
}

/// What is done with it.
pub(super) type Visit<'a> = dyn FnMut(&Met<'_>) -> ControlFlow<()> + 'a;

const DEEPEST: usize = 64;
/// Entries of folders that are kept at once, to be gone through in order. Whoever fills a folder
/// decides how many there are, and many calls may go through it at the same time.
pub(super) const MOST_KEPT: usize = 50_000;

impl Folder {
    /// Visits everything a guest may see below `start`, or only what is in it. Links are met and
    /// not followed, so nothing is met twice. Whether anything was left out, because folders were
    /// too deep to be gone into or had too much in them, is the answer.
    pub(super) fn walk(
        &self,
        start: &Path,
        recursive: bool,
        stop: &CancellationToken,
        visit: &mut Visit<'_>,
    ) -> bool {
        let mut rules = self.above.clone();
        let mut at = PathBuf::new();
        for part in start {
            rules.enter(&self.root, &at);
            at.push(part);
        }
        let deepest = DEEPEST.min(MOST_PARTS.saturating_sub(start.iter().count()));
        let depth = if recursive { deepest } else { 1 };
        let (too_deep, too_many, kept) = (false, false, 0);
        let mut walk = Walk { root: &self.root, rules, stop, visit, too_deep, too_many, kept };
        let _ = walk.folder(start, depth);
        walk.too_many || walk.too_deep && recursive
    }
}

struct Walk<'a, 'v> {
    root: &'a Dir,
    rules: Rules,
    stop: &'a CancellationToken,
    visit: &'a mut Visit<'v>,
    /// A folder was too deep to be gone into.
    too_deep: bool,
    /// A folder had more in it than could be kept.
    too_many: bool,
    /// Entries of the folders that are being gone through.
    kept: usize,
}

impl Walk<'_, '_> {
    fn folder(&mut self, at: &Path, depth: usize) -> ControlFlow<()> {
        let before = self.rules.enter(self.root, at);
        let entries = self.sorted(at);
        let count = entries.len();
        self.kept += count;
        for (entry, kind) in entries {
            if self.stop.is_cancelled() {
                return ControlFlow::Break(());
            }
            let path = at.join(entry.file_name());
            if self.rules.hide_here(&path, kind.is_dir()) {
                continue;
            }
            (self.visit)(&Met { path: &path, entry: &entry, kind })?;
            if kind.is_dir() {
                match depth {
                    0 | 1 => self.too_deep = true,
                    _ => self.folder(&path, depth - 1)?,
                }
            }
        }
        self.kept -= count;
        self.rules.leave(before);
        ControlFlow::Continue(())
    }

    /// What is in a folder, by name. A folder that cannot be read is as an empty one.
    fn sorted(&mut self, at: &Path) -> Vec<(DirEntry, FileType)> {
        let Ok(entries) = self.root.read_dir(or_here(at)) else { return vec![] };
        let known = entries.flatten().filter_map(|entry| Some((entry.file_type().ok()?, entry)));
        let known = known.take_while(|_| !self.stop.is_cancelled());
        let room = MOST_KEPT.saturating_sub(self.kept);
        let mut known: Vec<_> = known.map(|(kind, entry)| (entry, kind)).take(room + 1).collect();
        if known.len() > room {
            known.truncate(room);
            self.too_many = true;
        }
        known.sort_by_cached_key(|(entry, _)| entry.file_name());
        known
    }
}
