//! What an agent has read, said and got back: a pure fold over its events.
//!
//! The owner folds what is committed into the transcripts of agents in memory; a cold resume and a
//! restart fold what the ledger has. It is the same fold, so there is one way a transcript comes
//! about.

use std::collections::BTreeMap;
use std::sync::Arc;

use switchboard_core::{
    AgentId, CallRecord, Claim, Descriptor, Event, Message, MessageId, Shown, ToolUse, TurnEnd,
    TurnId, render,
};
use switchboard_ledger::{Ledger, LedgerError, Stored};

use crate::driver::Entry;
use crate::lineage::Lineage;
use crate::tools::{Outcome, ToolResult};

/// One agent's transcript, as far as it was told.
#[derive(Clone, Debug)]
pub(crate) struct Transcript {
    agent: AgentId,
    /// The place of the last event taken in; what comes again is skipped.
    seen: u64,
    /// What the agent is: frames are rendered for it.
    reader: Option<Arc<Descriptor>>,
    /// Accepted and not claimed.
    waiting: BTreeMap<MessageId, Message>,
    /// What nothing changes any more.
    entries: Vec<Entry>,
    /// The calls of the last step, each with its result once it has one.
    calls: Vec<(ToolUse, Option<CallRecord>)>,
    /// Claims no step was made from yet.
    unanswered: Vec<Vec<Frame>>,
}

/// A claimed message as it was shown.
#[derive(Clone, Debug)]
struct Frame {
    id: MessageId,
    /// None if its record could not be read.
    message: Option<Message>,
    text: Arc<str>,
}

/// The agents in whose transcripts an event leaves something: its own, and the parent that is told
/// of a child's end in the same breath (SET-2).
pub(crate) fn readers(event: &Event) -> impl Iterator<Item = AgentId> {
    let told = match event {
        Event::Released { notice: Some(notice), .. } => Some(notice.to),
        _ => None,
    };
    event.agent().into_iter().chain(told)
}

impl Transcript {
    /// An empty one.
    pub(crate) fn new(agent: AgentId) -> Self {
        Self {
            agent,
            seen: 0,
            reader: None,
            waiting: BTreeMap::new(),
            entries: Vec::new(),
            calls: Vec::new(),
            unanswered: Vec::new(),
        }
    }

    /// Reads it from the ledger. What the host says at the end of a child's stay is stored with
    /// the child, so the events of the children are read for those. One that goes on from its
    /// parent's transcript begins with that (START-3).
    ///
    /// # Errors
    /// The ledger could not be read.
    pub(crate) fn load(ledger: &mut dyn Ledger, lineage: &Lineage) -> Result<Self, LedgerError> {
        Self::load_until(ledger, lineage, None)
    }

    fn load_until(
        ledger: &mut dyn Ledger,
        lineage: &Lineage,
        last: Option<TurnId>,
    ) -> Result<Self, LedgerError> {
        let agent = lineage.agent;
        let mut transcript = Self::new(agent);
        if let Some((parent, turn)) = &lineage.seed {
            transcript.entries = Self::load_until(ledger, parent, Some(*turn))?.entries();
        }
        let mut events = BTreeMap::new();
        for member in std::iter::once(agent).chain(lineage.children.iter().copied()) {
            ledger.agent_events(member, &mut |stored| {
                if readers(&stored.event).any(|reader| reader == agent) {
                    events.insert(stored.seq, stored);
                }
            })?;
        }
        for stored in events.values() {
            transcript.apply(stored);
            if matches!(stored.event, Event::TurnEnded { turn, .. } if Some(turn) == last) {
                break;
            }
        }
        Ok(transcript)
    }

    /// The transcript as it is, oldest first, results in the order of their calls.
    pub(crate) fn entries(&self) -> Vec<Entry> {
        let mut entries = self.entries.clone();
        entries.extend(results(&self.calls).flatten());
        entries.extend(self.unanswered.iter().map(|frames| read(frames)));
        entries
    }

    /// Takes in one stored event. One taken in before, or of another agent, changes nothing.
    pub(crate) fn apply(&mut self, stored: &Stored) {
        if stored.seq <= self.seen {
            return;
        }
        self.seen = stored.seq;
        match &stored.event {
            Event::AgentRegistered { agent, descriptor, .. } if *agent == self.agent => {
                self.reader = Some(descriptor.clone());
            }
            Event::StartAdmitted { agent, descriptor, prompt, .. } if *agent == self.agent => {
                self.reader = Some(descriptor.clone());
                self.accept(prompt);
            }
            Event::Accepted { message, .. } => self.accept(message),
            Event::Released { notice: Some(notice), .. } => self.accept(notice),
            event if event.agent() == Some(self.agent) => self.apply_turn(event),
            _ => (),
        }
    }

    fn apply_turn(&mut self, event: &Event) {
        match event {
            Event::TurnOpened { claim, .. } | Event::Claimed { claim, .. } => self.claim(claim),
            Event::ClaimReturned { messages, .. } => self.take_back(messages, true),
            Event::StepRecorded { text, calls, .. } => self.say(text, calls),
            Event::CallEnded { call, record, .. } => self.finish_call(*call, record),
            Event::TurnEnded { end, dropped, returned, never_started, .. } => {
                self.take_back(dropped, false);
                self.take_back(returned, true);
                self.end_turn(*end, if *never_started { NEVER_STARTED } else { CUT });
            }
            Event::Dropped { messages, .. } => {
                self.take_back(messages, false);
                messages.iter().for_each(|id| drop(self.waiting.remove(id)));
            }
            Event::ForestOpened { .. }
            | Event::HostStarted
            | Event::AgentRegistered { .. }
            | Event::StartAdmitted { .. }
            | Event::StartWithdrawn { .. }
            | Event::ResumeOrdered { .. }
            | Event::Published { .. }
            | Event::ResumeFailed { .. }
            | Event::Accepted { .. }
            | Event::InterruptAdmitted { .. }
            | Event::RequestRaised { .. }
            | Event::RequestClosed { .. }
            | Event::Closing { .. }
            | Event::Paused { .. }
            | Event::Resumed { .. }
            | Event::Deleted { .. }
            | Event::Released { .. } => (),
        }
    }

    fn accept(&mut self, message: &Message) {
        if message.to == self.agent {
            self.waiting.insert(message.id, message.clone());
        }
    }

    fn claim(&mut self, claim: &Claim) {
        let frames: Vec<_> = claim.messages.iter().map(|shown| self.show(*shown, claim)).collect();
        if !frames.is_empty() {
            self.unanswered.push(frames);
        }
    }

    fn show(&mut self, shown: Shown, claim: &Claim) -> Frame {
        let message = self.waiting.remove(&shown.id);
        let text = match (&message, &self.reader) {
            (Some(message), Some(reader)) => render(message, shown, claim, reader),
            // Their records are quarantined (LED-1); that something was here is not hidden.
            _ => format!("[message {}: its record could not be read]\n", shown.id),
        };
        Frame { id: shown.id, message, text: text.into() }
    }

    /// Removes what was shown and never answered. A message that goes back waits again.
    fn take_back(&mut self, ids: &[MessageId], waits: bool) {
        for frames in &mut self.unanswered {
            let (taken, kept) = frames.drain(..).partition(|frame| ids.contains(&frame.id));
            *frames = kept;
            let taken: Vec<Frame> = taken;
            let messages = taken.into_iter().filter_map(|frame| frame.message);
            if waits {
                self.waiting.extend(messages.map(|message| (message.id, message)));
            }
        }
        self.unanswered.retain(|frames| !frames.is_empty());
    }

    fn say(&mut self, text: &Arc<str>, calls: &[ToolUse]) {
        self.settle(CUT);
        self.entries.push(Entry::Said { text: text.clone(), calls: calls.to_vec() });
        self.calls = calls.iter().map(|call| (call.clone(), None)).collect();
    }

    fn finish_call(&mut self, place: u32, record: &CallRecord) {
        let place = usize::try_from(place).unwrap_or(usize::MAX);
        if let Some((_, result)) = self.calls.get_mut(place) {
            *result = Some(record.clone());
        }
    }

    fn end_turn(&mut self, end: TurnEnd, of_cut_calls: &str) {
        self.settle(of_cut_calls);
        if end == TurnEnd::Interrupted {
            self.entries.push(Entry::Interrupted);
        }
    }

    /// Nothing more happens to the last step: calls that have no result were cut, and this is said
    /// of them.
    fn settle(&mut self, of_cut_calls: &str) {
        let calls = std::mem::take(&mut self.calls);
        let settled = (0..).zip(results(&calls)).zip(&calls);
        let settled = settled.map(|((place, result), (call, _))| {
            result.unwrap_or_else(|| returned(place, call, cut(of_cut_calls)))
        });
        self.entries.extend(settled);
        let claims = std::mem::take(&mut self.unanswered);
        self.entries.extend(claims.iter().map(|frames| read(frames)));
    }
}

fn results(calls: &[(ToolUse, Option<CallRecord>)]) -> impl Iterator<Item = Option<Entry>> {
    (0..).zip(calls).map(|(place, (call, result))| Some(returned(place, call, result.clone()?)))
}

fn returned(call: u32, used: &ToolUse, record: CallRecord) -> Entry {
    let failed = record.outcome != Outcome::Done.as_str();
    Entry::Returned { call, tool: used.tool.clone(), text: record.text, failed }
}

/// What the model is told of a call that has no result and will get none.
const CUT: &str = "The call was cut when its turn was stopped; what it did is not known.";
/// The same of one that did nothing: its step was recorded after the turn was stopped (INT-6).
const NEVER_STARTED: &str = "The turn was stopped before the call; it was not started.";

fn cut(text: &str) -> CallRecord {
    ToolResult::plain(Outcome::Unknown, text).record()
}

fn read(frames: &[Frame]) -> Entry {
    Entry::Read(frames.iter().map(|frame| frame.text.clone()).collect())
}

#[cfg(test)]
mod tests;
