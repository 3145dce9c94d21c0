//! Going through a folder in order of path.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use cap_std::fs::{Dir, DirEntry, FileType};
use tokio_util::sync::CancellationToken;

use super::Folder;
use super::hidden::Rules;
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

impl Folder {
    /// Visits everything a guest may see below `start`, or only what is in it. Links are met and
    /// not followed, so nothing is met twice. Whether folders were too deep to be gone into is the
    /// answer.
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
        let depth = if recursive { DEEPEST } else { 1 };
        let mut walk = Walk { root: &self.root, rules, stop, visit, left_out: false };
        let _ = walk.folder(start, depth);
        walk.left_out && recursive
    }
}

struct Walk<'a, 'v> {
    root: &'a Dir,
    rules: Rules,
    stop: &'a CancellationToken,
    visit: &'a mut Visit<'v>,
    /// A folder was too deep to be gone into.
    left_out: bool,
}

impl Walk<'_, '_> {
    fn folder(&mut self, at: &Path, depth: usize) -> ControlFlow<()> {
        let before = self.rules.enter(self.root, at);
        for (entry, kind) in sorted(self.root, at) {
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
                    0 | 1 => self.left_out = true,
                    _ => self.folder(&path, depth - 1)?,
                }
            }
        }
        self.rules.leave(before);
        ControlFlow::Continue(())
    }
}

/// What is in a folder, by name. A folder that cannot be read is as an empty one.
fn sorted(root: &Dir, at: &Path) -> Vec<(DirEntry, FileType)> {
    let Ok(entries) = root.read_dir(or_here(at)) else { return vec![] };
    let known = entries.flatten().filter_map(|entry| Some((entry.file_type().ok()?, entry)));
    let mut known: Vec<_> = known.map(|(kind, entry)| (entry, kind)).collect();
    known.sort_by_cached_key(|(entry, _)| entry.file_name());
    known
}
