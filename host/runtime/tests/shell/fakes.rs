//! A driver and tools that do what a test says, and a board made of them.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use switchboard_core::{
    AgentId, Caller, Content, Descriptor, Draft, Event, HostKey, Limits, Millis, Mode, StepRecord,
    Target, ToolUse, TurnEnd, WaitFor,
};
use switchboard_ledger::{Ledger, Memory};
use switchboard_runtime::{
    Answered, Ask, BoxFuture, Deadlines, Driver, DriverError, Entry, Later, Outcome, Parts,
    Recovery, StartDraft, Switchboard, ToolCall, ToolClass, ToolHost, ToolResult, ToolSpec,
};
use tokio_util::sync::CancellationToken;

pub(crate) type Reply = Result<Answered, DriverError>;
type Script = dyn Fn(Ask, CancellationToken) -> BoxFuture<'static, Reply> + Send + Sync;
type Body = dyn Fn(ToolCall, CancellationToken) -> BoxFuture<'static, ToolResult> + Send + Sync;

/// Asks no model: a closure answers. Every question is kept.
#[derive(Clone)]
pub(crate) struct FakeDriver {
    script: Arc<Script>,
    pub(crate) asked: Arc<Mutex<Vec<Ask>>>,
}

impl FakeDriver {
    pub(crate) fn new<F: Future<Output = Reply> + Send + 'static>(
        script: impl Fn(Ask, CancellationToken) -> F + Send + Sync + 'static,
    ) -> Self {
        let script = move |ask, cancel| Box::pin(script(ask, cancel)) as BoxFuture<'static, Reply>;
        Self { script: Arc::new(script), asked: Arc::default() }
    }

    /// What the `nth` question showed.
    pub(crate) fn transcript(&self, nth: usize) -> Vec<Entry> {
        self.asked.lock().unwrap()[nth].transcript.clone()
    }
}

impl Driver for FakeDriver {
    fn answer<'a>(&'a self, ask: Ask, cancel: CancellationToken) -> BoxFuture<'a, Reply> {
        self.asked.lock().unwrap().push(ask.clone());
        (self.script)(ask, cancel)
    }
}

/// An answer without calls.
pub(crate) fn say(text: &str) -> Reply {
    calls(text, &[])
}

/// An answer that asks for these calls.
pub(crate) fn call(tool: &str, arguments: &str) -> Reply {
    calls("", &[(tool, arguments)])
}

pub(crate) fn calls(text: &str, calls: &[(&str, &str)]) -> Reply {
    let used = |(tool, arguments): &(&str, &str)| ToolUse {
        tool: (*tool).to_owned(),
        arguments: (*arguments).to_owned(),
    };
    let calls = calls.iter().map(used).collect();
    Ok(Answered { record: StepRecord { text: text.into(), calls, end: TurnEnd::Completed } })
}

/// How often the asking agent has answered, in this turn and all before.
pub(crate) fn said(ask: &Ask) -> usize {
    ask.transcript.iter().filter(|entry| matches!(entry, Entry::Said { .. })).count()
}

/// Tools that are closures.
#[derive(Clone, Default)]
pub(crate) struct FakeTools(BTreeMap<String, (ToolClass, Arc<Body>)>);

impl FakeTools {
    pub(crate) fn with<F: Future<Output = ToolResult> + Send + 'static>(
        mut self,
        name: &str,
        class: ToolClass,
        body: impl Fn(ToolCall, CancellationToken) -> F + Send + Sync + 'static,
    ) -> Self {
        let body =
            move |call, cancel| Box::pin(body(call, cancel)) as BoxFuture<'static, ToolResult>;
        self.0.insert(name.to_owned(), (class, Arc::new(body)));
        self
    }

    /// The tools that speak to the control plane: `send` and `start`.
    pub(crate) fn control() -> Self {
        Self::default().with("send", ToolClass::Control, |call, _| send(call)).with(
            "start",
            ToolClass::Control,
            |call, _| start(call),
        )
    }

    /// The same, and `wait`, which waits for mail.
    pub(crate) fn waiting() -> Self {
        let later = Later { on: WaitFor::Mail, patience: Some(Millis::minutes(10)) };
        let wait = move |_, _| async move { ToolResult::waiting(later) };
        Self::control().with("wait", ToolClass::ReadOnly, wait)
    }
}

impl ToolHost for FakeTools {
    fn spec(&self, tool: &str) -> Option<ToolSpec> {
        let (class, _) = self.0.get(tool)?;
        Some(ToolSpec {
            name: tool.to_owned(),
            description: String::new(),
            input_schema: serde_json::json!({ "type": "object" }),
            class: *class,
            writes: *class == ToolClass::Effectful,
            plans: tool == "propose",
            reports: None,
        })
    }

    fn call(&self, call: ToolCall, cancel: CancellationToken) -> BoxFuture<'_, ToolResult> {
        (self.0[&call.tool].1)(call, cancel)
    }
}

pub(crate) fn done(text: impl Into<String>) -> ToolResult {
    ToolResult::plain(Outcome::Done, text)
}

pub(crate) fn key(call: &ToolCall) -> HostKey {
    HostKey { turn: call.activation.turn, step: call.step, call: call.call, nth: 0 }
}

pub(crate) fn caller(call: &ToolCall) -> Caller {
    Caller::Agent { agent: call.activation.agent, incarnation: call.activation.incarnation }
}

pub(crate) async fn send(call: ToolCall) -> ToolResult {
    let wish: serde_json::Value = serde_json::from_str(&call.arguments).unwrap();
    let to = Target::Spoken(wish["to"].as_str().unwrap().to_owned());
    let draft = Draft { to, content: Content::text(wish["text"].as_str().unwrap()) };
    refused(call.plane.send(caller(&call), key(&call), draft).await.map(|_| "sent".to_owned()))
}

async fn start(call: ToolCall) -> ToolResult {
    let wish: serde_json::Value = serde_json::from_str(&call.arguments).unwrap();
    let background = wish["background"].as_bool().unwrap_or(true);
    let draft = StartDraft {
        agent: wish["agent"].as_str().unwrap_or_default().to_owned(),
        description: "helps".to_owned(),
        prompt: "Do it.".to_owned(),
        background,
        fork: wish["fork"].as_bool().unwrap_or(false),
    };
    match call.plane.start(caller(&call), key(&call), draft).await {
        Ok(started) if !background => {
            let on = WaitFor::Child(started.agent);
            ToolResult::waiting(Later { on, patience: None })
        }
        started => refused(started.map(|started| started.agent.to_string())),
    }
}

fn refused(answer: Result<String, switchboard_core::Refusal>) -> ToolResult {
    match answer {
        Ok(text) => done(text),
        Err(refusal) => {
            let draining = refusal.code == switchboard_core::Code::Draining;
            ToolResult { draining, ..ToolResult::plain(Outcome::Failed, refusal.to_string()) }
        }
    }
}

/// An agent of this kind, with these tools.
pub(crate) fn descriptor(kind: &str, mode: Mode, tools: &[&str]) -> Descriptor {
    let tools = tools.iter().map(|tool| (*tool).to_owned()).collect();
    let starts = vec!["helper".to_owned()];
    Descriptor { tools, starts, ..Descriptor::new(kind, mode, format!("fake:{kind}")) }
}

/// Parts with short deadlines, in which `helper` may be started.
pub(crate) fn parts(driver: &FakeDriver, tools: FakeTools) -> Parts {
    let mut parts = Parts::new(Arc::new(driver.clone()), Arc::new(tools));
    let helper = descriptor("helper", Mode::Continuable, &["send", "look", "touch", "hang"]);
    parts.kinds.insert("helper".to_owned(), Arc::new(helper));
    parts.limits = Limits::default();
    parts.deadlines = Deadlines {
        letting_go: Duration::from_millis(200),
        reopening: Duration::from_millis(1),
        ..Deadlines::default()
    };
    parts
}

pub(crate) fn open(ledger: &Memory, parts: Parts) -> (Switchboard, Recovery) {
    open_on(Box::new(ledger.clone()), parts)
}

pub(crate) fn open_on(ledger: Box<dyn Ledger>, parts: Parts) -> (Switchboard, Recovery) {
    Switchboard::open(ledger, parts).unwrap()
}

/// The root `lead`, with every tool a test may have.
pub(crate) async fn lead(board: &Switchboard) -> AgentId {
    let tools = ["send", "start", "wait", "look", "touch", "hang"];
    board.register("lead", descriptor("lead", Mode::Root, &tools)).await.unwrap()
}

pub(crate) async fn instruct(board: &Switchboard, agent: AgentId, words: &str) {
    board.instruct(agent, Content::text(words)).await.unwrap();
}

/// Every test waits at most this long for what it waits for.
pub(crate) async fn soon<T>(waited: impl Future<Output = T>) -> T {
    tokio::time::timeout(Duration::from_secs(10), waited).await.expect("it came in time")
}

pub(crate) async fn quiet(board: &Switchboard) {
    soon(board.until_quiet()).await.unwrap();
}

/// Everything that is stored.
pub(crate) fn events(ledger: &Memory) -> Vec<Event> {
    let mut events = Vec::new();
    ledger.clone().replay(&mut |stored| events.push(stored.event)).unwrap();
    events
}

pub(crate) fn count(ledger: &Memory, kind: &str) -> usize {
    events(ledger).iter().filter(|event| event.kind() == kind).count()
}

/// How each turn ended, in order.
pub(crate) fn ends(ledger: &Memory) -> Vec<TurnEnd> {
    let end = |event: Event| match event {
        Event::TurnEnded { end, .. } => Some(end),
        _ => None,
    };
    events(ledger).into_iter().filter_map(end).collect()
}

/// The outcome of each recorded call, in order.
pub(crate) fn outcomes(ledger: &Memory) -> Vec<String> {
    let outcome = |event: Event| match event {
        Event::CallEnded { record, .. } => Some(record.outcome),
        _ => None,
    };
    events(ledger).into_iter().filter_map(outcome).collect()
}

/// What the first turn that ended with a note says.
pub(crate) fn note(ledger: &Memory) -> String {
    let note = |event| match event {
        Event::TurnEnded { note, .. } => note,
        _ => None,
    };
    events(ledger).into_iter().find_map(note).unwrap()
}

/// What the results in a transcript say.
pub(crate) fn results(transcript: &[Entry]) -> Vec<String> {
    let text = |entry: &Entry| match entry {
        Entry::Returned { text, .. } => Some(text.clone()),
        _ => None,
    };
    transcript.iter().filter_map(text).collect()
}

/// All that was read in a transcript, one text a frame.
pub(crate) fn frames(transcript: &[Entry]) -> Vec<String> {
    let read = |entry: &Entry| match entry {
        Entry::Read(frames) => frames.iter().map(ToString::to_string).collect(),
        _ => Vec::new(),
    };
    transcript.iter().flat_map(read).collect()
}
