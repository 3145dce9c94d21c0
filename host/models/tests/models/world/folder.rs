//! A folder, and the tools that read it, in the words of the real ones.

use std::collections::{BTreeMap, BTreeSet};

use regex::RegexBuilder;
use serde_json::Value;

/// Files by path.
#[derive(Clone, Debug, Default)]
pub(crate) struct Folder(BTreeMap<String, String>);

/// What a call came to.
pub(super) type Result = std::result::Result<String, String>;

impl Folder {
    pub(crate) fn of<const N: usize>(files: [(&str, &str); N]) -> Self {
        Self(files.iter().map(|(path, text)| ((*path).into(), (*text).into())).collect())
    }

    pub(crate) fn with(mut self, path: &str, text: &str) -> Self {
        self.0.insert(path.into(), text.into());
        self
    }

    /// The answer of a reading tool.
    pub(super) fn call(&self, tool: &str, arguments: &Value) -> Result {
        match tool {
            "list_files" => Ok(self.list(arguments)),
            "read_file" => self.read(arguments),
            "search_files" => self.search(arguments),
            "watch_file" => Ok("unchanged".into()),
            _ => Err(format!("there is no tool {tool}")),
        }
    }

    fn list(&self, arguments: &Value) -> String {
        let recursive = arguments["recursive"].as_bool().unwrap_or(false);
        let entries = self.entries();
        let top = |path: &&String| recursive || !path.trim_end_matches('/').contains('/');
        let shown: Vec<_> = entries.iter().filter(top).cloned().collect();
        lines(shown, arguments["limit"].as_u64().unwrap_or(200), "(nothing is there)")
    }

    fn entries(&self) -> BTreeSet<String> {
        let folders = self.0.keys().flat_map(|path| {
            path.match_indices('/').map(|(at, _)| path[..=at].to_owned()).collect::<Vec<_>>()
        });
        folders.chain(self.0.keys().cloned()).collect()
    }

    fn read(&self, arguments: &Value) -> Result {
        let path = arguments["path"].as_str().unwrap();
        let text = self.0.get(path).ok_or_else(|| format!("there is no file `{path}`"))?;
        let first = arguments["first_line"].as_u64().unwrap_or(1);
        let numbered = (1_u64..).zip(text.lines()).filter(|(number, _)| *number >= first);
        let wanted = arguments["lines"].as_u64().unwrap_or(400);
        let wanted = numbered.take(usize::try_from(wanted).unwrap());
        Ok(wanted.map(|(number, line)| format!("{number}: {line}")).collect::<Vec<_>>().join("\n"))
    }

    fn search(&self, arguments: &Value) -> Result {
        let mut pattern = RegexBuilder::new(arguments["pattern"].as_str().unwrap());
        pattern.case_insensitive(arguments["ignore_case"].as_bool().unwrap_or(false));
        let pattern = pattern.build().map_err(|error| error.to_string())?;
        let mut hits = Vec::new();
        for (path, text) in &self.0 {
            let found = (1..).zip(text.lines()).filter(|(_, line)| pattern.is_match(line));
            hits.extend(found.map(|(number, line)| format!("{path}:{number}: {line}")));
        }
        let none = format!("(nothing found; files searched: {})", self.0.len());
        Ok(lines(hits, arguments["limit"].as_u64().unwrap_or(100), &none))
    }
}

fn lines(mut found: Vec<String>, limit: u64, none: &str) -> String {
    let limit = usize::try_from(limit).unwrap();
    if found.is_empty() {
        return none.to_owned();
    }
    if found.len() > limit {
        found.truncate(limit);
        let advice = "there are more; narrow the path or raise the limit";
        found.push(format!("(cut after {limit}: {advice})"));
    }
    found.join("\n")
}
