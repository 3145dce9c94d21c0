//! What a tool is granted: which interfaces it may import, and what it may do through them.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use switchboard_runtime::ToolClass;

/// What a tool is granted. Nothing is granted by default (SAND-1). In a crew file:
/// `grants = { subagents = { kinds = ["content"] }, workspace = { dir = ".", access = "read" } }`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Grants {
    /// Sending envelopes to other agents.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub subagents: Option<SubagentsGrant>,
    /// What it may do to agents of which its own disposes: starting them, putting them away, having
    /// them gone for good.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub delegation: Vec<Disposal>,
    /// Looking at agents.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub observe: bool,
    /// Reading a folder.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub workspace: Option<WorkspaceGrant>,
    /// Writing to the host's log.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub diag: bool,
}

/// Which kinds of envelope a tool may send (SAND-2).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SubagentsGrant {
    /// The kinds of body.
    pub kinds: Vec<BodyKind>,
}

impl Default for SubagentsGrant {
    fn default() -> Self {
        Self { kinds: vec![BodyKind::Content] }
    }
}

/// What a tool may do to agents below its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Disposal {
    /// Start one.
    Start,
    /// Start one that knows what its own agent knows.
    Fork,
    /// Put one away; a message brings it back.
    Close,
    /// Have one gone for good.
    Delete,
}

impl Disposal {
    /// All of them.
    pub const ALL: &[Self] = &[Self::Start, Self::Fork, Self::Close, Self::Delete];

    /// The word for it in a crew file, and the function of the interface.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Start => "start",
            Self::Fork => "fork",
            Self::Close => "close",
            Self::Delete => "delete",
        }
    }

    /// The line of a crew file that grants it.
    fn grant_line(self) -> &'static str {
        match self {
            Self::Start => r#"grants = { delegation = ["start"] }"#,
            Self::Fork => r#"grants = { delegation = ["fork"] }"#,
            Self::Close => r#"grants = { delegation = ["close"] }"#,
            Self::Delete => r#"grants = { delegation = ["delete"] }"#,
        }
    }
}

/// A folder a tool may read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WorkspaceGrant {
    /// The folder. Nothing outside it is there for the tool.
    pub dir: PathBuf,
    /// What it may do there.
    pub access: Access,
}

/// What may be done in a folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Access {
    /// List, read, search and watch.
    Read,
}

/// What an envelope can be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum BodyKind {
    /// A message.
    Content,
    /// Stopping a turn.
    Interrupt,
    /// Asking an agent to settle.
    ShutdownRequest,
    /// The answer to that.
    ShutdownResponse,
    /// Asking for a plan to be approved.
    PlanRequest,
    /// The answer to that.
    PlanResponse,
    /// Acknowledging a message.
    Acknowledge,
}

impl BodyKind {
    /// Whether it does something to another agent; the rest is talk (HAND-2).
    fn writes(self) -> bool {
        match self {
            Self::Interrupt => true,
            Self::Content
            | Self::ShutdownRequest
            | Self::ShutdownResponse
            | Self::PlanRequest
            | Self::PlanResponse
            | Self::Acknowledge => false,
        }
    }

    /// The word for it in a crew file.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Content => "content",
            Self::Interrupt => "interrupt",
            Self::ShutdownRequest => "shutdown-request",
            Self::ShutdownResponse => "shutdown-response",
            Self::PlanRequest => "plan-request",
            Self::PlanResponse => "plan-response",
            Self::Acknowledge => "acknowledge",
        }
    }
}

impl Grants {
    /// Messages, and nothing else: what a control tool gets unless told otherwise.
    pub fn content() -> Self {
        Self { subagents: Some(SubagentsGrant::default()), ..Self::default() }
    }

    /// Interrupts, and nothing else.
    pub fn interrupt() -> Self {
        let kinds = vec![BodyKind::Interrupt];
        Self { subagents: Some(SubagentsGrant { kinds }), ..Self::default() }
    }

    /// These kinds of envelope, and nothing else.
    pub fn sending(kinds: impl Into<Vec<BodyKind>>) -> Self {
        let kinds = kinds.into();
        Self { subagents: Some(SubagentsGrant { kinds }), ..Self::default() }
    }

    /// Acknowledgements, and nothing else.
    pub fn acknowledge() -> Self {
        let kinds = vec![BodyKind::Acknowledge];
        Self { subagents: Some(SubagentsGrant { kinds }), ..Self::default() }
    }

    /// Starting agents, and nothing else.
    pub fn starting() -> Self {
        Self { delegation: vec![Disposal::Start], ..Self::default() }
    }

    /// Starting agents that know what their starter knows, and nothing else.
    pub fn forking() -> Self {
        Self { delegation: vec![Disposal::Fork], ..Self::default() }
    }

    /// Putting agents away, and nothing else.
    pub fn closing() -> Self {
        Self { delegation: vec![Disposal::Close], ..Self::default() }
    }

    /// Having agents gone for good, and nothing else.
    pub fn deleting() -> Self {
        Self { delegation: vec![Disposal::Delete], ..Self::default() }
    }

    /// Looking at agents, and nothing else.
    pub fn observing() -> Self {
        Self { observe: true, ..Self::default() }
    }

    /// Reading this folder, and nothing else.
    pub fn reading(dir: impl Into<PathBuf>) -> Self {
        let grant = WorkspaceGrant { dir: dir.into(), access: Access::Read };
        Self { workspace: Some(grant), ..Self::default() }
    }

    /// Whether this interface may be imported.
    #[must_use]
    pub(crate) fn permits(&self, interface: Interface) -> bool {
        match interface {
            Interface::Subagents => self.subagents.is_some(),
            Interface::Delegation => !self.delegation.is_empty(),
            Interface::Observation => self.observe,
            Interface::Workspace => self.workspace.is_some(),
            Interface::Diag => self.diag,
        }
    }

    /// The line that grants this function of an interface which is granted in part, if it is not in
    /// that part.
    pub(crate) fn lacks(&self, interface: Interface, function: &str) -> Option<&'static str> {
        let named = |disposal: &&Disposal| disposal.as_str() == function;
        let wanted =
            Disposal::ALL.iter().find(named).filter(|_| interface == Interface::Delegation);
        wanted.filter(|wanted| !self.delegation.contains(wanted)).map(|wanted| wanted.grant_line())
    }

    /// Whether it may send envelopes of this kind.
    pub(crate) fn sends(&self, kind: BodyKind) -> bool {
        self.subagents.as_ref().is_some_and(|grant| grant.kinds.contains(&kind))
    }

    /// Whether any of these lets a tool change something (HAND-2). To talk, and to look, changes
    /// nothing.
    pub fn writes(&self) -> bool {
        let kinds = self.subagents.iter().flat_map(|grant| &grant.kinds);
        let reads = match &self.workspace {
            Some(WorkspaceGrant { access: Access::Read, .. }) | None => true,
        };
        !self.delegation.is_empty() || !reads || kinds.copied().any(BodyKind::writes)
    }

    /// What becomes of a call that was under way when the host stopped (TURN-3). A tool that both
    /// reads and speaks might say something else the second time, so it is not run again.
    pub fn class(&self) -> ToolClass {
        let speaks = self.subagents.is_some() || !self.delegation.is_empty();
        let reads = match &self.workspace {
            Some(WorkspaceGrant { access: Access::Read, .. }) => true,
            None => self.observe,
        };
        match (speaks, reads) {
            (true, false) => ToolClass::Control,
            (false, _) => ToolClass::ReadOnly,
            (true, true) => ToolClass::Effectful,
        }
    }
}

/// The interfaces a tool can be granted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Interface {
    Subagents,
    Delegation,
    Observation,
    Workspace,
    Diag,
}

impl Interface {
    pub(crate) const ALL: [Self; 5] =
        [Self::Subagents, Self::Delegation, Self::Observation, Self::Workspace, Self::Diag];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Subagents => "subagents",
            Self::Delegation => "delegation",
            Self::Observation => "observation",
            Self::Workspace => "workspace",
            Self::Diag => "diag",
        }
    }

    /// The functions this host has for it.
    pub(crate) fn functions(self) -> &'static [&'static str] {
        match self {
            Self::Subagents => &["send-message"],
            Self::Delegation => &["start", "fork", "close", "delete"],
            Self::Observation => {
                &["list-agents", "get-agent", "recent-messages", "message-status", "wait"]
            }
            Self::Workspace => &["list", "read", "search", "watch"],
            Self::Diag => &["log", "panicked"],
        }
    }

    /// The line of a crew file that grants it.
    pub(crate) fn grant_line(self) -> &'static str {
        match self {
            Self::Subagents => r#"grants = { subagents = { kinds = ["content"] } }"#,
            Self::Delegation => r#"grants = { delegation = ["start"] }"#,
            Self::Observation => "grants = { observe = true }",
            Self::Workspace => r#"grants = { workspace = { dir = ".", access = "read" } }"#,
            Self::Diag => "grants = { diag = true }",
        }
    }
}
