//! One number for all that the components are made of, so that a machine without the target
//! can tell whether they are stale.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use sha2::{Digest, Sha256};
use toml::{Table, Value};

/// The folders and files that decide, beside the crates of the tools.
const SOURCES: [&str; 6] = [
    "guest-sdk/componentize/src/build.rs",
    "guest-sdk/guest/Cargo.toml",
    "guest-sdk/guest/src",
    "guest-sdk/macros/Cargo.toml",
    "guest-sdk/macros/src",
    "wit",
];

/// The digest of what the components are made of: the sources, the contract, the profile, and
/// the versions of every dependency.
pub fn sources(workspace: &Path, plugins: &Path) -> Result<String> {
    let mut hash = Sha256::new();
    for file in files(workspace, plugins)? {
        let content = fs::read(&file).with_context(|| format!("cannot read {}", file.display()))?;
        let name = file.strip_prefix(workspace).unwrap_or(&file);
        add(&mut hash, &name.to_string_lossy().replace('\\', "/"), &content);
    }
    let manifest = table(&workspace.join("Cargo.toml"))?;
    let profile = manifest.get("profile").and_then(|profiles| profiles.get("guest"));
    add(&mut hash, "profile", profile.map(Value::to_string).unwrap_or_default().as_bytes());
    for package in dependencies(workspace, plugins)? {
        add(&mut hash, "dependency", package.as_bytes());
    }
    Ok(of_hash(hash))
}

/// The digest of one file's content.
pub(crate) fn of(content: &[u8]) -> String {
    of_hash(Sha256::new_with_prefix(content))
}

fn of_hash(hash: Sha256) -> String {
    format!("sha256:{:x}", hash.finalize())
}

/// With its length before it, no content can pass for the next one's name.
fn add(hash: &mut Sha256, name: &str, content: &[u8]) {
    hash.update(format!("{name}\0{}\0", content.len()));
    hash.update(content);
}

fn files(workspace: &Path, plugins: &Path) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for source in SOURCES {
        collect(&workspace.join(source), &mut found)?;
    }
    for plugin in crates(plugins)? {
        collect(&plugin.join("Cargo.toml"), &mut found)?;
        collect(&plugin.join("src"), &mut found)?;
    }
    found.sort();
    Ok(found)
}

fn collect(path: &Path, found: &mut Vec<PathBuf>) -> Result<()> {
    if path.is_file() {
        found.push(path.to_owned());
        return Ok(());
    }
    for entry in fs::read_dir(path).with_context(|| format!("there is no {}", path.display()))? {
        collect(&entry?.path(), found)?;
    }
    Ok(())
}

fn crates(plugins: &Path) -> Result<Vec<PathBuf>> {
    let entries = fs::read_dir(plugins)
        .with_context(|| format!("there is no folder {}", plugins.display()))?;
    let folders = entries.map(|entry| Ok(entry?.path())).collect::<Result<Vec<_>>>()?;
    Ok(folders.into_iter().filter(|folder| folder.join("Cargo.toml").is_file()).collect())
}

/// What the lock file has for the tools, their dependencies, and so on: `name version`.
fn dependencies(workspace: &Path, plugins: &Path) -> Result<BTreeSet<String>> {
    let lock = table(&workspace.join("Cargo.lock"))?;
    let packages = lock.get("package").and_then(Value::as_array).context("an empty lock file")?;
    let packages = Packages::new(packages);
    let mut open = Vec::new();
    for plugin in crates(plugins)? {
        let manifest = table(&plugin.join("Cargo.toml"))?;
        let name = manifest.get("package").and_then(|p| p.get("name")?.as_str());
        open.extend(name.map(str::to_owned));
    }
    let mut found = BTreeSet::new();
    while let Some(reference) = open.pop() {
        for (package, needs) in packages.matching(&reference) {
            if found.insert(package) {
                open.extend(needs);
            }
        }
    }
    Ok(found)
}

/// The packages of a lock file, by `name version`.
struct Packages(BTreeMap<String, Vec<String>>);

impl Packages {
    fn new(packages: &[Value]) -> Self {
        Self(packages.iter().filter_map(Self::entry).collect())
    }

    fn entry(package: &Value) -> Option<(String, Vec<String>)> {
        let text = |key| package.get(key).and_then(Value::as_str);
        let needs = package.get("dependencies").and_then(Value::as_array);
        let needs = needs.into_iter().flatten().filter_map(Value::as_str).map(str::to_owned);
        Some((format!("{} {}", text("name")?, text("version")?), needs.collect()))
    }

    /// A reference has no version where the name alone is clear.
    fn matching(&self, reference: &str) -> impl Iterator<Item = (String, Vec<String>)> {
        let same = move |key: &str| {
            key == reference || key.split_once(' ').is_some_and(|(name, _)| name == reference)
        };
        self.0.iter().filter(move |(key, _)| same(key)).map(|(k, v)| (k.clone(), v.clone()))
    }
}

fn table(path: &Path) -> Result<Table> {
    let text = fs::read_to_string(path).with_context(|| format!("no {}", path.display()))?;
    text.parse().with_context(|| format!("{} is not TOML", path.display()))
}
