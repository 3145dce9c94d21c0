//! Looking for lines in files.

use std::ops::ControlFlow;
use std::path::Path;

use regex::{Regex, RegexBuilder};
use tokio_util::sync::CancellationToken;

use super::reading::{MOST_BYTES, is_binary};
use super::{Failure, Folder, path};

/// What to look for, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Query {
    pub(crate) pattern: String,
    pub(crate) path: String,
    pub(crate) ignore_case: bool,
    pub(crate) limit: u32,
}

/// A line that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Hit {
    pub(crate) path: String,
    pub(crate) line: u32,
    pub(crate) text: String,
}

/// The lines, and whether there are more.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Findings {
    pub(crate) hits: Vec<Hit>,
    pub(crate) files_searched: u32,
    pub(crate) more: bool,
}

const MOST_HITS: usize = 1_000;
const MOST_LINE: usize = 400;
const CUT: &str = " [cut]";
/// Bytes of a pattern, which is read as a tree of far more.
const MOST_WRITTEN: usize = 4_096;
/// What a compiled pattern may take; a small pattern can mean a huge machine.
const MOST_PATTERN: usize = 512 << 10;
/// Bytes of a line that are looked at. A line is looked at without a break, and at each byte such
/// a machine may have to be gone through as a whole: minutes, if a file is one line.
const MOST_LOOKED_AT: usize = 16 << 10;

impl Folder {
    pub(crate) fn search(
        &self,
        query: &Query,
        stop: &CancellationToken,
    ) -> Result<Findings, Failure> {
        let pattern = compile(query)?;
        let (start, found) = self.find(&query.path)?;
        let limit = usize::try_from(query.limit).unwrap_or(usize::MAX).min(MOST_HITS);
        let mut search =
            Search { folder: self, pattern, limit, stop, findings: Findings::default() };
        if found.is_file() {
            let _ = search.file(&start, found.len());
        } else if found.is_dir() {
            let left_out = self.walk(&start, true, stop, &mut |met| match met.entry.metadata() {
                Ok(found) if met.kind.is_file() => search.file(met.path, found.len()),
                _ => ControlFlow::Continue(()),
            });
            search.findings.more |= left_out;
        } else {
            return Err(Failure::not_a_file(&query.path));
        }
        Ok(search.findings)
    }
}

fn compile(query: &Query) -> Result<Regex, Failure> {
    if query.pattern.len() > MOST_WRITTEN {
        return Err(Failure::invalid(format!("a pattern has at most {MOST_WRITTEN} bytes")));
    }
    let mut pattern = RegexBuilder::new(&query.pattern);
    pattern.case_insensitive(query.ignore_case).size_limit(MOST_PATTERN);
    pattern.build().map_err(|error| Failure::invalid(format!("the pattern is wrong: {error}")))
}

struct Search<'a> {
    folder: &'a Folder,
    pattern: Regex,
    limit: usize,
    stop: &'a CancellationToken,
    findings: Findings,
}

impl Search<'_> {
    fn file(&mut self, path: &Path, size: u64) -> ControlFlow<()> {
        let Some(shown) = path::shown(path) else { return ControlFlow::Continue(()) };
        if size > MOST_BYTES {
            return ControlFlow::Continue(());
        }
        let bytes = self.folder.bytes_of(path).unwrap_or_default();
        if is_binary(&bytes) {
            return ControlFlow::Continue(());
        }
        let Ok(text) = String::from_utf8(bytes) else { return ControlFlow::Continue(()) };
        self.findings.files_searched += 1;
        self.lines(&shown, &text)
    }

    fn lines(&mut self, path: &str, text: &str) -> ControlFlow<()> {
        for (number, line) in (1..).zip(text.lines()) {
            if self.stop.is_cancelled() {
                return ControlFlow::Break(());
            }
            let looked_at = &line[..line.floor_char_boundary(MOST_LOOKED_AT)];
            self.findings.more |= looked_at.len() < line.len();
            let cut_off = looked_at.len() < line.len();
            // Nobody knows whether a match that ends at the cut would end there in the line.
            let fits = |found: regex::Match<'_>| !cut_off || found.end() < looked_at.len();
            if !self.pattern.find(looked_at).is_some_and(fits) {
                continue;
            }
            if self.findings.hits.len() == self.limit {
                self.findings.more = true;
                return ControlFlow::Break(());
            }
            let hit = Hit { path: path.to_owned(), line: number, text: cut(line) };
            self.findings.hits.push(hit);
        }
        ControlFlow::Continue(())
    }
}

fn cut(line: &str) -> String {
    if line.len() <= MOST_LINE {
        return line.to_owned();
    }
    format!("{}{CUT}", &line[..line.floor_char_boundary(MOST_LINE)])
}
