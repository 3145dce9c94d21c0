//! What a crew file comes to: everything a run needs, as its ledger keeps it.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use switchboard_core::{Descriptor, Limits, Mode, ReachPolicy};
use switchboard_sandbox::{Grants, ToolLimits};

use crate::crew::builtin::{Builtin, COMPONENTS, PREFIX};
use crate::crew::file::SandboxTable;
use crate::crew::keys::suggestion;
use crate::crew::units::millis;
use crate::failure::Failure;

/// A crew ready to be run, without a file beside it but the components it names.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ResolvedCrew {
    /// What it is called.
    pub name: String,
    /// What was asked for on the command line, to be asked for again.
    pub asked: String,
    /// Who may write to whom.
    pub reach: ReachPolicy,
    /// The bounds of the machine.
    pub limits: Limits,
    /// The bounds of the sandbox.
    #[serde(default)]
    pub sandbox: SandboxTable,
    /// The kind that gets the person's input.
    pub root: String,
    /// What the person says.
    pub input: String,
    /// Every kind of agent, as a child of that kind is started.
    pub agents: BTreeMap<String, Descriptor>,
    /// The components that bring their tools.
    pub components: Vec<ResolvedComponent>,
    /// What the scripted models do.
    pub scripts: BTreeMap<String, serde_json::Value>,
}

/// A component, what it is granted, and what one call of it may use.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ResolvedComponent {
    /// Where it comes from.
    pub origin: Origin,
    /// The SHA-256 of its bytes.
    pub digest: String,
    /// What it may ask of the host.
    pub grants: Grants,
    /// Other names for its tools, by their own.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub names: BTreeMap<String, String>,
    /// What one call may use.
    pub limits: CallLimits,
}

/// Where a component comes from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Origin {
    /// It is part of the binary.
    Builtin(String),
    /// A file, by its full path.
    File(PathBuf),
}

/// The limits a crew file can set for one call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CallLimits {
    /// Bytes of memory.
    pub memory: u64,
    /// Milliseconds by the wall clock.
    pub wall_ms: u64,
    /// Milliseconds of computing.
    pub computing_ms: u64,
}

impl ResolvedCrew {
    /// The document of a ledger that has it.
    pub const DOCUMENT: &str = "crew";

    /// The root as it is registered.
    pub fn root_descriptor(&self) -> Option<Descriptor> {
        let descriptor = self.agents.get(&self.root)?;
        Some(Descriptor { mode: Mode::Root, ..descriptor.clone() })
    }
}

impl Origin {
    /// Where this text of a crew file points to; a relative path is as it stands.
    pub fn parse(text: &str) -> Self {
        match text.strip_prefix(PREFIX) {
            Some(name) => Self::Builtin(name.to_owned()),
            None => Self::File(text.into()),
        }
    }

    /// What people call it.
    pub fn name(&self) -> String {
        match self {
            Self::Builtin(name) => format!("{PREFIX}{name}"),
            Self::File(path) => path.display().to_string(),
        }
    }

    /// The component.
    ///
    /// # Errors
    /// There is none of that name, or its file cannot be read.
    pub fn bytes(&self) -> Result<Cow<'static, [u8]>, Failure> {
        let what = || Failure::new(format!("cannot read the component `{}`", self.name()));
        match self {
            Self::Builtin(name) => match Builtin::find(name) {
                Some(found) => Ok(found.bytes()),
                None => {
                    let known = COMPONENTS.iter().map(|builtin| builtin.name);
                    let hint = suggestion(name, known);
                    Err(what().because(format!("there is no built-in component `{name}`{hint}")))
                }
            },
            Self::File(path) => match crate::files::read(path) {
                Ok(bytes) => Ok(bytes.into()),
                Err(error) => Err(what().because(error)),
            },
        }
    }
}

impl Default for CallLimits {
    fn default() -> Self {
        let usual = ToolLimits::default();
        let (wall_ms, computing_ms) = (millis(usual.wall), millis(usual.computing));
        Self { memory: usual.memory, wall_ms, computing_ms }
    }
}

impl From<CallLimits> for ToolLimits {
    fn from(limits: CallLimits) -> Self {
        Self {
            memory: limits.memory,
            wall: Duration::from_millis(limits.wall_ms),
            computing: Duration::from_millis(limits.computing_ms),
            ..Self::default()
        }
    }
}
