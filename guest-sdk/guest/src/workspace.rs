//! Reading one folder.

mod words;

pub use crate::generated::switchboard::plugin::workspace::{
    Change, Entry, EntryKind, Failure, Findings, Hit, Listing, SearchRequest, Text,
};

/// A host that shows a folder. Inside a component it is the import, in a test
/// [`fake::Workspace`](crate::fake::Workspace). Paths are relative and use `/`; `""` is the folder.
pub trait Workspace {
    /// Lists a folder, with everything below it if `recursive`, in order of path.
    fn list(&self, path: &str, recursive: bool, limit: u32) -> Result<Listing, Failure>;
    /// Reads lines of a text file; they are counted from 1.
    fn read(&self, path: &str, first_line: u32, lines: u32) -> Result<Text, Failure>;
    /// Searches the contents of files.
    fn search(&self, request: &SearchRequest) -> Result<Findings, Failure>;
    /// Waits until a file is other than it was when called.
    fn watch(&self, path: &str, deadline_ms: u32) -> Result<Change, Failure>;
}

#[cfg(target_arch = "wasm32")]
mod imported {
    use super::*;
    use crate::generated::switchboard::plugin::workspace as import;

    impl Workspace for crate::component::Host {
        fn list(&self, path: &str, recursive: bool, limit: u32) -> Result<Listing, Failure> {
            import::list(path, recursive, limit)
        }
        fn read(&self, path: &str, first_line: u32, lines: u32) -> Result<Text, Failure> {
            import::read(path, first_line, lines)
        }
        fn search(&self, request: &SearchRequest) -> Result<Findings, Failure> {
            import::search(request)
        }
        fn watch(&self, path: &str, deadline_ms: u32) -> Result<Change, Failure> {
            import::watch(path, deadline_ms)
        }
    }
}
