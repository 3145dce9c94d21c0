//! One call: room, an instance of its own, the guest, and the end, whatever it is.

mod account;
mod answer;
mod supervise;

use std::num::NonZeroU32;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use switchboard_runtime::{Panicked, ToolCall, ToolResult, caught};
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;
use wasmtime::{Store, UpdateDeadline};

use crate::catalog::Tool;
use crate::crash::Crash;
use crate::lane::Lane;
use crate::outcome::{Ending, Stage};
use crate::room::Room;
use crate::sandbox::SandboxConfig;
use crate::state::{CallState, Tally};
use crate::threads::Threads;
use crate::words;
use account::Account;
use answer::Answer;
use supervise::Ended;

/// What all calls share.
#[derive(Clone, Debug)]
pub(crate) struct Runner {
    /// Who may have an instance.
    room: Room,
    /// Who may compute.
    lane: Arc<Semaphore>,
    /// What blocks.
    threads: Threads,
    /// Crashes in a row that bring a rest.
    crashes_before_rest: Option<NonZeroU32>,
}

impl Runner {
    pub(crate) fn new(config: &SandboxConfig) -> Self {
        Self {
            room: Room::new(config),
            lane: Lane::permits(),
            threads: Threads::new(config.file_threads, config.patience),
            crashes_before_rest: config.crashes_before_rest,
        }
    }

    /// Calls a tool. A fault of the host costs this one call (SAND-4); dropped, it ends where it
    /// is.
    pub(crate) async fn run(
        &self,
        tool: &Tool,
        call: &ToolCall,
        cancel: &CancellationToken,
    ) -> ToolResult {
        let bytes = call.arguments.len();
        let most = tool.body.limits.arguments;
        if bytes > most {
            return ended(Ending::ArgumentsTooLarge { bytes, most });
        }
        let Some(threshold) = self.crashes_before_rest else {
            return self.catching_panics(tool, call, cancel).await;
        };
        let agent = call.activation.agent;
        let admitted = match tool.breaker.admit(agent) {
            Ok(admitted) => admitted,
            Err(ending) => return ended(ending),
        };
        let result = self.catching_panics(tool, call, cancel).await;
        if let Some(rest) = admitted.ended(result.outcome, threshold) {
            let tool = &tool.spec.name;
            tracing::warn!(tool, %agent, ?rest, "a tool crashed again and again, and rests");
        }
        result
    }

    /// The call, whatever happens in it.
    async fn catching_panics(
        &self,
        tool: &Tool,
        call: &ToolCall,
        cancel: &CancellationToken,
    ) -> ToolResult {
        let mut account = Account::open(tool, call);
        let tally = Arc::clone(&account.tally);
        let ended = {
            let attended = pin!(self.attended(tool, call, cancel, &mut account));
            caught(attended).await
        };
        account.close(ended.unwrap_or_else(|Panicked(words)| {
            let place = (call.activation, call.step, call.call);
            tracing::error!(?place, words, "the host panicked in a tool call");
            let carried_out = tally.carried_out.load(Ordering::Relaxed);
            let in_control = tally.in_control.load(Ordering::Relaxed);
            let also = if in_control { answer::UNCERTAIN } else { "" };
            answer::unanswered(&Ending::Internal, also, carried_out)
        }))
    }

    async fn attended(
        &self,
        tool: &Tool,
        call: &ToolCall,
        stop: &CancellationToken,
        account: &mut Account<'_>,
    ) -> ToolResult {
        let place = match self.room.admit(call.activation.agent, stop).await {
            Ok(place) => place,
            Err(ending) => return ended(ending),
        };
        account.admitted();
        let tally = Arc::clone(&account.tally);
        let halt = stop.child_token();
        let limits = &tool.body.limits;
        let held = Arc::clone(&tool.body.held);
        let (lane, threads) = (Arc::clone(&self.lane), self.threads.clone());
        let state = CallState::new(call, held, limits, &tally, lane, threads, halt.clone());
        let guest = guest(tool, state, &call.arguments, &tally);
        let end = supervise::until_it_ends(guest, stop, &halt, limits.wall, &tally).await;
        drop(place);
        account.ended(answer::bytes(&end));
        log(tool, call, &end);
        let draining = tally.draining.load(Ordering::Relaxed);
        ToolResult { draining, ..answer::result(end, limits, &tally) }
    }
}

/// Runs the guest in a store made for this call and gone with it (TOOL-2).
async fn guest(
    tool: &Tool,
    state: CallState,
    arguments: &str,
    tally: &Tally,
) -> Result<Answer, Fault> {
    let linked = &tool.body.linked;
    let mut store = Store::new(linked.engine(), state);
    store.limiter(|state| &mut state.meter);
    store.set_hostcall_fuel(tool.body.limits.carried());
    store.set_epoch_deadline(1);
    store.epoch_deadline_callback(|mut context| {
        let turn = context.data_mut().tick()?;
        Ok(UpdateDeadline::YieldCustom(1, turn))
    });
    let counted = tally.instantiating.begin();
    let instance = linked.instantiate_async(&mut store).await;
    drop(counted);
    let instance = instance.map_err(|error| Fault { error, stage: Stage::Instantiating })?;
    let exports = instance.switchboard_plugin_tool();
    let answer = exports.call_call(&mut store, &tool.own_name, arguments).await;
    answer.map_err(|error| Fault { error, stage: Stage::Calling })
}

/// What wasmtime said, for the log; what it means, for the model.
#[derive(Debug)]
pub(crate) struct Fault {
    error: wasmtime::Error,
    stage: Stage,
}

/// What operators are told of a call that has no answer.
fn log(tool: &Tool, call: &ToolCall, end: &Ended) {
    let (tool, digest) = (&tool.spec.name, tool.body.digest);
    let (of, step, place) = (call.activation, call.step, call.call);
    match end {
        Ended::Answered(_) => (),
        Ended::Faulted(Fault { error, .. }) => {
            let within = Crash::of(error);
            tracing::warn!(
                tool, %digest, agent = %of.agent, turn = %of.turn, step, call = place,
                within = within.trace(), error = why(error, &within), "a tool failed"
            );
        }
        Ended::Stopped { ending, uncertain } => tracing::info!(
            tool, agent = %of.agent, turn = %of.turn, step, call = place, ?ending, uncertain,
            "a tool was stopped"
        ),
    }
}

/// Of a crash the cause alone: wasmtime puts a trace around it in which a tool's names, which are
/// as long as it likes, stand as they are.
fn why(error: &wasmtime::Error, within: &Crash) -> String {
    if within.is_empty() {
        return words::line(&format!("{error:#}"));
    }
    words::line(&error.root_cause().to_string())
}

pub(crate) fn ended(ending: Ending) -> ToolResult {
    ToolResult::plain(ending.outcome(), ending.to_string())
}
