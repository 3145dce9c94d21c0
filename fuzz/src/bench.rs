//! A sandbox under small limits, for tools that nobody trusts.

use std::sync::Arc;
use std::time::Duration;

use switchboard_core::{
    Activation, AgentId, Caller, Code, Draft, HostKey, Incarnation, Interruption, LedgerTag,
    MessageId, Receipt, Refusal, Roster, RosterQuery, Row, Started, Target, TurnId,
};
use switchboard_runtime::{
    BoxFuture, ControlPlane, MessageStanding, Recent, RecentQuery, Sent, StartDraft, ToolCall,
    ToolHost, ToolResult,
};
use switchboard_sandbox::{
    Grants, LoadError, LoadRequest, LoadedTools, Sandbox, SandboxConfig, Source, ToolLimits,
};
use tokio::runtime::{Builder, Runtime};
use tokio_util::sync::CancellationToken;

use crate::made::TAG;

/// The folder a tool may read here.
pub const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../crews");

/// A sandbox, and what runs it.
#[derive(Debug)]
pub struct Bench {
    sandbox: Sandbox,
    runtime: Runtime,
}

impl Default for Bench {
    fn default() -> Self {
        Self::new()
    }
}

impl Bench {
    /// An empty one.
    pub fn new() -> Self {
        let config = SandboxConfig {
            instances: 2,
            most_memory: 16 << 20,
            most_component: 1 << 20,
            pooling: false,
            ..SandboxConfig::default()
        };
        let sandbox = Sandbox::new(config).expect("this computer runs WebAssembly");
        let runtime = Builder::new_current_thread().enable_time().build();
        Self { sandbox, runtime: runtime.expect("a runtime can be had") }
    }

    /// Loads a component.
    ///
    /// # Errors
    /// It is refused.
    pub fn load(&mut self, bytes: Vec<u8>, grants: Grants) -> Result<LoadedTools, LoadError> {
        let source = Source::Bytes { name: "a component".to_owned(), bytes: bytes.into() };
        let limits = ToolLimits {
            computing: Duration::from_millis(500),
            wall: Duration::from_millis(300),
            memory: 8 << 20,
            ..ToolLimits::default()
        };
        let request = LoadRequest { limits, ..LoadRequest::new(source, grants) };
        self.runtime.block_on(self.sandbox.load(request))
    }

    /// Calls a tool.
    pub fn call(&mut self, tool: &str, arguments: &str, plane: Arc<Refusing>) -> ToolResult {
        let tag = LedgerTag::new(TAG);
        let activation = Activation {
            agent: AgentId::new(tag, 1),
            incarnation: Incarnation(1),
            turn: TurnId::new(tag, 1),
        };
        let (tool, arguments) = (tool.to_owned(), arguments.to_owned());
        let call = ToolCall { activation, step: 0, call: 0, tool, arguments, plane };
        self.runtime.block_on(self.sandbox.call(call, CancellationToken::new()))
    }
}

/// A control plane that refuses everything for this reason.
#[derive(Clone, Copy, Debug)]
pub struct Refusing(pub Code);

impl Default for Refusing {
    fn default() -> Self {
        Self(Code::Unreachable)
    }
}

impl Refusing {
    fn answer<T: Send + 'static>(&self) -> BoxFuture<'_, Result<T, Refusal>> {
        let refusal = Refusal::new(self.0, "as the fuzzer wants it");
        Box::pin(async move { Err(refusal) })
    }
}

impl ControlPlane for Refusing {
    fn send(&self, _: Caller, _: HostKey, _: Draft) -> BoxFuture<'_, Result<Sent, Refusal>> {
        self.answer()
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
        self.answer()
    }

    fn acknowledge(
        &self,
        _: Caller,
        _: HostKey,
        _: MessageId,
        _: Option<String>,
    ) -> BoxFuture<'_, Result<Receipt, Refusal>> {
        self.answer()
    }

    fn start(
        &self,
        _: Caller,
        _: HostKey,
        _: StartDraft,
    ) -> BoxFuture<'_, Result<Started, Refusal>> {
        self.answer()
    }

    fn message(
        &self,
        _: Caller,
        _: MessageId,
    ) -> BoxFuture<'_, Result<Option<MessageStanding>, Refusal>> {
        self.answer()
    }
    fn list_agents(&self, _: Caller, _: RosterQuery) -> BoxFuture<'_, Result<Roster, Refusal>> {
        self.answer()
    }

    fn get_agent(&self, _: Caller, _: Target) -> BoxFuture<'_, Result<Row, Refusal>> {
        self.answer()
    }

    fn recent_messages(&self, _: Caller, _: RecentQuery) -> BoxFuture<'_, Result<Recent, Refusal>> {
        self.answer()
    }
}
