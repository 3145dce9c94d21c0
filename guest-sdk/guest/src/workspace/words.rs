//! What the host found, as lines that can be searched and cut, and as data beside them.

use super::{Change, Entry, EntryKind, Findings, Hit, Listing, Text};
use crate::{Output, Value, json};

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
        let entries: Vec<_> = entries.into_iter().map(entry).collect();
        answer(lines, &json!({ "entries": entries, "more": more }))
    }
}

fn path(entry: &Entry) -> String {
    let mark = if entry.kind == EntryKind::Folder { "/" } else { "" };
    format!("{}{mark}", entry.path)
}

fn entry(Entry { path, kind, size }: Entry) -> Value {
    let kind = match kind {
        EntryKind::File => "file",
        EntryKind::Folder => "folder",
        EntryKind::Other => "other",
    };
    json!({ "path": path, "kind": kind, "size": size })
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
        let data = json!({
            "content": content,
            "first_line": first_line,
            "total_lines": total_lines,
            "more": more,
        });
        answer(lines, &data)
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
        let hits: Vec<_> = hits.into_iter().map(hit).collect();
        answer(lines, &json!({ "hits": hits, "files_searched": files_searched, "more": more }))
    }
}

fn hit(Hit { path, line, text }: Hit) -> Value {
    json!({ "path": path, "line": line, "text": text })
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
        answer(vec![word.into()], &json!({ "change": word }))
    }
}

fn cut_after(shown: usize) -> String {
    format!("(cut after {shown}: there are more; narrow the path or raise the limit)")
}

fn answer(lines: Vec<String>, data: &Value) -> Output {
    Output::text(lines.join("\n")).with_structured(data)
}
