use std::sync::Arc;

use switchboard_core::{
    AgentId, AgentName, CallRecord, Claim, Content, Descriptor, EndReason, Event, Incarnation,
    LedgerTag, Message, MessageId, MessageKind, Mode, Nonce, Notice, Schedule, Sender, Shown,
    ToolUse, TurnEnd, TurnId, Usage, WallTime,
};
use switchboard_ledger::{Ledger, Memory, Stored};

use super::Lineage;
use super::{Transcript, readers};
use crate::driver::Entry;

fn tag() -> LedgerTag {
    LedgerTag::new(1)
}

fn lead() -> AgentId {
    AgentId::new(tag(), 1)
}

fn helper() -> AgentId {
    AgentId::new(tag(), 2)
}

fn turn() -> TurnId {
    TurnId::new(tag(), 1)
}

fn id(number: u64) -> MessageId {
    MessageId::new(tag(), number)
}

fn name(text: &str) -> AgentName {
    AgentName::new(text).expect("it is a name")
}

fn registered() -> Event {
    let descriptor = Descriptor::new("lead", Mode::Root, "");
    Event::AgentRegistered { agent: lead(), name: name("lead"), descriptor: Arc::new(descriptor) }
}

fn message(number: u64, kind: MessageKind) -> Message {
    Message {
        id: id(number),
        from: Sender::User,
        to: lead(),
        kind,
        content: Arc::new(Content::text(format!("words {number}"))),
        schedule: Schedule::NextTurn,
        wakes: true,
        at: WallTime(0),
        cause: None,
    }
}

fn accepted(number: u64) -> Event {
    Event::Accepted { message: message(number, MessageKind::Instruction), terms: None }
}

fn claim(shown: &[(u64, u32)]) -> Claim {
    let messages =
        shown.iter().map(|(number, delivery)| Shown { id: id(*number), delivery: *delivery });
    Claim { messages: messages.collect(), left: 0, nonce: Nonce(7), at: WallTime(0) }
}

fn claimed(shown: &[(u64, u32)]) -> Event {
    Event::Claimed { agent: lead(), turn: turn(), step: 0, claim: claim(shown) }
}

fn returned(number: u64) -> Event {
    let messages = vec![id(number)];
    Event::ClaimReturned { agent: lead(), turn: turn(), messages, attempt: true }
}

fn step(text: &str, tools: &[&str]) -> Event {
    let used = |tool: &&str| ToolUse { tool: (*tool).to_owned(), arguments: "{}".to_owned() };
    Event::StepRecorded {
        agent: lead(),
        turn: turn(),
        step: 0,
        text: text.into(),
        calls: tools.iter().map(used).collect(),
        consumed: Vec::new(),
    }
}

fn ended_call(call: u32, outcome: &str) -> Event {
    let record = CallRecord {
        outcome: outcome.to_owned(),
        text: format!("result {call}"),
        usage: Usage::default(),
    };
    Event::CallEnded { agent: lead(), turn: turn(), step: 0, call, record }
}

fn ended(end: TurnEnd, dropped: &[u64], returned: &[u64]) -> Event {
    let ids = |numbers: &[u64]| numbers.iter().map(|number| id(*number)).collect();
    Event::TurnEnded {
        agent: lead(),
        turn: turn(),
        end,
        dropped: ids(dropped),
        returned: ids(returned),
        cut: Vec::new(),
        never_started: false,
        note: None,
    }
}

fn settled() -> Event {
    let kind = MessageKind::Notice(Notice::Settled {
        child: helper(),
        name: name("helper"),
        reason: EndReason::Completed,
        closing: None,
        unacknowledged: 0,
        afterwards: Default::default(),
    });
    Event::Released {
        agent: helper(),
        incarnation: Incarnation(1),
        reason: EndReason::Completed,
        notice: Some(message(9, kind)),
        abandoned: false,
    }
}

fn fold(events: &[Event]) -> Transcript {
    let mut transcript = Transcript::new(lead());
    for (seq, event) in (1..).zip(events.iter().cloned()) {
        transcript.apply(&Stored { seq, at: WallTime(0), event });
    }
    transcript
}

/// A transcript in short: what was read by number and delivery, what was said, what came back.
fn short(transcript: &Transcript) -> Vec<String> {
    let read = |frame: &Arc<str>| {
        let number = frame.split("words ").nth(1).and_then(|rest| rest.split('\n').next());
        let again = if frame.contains("for the 2. time") { " again" } else { "" };
        format!("read {}{again}", number.unwrap_or(frame))
    };
    let entry = |entry: &Entry| match entry {
        Entry::Read(frames) => frames.iter().map(read).collect::<Vec<_>>().join(", "),
        Entry::Said { text, .. } => format!("said {text}"),
        Entry::Returned { tool, failed: true, .. } => format!("{tool} failed"),
        Entry::Returned { tool, text, .. } => format!("{tool}: {text}"),
        Entry::Interrupted => "interrupted".to_owned(),
    };
    transcript.entries().iter().map(entry).collect()
}

#[test]
fn a_claim_is_shown_and_stays_once_a_step_was_made_from_it() {
    let open = [registered(), accepted(1), accepted(2), claimed(&[(1, 1), (2, 1)])];
    assert_eq!(short(&fold(&open)), ["read 1, read 2"]);
    let answered = [open.as_slice(), &[step("so", &[]), ended(TurnEnd::Completed, &[], &[])]];
    assert_eq!(short(&fold(&answered.concat())), ["read 1, read 2", "said so"]);
}

#[test]
fn fate_3_a_claim_that_went_back_is_shown_once_with_its_next_number() {
    let events = [registered(), accepted(1), claimed(&[(1, 1)]), returned(1), claimed(&[(1, 2)])];
    assert_eq!(short(&fold(&events)), ["read 1 again"]);
}

#[test]
fn turn_4_what_a_turns_end_drops_or_gives_back_was_never_read() {
    let open = vec![registered(), accepted(1), accepted(2), claimed(&[(1, 1)]), claimed(&[(2, 1)])];
    let with = |end| fold(&[open.clone(), vec![end]].concat());
    let interrupted = with(ended(TurnEnd::Interrupted, &[1, 2], &[]));
    assert_eq!(short(&interrupted), ["interrupted"]);
    let failed = with(ended(TurnEnd::Error, &[], &[1, 2]));
    assert!(short(&failed).is_empty());
}

#[test]
fn results_stand_in_the_order_of_the_calls_whenever_they_came() {
    let calls = step("", &["a", "b", "c"]);
    let mut events = vec![calls, ended_call(2, "done"), ended_call(0, "trapped")];
    assert_eq!(short(&fold(&events)), ["said ", "a failed", "c: result 2"]);
    events.push(ended_call(1, "done"));
    events.push(step("so", &[]));
    assert_eq!(
        short(&fold(&events)),
        ["said ", "a failed", "b: result 1", "c: result 2", "said so"]
    );
}

#[test]
fn a_call_without_a_result_in_an_ended_turn_was_cut_and_nobody_knows_what_it_did() {
    let events =
        [step("", &["a", "b"]), ended_call(1, "done"), ended(TurnEnd::Interrupted, &[], &[])];
    let transcript = fold(&events);
    assert_eq!(short(&transcript), ["said ", "a failed", "b: result 1", "interrupted"]);
    let Entry::Returned { text, .. } = &transcript.entries()[1] else { panic!("a result") };
    assert!(text.contains("not known"));
}

#[test]
fn int_6_a_call_that_was_recorded_and_never_started_did_nothing_and_the_model_is_told() {
    let mut end = ended(TurnEnd::Interrupted, &[], &[]);
    let Event::TurnEnded { never_started, .. } = &mut end else { panic!("an end") };
    *never_started = true;
    let transcript = fold(&[step("", &["a"]), end]);
    let Entry::Returned { text, failed, .. } = &transcript.entries()[1] else { panic!("a result") };
    assert!(*failed && text.contains("not started") && !text.contains("not known"), "{text}");
}

#[test]
fn set_2_a_childs_end_leaves_the_hosts_words_with_its_parent() {
    let released = settled();
    assert_eq!(readers(&released).collect::<Vec<_>>(), [helper(), lead()]);
    let transcript = fold(&[registered(), released, claimed(&[(9, 1)])]);
    assert!(short(&transcript)[0].contains("has come to rest"), "{transcript:?}");
}

#[test]
fn led_1_a_message_whose_record_is_bad_is_named_and_not_hidden() {
    let transcript = fold(&[registered(), claimed(&[(1, 1)])]);
    assert!(short(&transcript)[0].contains("could not be read"), "{transcript:?}");
}

#[test]
fn an_event_that_comes_twice_counts_once() {
    let mut transcript = fold(&[registered(), step("so", &[])]);
    transcript.apply(&Stored { seq: 2, at: WallTime(0), event: step("so", &[]) });
    assert_eq!(short(&transcript), ["said so"]);
}

#[test]
fn led_2_what_is_loaded_is_what_was_folded_live() {
    let events = vec![
        registered(),
        accepted(1),
        claimed(&[(1, 1)]),
        step("so", &["a"]),
        settled(),
        ended_call(0, "done"),
        claimed(&[(9, 1)]),
        step("well", &[]),
        ended(TurnEnd::Completed, &[], &[]),
    ];
    let mut ledger = Memory::new();
    ledger.append(WallTime(0), &events).expect("memory takes it");
    let lineage = Lineage { agent: lead(), children: vec![helper()], seed: None };
    let loaded = Transcript::load(&mut ledger, &lineage).expect("memory gives it");
    assert_eq!(loaded.entries(), fold(&events).entries());
    assert_eq!(loaded.entries().len(), 5);
}
