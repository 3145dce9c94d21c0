//! Mail on its way to a model.

use std::sync::Arc;

use switchboard_core::{AgentId, Caller, Code, Content, Draft, HostKey, Id, LedgerTag, Target};
use switchboard_ledger::Memory;
use switchboard_runtime::{ControlPlane, Entry, StartDraft, Switchboard};

use crate::fakes::{
    FakeDriver, FakeTools, call, calls, count, ends, frames, instruct, lead, open, open_on, parts,
    quiet, results, said, say, soon,
};
use crate::gate::Gate;
use crate::ledger::Gated;

#[tokio::test]
async fn del_2_a_childs_message_reaches_its_working_parent_at_the_next_step() {
    let driver = FakeDriver::new(async |mut ask, _| match (ask.name.as_str(), said(&ask)) {
        ("lead", 0) => call("start", r#"{"agent":"helper"}"#),
        ("lead", 1) => {
            ask.mail.arrived().await;
            call("look", "{}")
        }
        ("lead", _) => say("Thanks."),
        (_, 0) => call("send", r#"{"to":"parent","text":"I found it."}"#),
        (_, _) => say("Reported."),
    });
    let tools = FakeTools::control().with(
        "look",
        switchboard_runtime::ToolClass::ReadOnly,
        async |_, _| crate::fakes::done(""),
    );
    let ledger = Memory::new();
    let (board, _) = open(&ledger, parts(&driver, tools));
    let lead = lead(&board).await;
    instruct(&board, lead, "Find it.").await;
    quiet(&board).await;

    let transcript = board.transcript(lead).await.unwrap();
    let read = frames(&transcript);
    assert!(read[0].contains("Find it."));
    assert!(read[1].contains("I found it."), "{read:#?}");
    assert!(read.iter().any(|frame| frame.contains("has come to rest")), "{read:#?}");
    // Read in the turn that was running: its last answer comes after the message.
    let told = transcript.iter().position(
        |entry| matches!(entry, Entry::Read(frames) if frames.iter().any(|f| f.contains("found"))),
    );
    let thanked = transcript
        .iter()
        .position(|entry| matches!(entry, Entry::Said { text, .. } if &**text == "Thanks."));
    assert!(told < thanked);
}

#[tokio::test]
async fn set_1_what_the_host_says_of_a_child_is_in_the_parents_transcript_after_a_restart() {
    let driver = FakeDriver::new(async |ask, _| match (ask.name.as_str(), said(&ask)) {
        ("lead", 0) => call("start", r#"{"agent":"helper"}"#),
        ("lead", _) => say("I see."),
        (_, _) => say("My last words."),
    });
    let ledger = Memory::new();
    let (board, _) = open(&ledger, parts(&driver, FakeTools::control()));
    let lead = lead(&board).await;
    instruct(&board, lead, "Start one.").await;
    quiet(&board).await;
    let before = board.transcript(lead).await.unwrap();
    assert!(frames(&before).iter().any(|frame| frame.contains("My last words.")));
    board.stop().await;

    let (board, _) = open(&ledger, parts(&driver, FakeTools::control()));
    quiet(&board).await;
    assert_eq!(board.transcript(lead).await.unwrap(), before);
}

#[tokio::test]
async fn del_4_control_calls_of_a_step_run_in_order_and_the_others_beside_them() {
    let gate = Gate::shut();
    let at_gate = gate.clone();
    let driver = FakeDriver::new(async |ask, _| match (ask.name.as_str(), said(&ask)) {
        ("lead", 0) => call("start", r#"{"agent":"helper"}"#),
        ("lead", _) => say("Read."),
        (_, 0) => calls(
            "",
            &[
                ("look", "{}"),
                ("send", r#"{"to":"parent","text":"first"}"#),
                ("send", r#"{"to":"parent","text":"second"}"#),
                ("send", r#"{"to":"parent","text":"third"}"#),
            ],
        ),
        (_, _) => say("Reported."),
    });
    let tools =
        FakeTools::control().with("look", switchboard_runtime::ToolClass::ReadOnly, move |_, _| {
            let gate = at_gate.clone();
            async move {
                gate.pass().await;
                crate::fakes::done("seen")
            }
        });
    let ledger = Memory::new();
    let (board, _) = open(&ledger, parts(&driver, tools));
    let lead = lead(&board).await;
    let mut watch = board.watch();
    instruct(&board, lead, "Start one.").await;
    let mut ended = Vec::new();
    while ended.len() < 4 {
        let stored = watch.recv().await.unwrap();
        if let switchboard_core::Event::CallEnded { agent, call, .. } = &stored.event
            && *agent != lead
        {
            ended.push(*call);
            if ended.len() == 3 {
                gate.open();
            }
        }
    }
    assert_eq!(ended, [1, 2, 3, 0]);
    quiet(&board).await;
    let read = frames(&board.transcript(lead).await.unwrap()).concat();
    let place = |word| read.find(word).unwrap();
    assert!(place("first") < place("second") && place("second") < place("third"));

    // In the transcript the results stand in the order of the calls.
    let helper =
        board.inspect(move |forest| forest.agent(lead).unwrap().children[0]).await.unwrap();
    let results = results(&board.transcript(helper).await.unwrap());
    assert_eq!(results, ["seen", "sent", "sent", "sent"]);
}

#[tokio::test]
async fn del_1_an_instruction_to_a_working_agent_waits_for_its_next_turn() {
    let gate = Gate::shut();
    let at_gate = gate.clone();
    let driver = FakeDriver::new(move |ask, _| {
        let gate = at_gate.clone();
        async move {
            if ask.transcript.len() == 1 {
                gate.pass().await;
            }
            say("Done.")
        }
    });
    let ledger = Memory::new();
    let (board, _) = open(&ledger, parts(&driver, FakeTools::default()));
    let lead = lead(&board).await;
    instruct(&board, lead, "One.").await;
    gate.reached(1).await;
    board.instruct(lead, Content::text("Two.")).await.unwrap();
    gate.open();
    quiet(&board).await;
    assert_eq!(ends(&ledger).len(), 2);
    assert_eq!(frames(&driver.transcript(0)).len(), 1);
    assert_eq!(frames(&driver.transcript(1)).len(), 2);
}

#[tokio::test]
async fn send_15_a_call_to_many_that_is_cut_short_is_uncertain_if_some_of_them_have_it() {
    let (busy, reads, ledger) = (Gate::shut(), Gate::shut(), Memory::new());
    let at_work = busy.clone();
    let driver = FakeDriver::new(move |ask, _| {
        let busy = at_work.clone();
        async move {
            if ask.name.as_str() == "helper-2" {
                busy.pass().await;
            }
            say("Done.")
        }
    });
    reads.open();
    let gated = Gated::new(&ledger).reads_wait_at(&reads);
    let (board, _) = open_on(Box::new(gated), parts(&driver, FakeTools::default()));
    let lead = lead(&board).await;
    let caller = speaking_as(&board, lead).await;
    start(&board, caller, 0).await;
    quiet(&board).await;
    start(&board, caller, 1).await;
    soon(busy.reached(1)).await;
    reads.close();
    let (before, accepted) = (reads.came(), count(&ledger, "accepted"));
    let draft = Draft { to: Target::Everyone, content: Content::text("Stop looking.") };
    let sent = tokio::spawn({
        let board = Arc::new(board.clone());
        async move { board.send(caller, key(2), draft).await }
    });
    soon(reads.reached(before + 1)).await;
    assert_eq!(count(&ledger, "accepted"), accepted + 1, "one of them has it");
    let stop = async {
        let refusal = soon(sent).await.unwrap().unwrap_err();
        reads.open();
        refusal
    };
    let (_, refusal) = soon(async { tokio::join!(board.stop(), stop) }).await;
    assert_eq!((refusal.code, refusal.uncertain), (Code::Draining, true), "{refusal}");
}

async fn speaking_as(board: &Switchboard, agent: AgentId) -> Caller {
    let incarnation = board.inspect(move |forest| forest.agent(agent).unwrap().incarnation);
    Caller::Agent { agent, incarnation: incarnation.await.unwrap() }
}

async fn start(board: &Switchboard, caller: Caller, nth: u32) {
    let (agent, prompt) = ("helper".to_owned(), "Do it.".to_owned());
    let draft =
        StartDraft { agent, description: String::new(), prompt, background: true, fork: false };
    board.start(caller, key(nth), draft).await.unwrap();
}

fn key(nth: u32) -> HostKey {
    HostKey { turn: Id::new(LedgerTag::new(1), 1), step: 0, call: 0, nth }
}
