//! A component as bytes: what it imports, exports and says of itself, read without running it.

use std::fmt;

use sha2::{Digest as _, Sha256};
use wasmparser::{ComponentInstance, Encoding, Instance, Parser, Payload};

use crate::error::ComponentError;
use crate::imports;
use crate::limits::INSTANCES;
use crate::metadata::{self, Description};

/// The bytes of a component, by their SHA-256.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Digest([u8; 32]);

impl Digest {
    /// The digest of these bytes.
    pub fn of(bytes: &[u8]) -> Self {
        Self(Sha256::digest(bytes).into())
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        &self.0
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(out, "{byte:02x}"))
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, out)
    }
}

/// What `switchboard plugin inspect` shows of a component.
#[derive(Clone, Debug, PartialEq)]
pub struct Inspection {
    /// Its digest.
    pub digest: Digest,
    /// Its size in bytes.
    pub size: usize,
    /// What it imports: all it could ever ask of a host.
    pub imports: Vec<String>,
    /// What it exports.
    pub exports: Vec<String>,
    /// What it says of itself.
    pub description: Description,
    /// The lines of a crew file that grant what it imports.
    pub grants_needed: Vec<&'static str>,
}

/// Looks at a component without running or compiling it.
///
/// # Errors
/// Why the bytes are no tool.
pub fn inspect(bytes: &[u8]) -> Result<Inspection, ComponentError> {
    let anatomy = Anatomy::of(bytes)?;
    anatomy.check_exports()?;
    let description = metadata::read(&anatomy.sections)?;
    Ok(Inspection {
        digest: Digest::of(bytes),
        size: bytes.len(),
        grants_needed: imports::grants_needed(&anatomy.imports),
        imports: anatomy.imports,
        exports: anatomy.exports,
        description,
    })
}

/// The interface every tool exports.
const TOOL: &str = "switchboard:plugin/tool@0.1.0";
/// A component, what the tools that make components nest into it, and a core module in that.
const DEPTH: usize = 4;
/// A component inside the component may be instantiated so often; each of them may again, so the
/// number is what keeps a small file from growing while it is compiled.
const INNER_INSTANCES: usize = 8;

#[derive(Default)]
struct Anatomy<'a> {
    imports: Vec<String>,
    exports: Vec<String>,
    sections: Vec<&'a [u8]>,
    core_instances: usize,
    inner_instances: usize,
    depth: usize,
}

impl<'a> Anatomy<'a> {
    fn of(bytes: &'a [u8]) -> Result<Self, ComponentError> {
        let mut anatomy = Self::default();
        for payload in Parser::new(0).parse_all(bytes) {
            anatomy.take(payload.map_err(malformed)?)?;
        }
        anatomy.check_parts()?;
        Ok(anatomy)
    }

    fn take(&mut self, payload: Payload<'a>) -> Result<(), ComponentError> {
        match payload {
            Payload::Version { encoding, .. } => self.enter(encoding)?,
            Payload::End(_) => self.depth = self.depth.saturating_sub(1),
            Payload::ComponentImportSection(section) if self.depth == 1 => {
                for import in section {
                    self.imports.push(import.map_err(malformed)?.name.name.to_owned());
                }
            }
            Payload::ComponentExportSection(section) if self.depth == 1 => {
                for export in section {
                    self.exports.push(export.map_err(malformed)?.name.name.to_owned());
                }
            }
            Payload::InstanceSection(section) => {
                for instance in section {
                    let made = matches!(instance.map_err(malformed)?, Instance::Instantiate { .. });
                    self.core_instances += usize::from(made);
                }
            }
            Payload::ComponentInstanceSection(section) => {
                for instance in section {
                    let instance = instance.map_err(malformed)?;
                    let made = matches!(instance, ComponentInstance::Instantiate { .. });
                    self.inner_instances += usize::from(made);
                }
            }
            Payload::CustomSection(section) if section.name() == metadata::SECTION => {
                self.sections.push(section.data());
            }
            _ => {}
        }
        Ok(())
    }

    fn enter(&mut self, encoding: Encoding) -> Result<(), ComponentError> {
        if self.depth == 0 && encoding == Encoding::Module {
            return Err(ComponentError::Module);
        }
        self.depth += 1;
        if self.depth > DEPTH {
            return Err(ComponentError::TooComplex(format!(
                "components are nested deeper than {DEPTH}"
            )));
        }
        Ok(())
    }

    fn check_parts(&self) -> Result<(), ComponentError> {
        let most = INSTANCES;
        let (core, inner) = (self.core_instances, self.inner_instances);
        if core > most || inner > INNER_INSTANCES {
            return Err(ComponentError::TooComplex(format!(
                "it makes {core} core instances and {inner} of components inside it, at most \
                 {most} and {INNER_INSTANCES} are allowed"
            )));
        }
        Ok(())
    }

    fn check_exports(&self) -> Result<(), ComponentError> {
        if self.exports.iter().any(|name| name == TOOL) {
            return Ok(());
        }
        let other = self.exports.iter().find(|name| name.starts_with("switchboard:plugin/tool@"));
        Err(match other {
            Some(name) if imports::compatible(name) => return Ok(()),
            Some(name) => ComponentError::OtherTool(name.clone()),
            None => ComponentError::NoTool,
        })
    }
}

fn malformed(error: wasmparser::BinaryReaderError) -> ComponentError {
    ComponentError::Malformed(error.message().to_owned())
}
