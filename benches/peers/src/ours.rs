//! Our sandbox with the real `send_message`, and the control planes it speaks to here.

use std::borrow::Cow;
use std::num::NonZeroU32;
use std::path::PathBuf;
use std::sync::Arc;

use switchboard_core::{
    Activation, AgentId, Caller, Closed, Delivery, Draft, HostKey, Incarnation, Interruption,
    LedgerTag, MessageId, Receipt, Refusal, Reply, RequestBody, RequestId, Requested, Responded,
    Roster, RosterQuery, Row, Started, Target, TurnId, WallTime,
};
use switchboard_runtime::{
    BoxFuture, ControlPlane, MessageStanding, Outcome, Recent, RecentQuery, Sent, StartDraft,
    ToolCall, ToolHost,
};
use switchboard_sandbox::{Grants, LoadRequest, Sandbox, SandboxConfig, Source};
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

pub(crate) struct Ours {
    sandbox: Sandbox,
}

impl Ours {
    pub(crate) async fn new() -> Self {
        // All calls are one agent's.
        let agent_share = NonZeroU32::new(64);
        let config = SandboxConfig { agent_share, ..SandboxConfig::default() };
        let sandbox = Sandbox::new(config).unwrap();
        let request = LoadRequest::new(bytes(super::COMPONENT), Grants::content());
        sandbox.load(request).await.unwrap();
        Self { sandbox }
    }

    pub(crate) async fn call(&self, call: ToolCall) {
        let result = self.sandbox.call(call, CancellationToken::new()).await;
        assert_eq!(result.outcome, Outcome::Done, "{}", result.text);
    }
}

/// A component that is in memory.
pub(crate) fn bytes(component: impl Into<Cow<'static, [u8]>>) -> Source {
    Source::Bytes { name: "benchmark".to_owned(), bytes: component.into() }
}

/// A sandbox with a folder for compiled code, as a host has one.
pub(crate) fn cached(folder: PathBuf) -> Sandbox {
    Sandbox::new(SandboxConfig { cache: Some(folder), ..SandboxConfig::default() }).unwrap()
}

pub(crate) fn call(arguments: &str, plane: &Arc<Plane>) -> ToolCall {
    ToolCall {
        activation: Activation {
            agent: AgentId::new(tag(), 1),
            incarnation: Incarnation::default(),
            turn: TurnId::new(tag(), 1),
        },
        step: 1,
        call: 0,
        tool: "send_message".into(),
        arguments: arguments.to_owned(),
        plane: plane.clone(),
    }
}

fn tag() -> LedgerTag {
    LedgerTag::new(0)
}

/// A control plane that answers a send at once, so that what is measured is the sandbox; or first
/// keeps it waiting, so that many instances are held at the same time.
pub(crate) struct Plane {
    gate: Option<Gate>,
    receipt: Receipt,
}

struct Gate {
    arrived: Semaphore,
    let_go: Semaphore,
}

impl Plane {
    pub(crate) fn at_once() -> Arc<Self> {
        Arc::new(Self { gate: None, receipt: receipt() })
    }

    pub(crate) fn gated() -> Arc<Self> {
        let gate = Gate { arrived: Semaphore::new(0), let_go: Semaphore::new(0) };
        Arc::new(Self { gate: Some(gate), receipt: receipt() })
    }

    /// Waits until so many sends wait here.
    pub(crate) async fn arrived(&self, sends: u32) {
        let gate = self.gate.as_ref().unwrap();
        gate.arrived.acquire_many(sends).await.unwrap().forget();
    }

    pub(crate) fn let_go(&self, sends: usize) {
        self.gate.as_ref().unwrap().let_go.add_permits(sends);
    }
}

fn receipt() -> Receipt {
    Receipt {
        message: MessageId::new(tag(), 1),
        to: AgentId::new(tag(), 1),
        name: "worker".to_owned().try_into().unwrap(),
        delivery: Delivery::Queued,
        at: WallTime(0),
        pending: 1,
        budget_left: 1,
        repeated: false,
        paused: false,
    }
}

impl ControlPlane for Plane {
    fn send(&self, _: Caller, _: HostKey, _: Draft) -> BoxFuture<'_, Result<Sent, Refusal>> {
        Box::pin(async {
            if let Some(gate) = &self.gate {
                gate.arrived.add_permits(1);
                gate.let_go.acquire().await.unwrap().forget();
            }
            Ok(Sent::ToOne(self.receipt.clone()))
        })
    }

    fn interrupt(
        &self,
        _: Caller,
        _: HostKey,
        _: Target,
        _: Option<TurnId>,
        _: bool,
        _: Option<String>,
    ) -> BoxFuture<'_, Result<Interruption, Refusal>> {
        unreachable!("this tool only sends")
    }

    fn acknowledge(
        &self,
        _: Caller,
        _: HostKey,
        _: MessageId,
        _: Option<String>,
    ) -> BoxFuture<'_, Result<Receipt, Refusal>> {
        unreachable!("this tool only sends")
    }

    fn close(&self, _: Caller, _: HostKey, _: Target) -> BoxFuture<'_, Result<Closed, Refusal>> {
        unreachable!("this tool only sends")
    }

    fn delete(&self, _: Caller, _: HostKey, _: Target) -> BoxFuture<'_, Result<Closed, Refusal>> {
        unreachable!("this tool only sends")
    }

    fn request(
        &self,
        _: Caller,
        _: HostKey,
        _: Target,
        _: RequestBody,
    ) -> BoxFuture<'_, Result<Requested, Refusal>> {
        unreachable!("this tool only sends")
    }

    fn respond(
        &self,
        _: Caller,
        _: HostKey,
        _: RequestId,
        _: Reply,
    ) -> BoxFuture<'_, Result<Responded, Refusal>> {
        unreachable!("this tool only sends")
    }

    fn start(
        &self,
        _: Caller,
        _: HostKey,
        _: StartDraft,
    ) -> BoxFuture<'_, Result<Started, Refusal>> {
        unreachable!("this tool only sends")
    }

    fn message(
        &self,
        _: Caller,
        _: MessageId,
    ) -> BoxFuture<'_, Result<Option<MessageStanding>, Refusal>> {
        unreachable!("this tool only sends")
    }
    fn list_agents(&self, _: Caller, _: RosterQuery) -> BoxFuture<'_, Result<Roster, Refusal>> {
        unreachable!("this tool only sends")
    }

    fn get_agent(&self, _: Caller, _: Target) -> BoxFuture<'_, Result<Row, Refusal>> {
        unreachable!("this tool only sends")
    }

    fn recent_messages(&self, _: Caller, _: RecentQuery) -> BoxFuture<'_, Result<Recent, Refusal>> {
        unreachable!("this tool only sends")
    }
}
