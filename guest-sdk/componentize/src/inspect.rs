//! What a component says of itself, read without running it.

use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;
use wasmparser::{KnownCustom, Name, Parser, Payload};

/// The section that the SDK's macro writes.
const SECTION: &str = "switchboard:tool";

const SUBAGENTS: &str = "switchboard:plugin/subagents@0.1.0";
const DELEGATION: &str = "switchboard:plugin/delegation@0.1.0";
const OBSERVATION: &str = "switchboard:plugin/observation@0.1.0";
const WORKSPACE: &str = "switchboard:plugin/workspace@0.1.0";
const DIAG: &str = "switchboard:plugin/diag@0.1.0";

/// What each world imports, in the order of the names.
const WORLDS: [(&str, &[&str]); 7] = [
    ("control-tool", &[SUBAGENTS]),
    ("delegation-tool", &[DELEGATION]),
    ("observation-tool", &[OBSERVATION]),
    ("workspace-tool", &[WORKSPACE]),
    ("pure-tool", &[]),
    ("diag-tool", &[DIAG]),
    ("workspace-diag-tool", &[DIAG, WORKSPACE]),
];

/// The parts of a component that a host and a check look at.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Inspected {
    /// The interfaces that it imports.
    pub imports: Vec<String>,
    /// The interfaces that it exports.
    pub exports: Vec<String>,
    /// The JSON in its section, whose tools a host shows to models.
    pub description: Value,
    /// The names of its functions, which a trace shows.
    pub functions: Vec<String>,
}

impl Inspected {
    /// Reads a component, and the modules inside it.
    pub fn read(component: &[u8]) -> Result<Self> {
        let mut found = Self::default();
        let mut depth = 0;
        for payload in Parser::new(0).parse_all(component) {
            match payload.context("not a component")? {
                Payload::ModuleSection { .. } | Payload::ComponentSection { .. } => depth += 1,
                Payload::End(_) => depth -= 1,
                Payload::ComponentImportSection(section) if depth == 0 => {
                    for import in section {
                        found.imports.push(import?.name.name.to_owned());
                    }
                }
                Payload::ComponentExportSection(section) if depth == 0 => {
                    for export in section {
                        found.exports.push(export?.name.name.to_owned());
                    }
                }
                Payload::CustomSection(section) if section.name() == SECTION => {
                    found.describe(section.data())?;
                }
                Payload::CustomSection(section) => found.name_functions(section.as_known())?,
                _ => {}
            }
        }
        Ok(found)
    }

    fn describe(&mut self, json: &[u8]) -> Result<()> {
        ensure!(self.description.is_null(), "the component has two sections `{SECTION}`");
        self.description = serde_json::from_slice(json)
            .with_context(|| format!("the section `{SECTION}` is not JSON"))?;
        Ok(())
    }

    fn name_functions(&mut self, section: KnownCustom<'_>) -> Result<()> {
        let KnownCustom::Name(names) = section else { return Ok(()) };
        for name in names {
            if let Name::Function(functions) = name? {
                for function in functions {
                    self.functions.push(function?.name.to_owned());
                }
            }
        }
        Ok(())
    }

    /// The world that its description names.
    pub fn world(&self) -> Result<&str> {
        self.description["world"].as_str().with_context(|| {
            format!("no section `{SECTION}`: has the crate a function with `#[tool]`?")
        })
    }

    /// Whether it imports what its world says and nothing else.
    pub fn keeps_to_its_world(&self) -> Result<()> {
        let world = self.world()?;
        let Some((_, expected)) = WORLDS.iter().find(|(name, _)| *name == world) else {
            bail!("the world `{world}` is not known");
        };
        let mut imports = self.imports.clone();
        imports.sort_unstable();
        ensure!(imports == *expected, "`{world}` imports {expected:?}, the component {imports:?}");
        Ok(())
    }
}
