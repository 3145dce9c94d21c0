//! What templates can do with frames and results beyond what minijinja brings.
//!
//! `matches` and `where` take texts: one or a list of them, each a string or something that has a
//! `text`, such as a frame, a result, or a match whose pattern named a part `text`.

use std::collections::BTreeMap;

use minijinja::value::ValueKind;
use minijinja::{Environment, Error, ErrorKind, Value};

use super::pattern::Pattern;

pub(super) fn add_to(environment: &mut Environment<'_>) {
    environment.add_filter("matches", matches);
    environment.add_filter("where", matching);
    environment.add_filter("of", of);
    environment.add_filter("cut", cut);
    environment.add_filter("counted", counted);
}

/// `results | matches('^(?<path>.+?):(?<line>\d+): ')`: the named parts of every match.
fn matches(texts: Value, pattern: &str) -> Result<Vec<BTreeMap<String, String>>, Error> {
    let pattern = compile(pattern)?;
    let mut found = Vec::new();
    for item in items(&texts)? {
        found.extend(pattern.all(&text(&item)?));
    }
    Ok(found)
}

/// `read | where('^Report: ')`: those whose text matches.
fn matching(texts: Value, pattern: &str) -> Result<Vec<Value>, Error> {
    let pattern = compile(pattern)?;
    let mut found = Vec::new();
    for item in items(&texts)? {
        if pattern.is_match(&text(&item)?) {
            found.push(item);
        }
    }
    Ok(found)
}

/// `results | of('read_file')`: what this tool returned.
fn of(results: Value, tool: &str) -> Result<Vec<Value>, Error> {
    let mut found = Vec::new();
    for result in items(&results)? {
        if result.get_attr("tool")?.as_str() == Some(tool) {
            found.push(result);
        }
    }
    Ok(found)
}

/// `line | cut(80)`: at most so many characters, with a sign that there were more.
pub(super) fn cut(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}…", &text[..end]),
    }
}

/// `2 | counted('file')`: `2 files`.
fn counted(number: u64, noun: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}

fn compile(pattern: &str) -> Result<Pattern, Error> {
    Pattern::new(pattern)
        .map_err(|error| Error::new(ErrorKind::InvalidOperation, error.to_string()))
}

/// What is not there yet counts as an empty list: the tool has not returned, or nobody wrote.
fn items(texts: &Value) -> Result<Vec<Value>, Error> {
    match texts.kind() {
        ValueKind::Undefined | ValueKind::None => Ok(Vec::new()),
        ValueKind::Seq | ValueKind::Iterable => Ok(texts.try_iter()?.collect()),
        _ => Ok(vec![texts.clone()]),
    }
}

fn text(item: &Value) -> Result<String, Error> {
    let held = if item.kind() == ValueKind::String { item.clone() } else { item.get_attr("text")? };
    held.as_str().map(str::to_owned).ok_or_else(|| {
        let problem = format!("{} is neither a text nor something that has one", item.kind());
        Error::new(ErrorKind::InvalidOperation, problem)
    })
}
