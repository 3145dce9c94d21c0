//! Events as a busy forest makes them.

use std::sync::Arc;

use switchboard_core::{
    AgentId, Content, Delivery, Event, HostKey, LedgerTag, Message, MessageId, MessageKind,
    Relationship, Schedule, Sender, Terms, TurnId, WallTime,
};

pub(crate) const AT: WallTime = WallTime(1_790_000_000_000);

/// Events of accepted messages, as a busy forest with this many agents makes them.
pub(crate) fn sends(first: u64, count: usize, agents: u64) -> Vec<Event> {
    (first..).take(count).map(|number| send(number + 1, number % agents + 1)).collect()
}

fn send(number: u64, to: u64) -> Event {
    let tag = LedgerTag::new(0x0123_4567);
    let words = "Reviewed src/lib.rs: two findings. The lock in `take` is dropped before the \
                 write is on the disk, and `open` follows a link that it should refuse.";
    let from = Sender::Agent {
        id: AgentId::new(tag, 1),
        name: "reviewer".to_owned().try_into().unwrap(),
        relationship: Relationship::Child,
    };
    let message = Message {
        id: MessageId::new(tag, number),
        from,
        to: AgentId::new(tag, to),
        kind: MessageKind::Relay,
        content: Arc::new(Content::text(words)),
        schedule: Schedule::NextStep,
        wakes: true,
        at: AT,
        cause: None,
    };
    let key = HostKey { turn: TurnId::new(tag, number), step: 0, call: 0, nth: 0 };
    let terms = Terms {
        key: Some(key),
        delivery: Delivery::Queued,
        pending: 1,
        budget_left: 2,
        one_of_many: false,
        paused: false,
    };
    Event::Accepted { message, terms: Some(terms) }
}
