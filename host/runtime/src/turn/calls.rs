//! The tool calls of one step. Those that speak to the control plane run in the order the model
//! wrote them (DEL-4); the others run beside them, all at once.

use std::pin::pin;
use std::sync::Arc;

use serde_json::{Map, Value};
use switchboard_core::{CallRecord, Command, Forest, OpenTurn, ToolUse, Usage};
use tokio::sync::oneshot;
use tokio::task::{JoinError, JoinSet};
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;
use tracing::{Instrument, info_span};

use super::{Exit, Turn};
use crate::caught::{Panicked, caught};
use crate::lanes::{Finding, Note};
use crate::tools::{Later, Outcome, ToolCall, ToolClass, ToolResult};

const STOPPED: &str = "The host stopped while this call ran. It is not known what it did, and it \
                       was not run again: look before you repeat it.";

impl Turn {
    /// Deals with the calls of the last recorded step that have no result (TURN-3): those that may
    /// be run again are, with the same keys; of the others it is said that nobody knows.
    pub(super) async fn take_up_calls(
        self: &Arc<Self>,
        step: u32,
        open: &OpenTurn,
    ) -> Result<(), Exit> {
        let left = open.in_flight().map(|(place, call)| (place, call.clone()));
        let (again, unknown): (Vec<_>, Vec<_>) =
            left.partition(|(_, call)| self.may_run_again(call));
        for (place, _) in unknown {
            self.record(place, ToolResult::plain(Outcome::Unknown, STOPPED).record()).await?;
        }
        self.run_calls(step, again.into_iter()).await
    }

    /// A tool the host no longer has may have done anything before it went; one the agent never had
    /// has done nothing.
    fn may_run_again(&self, call: &ToolUse) -> bool {
        match self.class(call) {
            Some(ToolClass::Control | ToolClass::ReadOnly) => true,
            Some(ToolClass::Effectful) => false,
            None => !self.descriptor.tools.contains(&call.tool),
        }
    }

    /// Runs calls until each has its result on record, or the reins are pulled. Those whose result
    /// is still to come wait together, when all have been made: what one of them waits for another
    /// may bring about.
    pub(super) async fn run_calls(
        self: &Arc<Self>,
        step: u32,
        calls: impl Iterator<Item = (u32, ToolUse)>,
    ) -> Result<(), Exit> {
        let (control, beside): (Vec<_>, Vec<_>) =
            calls.partition(|(_, call)| self.class(call) == Some(ToolClass::Control));
        let mut lines = JoinSet::new();
        for line in beside.into_iter().map(|call| vec![call]).chain([control]) {
            let line = self.clone().run_line(step, line);
            lines.spawn(line.in_current_span());
        }
        let mut waits = JoinSet::new();
        for (place, result, later) in all(lines).await?.into_iter().flatten() {
            let wait = self.clone().wait_and_record(place, result, later);
            waits.spawn(wait.in_current_span());
        }
        all(waits).await.map(drop)
    }

    /// Runs calls one after the other; gives those that wait.
    async fn run_line(
        self: Arc<Self>,
        step: u32,
        line: Vec<(u32, ToolUse)>,
    ) -> Result<Vec<(u32, ToolResult, Later)>, Exit> {
        let mut waits = Vec::new();
        for (place, call) in line {
            self.may_start(&call)?;
            let span = info_span!("call", step, call = place, tool = call.tool);
            let result = self.call(step, place, call).instrument(span).await?;
            match result.later {
                None => self.record(place, result.record()).await?,
                Some(later) => waits.push((place, result, later)),
            }
        }
        Ok(waits)
    }

    /// After a cut nothing starts (INT-6). In a drain, what would be run again does not start; the
    /// rest is on record as started and would be lost, so it is let run.
    fn may_start(&self, call: &ToolUse) -> Result<(), Exit> {
        if let Some(cause) = self.reins.severed() {
            return Err(Exit::Pulled(cause, None));
        }
        match self.class(call) {
            Some(ToolClass::Control | ToolClass::ReadOnly) => self.hold(),
            Some(ToolClass::Effectful) | None => Ok(()),
        }
    }

    async fn call(&self, step: u32, place: u32, call: ToolUse) -> Result<ToolResult, Exit> {
        if let Some(refused) = self.refuse(&call) {
            return Ok(refused);
        }
        if self.writes(&call) && self.is_read_only().await? {
            return Ok(refused(self.read_only(&call.tool)));
        }
        let result = self.run_guest(self.prepare(step, place, call)).await?;
        if result.draining { Err(Exit::Left) } else { Ok(result) }
    }

    /// Why a call is not made at all, in words that help to make a better one.
    fn refuse(&self, call: &ToolUse) -> Option<ToolResult> {
        let tool = &call.tool;
        if !self.descriptor.tools.contains(tool) {
            let has = match self.descriptor.tools.as_slice() {
                [] => "You have no tools.".to_owned(),
                tools => format!("Your tools are: {}.", tools.join(", ")),
            };
            return Some(refused(format!("There is no tool `{tool}` for you. {has}")));
        }
        if self.parts.tools.spec(tool).is_none() {
            return Some(refused(format!("The tool `{tool}` is not installed on this host.")));
        }
        let problem = serde_json::from_str::<Map<String, Value>>(&call.arguments).err()?;
        let text = format!("The arguments of `{tool}` are not a JSON object: {problem}");
        Some(ToolResult::plain(Outcome::Failed, text))
    }

    /// Whether a tool may change things, as far as the control plane does not decide about that
    /// itself: what is told it under a known key it is told again (TURN-3).
    fn writes(&self, call: &ToolUse) -> bool {
        let spec = self.parts.tools.spec(&call.tool);
        spec.is_some_and(|spec| spec.writes && spec.class != ToolClass::Control)
    }

    /// Looked at when the call is made: since the turn began its agent may have asked for approval,
    /// or got it (HAND-2).
    async fn is_read_only(&self) -> Result<bool, Exit> {
        let (agent, (reply, found)) = (self.activation.agent, oneshot::channel());
        let look = move |forest: &Forest| -> Finding {
            let read_only = forest.agent(agent).is_some_and(|agent| agent.read_only);
            Box::new(move || _ = reply.send(read_only))
        };
        self.lanes.wait(Note::Look(Box::new(look)), found).await.map_err(|_| Exit::Over)
    }

    fn read_only(&self, tool: &str) -> String {
        let specs = self.specs();
        let how = match specs.iter().find(|spec| spec.plans) {
            Some(spec) => format!("ask for that with `{}`", spec.name),
            None => "tell your parent what you would do".to_owned(),
        };
        format!(
            "read-only: `{tool}` changes things, and you may change nothing until a plan of yours \
             is approved; {how}, and wait for the answer."
        )
    }

    fn prepare(&self, step: u32, call: u32, used: ToolUse) -> ToolCall {
        ToolCall {
            activation: self.activation,
            step,
            call,
            tool: used.tool,
            arguments: used.arguments,
            plane: self.plane.clone(),
        }
    }

    /// Runs the guest. A result that is there when the reins are pulled counts; one that comes
    /// after does not: the call is listed as cut.
    async fn run_guest(&self, call: ToolCall) -> Result<ToolResult, Exit> {
        let cancel = CancellationToken::new();
        let _dropped_with_us = cancel.clone().drop_guard();
        let mut guest = pin!(caught(self.parts.tools.call(call, cancel.clone())));
        let deadlines = self.parts.deadlines;
        let ended = tokio::select! {
            biased;
            ended = timeout(deadlines.tool_call, &mut guest) => ended,
            () = self.reins.until_severed() => {
                cancel.cancel();
                let _ = timeout(deadlines.letting_go, guest).await;
                let cause = self.reins.severed().expect("the reins are cut and stay so");
                return Err(Exit::Pulled(cause, None));
            }
        };
        if let Ok(ended) = ended {
            return Ok(ended.unwrap_or_else(failed));
        }
        cancel.cancel();
        let late = timeout(deadlines.letting_go, guest).await;
        let usage = late.ok().and_then(Result::ok).map_or_else(Usage::default, |it| it.usage);
        Ok(ToolResult { usage, ..self.timed_out() })
    }

    fn timed_out(&self) -> ToolResult {
        let allowed = self.parts.deadlines.tool_call;
        let text = format!("The call took longer than {allowed:?} and was stopped.");
        ToolResult::plain(Outcome::TimedOut, text)
    }

    pub(super) async fn record(&self, call: u32, record: CallRecord) -> Result<(), Exit> {
        self.tell(|ticket, activation| Command::RecordCall { ticket, activation, call, record })
            .await
    }

    fn class(&self, call: &ToolUse) -> Option<ToolClass> {
        let known = self.descriptor.tools.contains(&call.tool);
        known.then(|| self.parts.tools.spec(&call.tool)).flatten().map(|spec| spec.class)
    }
}

fn refused(text: String) -> ToolResult {
    ToolResult::plain(Outcome::Refused, text)
}

/// What all tasks come to, when the last has ended.
async fn all<T: 'static>(mut tasks: JoinSet<Result<T, Exit>>) -> Result<Vec<T>, Exit> {
    let mut all = Ok(Vec::new());
    while let Some(ended) = tasks.join_next().await {
        let ended = ended.unwrap_or_else(|error| Err(broken(&error)));
        all = all.and_then(|mut all| {
            all.push(ended?);
            Ok(all)
        });
    }
    all
}

/// A panic of a line is our own, not a tool's: the turn ends with it.
fn broken(error: &JoinError) -> Exit {
    tracing::error!(%error, "a line of calls panicked");
    Exit::Failed("the host failed while it ran the calls".to_owned())
}

fn failed(Panicked(words): Panicked) -> ToolResult {
    tracing::error!(%words, "a tool host panicked");
    ToolResult::plain(Outcome::Internal, "The host failed while it ran the call.")
}
