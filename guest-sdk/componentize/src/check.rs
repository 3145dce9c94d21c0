//! Whether the components in a folder are those that the sources give.

use std::fs;
use std::path::Path;

use anyhow::Result;

use crate::{Crate, Inspected, Record, has_target, sources};

/// What a check found.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Verdict {
    /// What has to be mended.
    pub faults: Vec<String>,
    /// What is worth knowing and no fault.
    pub notes: Vec<String>,
}

/// Compares the components with the sources: by their digest, and where the target is there by
/// building them again. Other bytes alone are no fault, since another compiler gives others.
pub fn check(workspace: &Path, plugins: &Path, dist: &Path) -> Result<Verdict> {
    let mut verdict = Verdict::default();
    let record = Record::read(dist)?;
    if !record.has_sources(&sources(workspace, plugins)?) {
        verdict.faults.push("the sources are others than the components were made of".into());
    }
    for plugin in Crate::all(plugins)? {
        verdict.compare(&plugin, &record, dist)?;
    }
    if !has_target() {
        verdict.notes.push("not built again: the WebAssembly target is missing".into());
    }
    Ok(verdict)
}

impl Verdict {
    fn compare(&mut self, plugin: &Crate, record: &Record, dist: &Path) -> Result<()> {
        let file = format!("{}.wasm", plugin.name());
        let Ok(committed) = fs::read(dist.join(&file)) else {
            self.faults.push(format!("{file} is missing"));
            return Ok(());
        };
        if !record.has_component(&file, &committed) {
            self.faults.push(format!("{file} is not the component that was recorded"));
        }
        if has_target() {
            self.compare_built(&file, &committed, &plugin.component()?)?;
        }
        Ok(())
    }

    fn compare_built(&mut self, file: &str, committed: &[u8], built: &[u8]) -> Result<()> {
        let (old, new) = (Inspected::read(committed)?, Inspected::read(built)?);
        if old.imports != new.imports || old.exports != new.exports {
            self.faults.push(format!("{file} has other imports or exports when built now"));
        }
        if old.description != new.description {
            self.faults.push(format!("{file} says something else of itself when built now"));
        }
        if committed != built {
            self.notes.push(format!("{file} has other bytes when built on this machine"));
        }
        Ok(())
    }
}
