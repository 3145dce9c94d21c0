//! What the host found, as lines that can be searched and cut, and as data beside them.

use super::{Change, Entry, EntryKind, Findings, Hit, Listing, Text};
use crate::Output;
use crate::object::Object;

/// One path a line, folders with `/` at their end.
impl From<Listing> for Output {
    fn from(Listing { entries, more }: Listing) -> Self {
        let mut lines: Vec<_> = entries.iter().map(path).collect();
        if entries.is_empty() {
            lines.push("(nothing is there)".into());
        }
        if more {
            lines.push(cut_after(entries.len()));
        }
        let data = Object::default().objects("entries", entries.iter().map(entry));
        answer(lines, data.flag("more", more))
    }
}

fn path(entry: &Entry) -> String {
    let mark = if entry.kind == EntryKind::Folder { "/" } else { "" };
    format!("{}{mark}", entry.path)
}

fn entry(Entry { path, kind, size }: &Entry) -> Object {
    let kind = match kind {
        EntryKind::File => "file",
        EntryKind::Folder => "folder",
        EntryKind::Other => "other",
    };
    Object::default().text("path", path).text("kind", kind).number("size", *size)
}

/// Each line with its number: `12: text`.
impl From<Text> for Output {
    fn from(Text { content, first_line, total_lines, more }: Text) -> Self {
        let numbered = (first_line..).zip(content.lines());
        let mut lines: Vec<_> = numbered.map(|(n, line)| format!("{n}: {line}")).collect();
        let next = first_line.saturating_add(lines.len() as u32);
        if lines.is_empty() {
            lines.push(format!("(nothing from line {first_line} on; there are {total_lines})"));
        }
        if more {
            lines.push(format!("(cut: there are {total_lines} lines; go on at line {next})"));
        }
        let data = Object::default()
            .text("content", &content)
            .number("first_line", first_line)
            .number("total_lines", total_lines)
            .flag("more", more);
        answer(lines, data)
    }
}

/// One place a line: `path:line: text`.
impl From<Findings> for Output {
    fn from(Findings { hits, files_searched, more }: Findings) -> Self {
        let place = |hit: &Hit| format!("{}:{}: {}", hit.path, hit.line, hit.text);
        let mut lines: Vec<_> = hits.iter().map(place).collect();
        if hits.is_empty() {
            lines.push(format!("(nothing found; files searched: {files_searched})"));
        }
        if more {
            lines.push(cut_after(hits.len()));
        }
        let data = Object::default()
            .objects("hits", hits.iter().map(hit))
            .number("files_searched", files_searched)
            .flag("more", more);
        answer(lines, data)
    }
}

fn hit(Hit { path, line, text }: &Hit) -> Object {
    Object::default().text("path", path).number("line", *line).text("text", text)
}

/// One word: `changed`, `created`, `removed` or `unchanged`.
impl From<Change> for Output {
    fn from(change: Change) -> Self {
        let word = match change {
            Change::Changed => "changed",
            Change::Created => "created",
            Change::Removed => "removed",
            Change::Unchanged => "unchanged",
        };
        answer(vec![word.into()], Object::default().text("change", word))
    }
}

fn cut_after(shown: usize) -> String {
    format!("(cut after {shown}: there are more; narrow the path or raise the limit)")
}

fn answer(lines: Vec<String>, data: Object) -> Output {
    Output::text(lines.join("\n")).with_structured(data)
}
