//! Requests that want one answer, as the person and the loop of a turn have to do with them.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use switchboard_core::{
    Activity, Asked, Code, Event, Millis, Mode, Reply, RequestBody, RequestEnd, Target,
};
use switchboard_ledger::Memory;
use switchboard_runtime::{Switchboard, ToolCall, ToolClass, ToolResult};

use crate::fakes::{
    FakeDriver, FakeTools, caller, calls, descriptor, done, events, frames, instruct, key, lead,
    open, outcomes, parts, quiet, results, said, say, soon,
};
use crate::gate::Gate;

fn shutdown(grace: Option<Millis>) -> RequestBody {
    RequestBody::Shutdown { reason: "enough".into(), cleanup: None, grace }
}

fn judges(approve: bool) -> Reply {
    Reply::Plan { approve, feedback: Some("as it stands".into()) }
}

async fn propose(call: ToolCall) -> ToolResult {
    let body =
        RequestBody::Plan { plan: "paint".into(), alternatives: vec![], recommendation: None };
    let to = Target::Spoken("parent".into());
    match call.plane.request(caller(&call), key(&call), to, body).await {
        Ok(asked) => done(asked.request.to_string()),
        Err(refusal) => ToolResult::plain(switchboard_runtime::Outcome::Failed, refusal.text),
    }
}

/// Tools to ask for approval and to touch something, which counts how often it is done.
fn tools(touched: &Arc<AtomicUsize>) -> FakeTools {
    let touched = touched.clone();
    FakeTools::default().with("propose", ToolClass::Control, |call, _| propose(call)).with(
        "touch",
        ToolClass::Effectful,
        move |_, _| {
            touched.fetch_add(1, Ordering::SeqCst);
            async { done("touched") }
        },
    )
}

async fn painter(board: &Switchboard) -> switchboard_core::AgentId {
    board
        .register("painter", descriptor("painter", Mode::Root, &["propose", "touch"]))
        .await
        .unwrap()
}

#[tokio::test]
async fn hand_2_a_tool_that_writes_is_refused_until_the_person_approves_the_plan() {
    let touched = Arc::default();
    let driver = FakeDriver::new(async |ask, _| match said(&ask) {
        0 => calls("", &[("propose", "{}")]),
        1 => calls("", &[("touch", "{}")]),
        2 => say("I wait."),
        3 => calls("", &[("touch", "{}")]),
        _ => say("Done."),
    });
    let ledger = Memory::new();
    let (board, _) = open(&ledger, parts(&driver, tools(&touched)));
    let painter = painter(&board).await;
    instruct(&board, painter, "Paint.").await;
    quiet(&board).await;
    assert_eq!(touched.load(Ordering::SeqCst), 0);
    assert_eq!(outcomes(&ledger), ["done", "refused"]);
    let told = results(&board.transcript(painter).await.unwrap());
    assert!(told[1].starts_with("read-only: `touch` changes things"), "{told:?}");
    assert!(told[1].contains("ask for that with `propose`"), "{told:?}");

    let open = board.requests().await.unwrap();
    let [request] = open.as_slice() else { panic!("{open:?}") };
    board.respond(request.request.id, judges(true)).await.unwrap();
    quiet(&board).await;
    assert_eq!(touched.load(Ordering::SeqCst), 1);
    let read = frames(&board.transcript(painter).await.unwrap());
    assert!(read[1].contains("is approved by the person"), "{read:?}");
    let again = board.respond(request.request.id, judges(true)).await.unwrap_err();
    assert_eq!(again.code, Code::AlreadyAnswered);
    assert!(board.requests().await.unwrap().is_empty());
}

#[tokio::test]
async fn hand_2_an_agent_that_needs_a_plan_from_birth_on_writes_nothing_and_reads() {
    let touched = Arc::default();
    let driver = FakeDriver::new(async |ask, _| match said(&ask) {
        0 => calls("", &[("touch", "{}"), ("look", "{}")]),
        _ => say("Then not."),
    });
    let tools =
        tools(&touched).with("look", ToolClass::ReadOnly, async |_, _| crate::fakes::done("seen"));
    let ledger = Memory::new();
    let (board, _) = open(&ledger, parts(&driver, tools));
    let mut careful = descriptor("careful", Mode::Root, &["touch", "look"]);
    careful.plan_required = true;
    let careful = board.register("careful", careful).await.unwrap();
    instruct(&board, careful, "Paint.").await;
    quiet(&board).await;
    let mut outcomes = outcomes(&ledger);
    outcomes.sort();
    assert_eq!(outcomes, ["done", "refused"]);
    let told = results(&board.transcript(careful).await.unwrap());
    assert!(told[0].contains("tell your parent what you would do"), "{told:?}");
}

#[tokio::test]
async fn hand_2_a_restart_forgets_neither_the_request_nor_that_its_agent_is_read_only() {
    let touched = Arc::default();
    let gate = Gate::shut();
    let at_gate = gate.clone();
    let driver = FakeDriver::new(move |ask, _| {
        let gate = at_gate.clone();
        async move {
            match said(&ask) {
                0 => calls("", &[("propose", "{}")]),
                1 => {
                    gate.pass().await;
                    calls("", &[("touch", "{}")])
                }
                _ => say("I wait."),
            }
        }
    });
    let ledger = Memory::new();
    let (board, _) = open(&ledger, parts(&driver, tools(&touched)));
    let painter = painter(&board).await;
    instruct(&board, painter, "Paint.").await;
    gate.reached(1).await;
    soon(board.stop()).await;

    gate.open();
    let (board, _) = open(&ledger, parts(&driver, tools(&touched)));
    quiet(&board).await;
    assert_eq!(touched.load(Ordering::SeqCst), 0);
    assert_eq!(outcomes(&ledger), ["done", "refused"]);
    assert_eq!(board.requests().await.unwrap().len(), 1);
}

#[tokio::test]
async fn hand_1_an_agent_that_says_nothing_is_put_away_when_its_grace_is_over() {
    let driver = FakeDriver::new(async |_, cancel| {
        cancel.cancelled().await;
        say("")
    });
    let ledger = Memory::new();
    let (board, _) = open(&ledger, parts(&driver, FakeTools::default()));
    let lead = lead(&board).await;
    let asked = board.ask(lead, shutdown(Some(Millis(20)))).await.unwrap();
    assert!(matches!(asked.asked, Asked::Agent(_)));
    quiet(&board).await;
    let away = board.inspect(move |forest| forest.agent(lead).unwrap().activity()).await.unwrap();
    assert_eq!(away, Activity::Absent);
    let ends: Vec<_> = events(&ledger)
        .into_iter()
        .filter_map(|event| match event {
            Event::RequestClosed { end, .. } => Some(end),
            _ => None,
        })
        .collect();
    assert_eq!(ends, [RequestEnd::Forced]);
    let again = board.ask(lead, shutdown(None)).await.unwrap();
    assert!(matches!(again.asked, Asked::Settled(agent, _) if agent == lead));
}

#[tokio::test]
async fn hand_3_the_person_answers_nothing_that_it_is_not_asked() {
    let driver = FakeDriver::new(async |_, cancel| {
        cancel.cancelled().await;
        say("")
    });
    let (board, _) = open(&Memory::new(), parts(&driver, FakeTools::default()));
    let lead = lead(&board).await;
    let asked = board.ask(lead, shutdown(None)).await.unwrap();
    let refused = board.respond(asked.request, judges(true)).await.unwrap_err();
    assert_eq!(refused.code, Code::NotFound);
    let large = RequestBody::Shutdown { reason: "x".repeat(1 << 20), cleanup: None, grace: None };
    assert_eq!(board.ask(lead, large).await.unwrap_err().code, Code::MessageTooLarge);
    soon(board.stop()).await;
}
