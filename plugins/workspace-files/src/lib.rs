//! The tools by which an agent reads a folder.

use switchboard_guest::workspace::SearchRequest;
use switchboard_guest::{Arguments, Failure, Output, Workspace, tools};

#[derive(Arguments)]
struct List {
    /// The folder to list; all of the workspace if left out.
    path: Option<String>,
    /// Whether to list what is in the folders below it too.
    recursive: Option<bool>,
    /// At most so many entries; 200 if left out.
    limit: Option<u32>,
}

#[derive(Arguments)]
struct Read {
    /// The file to read.
    path: String,
    /// The line to begin at, counted from 1.
    first_line: Option<u32>,
    /// At most so many lines; 400 if left out.
    lines: Option<u32>,
}

#[derive(Arguments)]
struct Search {
    /// A regular expression, looked for in each line.
    pattern: String,
    /// The folder or file to search; all of the workspace if left out.
    path: Option<String>,
    /// Whether capital and small letters are the same.
    ignore_case: Option<bool>,
    /// At most so many lines; 100 if left out.
    limit: Option<u32>,
}

#[derive(Arguments)]
struct Watch {
    /// The file to watch; it need not exist yet.
    path: String,
    /// How many milliseconds to wait at most; 5000 if left out.
    deadline_ms: Option<u32>,
}

#[tools]
mod files {
    use super::*;

    /// Lists the files and folders of the workspace, one path a line; folders end with `/`.
    #[tool(read_only)]
    fn list_files(list: List, host: &impl Workspace) -> Result<Output, Failure> {
        let path = list.path.unwrap_or_default();
        let recursive = list.recursive.unwrap_or(false);
        Ok(host.list(&path, recursive, list.limit.unwrap_or(200))?.into())
    }

    /// Reads a text file of the workspace, each line with its number.
    #[tool(read_only)]
    fn read_file(read: Read, host: &impl Workspace) -> Result<Output, Failure> {
        let first = read.first_line.unwrap_or(1);
        Ok(host.read(&read.path, first, read.lines.unwrap_or(400))?.into())
    }

    /// Searches the files of the workspace and shows the lines found as `path:line: text`.
    #[tool(read_only)]
    fn search_files(search: Search, host: &impl Workspace) -> Result<Output, Failure> {
        let request = SearchRequest {
            pattern: search.pattern,
            path: search.path.unwrap_or_default(),
            ignore_case: search.ignore_case.unwrap_or(false),
            limit: search.limit.unwrap_or(100),
            extra: Vec::new(),
        };
        Ok(host.search(&request)?.into())
    }

    /// Waits until a file of the workspace changes, appears or goes, or the time is over.
    #[tool(read_only)]
    fn watch_file(watch: Watch, host: &impl Workspace) -> Result<Output, Failure> {
        Ok(host.watch(&watch.path, watch.deadline_ms.unwrap_or(5000))?.into())
    }
}
