//! What is too large is refused in the machine's words and at the machine's point, though it never
//! gets there.

use switchboard_core::{
    AgentId, Caller, Code, Content, Draft, Forest, HostKey, Id, Incarnation, Limits, Refusal,
    Target,
};
use switchboard_ledger::Memory;
use switchboard_runtime::{ControlPlane, StartDraft, Switchboard};

use crate::fakes::{FakeDriver, FakeTools, count, instruct, lead, open, parts, quiet, say};

fn large() -> String {
    "x".repeat(4 << 20)
}

async fn begun(ledger: &Memory) -> (Switchboard, AgentId, Caller) {
    let driver = FakeDriver::new(async |_, _| say("Well."));
    let (board, _) = open(ledger, parts(&driver, FakeTools::default()));
    let lead = lead(&board).await;
    instruct(&board, lead, "Go.").await;
    quiet(&board).await;
    let known = move |forest: &Forest| forest.agent(lead).unwrap().incarnation;
    let incarnation = board.inspect(known).await.unwrap();
    (board, lead, Caller::Agent { agent: lead, incarnation })
}

fn key(lead: AgentId) -> HostKey {
    HostKey { turn: Id::new(lead.tag(), 1), step: 0, call: 0, nth: 0 }
}

async fn send(board: &Switchboard, caller: Caller, lead: AgentId) -> Refusal {
    let to = Target::Spoken("nobody".to_owned());
    let draft = Draft { to, content: Content::text(large()) };
    ControlPlane::send(board, caller, key(lead), draft).await.unwrap_err()
}

async fn start(
    board: &Switchboard,
    caller: Caller,
    lead: AgentId,
    prompt: &str,
) -> Option<Refusal> {
    let draft = StartDraft {
        agent: "helper".to_owned(),
        description: String::new(),
        prompt: prompt.to_owned(),
        background: true,
        fork: false,
    };
    ControlPlane::start(board, caller, key(lead), draft).await.err()
}

#[tokio::test]
async fn send_4_a_message_of_many_mebibytes_is_refused_with_both_numbers() {
    let (board, lead, caller) = begun(&Memory::new()).await;
    let refusal = send(&board, caller, lead).await;
    assert_eq!(Err(refusal), Content::text(large()).check(&Limits::default()));
}

#[tokio::test]
async fn id_2_a_stay_that_is_over_is_told_that_first() {
    let (board, lead, _) = begun(&Memory::new()).await;
    let stale = Caller::Agent { agent: lead, incarnation: Incarnation(0) };
    assert_eq!(send(&board, stale, lead).await.code, Code::Unauthorized);
}

#[tokio::test]
async fn start_1_a_prompt_of_many_mebibytes_starts_nobody_and_is_another_body_under_a_known_key() {
    let ledger = Memory::new();
    let (board, lead, caller) = begun(&ledger).await;
    let refusal = start(&board, caller, lead, &large()).await;
    assert_eq!(refusal, Content::text(large()).check(&Limits::default()).err());
    assert_eq!(count(&ledger, "start-admitted"), 0);
    assert_eq!(start(&board, caller, lead, "Do it.").await, None);
    let reused = start(&board, caller, lead, &large()).await.unwrap();
    assert_eq!(reused.code, Code::InvalidArgument, "send_2: {reused}");
    assert!(reused.text.contains("key"), "{reused}");
    assert_eq!(start(&board, caller, lead, "Do it.").await, None, "its first answer again");
    assert_eq!(count(&ledger, "start-admitted"), 1);
}
