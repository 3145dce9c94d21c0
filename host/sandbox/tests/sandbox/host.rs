//! A sandbox with one tool in it, and calls of it.

use std::num::NonZeroU32;
use std::sync::Arc;
use std::time::Duration;

use switchboard_core::{Activation, Incarnation, LedgerTag, TurnId};
use switchboard_runtime::{ToolCall, ToolHost, ToolResult};
use switchboard_sandbox::{Grants, LoadRequest, Sandbox, SandboxConfig, Source, ToolLimits};
use tokio_util::sync::CancellationToken;

use crate::guest::Guest;
use crate::plane::{Plane, agent};

/// A sandbox as small as a test needs it.
pub(crate) fn sandbox() -> Sandbox {
    Sandbox::new(config()).unwrap()
}

/// Most tests speak as one agent.
pub(crate) fn config() -> SandboxConfig {
    let agent_share = NonZeroU32::new(1_000);
    SandboxConfig { instances: 4, agent_share, most_memory: 64 << 20, ..SandboxConfig::default() }
}

pub(crate) fn bytes(name: &str, bytes: Vec<u8>) -> Source {
    Source::Bytes { name: name.to_owned(), bytes: bytes.into() }
}

/// A sandbox that has this guest as `tool`, with the usual limits.
pub(crate) async fn with(guest: Guest, grants: Grants) -> Sandbox {
    limited(guest, grants, ToolLimits::default()).await
}

/// The same with other limits.
pub(crate) async fn limited(guest: Guest, grants: Grants, limits: ToolLimits) -> Sandbox {
    let sandbox = sandbox();
    let request =
        LoadRequest { limits, ..LoadRequest::new(bytes("a test", guest.build()), grants) };
    sandbox.load(request).await.unwrap();
    sandbox
}

pub(crate) fn call(tool: &str, arguments: &str, plane: &Arc<Plane>) -> ToolCall {
    ToolCall {
        activation: Activation {
            agent: agent(),
            incarnation: Incarnation(3),
            turn: TurnId::new(LedgerTag::new(7), 5),
        },
        step: 1,
        call: 2,
        tool: tool.to_owned(),
        arguments: arguments.to_owned(),
        plane: Arc::clone(plane) as _,
    }
}

/// Calls `tool`, which nobody cancels.
pub(crate) async fn run(sandbox: &Sandbox, arguments: &str) -> ToolResult {
    run_on(sandbox, arguments, &Arc::default()).await
}

pub(crate) async fn run_on(sandbox: &Sandbox, arguments: &str, plane: &Arc<Plane>) -> ToolResult {
    in_time(sandbox.call(call("tool", arguments, plane), CancellationToken::new())).await
}

/// Nothing here may hang; how long it takes says nothing on a busy machine.
pub(crate) async fn in_time<T>(work: impl Future<Output = T>) -> T {
    tokio::time::timeout(Duration::from_secs(60), work).await.expect("it came to an end")
}
