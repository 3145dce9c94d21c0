//! A small story, event by event: a lead starts a helper, the helper reports into the lead's
//! running turn, is interrupted, comes to rest, and is brought back.

use std::sync::Arc;

use switchboard_core::{
    AgentId, AgentName, CallRecord, Claim, ClosingCause, Content, Descriptor, EndReason, Event,
    FORMAT, Id, Incarnation, Interruption, LedgerTag, Message, MessageId, MessageKind, Micros,
    Mode, Nonce, Notice, Relationship, Schedule, Sender, Shown, Stop, Stopped, ToolUse, TurnEnd,
    TurnId, Usage, WallTime,
};
use switchboard_ledger::Stored;

pub(crate) fn agent(number: u64) -> AgentId {
    Id::new(tag(), number)
}

pub(crate) fn message_id(number: u64) -> MessageId {
    Id::new(tag(), number)
}

fn turn(number: u64) -> TurnId {
    Id::new(tag(), number)
}

fn tag() -> LedgerTag {
    LedgerTag::new(7)
}

fn name(text: &str) -> AgentName {
    AgentName::new(text).unwrap()
}

fn descriptor(mode: Mode) -> Arc<Descriptor> {
    Arc::new(Descriptor::new("lead", mode, "script:lead"))
}

pub(crate) fn message(
    number: u64,
    from: Sender,
    to: u64,
    kind: MessageKind,
    words: &str,
) -> Message {
    Message {
        id: message_id(number),
        from,
        to: agent(to),
        kind,
        content: Arc::new(Content::text(words)),
        schedule: Schedule::NextStep,
        wakes: true,
        at: WallTime(1_000 + number),
        cause: None,
    }
}

pub(crate) fn by(number: u64, called: &str, relationship: Relationship) -> Sender {
    Sender::Agent { id: agent(number), name: name(called), relationship }
}

pub(crate) fn relay(number: u64, words: &str) -> Event {
    let from = by(2, "helper", Relationship::Child);
    Event::Accepted { message: message(number, from, 1, MessageKind::Relay, words), terms: None }
}

fn claim(messages: &[u64]) -> Claim {
    let shown = |number: &u64| Shown { id: message_id(*number), delivery: 1 };
    Claim {
        messages: messages.iter().map(shown).collect(),
        left: 0,
        nonce: Nonce(1),
        at: WallTime(0),
    }
}

pub(crate) fn opened(of: u64, number: u64, messages: &[u64]) -> Event {
    let (agent, turn) = (agent(of), turn(number));
    Event::TurnOpened { agent, incarnation: Incarnation(1), turn, claim: claim(messages) }
}

fn step(of: u64, number: u64, step: u32, tools: &[&str], consumed: &[u64]) -> Event {
    let call = |tool: &&str| ToolUse { tool: (*tool).to_owned(), arguments: "{}".into() };
    Event::StepRecorded {
        agent: agent(of),
        turn: turn(number),
        step,
        text: "thinking".into(),
        calls: tools.iter().map(call).collect(),
        consumed: consumed.iter().map(|number| message_id(*number)).collect(),
    }
}

pub(crate) fn ended(of: u64, number: u64, end: TurnEnd, cut: &[u32]) -> Event {
    let (agent, turn, cut) = (agent(of), turn(number), cut.to_vec());
    Event::TurnEnded {
        agent,
        turn,
        end,
        dropped: vec![],
        returned: vec![],
        cut,
        never_started: false,
        note: None,
    }
}

fn interrupt() -> Event {
    let stop = Stop::Cancelling(turn(2));
    let answer = Interruption {
        target: Stopped { agent: agent(2), stop },
        below: vec![],
        still_running: vec![],
        calls_cut: vec!["watch_file".into()],
        parked: 1,
    };
    let reason = Some("enough".into());
    Event::InterruptAdmitted { by: Some(agent(1)), key: None, answer, mark: 3, reason }
}

fn released() -> Event {
    let notice = Notice::Settled {
        child: agent(2),
        name: name("helper"),
        reason: EndReason::Completed,
        closing: Some("done".into()),
        unacknowledged: 0,
        afterwards: Default::default(),
    };
    Event::Released {
        agent: agent(2),
        incarnation: Incarnation(1),
        reason: EndReason::Completed,
        notice: Some(message(4, Sender::Host, 1, MessageKind::Notice(notice), "")),
        abandoned: false,
    }
}

/// The story, as a ledger has it.
pub(crate) fn story() -> Vec<Stored> {
    let incarnation = Incarnation(1);
    let begin = "Begin.";
    let first = message(1, Sender::User, 1, MessageKind::Instruction, begin);
    let prompt =
        message(2, by(1, "lead", Relationship::Parent), 2, MessageKind::Prompt, "Look around.");
    let usage = Usage { guest: Micros(1_200), host: Micros(300), ..Usage::default() };
    let record = CallRecord { outcome: "done".into(), text: "started".into(), usage };
    numbered(vec![
        Event::ForestOpened { format: FORMAT, tag: tag() },
        Event::HostStarted,
        Event::AgentRegistered {
            agent: agent(1),
            name: name("lead"),
            descriptor: descriptor(Mode::Root),
        },
        Event::Published { agent: agent(1), incarnation },
        Event::Accepted { message: first, terms: None },
        opened(1, 1, &[1]),
        step(1, 1, 0, &["subagent"], &[1]),
        Event::StartAdmitted {
            agent: agent(2),
            parent: agent(1),
            name: name("helper"),
            descriptor: descriptor(Mode::Continuable),
            prompt,
            key: None,
            seed: None,
        },
        Event::CallEnded { agent: agent(1), turn: turn(1), step: 0, call: 0, record },
        Event::Published { agent: agent(2), incarnation },
        opened(2, 2, &[2]),
        step(2, 2, 0, &["watch_file"], &[2]),
        relay(3, "Found it."),
        Event::Claimed { agent: agent(1), turn: turn(1), step: 1, claim: claim(&[3]) },
        interrupt(),
        ended(2, 2, TurnEnd::Interrupted, &[0]),
        step(1, 1, 1, &[], &[3]),
        ended(1, 1, TurnEnd::Completed, &[]),
        Event::Closing {
            agent: agent(2),
            subtree: vec![agent(2)],
            cause: ClosingCause::Settled,
            mark: None,
            by: None,
            key: None,
        },
        released(),
        Event::ResumeOrdered { agent: agent(2), incarnation: Incarnation(2) },
    ])
}

pub(crate) fn numbered(events: Vec<Event>) -> Vec<Stored> {
    let stored = |(seq, event)| Stored { seq, at: WallTime(1_000 + seq), event };
    (1..).zip(events).map(stored).collect()
}
