//! What the tests of the whole share: a crew run in a process of its own, that process killed at a
//! place of one's choice, and what the ledger says afterwards.

mod folder;
mod host;
mod life;
mod pairs;
mod recovered;
mod told;

pub(crate) use folder::Folder;
pub(crate) use host::{Ended, Host};
pub(crate) use life::{CLASSES, Death, live_if_asked};
pub(crate) use pairs::two_at_a_time;
pub(crate) use recovered::Recovered;
pub(crate) use told::Told;

use std::path::{Path, PathBuf};

/// The folder of the workspace.
pub(crate) fn workspace() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().expect("the tests lie in the workspace").to_owned()
}

/// All files below these folders of the workspace whose names end so, in order, without what is
/// built.
pub(crate) fn files(folders: &[&str], ending: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for folder in folders {
        collect(&workspace().join(folder), ending, &mut found);
    }
    found.sort();
    found
}

fn collect(folder: &Path, ending: &str, found: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for path in entries.flatten().map(|entry| entry.path()) {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if path.is_dir() && name != "target" && !name.starts_with('.') {
            collect(&path, ending, found);
        } else if name.ends_with(ending) {
            found.push(path);
        }
    }
}

/// The path as it stands in the workspace.
pub(crate) fn relative(path: &Path) -> String {
    path.strip_prefix(workspace()).unwrap_or(path).display().to_string()
}
