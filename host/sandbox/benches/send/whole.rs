//! The whole way, with children whose models think for ever, so that only sends happen.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use switchboard_core::{
    Activation, AgentId, Caller, Descriptor, Forest, HostKey, Id, Incarnation, LedgerTag, Limits,
    Mode, TurnId,
};
use switchboard_ledger::Memory;
use switchboard_runtime::{
    Answered, Ask, BoxFuture, ControlPlane, Driver, DriverError, Outcome, Parts, StartDraft,
    Switchboard, ToolCall, ToolHost,
};
use switchboard_sandbox::{Grants, LoadRequest, Sandbox, SandboxConfig, Source};
use tokio_util::sync::CancellationToken;

use super::message::{COMPONENT, arguments};

/// Messages one child gets: what its inbox takes.
const EACH: usize = 20;

pub(crate) struct Whole {
    sandbox: Arc<Sandbox>,
    plane: Arc<dyn ControlPlane>,
    root: AgentId,
    incarnation: Incarnation,
    children: Vec<AgentId>,
    made: u32,
}

impl Whole {
    pub(crate) async fn new(calls: usize) -> Self {
        let sandbox = Arc::new(Sandbox::new(SandboxConfig::default()).unwrap());
        let name = "send-message".to_owned();
        let source = Source::Bytes { name, bytes: Cow::Borrowed(COMPONENT) };
        sandbox.load(LoadRequest::new(source, Grants::content())).await.unwrap();
        let board = board(sandbox.clone(), calls.div_ceil(EACH));
        let root = board.register("lead", descriptor(Mode::Root)).await.unwrap();
        let incarnation = board
            .inspect(move |forest: &Forest| forest.agent(root).unwrap().incarnation)
            .await
            .unwrap();
        let mut whole =
            Self { sandbox, plane: Arc::new(board), root, incarnation, children: vec![], made: 0 };
        for number in 0..calls.div_ceil(EACH) {
            let child = whole.start(u32::try_from(number).unwrap()).await;
            whole.children.push(child);
        }
        whole
    }

    async fn start(&self, number: u32) -> AgentId {
        let caller = Caller::Agent { agent: self.root, incarnation: self.incarnation };
        let key = HostKey { turn: turn(2), step: number, call: 0, nth: 0 };
        let draft = StartDraft {
            agent: "worker".into(),
            description: String::new(),
            prompt: "wait".into(),
            background: true,
            fork: false,
        };
        self.plane.start(caller, key, draft).await.unwrap().agent
    }

    pub(crate) fn next_call(&mut self) -> ToolCall {
        let target = self.children[self.made as usize % self.children.len()];
        self.made += 1;
        ToolCall {
            activation: Activation {
                agent: self.root,
                incarnation: self.incarnation,
                turn: turn(1),
            },
            step: self.made,
            call: 0,
            tool: "send_message".into(),
            arguments: arguments(&target.to_string()),
            plane: self.plane.clone(),
        }
    }

    pub(crate) async fn call(&self, call: ToolCall) {
        let result = self.sandbox.call(call, CancellationToken::new()).await;
        assert_eq!(result.outcome, Outcome::Done, "{}", result.text);
    }
}

fn turn(number: u64) -> TurnId {
    Id::new(LedgerTag::new(0), number)
}

fn board(tools: Arc<Sandbox>, children: usize) -> Switchboard {
    let mut parts = Parts::new(Arc::new(Thinks), tools);
    parts.limits = Limits {
        children: children + 1,
        agents: children + 1,
        places: children + 2,
        bucket: 100,
        ..Limits::default()
    };
    parts.kinds = BTreeMap::from([("worker".to_owned(), Arc::new(descriptor(Mode::Continuable)))]);
    Switchboard::open(Box::new(Memory::immediate()), parts).unwrap().0
}

fn descriptor(mode: Mode) -> Descriptor {
    Descriptor { starts: vec!["worker".into()], ..Descriptor::new("worker", mode, "none") }
}

struct Thinks;

impl Driver for Thinks {
    fn answer<'a>(
        &'a self,
        _: Ask,
        cancel: CancellationToken,
    ) -> BoxFuture<'a, Result<Answered, DriverError>> {
        Box::pin(async move {
            cancel.cancelled().await;
            Err(DriverError::Failed("stopped".into()))
        })
    }
}
