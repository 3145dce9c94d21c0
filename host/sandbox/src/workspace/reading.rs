//! What is in a file.

use std::io::Read;
use std::path::Path;

use cap_std::fs::{Dir, File, MetadataExt, OpenOptions, OpenOptionsExt};

use super::path::{or_here, without_dots};
use super::{Failure, Folder};

/// Some lines of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Text {
    pub(crate) content: String,
    pub(crate) first_line: u32,
    pub(crate) total_lines: u32,
    pub(crate) more: bool,
}

/// The largest file that is opened at all.
pub(super) const MOST_BYTES: u64 = 4 << 20;
/// The most text one answer has.
const MOST_CONTENT: usize = 256 << 10;
const CUT: &str = " [line cut]\n";

impl Folder {
    pub(crate) fn read(&self, path: &str, first: u32, lines: u32) -> Result<Text, Failure> {
        if first == 0 {
            return Err(Failure::invalid("lines are counted from 1"));
        }
        let text = self.text_of(path)?;
        let total = text.lines().count();
        let mut content = String::new();
        let mut taken = 0;
        let wanted = text.split_inclusive('\n').skip(first as usize - 1).take(lines as usize);
        for line in wanted {
            if content.is_empty() && line.len() > MOST_CONTENT {
                content.push_str(&line[..line.floor_char_boundary(MOST_CONTENT)]);
                content.push_str(CUT);
            } else if content.len() + line.len() > MOST_CONTENT {
                break;
            } else {
                content.push_str(line);
            }
            taken += 1;
        }
        let more = (first as usize - 1).saturating_add(taken) < total;
        Ok(Text { content, first_line: first, total_lines: count(total), more })
    }

    fn text_of(&self, text: &str) -> Result<String, Failure> {
        let (path, found) = self.find(text)?;
        if !found.is_file() {
            return Err(Failure::not_a_file(text));
        }
        if found.len() > MOST_BYTES {
            let bytes = found.len();
            return Err(Failure::new(
                "too-large",
                format!("`{text}` has {bytes} bytes, at most {MOST_BYTES} can be read"),
            ));
        }
        let bytes = self.bytes_of(&path).map_err(|error| Failure::of(text, &error))?;
        let not_text = || Failure::new("not-text", format!("`{text}` is not UTF-8 text"));
        if is_binary(&bytes) {
            return Err(not_text());
        }
        String::from_utf8(bytes).map_err(|_| not_text())
    }

    /// At most so much of it. What was opened is what is judged: a link or a file may have been
    /// put in its place since it was looked at.
    pub(super) fn bytes_of(&self, path: &Path) -> std::io::Result<Vec<u8>> {
        let file = open_at_once(&self.root, path)?;
        let opened = file.metadata()?;
        let real = without_dots(&self.root.canonicalize(or_here(path))?);
        let there = self.root.metadata(or_here(&real))?;
        let same = (opened.dev(), opened.ino()) == (there.dev(), there.ino());
        if !same || !opened.is_file() || self.hides(&real, false) {
            return Err(std::io::ErrorKind::NotFound.into());
        }
        let mut bytes = Vec::new();
        file.take(MOST_BYTES).read_to_end(&mut bytes)?;
        Ok(bytes)
    }
}

/// Opens a file without waiting for anybody: a pipe nobody writes to would hold the thread.
pub(super) fn open_at_once(root: &Dir, path: &Path) -> std::io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).custom_flags(rustix::fs::OFlags::NONBLOCK.bits().cast_signed());
    root.open_with(path, &options)
}

/// Whether it looks like no text, by what git goes by.
pub(super) fn is_binary(bytes: &[u8]) -> bool {
    bytes.iter().take(8_000).any(|byte| *byte == 0)
}

fn count(lines: usize) -> u32 {
    u32::try_from(lines).unwrap_or(u32::MAX)
}
