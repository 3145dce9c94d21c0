//! Asking what became of a message.

use switchboard_core::{
    AgentId, Caller, Code, Content, DropReason, Forest, Id, Incarnation, LedgerTag, MessageId,
    Mode, Sender,
};
use switchboard_ledger::{Ledger, Memory};
use switchboard_runtime::{
    ControlPlane, DriverError, Mailbag, MessageStanding, Standing, Switchboard,
};

use crate::fakes::{
    FakeDriver, FakeTools, call, descriptor, instruct, lead, open, open_on, parts, quiet, said,
    say, soon,
};
use crate::gate::Gate;
use crate::ledger::Gated;

/// A driver that says something once the gate is open.
fn waiting_at(gate: &Gate) -> FakeDriver {
    let gate = gate.clone();
    FakeDriver::new(move |_, _| {
        let gate = gate.clone();
        async move {
            gate.pass().await;
            say("Done.")
        }
    })
}

/// Starts a helper, which comes to rest.
fn starter() -> FakeDriver {
    FakeDriver::new(async |ask, _| match (ask.name.as_str(), said(&ask)) {
        ("lead", 0) => call("start", r#"{"agent":"helper"}"#),
        (_, _) => say("Done."),
    })
}

fn mailbag(ledger: &Memory) -> Mailbag {
    let mut mailbag = Mailbag::default();
    ledger.clone().replay(&mut |stored| mailbag.take(&stored)).unwrap();
    mailbag
}

/// Where each message stands, in order, as the board says it; its ledger says the same.
pub(crate) async fn standings(board: &Switchboard, ledger: &Memory) -> Vec<Standing> {
    let mut standings = Vec::new();
    for mail in mailbag(ledger).values() {
        let asked = board.message(mail.message.id).await.unwrap().unwrap();
        assert_eq!(asked.from, mail.message.from);
        assert_eq!((asked.message, asked.to), (mail.message.id, mail.message.to));
        assert_eq!((asked.at, asked.standing), (mail.message.at, mail.standing));
        standings.push(asked.standing);
    }
    standings
}

async fn told(board: &Switchboard, lead: AgentId, words: &str) -> MessageId {
    board.instruct(lead, Content::text(words)).await.unwrap().message
}

async fn standing(board: &Switchboard, id: MessageId) -> MessageStanding {
    board.message(id).await.unwrap().unwrap()
}

#[tokio::test]
async fn fate_1_a_message_is_followed_by_its_id_from_the_inbox_to_the_step_made_from_it() {
    let (gate, ledger) = (Gate::shut(), Memory::new());
    let (board, _) = open(&ledger, parts(&waiting_at(&gate), FakeTools::default()));
    let lead = lead(&board).await;
    let first = told(&board, lead, "One.").await;
    gate.reached(1).await;
    let second = told(&board, lead, "Two.").await;

    let [claimed, waiting] = [standing(&board, first).await, standing(&board, second).await];
    let Standing::Claimed { turn, delivery: 1, attempts: 0 } = claimed.standing else {
        panic!("{claimed:?}");
    };
    assert_eq!((&claimed.from, claimed.to, waiting.to), (&Sender::User, lead, lead));
    assert_eq!(waiting.standing, Standing::Waiting { shown: 0, attempts: 0 });
    standings(&board, &ledger).await;

    gate.open();
    quiet(&board).await;
    let consumed = standing(&board, first).await;
    let Standing::Consumed { turn: by, step: 0, at } = consumed.standing else {
        panic!("{consumed:?}");
    };
    assert_eq!((by, consumed.at), (turn, claimed.at));
    assert!(at >= consumed.at);
    standings(&board, &ledger).await;
}

#[tokio::test]
async fn fate_1_after_a_restart_the_answers_are_what_they_were() {
    let (gate, ledger) = (Gate::shut(), Memory::new());
    gate.open();
    let (board, _) = open(&ledger, parts(&waiting_at(&gate), FakeTools::default()));
    let lead = lead(&board).await;
    let ended = told(&board, lead, "One.").await;
    quiet(&board).await;
    gate.close();
    let shown = told(&board, lead, "Two.").await;
    gate.reached(2).await;
    let waits = told(&board, lead, "Three.").await;
    let before = [standing(&board, ended).await, standing(&board, waits).await];
    soon(board.stop()).await;

    let (board, _) = open(&ledger, parts(&waiting_at(&gate), FakeTools::default()));
    gate.reached(3).await;
    assert_eq!([standing(&board, ended).await, standing(&board, waits).await], before);
    // A crash counts: what the cut turn had taken is shown to it again.
    let again = standing(&board, shown).await.standing;
    assert!(matches!(again, Standing::Claimed { delivery: 2, attempts: 1, .. }), "{again:?}");
    standings(&board, &ledger).await;
}

#[tokio::test]
async fn fate_1_of_what_was_dropped_it_is_said_why() {
    let (gate, ledger) = (Gate::shut(), Memory::new());
    let (board, _) = open(&ledger, parts(&waiting_at(&gate), FakeTools::default()));
    let lead = lead(&board).await;
    let cut = told(&board, lead, "Go.").await;
    gate.reached(1).await;
    board.interrupt(lead, None, false, None).await.unwrap();
    quiet(&board).await;
    let dropped = standing(&board, cut).await;
    let Standing::Dropped { reason: DropReason::Interrupted, at } = dropped.standing else {
        panic!("{dropped:?}");
    };
    assert!(at >= dropped.at);
    soon(board.stop()).await;

    let (board, _) = open(&ledger, parts(&waiting_at(&gate), FakeTools::default()));
    assert_eq!(standing(&board, cut).await, dropped);
}

#[tokio::test]
async fn fate_1_what_was_shown_too_often_in_vain_is_dropped_as_poison() {
    let ledger = Memory::new();
    let driver =
        FakeDriver::new(async |_, _| Err(DriverError::Failed("no model today".to_owned())));
    let (board, _) = open(&ledger, parts(&driver, FakeTools::default()));
    let lead = lead(&board).await;
    let poison = told(&board, lead, "Go.").await;
    quiet(&board).await;
    let dropped = standing(&board, poison).await.standing;
    assert!(matches!(dropped, Standing::Dropped { reason: DropReason::Poison, .. }), "{dropped:?}");
    standings(&board, &ledger).await;
}

#[tokio::test]
async fn fate_1_what_the_host_says_and_a_first_prompt_have_a_state_like_any_message() {
    let ledger = Memory::new();
    let (board, _) = open(&ledger, parts(&starter(), FakeTools::control()));
    let lead = lead(&board).await;
    instruct(&board, lead, "Start one.").await;
    quiet(&board).await;
    let standings = standings(&board, &ledger).await;
    assert_eq!(standings.len(), 3, "an instruction, a prompt, and a notice: {standings:?}");
    let consumed = |standing: &Standing| matches!(standing, Standing::Consumed { .. });
    assert!(standings.iter().all(consumed), "{standings:?}");
}

#[tokio::test]
async fn fate_1_the_prompt_of_a_child_that_could_not_be_brought_up_is_dropped() {
    let ledger = Memory::new();
    let gated = Gated::new(&ledger).cannot_read_agent(2);
    let (board, _) = open_on(Box::new(gated), parts(&starter(), FakeTools::control()));
    let lead = lead(&board).await;
    instruct(&board, lead, "Start one.").await;
    quiet(&board).await;
    let prompt = mailbag(&ledger).values().nth(1).unwrap().message.id;
    let refused = board.message(prompt).await.unwrap_err();
    assert_eq!(refused.code, Code::LedgerUnavailable, "its record is the one that is broken");
    assert!(!refused.text.contains("hums"), "SAND-5: {refused}");
    soon(board.stop()).await;

    let (board, _) = open(&ledger, parts(&starter(), FakeTools::control()));
    let dropped = standing(&board, prompt).await.standing;
    let reason = DropReason::StartFailed;
    assert!(
        matches!(dropped, Standing::Dropped { reason: why, .. } if why == reason),
        "{dropped:?}"
    );
    standings(&board, &ledger).await;
}

/// A root besides the lead.
async fn another(board: &Switchboard) -> AgentId {
    board.register("other", descriptor("other", Mode::Root, &[])).await.unwrap()
}

/// How an agent asks: as its host knows it.
async fn asks(
    board: &Switchboard,
    agent: AgentId,
    id: MessageId,
) -> Result<Option<MessageStanding>, Code> {
    let known = move |forest: &Forest| forest.agent(agent).unwrap().incarnation;
    let incarnation = board.inspect(known).await.unwrap();
    let caller = Caller::Agent { agent, incarnation };
    ControlPlane::message(board, caller, id).await.map_err(|refusal| refusal.code)
}

#[tokio::test]
async fn fate_1_an_agent_learns_of_what_it_sent_or_got_and_for_any_other_there_is_nothing() {
    let ledger = Memory::new();
    let (board, _) = open(&ledger, parts(&starter(), FakeTools::control()));
    let lead = lead(&board).await;
    let other = another(&board).await;
    let got = told(&board, lead, "Start one.").await;
    quiet(&board).await;
    let sent = mailbag(&ledger).values().nth(1).unwrap().message.clone();
    assert!(matches!(&sent.from, Sender::Agent { id, .. } if *id == lead), "{sent:?}");

    for id in [got, sent.id] {
        assert_eq!(asks(&board, lead, id).await, Ok(Some(standing(&board, id).await)));
        assert_eq!(asks(&board, other, id).await, Ok(None));
    }
}

#[tokio::test]
async fn fate_1_of_what_waits_another_agent_learns_as_little_as_of_what_was_never_sent() {
    let (ledger, gate) = (Memory::new(), Gate::shut());
    let (board, _) = open(&ledger, parts(&waiting_at(&gate), FakeTools::default()));
    let lead = lead(&board).await;
    let other = another(&board).await;
    let claimed = told(&board, lead, "One.").await;
    gate.reached(1).await;
    let waits = told(&board, lead, "Two.").await;
    let never = Id::new(waits.tag(), 1_000);
    for id in [claimed, waits, never] {
        assert_eq!(asks(&board, other, id).await, Ok(None));
    }
    assert!(asks(&board, lead, waits).await.unwrap().is_some());
}

#[tokio::test]
async fn id_2_a_stay_that_is_over_asks_for_nothing() {
    let ledger = Memory::new();
    let (board, _) = open(&ledger, parts(&starter(), FakeTools::default()));
    let lead = lead(&board).await;
    let id = told(&board, lead, "Go.").await;
    quiet(&board).await;
    let caller = Caller::Agent { agent: lead, incarnation: Incarnation(0) };
    let refused = ControlPlane::message(&board, caller, id).await.unwrap_err();
    assert_eq!(refused.code, Code::Unauthorized);
}

#[tokio::test]
async fn id_4_an_id_of_another_ledger_names_no_message() {
    let ledger = Memory::new();
    let (board, _) = open(&ledger, parts(&starter(), FakeTools::default()));
    let lead = lead(&board).await;
    let id = told(&board, lead, "Go.").await;
    quiet(&board).await;
    let foreign = Id::new(LedgerTag::new(0), id.number());
    assert_eq!(board.message(foreign).await.unwrap(), None);
}
