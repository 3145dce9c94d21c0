//! The seam to a model: one call, one answer.

use std::sync::Arc;
use std::time::Duration;

use switchboard_core::{AgentId, AgentName, StepRecord, ToolUse, TurnId};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use crate::tools::{BoxFuture, ToolSpec};

/// Asks a model. The loop does the rest: it claims mail, records answers, calls tools.
pub trait Driver: Send + Sync + 'static {
    /// One model call. It ends early, with any result, when `cancel` does.
    ///
    /// # Errors
    /// The model could not be asked. A driver makes one attempt: whether and when there is another
    /// is the loop's, see [`DriverError`].
    fn answer<'a>(
        &'a self,
        ask: Ask,
        cancel: CancellationToken,
    ) -> BoxFuture<'a, Result<Answered, DriverError>>;
}

/// What a model is asked.
#[derive(Clone, Debug)]
pub struct Ask {
    /// Who asks.
    pub agent: AgentId,
    /// The name it goes by.
    pub name: AgentName,
    /// The running turn.
    pub turn: TurnId,
    /// The step this answer will be, from 0.
    pub step: u32,
    /// Which model, in the words of the descriptor: `script:lead`, `openai:NAME`.
    pub model: String,
    /// The agent's standing instructions.
    pub persona: String,
    /// Everything the agent has read, said and got back so far, oldest first.
    pub transcript: Vec<Entry>,
    /// The tools it may call.
    pub tools: Vec<ToolSpec>,
    /// Whether mail waits, for a driver that may hold its answer until some does.
    pub mail: MailSignal,
}

/// One entry of a transcript.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Entry {
    /// Frames claimed at one boundary, each as the model reads it.
    Read(Vec<Arc<str>>),
    /// An answer of the model.
    Said {
        /// What it wrote.
        text: Arc<str>,
        /// The calls it asked for.
        calls: Vec<ToolUse>,
    },
    /// The result of one of those calls.
    Returned {
        /// Its place among them.
        call: u32,
        /// The tool.
        tool: String,
        /// What the model is told.
        text: String,
        /// It did not do what was asked.
        failed: bool,
    },
    /// The turn was stopped by somebody; what follows is a new one.
    Interrupted,
}

/// Says that mail waits for the asking agent, and not what it says.
#[derive(Clone, Debug)]
pub struct MailSignal(watch::Receiver<bool>);

impl MailSignal {
    /// A signal that follows this channel.
    pub fn new(waiting: watch::Receiver<bool>) -> Self {
        Self(waiting)
    }

    /// Whether mail waits now.
    pub fn waiting(&self) -> bool {
        *self.0.borrow()
    }

    /// Returns once mail waits, or the agent is gone.
    pub async fn arrived(&mut self) {
        // The sender is dropped with the agent's activation; then there is nothing to wait for.
        let _ = self.0.wait_for(|waiting| *waiting).await;
    }
}

/// A model's answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answered {
    /// Text, calls, and how the turn ends if there are no calls.
    pub record: StepRecord,
}

/// Why a model could not be asked.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DriverError {
    /// Not now, and trying again can help: it took too long, it has too much to do (429), or its
    /// side failed (5xx). The loop asks again, with pauses that grow, until
    /// [`Deadlines::model_call`](crate::Deadlines::model_call) is over; then the turn ends as
    /// `error`.
    #[error("{why}")]
    Unavailable {
        /// The provider wants to be left alone for so long (`Retry-After`).
        after: Option<Duration>,
        /// What it said.
        why: String,
    },
    /// Asking again would not help; the turn ends as `error`.
    #[error("{0}")]
    Failed(String),
}
