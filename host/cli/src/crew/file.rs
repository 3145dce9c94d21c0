//! The crew file as it is written, table by table.

use std::collections::BTreeMap;
use std::num::{NonZeroU32, NonZeroU64};

use serde::{Deserialize, Serialize};
use switchboard_core::{Limits, ReachPolicy};
use switchboard_sandbox::{Grants, SandboxConfig};
use toml::Spanned;

/// The whole file.
#[derive(Clone, Debug, Deserialize)]
pub struct CrewFile {
    /// `[crew]`
    pub crew: CrewTable,
    /// `[tools.NAME]`
    #[serde(default)]
    pub tools: BTreeMap<Spanned<String>, ToolTable>,
    /// `[agents.NAME]`
    pub agents: BTreeMap<Spanned<String>, AgentTable>,
    /// `[scripts.NAME]`: what the scripted model does, read by its driver.
    #[serde(default)]
    pub scripts: BTreeMap<Spanned<String>, Spanned<toml::Value>>,
}

/// What holds for the crew as a whole.
#[derive(Clone, Debug, Deserialize)]
pub struct CrewTable {
    /// What it is called; its ledgers are named after it.
    pub name: Spanned<String>,
    /// Who may write to whom.
    #[serde(default)]
    pub reach: ReachPolicy,
    /// The agent that gets the person's input.
    pub root: Spanned<String>,
    /// What the person says if nothing else is said.
    pub input: Option<String>,
    /// Bounds of the machine, where they differ from the defaults.
    #[serde(default)]
    pub limits: Limits,
    /// Bounds of the sandbox, where they differ from the defaults.
    #[serde(default)]
    pub sandbox: SandboxTable,
}

/// What a crew asks of the sandbox all its tools run in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SandboxTable {
    /// How much work compiling a component may be, in units of about a microsecond.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub most_effort: Option<NonZeroU64>,
    /// Crashes in a row after which a tool rests for the agent that it crashes for (SAND-4); 0: it
    /// never does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub crashes_before_rest: Option<u32>,
}

impl SandboxTable {
    /// The sandbox as it is asked for.
    pub fn config(self) -> SandboxConfig {
        let usual = SandboxConfig::default();
        let crashes = self.crashes_before_rest.map(NonZeroU32::new);
        SandboxConfig {
            most_effort: self.most_effort.map_or(usual.most_effort, NonZeroU64::get),
            crashes_before_rest: crashes.unwrap_or(usual.crashes_before_rest),
            ..usual
        }
    }
}

/// One component, and what it may do.
#[derive(Clone, Debug, Deserialize)]
pub struct ToolTable {
    /// `builtin:NAME`, or a path.
    pub component: Spanned<String>,
    /// What it may ask of the host.
    pub grants: Option<Spanned<Grants>>,
    /// What one call of it may use.
    #[serde(default)]
    pub limits: LimitsTable,
    /// Other names for its tools, by their own.
    #[serde(default, rename = "as")]
    pub names: BTreeMap<String, String>,
}

/// What one call may use, where it differs from the defaults.
#[derive(Clone, Debug, Default, Deserialize)]
pub struct LimitsTable {
    /// The most memory: `32MiB`.
    pub memory: Option<Spanned<String>>,
    /// The longest it may take by the wall clock: `20s`.
    pub wall: Option<Spanned<String>>,
    /// The longest it may compute: `500ms`.
    pub computing: Option<Spanned<String>>,
}

/// One kind of agent.
#[derive(Clone, Debug, Deserialize)]
pub struct AgentTable {
    /// `script:NAME`, or what another driver understands.
    pub model: Spanned<String>,
    /// Its standing instructions.
    #[serde(default)]
    pub prompt: String,
    /// What it is there for, in a line.
    #[serde(default)]
    pub description: String,
    /// The tools it may call: names of tool tables, or of tools.
    #[serde(default)]
    pub tools: Vec<Spanned<String>>,
    /// The kinds of agents it may start.
    #[serde(default)]
    pub starts: Vec<Spanned<String>>,
    /// Whether its model reads images.
    #[serde(default)]
    pub images: bool,
    /// Whether it changes nothing before a plan of it is approved.
    #[serde(default)]
    pub plan_required: bool,
}
