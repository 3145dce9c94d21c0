//! OBS: looking at agents through the control plane. It wakes nobody and stores nothing, and an
//! agent that is only stored looks as one in memory does.

use switchboard_core::{
    Activity, AgentId, Caller, Code, Forest, Incarnation, MessageKind, Notice, Refusal, Roster,
    RosterQuery, Row, Scope, Sender, Target,
};
use switchboard_ledger::Memory;
use switchboard_runtime::{
    Ask, ControlPlane, Outcome, Place, Recent, RecentQuery, Switchboard, ToolClass, ToolResult,
    What,
};

use crate::fakes::{
    FakeDriver, FakeTools, Reply, call, calls, count, events, instruct, lead, open, open_on, parts,
    quiet, said, say, soon,
};
use crate::gate::Gate;
use crate::ledger::Gated;

/// The lead starts a helper, which looks at something and reports; the lead notes it.
fn script(ask: &Ask) -> Reply {
    match (ask.name.as_str(), said(ask)) {
        ("lead", 0) => call("start", r#"{"agent": "helper"}"#),
        ("helper", 0) => calls("I look.", &[("look", "{}"), ("nothing", "{}")]),
        ("helper", 1) => call("send", r#"{"to": "parent", "text": "It is small."}"#),
        ("helper", _) => say("Reported."),
        (_, _) => say("Noted."),
    }
}

fn board(ledger: &Memory) -> Switchboard {
    let driver = FakeDriver::new(async |ask, _| script(&ask));
    open(ledger, parts(&driver, tools())).0
}

fn tools() -> FakeTools {
    let seen = |_, _| async { ToolResult::plain(Outcome::Done, "what the tool saw") };
    FakeTools::control().with("look", ToolClass::ReadOnly, seen)
}

/// A board on which all of it has happened.
async fn reported(ledger: &Memory) -> (Switchboard, AgentId, AgentId) {
    let board = board(ledger);
    let lead = lead(&board).await;
    instruct(&board, lead, "Begin.").await;
    quiet(&board).await;
    let rows = listed(&board, Caller::User, Scope::Descendants).await.rows;
    (board, lead, rows[1].agent)
}

async fn listed(board: &Switchboard, caller: Caller, scope: Scope) -> Roster {
    let query = RosterQuery { scope, limit: None, after: None };
    board.list_agents(caller, query).await.unwrap()
}

async fn row(board: &Switchboard, agent: AgentId) -> Row {
    board.get_agent(Caller::User, Target::Agent(agent)).await.unwrap()
}

fn last(target: AgentId) -> RecentQuery {
    RecentQuery { target: Target::Agent(target), limit: None, max_chars: None, before: None }
}

async fn recent(board: &Switchboard, query: RecentQuery) -> Recent {
    board.recent_messages(Caller::User, query).await.unwrap()
}

async fn speaking_as(board: &Switchboard, agent: AgentId) -> Caller {
    let known = move |forest: &Forest| forest.agent(agent).unwrap().incarnation;
    Caller::Agent { agent, incarnation: board.inspect(known).await.unwrap() }
}

/// What each message is, in a word, with its text.
fn story(recent: &Recent) -> Vec<(String, String)> {
    let word = |what: &What| match what {
        What::Read { of: Some((_, kind)), .. } => match kind {
            MessageKind::Relay => "message".to_owned(),
            MessageKind::Prompt => "task".to_owned(),
            MessageKind::Instruction => "instruction".to_owned(),
            MessageKind::Request(_) => "request".to_owned(),
            MessageKind::Notice(Notice::Settled { .. }) => "settled".to_owned(),
            MessageKind::Notice(_) => "notice".to_owned(),
        },
        What::Read { of: None, .. } => "missing".to_owned(),
        What::Wrote { calls } => {
            let call = |(tool, how): &(String, Option<String>)| {
                format!(" {tool}:{}", how.as_deref().unwrap_or("-"))
            };
            format!("wrote{}", calls.iter().map(call).collect::<String>())
        }
        What::Interrupted => "interrupted".to_owned(),
        What::Unreadable => "unreadable".to_owned(),
    };
    recent.messages.iter().map(|said| (word(&said.what), said.text.clone())).collect()
}

fn told(word: &str, text: &str) -> (String, String) {
    (word.to_owned(), text.to_owned())
}

#[tokio::test]
async fn obs_1_recent_messages_are_what_was_read_and_said_without_what_tools_returned() {
    let ledger = Memory::new();
    let (board, _, helper) = reported(&ledger).await;
    let seen = recent(&board, last(helper)).await;
    let expected = [
        told("task", "Do it."),
        told("wrote look:done nothing:refused", "I look."),
        told("wrote send:done", ""),
        told("wrote", "Reported."),
    ];
    assert_eq!(story(&seen), expected);
    assert_eq!((seen.agent, seen.name.as_str(), seen.older), (helper, "helper", None));
    let What::Read { of: Some((Sender::Agent { name, .. }, _)), .. } = &seen.messages[0].what
    else {
        panic!("{seen:?}");
    };
    assert_eq!(name.as_str(), "lead");
}

#[tokio::test]
async fn obs_1_what_the_host_told_an_agent_of_its_child_is_found_in_the_childs_record() {
    let ledger = Memory::new();
    let (board, lead, helper) = reported(&ledger).await;
    let seen = story(&recent(&board, last(lead)).await);
    assert_eq!(seen[0], told("instruction", "Begin."));
    assert!(seen.contains(&told("message", "It is small.")), "{seen:?}");
    let (_, notice) = seen.iter().find(|(word, _)| word == "settled").expect("a notice");
    assert!(notice.contains(&helper.to_string()), "{notice}");
    assert!(notice.ends_with("The last thing it wrote:\nReported."), "{notice}");
}

#[tokio::test]
async fn obs_1_looking_stores_nothing_asks_no_model_and_brings_nobody_back() {
    let ledger = Memory::new();
    let driver = FakeDriver::new(async |ask, _| script(&ask));
    let (board, _) = open(&ledger, parts(&driver, tools()));
    let lead = lead(&board).await;
    instruct(&board, lead, "Begin.").await;
    quiet(&board).await;
    let helper = listed(&board, Caller::User, Scope::Descendants).await.rows[1].agent;
    let (records, asked) = (ledger.len(), driver.asked.lock().unwrap().len());
    let caller = speaking_as(&board, lead).await;
    for _ in 0..3 {
        listed(&board, caller, Scope::Reachable).await;
        assert_eq!(row(&board, helper).await.activity, Activity::Absent);
        board.recent_messages(caller, last(helper)).await.unwrap();
    }
    quiet(&board).await;
    assert_eq!(row(&board, helper).await.activity, Activity::Absent);
    assert_eq!((ledger.len(), driver.asked.lock().unwrap().len()), (records, asked));
    assert_eq!(count(&ledger, "resume-ordered"), 0);
}

#[tokio::test]
async fn obs_1_after_a_restart_rows_and_messages_are_what_they_were() {
    let ledger = Memory::new();
    let (board, lead, helper) = reported(&ledger).await;
    let look = async |board: &Switchboard| {
        let rows = listed(board, Caller::User, Scope::Descendants).await;
        (rows, recent(board, last(lead)).await, recent(board, last(helper)).await)
    };
    let before = look(&board).await;
    assert_eq!(before.0.rows[0].last_words.as_deref(), Some("Noted."));
    assert_eq!((before.0.rows[1].messages, before.0.rows[1].depth), (1, 1));
    soon(board.stop()).await;
    let board = self::board(&ledger);
    quiet(&board).await;
    assert_eq!(look(&board).await, before);
}

#[tokio::test]
async fn obs_1_an_agent_that_is_put_away_shows_what_it_showed_in_memory() {
    let ledger = Memory::new();
    let (board, lead, _) = reported(&ledger).await;
    let before = recent(&board, last(lead)).await;
    board.close(lead).await.unwrap();
    quiet(&board).await;
    assert_eq!(row(&board, lead).await.activity, Activity::Absent);
    assert_eq!(recent(&board, last(lead)).await, before);
}

#[tokio::test]
async fn obs_1_a_cursor_goes_on_to_older_messages_and_shows_each_once() {
    let ledger = Memory::new();
    let (board, lead, _) = reported(&ledger).await;
    let whole = recent(&board, RecentQuery { limit: Some(50), ..last(lead) }).await;
    let (mut pages, mut before): (Vec<_>, Option<Place>) = (Vec::new(), None);
    loop {
        let query = RecentQuery { limit: Some(2), before, ..last(lead) };
        let page = recent(&board, query).await;
        assert!(page.messages.len() <= 2);
        pages.splice(0..0, page.messages);
        // What comes in meanwhile is newer than any page.
        instruct(&board, lead, "And now?").await;
        quiet(&board).await;
        match page.older {
            None => break,
            older => before = older,
        }
    }
    assert!(pages.len() > 4, "{pages:?}");
    assert_eq!(pages, whole.messages);
    let place = before.unwrap();
    assert_eq!(place.to_string().parse::<Place>().unwrap(), place);
    assert!("next".parse::<Place>().is_err());
}

#[tokio::test]
async fn obs_1_a_long_message_is_cut_at_a_character_and_says_how_long_it_is() {
    let ledger = Memory::new();
    let driver = FakeDriver::new(async |_, _| say(&"é".repeat(2_500)));
    let (board, _) = open(&ledger, parts(&driver, FakeTools::default()));
    let lead = lead(&board).await;
    instruct(&board, lead, "Write.").await;
    quiet(&board).await;
    for (max_chars, shown) in [(None, 800), (Some(80), 80), (Some(2_000), 2_000)] {
        let seen = recent(&board, RecentQuery { max_chars, ..last(lead) }).await;
        let [_, wrote] = &seen.messages[..] else { panic!("{seen:?}") };
        assert_eq!((wrote.text.chars().count(), wrote.chars), (shown, 2_500));
    }
}

#[tokio::test]
async fn obs_1_what_is_out_of_range_is_refused_with_the_range() {
    let ledger = Memory::new();
    let board = board(&ledger);
    let lead = lead(&board).await;
    let limits = [(Some(0), None, "1 to 50"), (Some(51), None, "1 to 50")];
    let chars = [(None, Some(79), "80 to 2000"), (None, Some(2_001), "80 to 2000")];
    for (limit, max_chars, range) in limits.into_iter().chain(chars) {
        let query = RecentQuery { limit, max_chars, ..last(lead) };
        let refusal = board.recent_messages(Caller::User, query).await.unwrap_err();
        assert_eq!(refusal.code, Code::InvalidArgument);
        assert!(refusal.text.contains(range), "{refusal}");
    }
}

#[tokio::test]
async fn obs_1_a_record_that_cannot_be_read_is_shown_as_one_and_counted() {
    let ledger = Memory::new();
    let (board, _, helper) = reported(&ledger).await;
    let step = (1..)
        .zip(events(&ledger))
        .find(|(_, event)| event.kind() == "step-recorded" && event.agent() == Some(helper));
    assert!(ledger.spoil(step.unwrap().0, "{ half a rec"));
    let seen = recent(&board, last(helper)).await;
    assert_eq!(seen.unreadable, 1);
    let words: Vec<String> = story(&seen).into_iter().map(|(word, _)| word).collect();
    assert_eq!(words, ["task", "unreadable", "wrote send:done", "wrote"]);
}

#[tokio::test]
async fn obs_1_a_message_whose_record_cannot_be_read_is_still_shown_to_have_been_there() {
    let ledger = Memory::new();
    let (board, lead, _) = reported(&ledger).await;
    let said = (1..).zip(events(&ledger)).find(|(_, event)| event.kind() == "accepted");
    assert!(ledger.spoil(said.unwrap().0, "{ half a rec"));
    let seen = story(&recent(&board, last(lead)).await);
    assert_eq!(seen[0].0, "unreadable");
    assert_eq!(seen[1], told("missing", "The record of this message cannot be read."));
}

#[tokio::test]
async fn obs_1_a_stopped_turn_is_shown_with_the_call_it_cut() {
    let (ledger, gate) = (Memory::new(), Gate::shut());
    let driver = FakeDriver::new(async |_, _| call("hang", "{}"));
    let stuck = gate.clone();
    let hang = move |_, _| {
        let gate = stuck.clone();
        async move {
            gate.pass().await;
            ToolResult::plain(Outcome::Done, "")
        }
    };
    let tools = FakeTools::default().with("hang", ToolClass::ReadOnly, hang);
    let (board, _) = open(&ledger, parts(&driver, tools));
    let lead = lead(&board).await;
    instruct(&board, lead, "Go.").await;
    gate.reached(1).await;
    let during = story(&recent(&board, last(lead)).await);
    assert_eq!(during.last(), Some(&told("wrote hang:-", "")));
    board.interrupt(lead, None, false, None).await.unwrap();
    quiet(&board).await;
    let after = story(&recent(&board, last(lead)).await);
    assert_eq!(after[1..], [told("wrote hang:cut", ""), told("interrupted", "")]);
}

#[tokio::test]
async fn obs_2_who_may_not_be_observed_answers_as_one_who_is_not_there() {
    let ledger = Memory::new();
    let (board, lead, helper) = reported(&ledger).await;
    let other = crate::fakes::descriptor("other", switchboard_core::Mode::Root, &[]);
    let other = board.register("other", other).await.unwrap();
    let caller = speaking_as(&board, other).await;
    let nobody = AgentId::new(lead.tag(), 99);
    let one = async |target| -> (Refusal, Refusal) {
        let row = board.get_agent(caller, Target::Agent(target)).await.unwrap_err();
        (row, board.recent_messages(caller, last(target)).await.unwrap_err())
    };
    let missing = one(nobody).await;
    assert_eq!((missing.0.code, missing.1.code), (Code::Unreachable, Code::Unreachable));
    for hidden in [lead, helper] {
        assert_eq!(one(hidden).await, missing);
    }
    assert_eq!(listed(&board, caller, Scope::Reachable).await.rows, []);
}

#[tokio::test]
async fn id_2_a_stay_that_is_over_observes_nobody() {
    let ledger = Memory::new();
    let (board, lead, helper) = reported(&ledger).await;
    let stale = Caller::Agent { agent: lead, incarnation: Incarnation(9) };
    let query = RosterQuery { scope: Scope::Children, limit: None, after: None };
    let codes = [
        board.list_agents(stale, query).await.unwrap_err().code,
        board.get_agent(stale, Target::Agent(helper)).await.unwrap_err().code,
        board.recent_messages(stale, last(helper)).await.unwrap_err().code,
    ];
    assert_eq!(codes, [Code::Unauthorized; 3]);
}

#[tokio::test]
async fn obs_1_a_row_is_told_only_when_what_it_says_is_stored() {
    let (ledger, gate) = (Memory::new(), Gate::shut());
    let gated = Gated::new(&ledger).appends_wait_at(&gate);
    gate.open();
    let driver = FakeDriver::new(async |_, _| say("Done."));
    let (board, _) = open_on(Box::new(gated), parts(&driver, FakeTools::default()));
    let lead = lead(&board).await;
    quiet(&board).await;
    gate.close();
    let came = gate.came();
    let telling = tokio::spawn({
        let board = board.clone();
        async move { instruct(&board, lead, "Go.").await }
    });
    gate.reached(came + 1).await;
    let looking = tokio::spawn({
        let board = board.clone();
        async move { row(&board, lead).await }
    });
    for _ in 0..100 {
        tokio::task::yield_now().await;
    }
    assert!(!looking.is_finished(), "it would tell of a message that may never be stored");
    gate.open();
    assert_eq!(soon(looking).await.unwrap().messages, 1);
    soon(telling).await.unwrap();
}
