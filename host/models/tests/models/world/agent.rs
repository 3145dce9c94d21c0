//! One agent: what it remembers, what waits for it, and where its turn stands.

use std::collections::VecDeque;

use switchboard_core::{AgentId, AgentName, LedgerTag, Message, StepRecord, ToolUse};
use switchboard_runtime::Entry;

#[derive(Debug)]
pub(super) struct Agent {
    pub(super) id: AgentId,
    pub(super) name: AgentName,
    pub(super) kind: String,
    pub(super) parent: Option<usize>,
    pub(super) transcript: Vec<Entry>,
    pub(super) inbox: Inbox,
    pub(super) turn: Option<Turn>,
    /// In memory; a message to one that is not brings it back.
    pub(super) resident: bool,
}

#[derive(Clone, Debug)]
pub(super) struct Mail {
    pub(super) message: Message,
    pub(super) showings: u32,
}

#[derive(Debug, Default)]
pub(super) struct Inbox {
    pub(super) next_step: VecDeque<Mail>,
    pub(super) next_turn: VecDeque<Mail>,
    /// The newest message an interrupt found here; it takes a newer one to wake the agent.
    pub(super) mark: u64,
}

#[derive(Debug)]
pub(super) struct Turn {
    pub(super) phase: Phase,
    /// Somebody interrupted it.
    pub(super) stopping: bool,
    /// Claimed, and no step made from it yet.
    pub(super) claimed: Vec<Mail>,
}

#[derive(Debug)]
pub(super) enum Phase {
    Boundary,
    /// The model has an answer.
    Answered(StepRecord),
    /// The model waits for mail.
    Holding,
    Calling(Vec<Call>),
}

#[derive(Debug)]
pub(super) struct Call {
    pub(super) wanted: ToolUse,
    pub(super) result: Option<super::folder::Result>,
    pub(super) recorded: bool,
}

impl Agent {
    pub(super) fn root(name: &str) -> Self {
        Self::new(0, name, name, None)
    }

    pub(super) fn new(index: usize, name: &str, kind: &str, parent: Option<usize>) -> Self {
        Self {
            id: AgentId::new(LedgerTag::new(7), index as u64 + 1),
            name: AgentName::new(name).unwrap(),
            kind: kind.to_owned(),
            parent,
            transcript: Vec::new(),
            inbox: Inbox::default(),
            turn: None,
            resident: true,
        }
    }

    pub(super) fn last_words(&self) -> &str {
        let said = self.transcript.iter().rev().find_map(|entry| match entry {
            Entry::Said { text, .. } => Some(&**text),
            _ => None,
        });
        said.unwrap_or_default()
    }
}

impl Inbox {
    pub(super) fn is_empty(&self) -> bool {
        self.next_step.is_empty() && self.next_turn.is_empty()
    }

    fn all(&self) -> impl Iterator<Item = &Mail> {
        self.next_step.iter().chain(&self.next_turn)
    }

    /// Something waits that may start a turn.
    pub(super) fn due(&self) -> bool {
        self.all().any(|mail| mail.message.wakes && mail.message.id.number() > self.mark)
    }

    pub(super) fn park(&mut self) {
        self.mark = self.all().map(|mail| mail.message.id.number()).max().unwrap_or(self.mark);
    }

    /// What a boundary shows; at a turn's start, one from the next turn's list as well.
    pub(super) fn claim(&mut self, opening: bool) -> Vec<Mail> {
        let mut claimed: Vec<_> = self.next_step.drain(..).collect();
        if opening {
            claimed.extend(self.next_turn.pop_front());
        }
        claimed.sort_by_key(|mail| mail.message.id.number());
        claimed
    }

    pub(super) fn put_back(&mut self, claimed: Vec<Mail>) {
        for mail in claimed.into_iter().rev() {
            self.next_step.push_front(mail);
        }
    }
}
