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
    /// How many core instances a call of it is made of, at most.
    pub core_instances: usize,
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
        core_instances: anatomy.core_instances,
    })
}

/// The interface every tool exports.
const TOOL: &str = "switchboard:plugin/tool@0.1.0";
/// A component, what the tools that make components nest into it, and a core module in that.
const DEPTH: usize = 4;
/// A component inside the component may be instantiated so often; each of them may again, so the
/// number is what keeps a small file from growing while it is compiled.
const INNER_INSTANCES: usize = 8;

/// The instances one component makes.
#[derive(Debug, Default)]
struct Makes {
    /// Of core modules.
    core: usize,
    /// Of components inside it.
    inner: usize,
}

#[derive(Default)]
struct Anatomy<'a> {
    imports: Vec<String>,
    exports: Vec<String>,
    sections: Vec<&'a [u8]>,
    /// The component that is being read, below those around it.
    open: Vec<Makes>,
    inner_instances: usize,
    /// Core instances made with one instance of whichever component makes the most.
    core_instances: usize,
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
        let at_top = self.open.len() == 1;
        match payload {
            Payload::Version { encoding, .. } => self.enter(encoding)?,
            Payload::End(_) => self.leave(),
            Payload::ComponentImportSection(section) if at_top => {
                for import in section {
                    self.imports.push(import.map_err(malformed)?.name.name.to_owned());
                }
            }
            Payload::ComponentExportSection(section) if at_top => {
                for export in section {
                    self.exports.push(export.map_err(malformed)?.name.name.to_owned());
                }
            }
            Payload::InstanceSection(section) => {
                let Some(makes) = self.open.last_mut() else { return Ok(()) };
                for instance in section {
                    let made = matches!(instance.map_err(malformed)?, Instance::Instantiate { .. });
                    makes.core += usize::from(made);
                }
            }
            Payload::ComponentInstanceSection(section) => {
                let Some(makes) = self.open.last_mut() else { return Ok(()) };
                for instance in section {
                    let instance = instance.map_err(malformed)?;
                    let made = matches!(instance, ComponentInstance::Instantiate { .. });
                    makes.inner += usize::from(made);
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
        if self.open.is_empty() && encoding == Encoding::Module {
            return Err(ComponentError::Module);
        }
        self.open.push(Makes::default());
        if self.open.len() > DEPTH {
            return Err(ComponentError::TooComplex(format!(
                "components are nested deeper than {DEPTH}"
            )));
        }
        Ok(())
    }

    /// Whatever it makes instances of has been read before it ends, so none is heavier than the
    /// heaviest so far.
    fn leave(&mut self) {
        let Makes { core, inner } = self.open.pop().unwrap_or_default();
        let all = inner.saturating_mul(self.core_instances).saturating_add(core);
        self.core_instances = self.core_instances.max(all);
        self.inner_instances = self.inner_instances.saturating_add(inner);
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
