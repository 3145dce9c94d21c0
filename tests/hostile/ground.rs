//! The ground all cases stand on: one sandbox, and in it a tool that means well.

use std::num::NonZeroU32;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use switchboard_core::{Activation, Incarnation, LedgerTag, TurnId};
use switchboard_runtime::{Outcome, ToolCall, ToolHost, ToolResult};
use switchboard_sandbox::{
    Grants, LoadError, LoadRequest, Sandbox, SandboxConfig, Source, ToolLimits,
};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use crate::case::{End, Fault, Seen};
use crate::guest::{Guest, send};
use crate::plane::{Next, Plane, agent};

/// Slots of the shared sandbox, and how many calls find room in them.
const SLOTS: u32 = 48;
const ROOM: usize = 36;

/// The tool that means well: it sends its arguments to its parent and says `yes`.
pub(crate) const GOOD: &str = "good";

pub(crate) struct Ground {
    sandbox: Sandbox,
    loaded: AtomicU32,
}

impl Ground {
    /// With slots for many.
    pub(crate) async fn new() -> Self {
        Self::with(SandboxConfig { instances: SLOTS, most_memory: 128 << 20, ..config() }).await
    }

    /// Without a tool.
    pub(crate) fn empty(config: SandboxConfig) -> Self {
        Self { sandbox: Sandbox::new(config).unwrap(), loaded: AtomicU32::new(0) }
    }

    /// A ground of its own for one case.
    pub(crate) async fn with(config: SandboxConfig) -> Self {
        let ground = Self::empty(config);
        let names = [("tool".to_owned(), GOOD.to_owned())].into();
        let source = source(Guest::sending(send("")).build());
        let request = LoadRequest { names, ..LoadRequest::new(source, Grants::content()) };
        ground.load_as_it_is(request).await.unwrap();
        ground
    }

    /// Loads a component as it is asked to, and gives the name its tool `own` got for it.
    pub(crate) async fn load(&self, own: &str, request: LoadRequest) -> Result<String, Seen> {
        let name = format!("tool-{}", self.loaded.fetch_add(1, Ordering::Relaxed));
        let names = [(own.to_owned(), name.clone())].into();
        self.load_as_it_is(LoadRequest { names, ..request }).await?;
        Ok(name)
    }

    /// The same, and its tools get the names they want; whether its code was kept is the answer.
    pub(crate) async fn load_as_it_is(&self, request: LoadRequest) -> Result<bool, Seen> {
        let refused = |error: LoadError| Seen {
            end: End::Refused(Fault::of(&error)),
            words: error.to_string(),
        };
        self.sandbox.load(request).await.map(|loaded| loaded.cached).map_err(refused)
    }

    /// Loads a guest under these limits; it has to be loadable.
    pub(crate) async fn have(&self, guest: Guest, grants: Grants, limits: ToolLimits) -> String {
        let request = LoadRequest::new(source(guest.build()), grants);
        self.load("tool", LoadRequest { limits, ..request }).await.unwrap()
    }

    pub(crate) async fn call(
        &self,
        tool: &str,
        arguments: &str,
        plane: &Arc<Plane>,
        cancel: CancellationToken,
    ) -> ToolResult {
        self.sandbox.call(call(tool, arguments, plane), cancel).await
    }

    /// Calls the good tool; anything but its answer is a fault.
    pub(crate) async fn call_good(&self) -> Result<(), String> {
        let result = self.call(GOOD, "hello", &Arc::default(), CancellationToken::new()).await;
        match (result.outcome, result.text.as_str()) {
            (Outcome::Done, "yes") => Ok(()),
            _ => Err(format!("the good tool failed: {result:?}")),
        }
    }

    /// Fills all the room there is with calls that wait for each other. If there is less than there
    /// was, they wait forever; whether all of them succeed is the answer.
    pub(crate) async fn fill(self: &Arc<Self>) -> bool {
        let planes: Vec<_> =
            (0..ROOM).map(|_| Arc::new(Plane::default().next(Next::Wait))).collect();
        let mut calls = JoinSet::new();
        for plane in planes.clone() {
            let ground = Arc::clone(self);
            calls.spawn(async move {
                ground.call(GOOD, "hello", &plane, CancellationToken::new()).await
            });
        }
        for plane in &planes {
            plane.reached.notified().await;
        }
        planes.iter().for_each(|plane| plane.go.notify_one());
        calls.join_all().await.iter().all(|result| result.outcome == Outcome::Done)
    }
}

impl From<ToolResult> for Seen {
    fn from(result: ToolResult) -> Self {
        Self { end: End::Called(result.outcome), words: result.text }
    }
}

/// A sandbox as small as a case needs it.
pub(crate) fn config() -> SandboxConfig {
    // Here tools crash a thousand times in a row, and are to go on; and all speak as one agent.
    SandboxConfig {
        instances: 4,
        agent_share: NonZeroU32::new(SLOTS),
        most_memory: 64 << 20,
        crashes_before_rest: None,
        ..SandboxConfig::default()
    }
}

pub(crate) fn source(component: Vec<u8>) -> Source {
    Source::Bytes { name: "a component".to_owned(), bytes: component.into() }
}

fn call(tool: &str, arguments: &str, plane: &Arc<Plane>) -> ToolCall {
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
