//! The file beside the components that says what they were made of.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

use crate::digest;

const FILE: &str = "DIGEST";
const SOURCES: &str = "sources";
const HEAD: &str = "# What the components here were made of, and what they are. Written by
#     cargo run -p switchboard-componentize -- --all
# and compared by the same with --check, which needs no WebAssembly target.
";

/// Digests by name: of the sources, and of each component's bytes.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Record(BTreeMap<String, String>);

impl Record {
    /// A record of components that were made of these sources.
    pub fn new(sources: String) -> Self {
        Self([(SOURCES.to_owned(), sources)].into())
    }

    /// Notes a component.
    pub fn add(&mut self, file: &str, component: &[u8]) {
        self.0.insert(file.to_owned(), digest::of(component));
    }

    /// Whether this is the digest of the sources that were noted.
    pub fn has_sources(&self, digest: &str) -> bool {
        self.0.get(SOURCES).is_some_and(|noted| noted == digest)
    }

    /// Whether these are the bytes that were noted.
    pub fn has_component(&self, file: &str, component: &[u8]) -> bool {
        self.0.get(file).is_some_and(|noted| *noted == digest::of(component))
    }

    /// Reads the record in a folder.
    pub fn read(folder: &Path) -> Result<Self> {
        let path = folder.join(FILE);
        let text = fs::read_to_string(&path).with_context(|| format!("no {}", path.display()))?;
        let lines = text.lines().filter(|line| !line.starts_with('#'));
        let pairs = lines.filter_map(|line| line.split_once(' '));
        Ok(Self(pairs.map(|(name, digest)| (name.to_owned(), digest.to_owned())).collect()))
    }

    /// Writes the record into a folder.
    pub fn write(&self, folder: &Path) -> Result<()> {
        let lines: String = self.0.iter().map(|(name, d)| format!("{name} {d}\n")).collect();
        let path = folder.join(FILE);
        fs::write(&path, format!("{HEAD}{lines}"))
            .with_context(|| format!("cannot write {}", path.display()))
    }
}
