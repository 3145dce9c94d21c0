//! What is not there for a guest: what the `.gitignore` files of a repository name, git's own
//! folder, and ours. What git ignores for one person alone (`info/exclude`, a global file) is not
//! looked at: a tool is to see the same on every computer.

use std::ffi::OsStr;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use cap_std::fs::Dir;
use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};

use super::reading::open_at_once;

/// The rules that hold in one folder: its own and those of all above it, outermost first.
#[derive(Clone, Debug, Default)]
pub(super) struct Rules(Vec<Layer>);

/// The rules one `.gitignore` has, and where it stands.
#[derive(Clone, Debug)]
struct Layer {
    rules: Arc<Gitignore>,
    /// Of the file.
    bytes: u64,
    /// There was no room for all of them, so nobody knows what they would have hidden.
    cut: bool,
    stands: Stands,
}

#[derive(Clone, Debug)]
enum Stands {
    /// Above the folder; this leads from there to it.
    Above(PathBuf),
    /// In the folder or below, there.
    Below(PathBuf),
}

const NEVER: [&str; 2] = [".git", ".switchboard"];
/// Bytes of rules that are looked at on the way to one file, all together: each rule is a pattern
/// that is compiled anew each time, so whoever writes the rules decides how long a look takes.
/// What they would hide beyond that is not known, and so everything is hidden.
const MOST_BYTES: u64 = 64 << 10;
/// Parts of a path. Each is looked at under the rules of all folders above it, without a break, so
/// whoever nests folders decides how long that takes. What lies deeper is not there.
pub(super) const MOST_PARTS: usize = 256;

impl Rules {
    /// The rules of the folders above `folder` that belong to the same repository.
    pub(super) fn above(folder: &Path) -> Self {
        let Some(repository) = folder.ancestors().find(|above| above.join(".git").exists()) else {
            return Self::default();
        };
        let between = folder.ancestors().skip(1).take_while(|above| above.starts_with(repository));
        let mut rules = Self::default();
        for above in between.collect::<Vec<_>>().into_iter().rev() {
            let path = above.join(".gitignore");
            let is_file = fs::metadata(&path).is_ok_and(|found| found.is_file());
            let file = is_file.then(|| fs::File::open(path).ok()).flatten();
            if let (Some(file), Ok(way)) = (file, folder.strip_prefix(above)) {
                rules.add(file, Stands::Above(way.to_owned()));
            }
        }
        rules
    }

    /// Adds the rules that stand in the folder `at`; gives how many there were before.
    pub(super) fn enter(&mut self, root: &Dir, at: &Path) -> usize {
        let before = self.0.len();
        let path = at.join(".gitignore");
        let is_file = root.metadata(&path).is_ok_and(|found| found.is_file());
        if let Some(file) = is_file.then(|| open_at_once(root, &path).ok()).flatten() {
            self.add(file, Stands::Below(at.to_owned()));
        }
        before
    }

    /// Adds the rules of a file, if there is room for them.
    fn add(&mut self, file: impl Read, stands: Stands) {
        let taken: u64 = self.0.iter().map(|layer| layer.bytes).sum();
        let room = MOST_BYTES.saturating_sub(taken);
        let mut text = Vec::new();
        let read = file.take(room + 1).read_to_end(&mut text);
        if let Ok(1..) = read {
            let (bytes, cut) = (text.len() as u64, text.len() as u64 > room);
            let rules =
                if cut { Gitignore::empty() } else { parse(&String::from_utf8_lossy(&text)) };
            self.0.push(Layer { rules: Arc::new(rules), bytes, cut, stands });
        }
    }

    /// Forgets what was added since.
    pub(super) fn leave(&mut self, before: usize) {
        self.0.truncate(before);
    }

    /// Whether something in the folder whose rules these are is hidden. The innermost rule that
    /// says anything decides. Below rules there was no room for, everything is hidden.
    pub(super) fn hide_here(&self, path: &Path, is_dir: bool) -> bool {
        if path.file_name().is_some_and(is_never) || self.0.iter().any(|layer| layer.cut) {
            return true;
        }
        let said = self.0.iter().rev().map(|layer| layer.says(path, is_dir));
        said.into_iter().find(|said| !said.is_none()).is_some_and(|said| said.is_ignore())
    }

    /// Whether a path is hidden, or anything on the way to it.
    pub(super) fn hide(&mut self, root: &Dir, path: &Path, is_dir: bool) -> bool {
        if path.iter().count() > MOST_PARTS {
            return true;
        }
        let mut at = PathBuf::new();
        for part in path {
            self.enter(root, &at);
            at.push(part);
            if self.hide_here(&at, is_dir || at != path) {
                return true;
            }
        }
        false
    }
}

impl Layer {
    fn says(&self, path: &Path, is_dir: bool) -> Match<()> {
        match &self.stands {
            Stands::Above(way) => self.rules.matched(way.join(path), is_dir).map(|_| ()),
            Stands::Below(at) => match path.strip_prefix(at) {
                Ok(path) => self.rules.matched(path, is_dir).map(|_| ()),
                Err(_) => Match::None,
            },
        }
    }
}

fn is_never(name: &OsStr) -> bool {
    NEVER.iter().any(|never| name.eq_ignore_ascii_case(never))
}

/// A line that is no rule is skipped, as git does.
fn parse(text: &str) -> Gitignore {
    let mut rules = GitignoreBuilder::new("");
    for line in text.lines() {
        let _ = rules.add_line(None, line);
    }
    rules.build().unwrap_or_else(|_| Gitignore::empty())
}
