//! A guest that has used up its stack and then asks for something. What it asks runs on the same
//! stack: the import, and the owner of the machine, whom it pushes on from there.

use std::sync::Arc;

use switchboard_core::{
    Activation, AgentId, Caller, Descriptor, HostKey, Incarnation, Limits, Mode, TurnId,
};
use switchboard_ledger::Memory;
use switchboard_runtime::{
    Answered, Ask, BoxFuture, ControlPlane, Driver, DriverError, Outcome, Parts, StartDraft,
    Switchboard, ToolCall, ToolHost,
};
use switchboard_sandbox::{Grants, LoadRequest, Sandbox, SandboxConfig, ToolLimits};
use tokio_util::sync::CancellationToken;

use crate::attempt::scene;
use crate::case::{Case, End, Seen};
use crate::ground::{config, source};
use crate::guest::{Guest, SAY_CODE};

pub(crate) fn cases() -> Vec<Case> {
    let stacks = [
        ("a message at the end of its stack", SandboxConfig::default().stack),
        ("a message at the end of a large stack", 2 << 20),
    ];
    let done = End::Called(Outcome::Done);
    stacks
        .map(|(name, stack)| scene("stack", name, done, "yes", move |_| as_deep_as_it_goes(stack)))
        .into()
}

/// It thinks until it is stopped.
struct Thinking;

impl Driver for Thinking {
    fn answer<'a>(
        &'a self,
        _: Ask,
        cancel: CancellationToken,
    ) -> BoxFuture<'a, Result<Answered, DriverError>> {
        Box::pin(async move {
            cancel.cancelled().await;
            Err(DriverError::Failed("it was stopped".to_owned()))
        })
    }
}

/// As deep as its arguments are long it writes to its child.
fn deep() -> Guest {
    const DOWN: &str = "(func $down (param $more i32)
        (if (local.get $more)
            (then (call $down (i32.sub (local.get $more) (i32.const 1))))
            (else (call $send_message (i32.const 2048) (i32.const 4096))))
        (i32.store (i32.const 8192) (local.get $more)))";
    Guest::sending(format!(
        "(i32.store (i32.const 2048) (i32.const 2))
        (i32.store (i32.const 2052) (i32.const 9000))
        (i32.store (i32.const 2056) (i32.const 6))
        (i32.store (i32.const 2080) (i32.const 2200))
        (i32.store (i32.const 2084) (i32.const 1))
        (i32.store (i32.const 2204) (i32.const 64))
        (i32.store (i32.const 2208) (i32.const 3))
        (call $down (local.get $args_len))
        {SAY_CODE}"
    ))
    .with(DOWN)
    .with(r#"(data (i32.const 9000) "helper")"#)
    .pages(48)
}

/// A board with a root and a child of its own that is busy.
async fn board() -> (Switchboard, AgentId) {
    let helper = Descriptor::new("helper", Mode::Continuable, "none");
    let starts = vec!["helper".to_owned()];
    let lead = Descriptor { starts, ..Descriptor::new("lead", Mode::Root, "none") };
    let nothing = Arc::new(Sandbox::new(config()).unwrap());
    let mut parts = Parts::new(Arc::new(Thinking), nothing);
    parts.kinds.insert("helper".to_owned(), Arc::new(helper));
    parts.limits = Limits { bucket: 1_000, pending: 1_000, ..Limits::default() };
    let (board, _) = Switchboard::open(Box::new(Memory::immediate()), parts).unwrap();
    let lead = board.register("lead", lead).await.unwrap();
    board.until_quiet().await.unwrap();
    let draft = StartDraft {
        agent: "helper".to_owned(),
        description: String::new(),
        prompt: "Think.".to_owned(),
        background: true,
        fork: false,
    };
    board.start(caller(lead), key(lead, 0), draft).await.unwrap();
    (board, lead)
}

fn caller(agent: AgentId) -> Caller {
    Caller::Agent { agent, incarnation: Incarnation(1) }
}

fn key(agent: AgentId, call: u32) -> HostKey {
    HostKey { turn: TurnId::new(agent.tag(), 1), step: 0, call, nth: 0 }
}

fn call(lead: AgentId, plane: &Arc<dyn ControlPlane>, depth: usize) -> ToolCall {
    let turn = TurnId::new(lead.tag(), 1);
    ToolCall {
        activation: Activation { agent: lead, incarnation: Incarnation(1), turn },
        step: 0,
        // Each asks under a key of its own.
        call: u32::try_from(depth).unwrap(),
        tool: "tool".to_owned(),
        arguments: "x".repeat(depth),
        plane: Arc::clone(plane),
    }
}

/// Calls it at the deepest at which it can still ask, found by halves.
async fn as_deep_as_it_goes(stack: usize) -> Seen {
    let (board, lead) = board().await;
    let plane: Arc<dyn ControlPlane> = Arc::new(board.clone());
    let sandbox = Sandbox::new(SandboxConfig { stack, ..config() }).unwrap();
    let limits = ToolLimits { arguments: stack, ..ToolLimits::default() };
    let request = LoadRequest::new(source(deep().build()), Grants::content());
    sandbox.load(LoadRequest { limits, ..request }).await.unwrap();
    let (mut fits, mut fits_not) = (None, stack);
    while fits_not - fits.as_ref().map_or(0, |(depth, _)| *depth) > 1 {
        let depth = fits.as_ref().map_or(0, |(depth, _)| *depth).midpoint(fits_not);
        let result = sandbox.call(call(lead, &plane, depth), CancellationToken::new()).await;
        match result.outcome {
            Outcome::Trapped => fits_not = depth,
            _ => fits = Some((depth, result)),
        }
    }
    board.stop().await;
    fits.unwrap().1.into()
}
