//! A folder to review, and beside it a place for ledgers.

use std::fs;
use std::path::PathBuf;

use tempfile::TempDir;

/// Both are gone with the value.
#[derive(Debug)]
pub(crate) struct Folder {
    dir: TempDir,
}

impl Folder {
    /// A folder with these files.
    pub(crate) fn of(files: &[(&str, &str)]) -> Self {
        let folder = Self { dir: tempfile::tempdir().expect("a folder can be made") };
        fs::create_dir(folder.files()).expect("a folder can be made");
        files.iter().for_each(|(name, text)| folder.write(name, text));
        folder
    }

    /// Where the files lie.
    pub(crate) fn files(&self) -> PathBuf {
        self.dir.path().join("files")
    }

    /// Where a ledger of this name lies.
    pub(crate) fn ledger(&self, name: &str) -> PathBuf {
        self.dir.path().join(format!("{name}.db"))
    }

    /// Writes a file, in place of an earlier one.
    pub(crate) fn write(&self, name: &str, text: &str) {
        let path = self.files().join(name);
        let parent = path.parent().expect("a file lies in a folder");
        fs::create_dir_all(parent).expect("a folder can be made");
        fs::write(path, text).expect("a file can be written");
    }

    /// Writes a crew file beside the files.
    pub(crate) fn crew(&self, text: &str) -> PathBuf {
        let path = self.dir.path().join("crew.toml");
        fs::write(&path, text).expect("a file can be written");
        path
    }

    /// Leaves everything where it is, to be looked at.
    pub(crate) fn keep(self) -> PathBuf {
        self.dir.keep()
    }
}
