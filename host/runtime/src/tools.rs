//! The seam to tools: one call of one tool.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use switchboard_core::{Activation, CallRecord, Millis, Usage, WaitFor};
use tokio_util::sync::CancellationToken;

use crate::plane::ControlPlane;

/// A future behind a trait object.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// Runs tools.
pub trait ToolHost: Send + Sync + 'static {
    /// The tool of this name, if there is one.
    fn spec(&self, tool: &str) -> Option<ToolSpec>;

    /// Calls a tool. It always comes to a result: a tool that fails, traps, takes too long or is
    /// cancelled has an [`Outcome`] for it.
    fn call(&self, call: ToolCall, cancel: CancellationToken) -> BoxFuture<'_, ToolResult>;
}

/// What a model, and the loop, know of a tool.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolSpec {
    /// Its name, as a model calls it.
    pub name: String,
    /// What it does, for the model.
    pub description: String,
    /// JSON Schema of its arguments; always an object.
    pub input_schema: serde_json::Value,
    /// What happens to a call that was under way when the host stopped (TURN-3).
    pub class: ToolClass,
    /// It may change something in ways that the control plane does not decide about call by call:
    /// an agent whose plan is not approved yet may not call it (HAND-2).
    pub writes: bool,
    /// It can ask for a plan to be approved.
    pub plans: bool,
    /// Example arguments with which it reports to a parent, if it can (SET-5).
    pub reports: Option<String>,
}

/// What a tool's grants let it do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ToolClass {
    /// It speaks to the control plane alone: run again, it gets its first answers.
    Control,
    /// All it holds is read-only: it may be run again.
    ReadOnly,
    /// It may have done something: it is not run again.
    Effectful,
}

/// One call.
#[derive(Clone)]
pub struct ToolCall {
    /// Which loop makes it; who speaks through the tool (ID-1).
    pub activation: Activation,
    /// The step whose call it is.
    pub step: u32,
    /// Its place in the step. Control calls count from here: `turn/step/call/n` (TURN-3).
    pub call: u32,
    /// The tool's name.
    pub tool: String,
    /// Its arguments, a JSON object as text.
    pub arguments: String,
    /// What it may ask of the host.
    pub plane: Arc<dyn ControlPlane>,
}

impl std::fmt::Debug for ToolCall {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("ToolCall")
            .field("activation", &self.activation)
            .field("step", &self.step)
            .field("call", &self.call)
            .field("tool", &self.tool)
            .finish_non_exhaustive()
    }
}

/// How a call ended: a closed set, told apart by type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// The tool answered.
    Done,
    /// The tool answered that it could not.
    Failed,
    /// The guest trapped.
    Trapped,
    /// It took longer than it may, by the wall clock.
    TimedOut,
    /// It computed longer than it may.
    ComputedTooLong,
    /// It wanted more memory than it may have.
    OutOfMemory,
    /// It called the host more often than it may.
    TooManyHostCalls,
    /// It answered with more than it may.
    OutputTooLarge,
    /// It was not started: no such tool, no room, or not granted.
    Refused,
    /// The turn was stopped.
    Cancelled,
    /// It handed over data that is none, such as text that is not UTF-8.
    InvalidData,
    /// The host's own fault.
    Internal,
    /// The host stopped while it ran, and it is not known what it did (TURN-3).
    Unknown,
}

impl Outcome {
    /// The word the ledger has for it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::Failed => "failed",
            Self::Trapped => "trapped",
            Self::TimedOut => "timed-out",
            Self::ComputedTooLong => "computed-too-long",
            Self::OutOfMemory => "out-of-memory",
            Self::TooManyHostCalls => "too-many-host-calls",
            Self::OutputTooLarge => "output-too-large",
            Self::Refused => "refused",
            Self::Cancelled => "cancelled",
            Self::InvalidData => "invalid-data",
            Self::Internal => "internal",
            Self::Unknown => "unknown",
        }
    }
}

/// The result of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolResult {
    /// How it ended.
    pub outcome: Outcome,
    /// What the model is told.
    pub text: String,
    /// What it used.
    pub usage: Usage,
    /// A control call of it was refused because the host is draining: the call is not recorded
    /// and is asked again after the restart (DRAIN-1).
    pub draining: bool,
    /// The tool has ended, and its result is what comes of this (TOOL-3).
    pub later: Option<Later>,
}

/// What the result of a call waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Later {
    /// What has to happen.
    pub on: WaitFor,
    /// How long it is waited for. None is as long as a child in the foreground may take.
    pub patience: Option<Millis>,
}

impl ToolResult {
    /// A result without usage, as a host gives that ran nothing.
    pub fn plain(outcome: Outcome, text: impl Into<String>) -> Self {
        Self { outcome, text: text.into(), usage: Usage::default(), draining: false, later: None }
    }

    /// The same result of a tool that has answered with a ticket.
    #[must_use]
    pub fn waiting(later: Later) -> Self {
        Self { later: Some(later), ..Self::plain(Outcome::Done, "") }
    }

    /// What the ledger keeps of it.
    pub fn record(&self) -> CallRecord {
        let outcome = self.outcome.as_str().to_owned();
        CallRecord { outcome, text: self.text.clone(), usage: self.usage }
    }
}
