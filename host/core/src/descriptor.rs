//! What is needed to bring an agent back, taken when its start is admitted (START-2, RES-1).

use serde::{Deserialize, Serialize};

/// What kind of life an agent leads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Mode {
    /// Without a parent; the host owns it, and it never settles by itself.
    Root,
    /// A child that is messaged again and again, put away and brought back.
    Continuable,
    /// A child that runs one task and has no inbox.
    OneShot,
}

/// How this agent reports to its parent: a tool of its own that says so in its section (SET-5).
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ReportTool {
    /// The tool's name in this agent's table.
    pub tool: String,
    /// Example arguments; `{parent}` stands where the parent's id belongs.
    pub example: String,
}

/// An agent as it was meant to be when it was started. Later edits do not reach it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Descriptor {
    /// Which kind of agent, as its starter names it.
    pub kind: String,
    /// What kind of life it leads.
    pub mode: Mode,
    /// Which model it asks, in the words of the driver.
    pub model: String,
    /// Its standing instructions.
    pub persona: String,
    /// What it is there for, in a line, for people and for its kin.
    pub description: String,
    /// The tools it may call, by name.
    pub tools: Vec<String>,
    /// The kinds of agents it may start.
    pub starts: Vec<String>,
    /// Whether its model reads images (SEND-9).
    pub images: bool,
    /// It changes nothing before a plan of it is approved (HAND-2).
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub plan_required: bool,
    /// How it reports, if it can.
    pub reports: Option<ReportTool>,
}

impl Descriptor {
    /// An agent of this kind that asks this model, with nothing else said of it.
    pub fn new(kind: impl Into<String>, mode: Mode, model: impl Into<String>) -> Self {
        Self {
            kind: kind.into(),
            mode,
            model: model.into(),
            persona: String::new(),
            description: String::new(),
            tools: Vec::new(),
            starts: Vec::new(),
            images: false,
            plan_required: false,
            reports: None,
        }
    }
}
