//! Events to store: a few by hand, and any at all.

use std::sync::Arc;

use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use switchboard_core::{
    AgentId, Content, Delivery, DropReason, EndReason, Event, FORMAT, HostKey, Incarnation,
    LedgerTag, Message, MessageId, MessageKind, Schedule, Sender, Terms, TurnEnd, TurnId, WallTime,
};
use switchboard_ledger::{Ledger, Quarantined, Stored};

pub(crate) const AT: WallTime = WallTime(1_790_000_000_000);

pub(crate) fn tag() -> LedgerTag {
    LedgerTag::new(0x0123_4567)
}

pub(crate) fn agent(number: u64) -> AgentId {
    AgentId::new(tag(), number)
}

pub(crate) fn opened() -> Event {
    Event::ForestOpened { format: FORMAT, tag: tag() }
}

/// A message with these words was accepted for this agent.
pub(crate) fn accepted(to: u64, words: &str) -> Event {
    let message = Message {
        id: MessageId::new(tag(), 7),
        from: Sender::User,
        to: agent(to),
        kind: MessageKind::Instruction,
        content: Arc::new(Content::text(words)),
        schedule: Schedule::NextTurn,
        wakes: true,
        at: AT,
        cause: None,
    };
    Event::Accepted { message, terms: None }
}

pub(crate) fn batch(words: &[&str]) -> Vec<Event> {
    words.iter().map(|words| accepted(1, words)).collect()
}

/// What the ledger gives back, and what it could not.
pub(crate) fn replay(ledger: &mut dyn Ledger) -> (Vec<Stored>, Vec<Quarantined>) {
    let mut stored = Vec::new();
    let quarantined = ledger.replay(&mut |one| stored.push(one)).unwrap();
    (stored, quarantined)
}

/// The events alone, of a ledger without a bad record.
pub(crate) fn all(ledger: &mut dyn Ledger) -> Vec<Event> {
    let (stored, quarantined) = replay(ledger);
    assert_eq!(quarantined, []);
    stored.into_iter().map(|stored| stored.event).collect()
}

pub(crate) fn of_agent(ledger: &mut dyn Ledger, number: u64) -> Vec<Event> {
    let mut events = Vec::new();
    ledger.agent_events(agent(number), &mut |stored| events.push(stored.event)).unwrap();
    events
}

/// Any batches: with text of all scripts, numbers of all sizes, and events of no agent.
pub(crate) fn batches() -> impl Strategy<Value = Vec<Vec<Event>>> {
    vec(vec(any_event(), 0..6), 0..8)
}

fn any_event() -> impl Strategy<Value = Event> {
    prop_oneof![
        Just(Event::HostStarted),
        any_accepted(),
        any_step(),
        any_turn_end(),
        (any_agent(), any::<u32>(), any::<String>()).prop_map(|(agent, incarnation, why)| {
            Event::ResumeFailed { agent, incarnation: Incarnation(incarnation), why }
        }),
        (any_agent(), any::<u32>(), any::<bool>()).prop_map(|(agent, incarnation, abandoned)| {
            let (incarnation, reason) = (Incarnation(incarnation), EndReason::Aborted);
            Event::Released { agent, incarnation, reason, notice: None, abandoned }
        }),
        (any_agent(), vec(any::<u64>(), 0..4)).prop_map(|(agent, numbers)| {
            let messages = numbers.into_iter().map(|number| MessageId::new(tag(), number));
            Event::Dropped { agent, messages: messages.collect(), reason: DropReason::Poison }
        }),
    ]
}

fn any_agent() -> impl Strategy<Value = AgentId> {
    (1..5_u64).prop_map(agent)
}

fn any_turn() -> impl Strategy<Value = TurnId> {
    any::<u64>().prop_map(|number| TurnId::new(tag(), number))
}

fn any_accepted() -> impl Strategy<Value = Event> {
    let key = (any_turn(), any::<u32>(), any::<u32>(), any::<u32>())
        .prop_map(|(turn, step, call, nth)| HostKey { turn, step, call, nth });
    let says = (any::<bool>(), any::<bool>());
    let terms = (option::of(key), any::<u32>(), any::<u32>(), says).prop_map(
        |(key, pending, budget_left, (one_of_many, paused))| Terms {
            key,
            delivery: Delivery::Queued,
            pending,
            budget_left,
            one_of_many,
            paused,
        },
    );
    (1..5_u64, any::<String>(), option::of(terms)).prop_map(|(to, words, told)| {
        match accepted(to, &words) {
            Event::Accepted { message, .. } => Event::Accepted { message, terms: told },
            other => other,
        }
    })
}

fn any_step() -> impl Strategy<Value = Event> {
    (any_agent(), any_turn(), any::<u32>(), any::<String>()).prop_map(
        |(agent, turn, step, text)| Event::StepRecorded {
            agent,
            turn,
            step,
            text: text.into(),
            calls: Vec::new(),
            consumed: Vec::new(),
        },
    )
}

fn any_turn_end() -> impl Strategy<Value = Event> {
    (any_agent(), any_turn(), vec(any::<u32>(), 0..3), option::of(any::<String>())).prop_map(
        |(agent, turn, cut, note)| Event::TurnEnded {
            agent,
            turn,
            end: TurnEnd::Interrupted,
            dropped: Vec::new(),
            returned: Vec::new(),
            cut,
            never_started: false,
            note,
        },
    )
}
