//! What an agent has read and said last: a pure fold over its record (OBS-1). It keeps as much as
//! it shows, however long the record is. Reasoning is in no record, and the results of tools are
//! their caller's own.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use switchboard_core::{
    AgentId, AgentName, Claim, Event, Message, MessageId, MessageKind, Sender, Target, ToolUse,
    TurnEnd, WallTime, words,
};
use switchboard_ledger::{Quarantined, Stored};

/// A question for what an agent has read and said last.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecentQuery {
    /// Whose messages.
    pub target: Target,
    /// How many, 1 to [`Recent::MOST`]; [`Recent::USUAL`] if none.
    pub limit: Option<u32>,
    /// Characters shown of each, [`Recent::LEAST_CHARS`] to [`Recent::MOST_CHARS`];
    /// [`Recent::USUAL_CHARS`] if none.
    pub max_chars: Option<u32>,
    /// Only what is older than this: [`Recent::older`] of an answer before.
    pub before: Option<Place>,
}

/// Where a message stands in its agent's record. It stays there for ever.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    seq: u64,
    part: u32,
}

impl fmt::Display for Place {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}.{}", self.seq, self.part)
    }
}

impl FromStr for Place {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let place = text.split_once('.').and_then(|(seq, part)| {
            Some(Self { seq: seq.parse().ok()?, part: part.parse().ok()? })
        });
        place.ok_or_else(|| "this cursor is none that was given out; leave it out".to_owned())
    }
}

/// What an agent has read and said last.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recent {
    /// Whose.
    pub agent: AgentId,
    /// Its name.
    pub name: AgentName,
    /// The messages, newest last.
    pub messages: Vec<RecentMessage>,
    /// With this there is more to be had, older than all of these.
    pub older: Option<Place>,
    /// How many of all its records cannot be read. Each is shown in its place.
    pub unreadable: u32,
}

impl Recent {
    /// Messages of an answer unless it is said.
    pub const USUAL: u32 = 8;
    /// Messages of an answer at most.
    pub const MOST: u32 = 50;
    /// Characters of a message unless it is said.
    pub const USUAL_CHARS: u32 = 800;
    /// Characters of a message, as few as may be asked for.
    pub const LEAST_CHARS: u32 = 80;
    /// Characters of a message at most.
    pub const MOST_CHARS: u32 = 2_000;
}

/// One message of an agent's record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecentMessage {
    /// What it is.
    pub what: What,
    /// When it was stored.
    pub at: WallTime,
    /// Its words, or the beginning of them.
    pub text: String,
    /// How many characters it has in all.
    pub chars: u64,
}

/// What stands in an agent's record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum What {
    /// It read a message.
    Read {
        /// Which.
        message: MessageId,
        /// Who sent it, and what it is; none if its record cannot be read.
        of: Option<(Sender, MessageKind)>,
    },
    /// It wrote something, or called tools, or both.
    Wrote {
        /// The tools, each with how it ended; none while it runs.
        calls: Vec<(String, Option<String>)>,
    },
    /// Its turn was stopped.
    Interrupted,
    /// A record that cannot be read (LED-1).
    Unreadable,
}

/// How a call ended that was stopped with its turn, and one that had not begun (INT-6).
const CUT: &str = "cut";
const NEVER_STARTED: &str = "not-started";
/// In place of a message whose record cannot be read.
const MISSING: &str = "The record of this message cannot be read.";
/// Characters of a tool's name: a model may write any.
const TOOL_CHARS: usize = 64;

/// The fold.
#[derive(Debug)]
pub(crate) struct Fold {
    agent: AgentId,
    most: usize,
    chars: usize,
    before: Option<Place>,
    /// Accepted and not shown.
    waiting: BTreeMap<MessageId, Message>,
    /// Shown, and no step was made from it yet.
    unanswered: Vec<Shown>,
    /// The newest ones before `before`.
    kept: BTreeMap<Place, RecentMessage>,
    /// Where the last step is.
    step: Option<Place>,
}

#[derive(Debug)]
struct Shown {
    place: Place,
    at: WallTime,
    id: MessageId,
    message: Option<Message>,
}

impl Fold {
    /// Keeps the last so many messages that stand before a place, and so many characters of each.
    pub(crate) fn new(agent: AgentId, most: usize, chars: usize, before: Option<Place>) -> Self {
        Self {
            agent,
            most,
            chars,
            before,
            waiting: BTreeMap::new(),
            unanswered: Vec::new(),
            kept: BTreeMap::new(),
            step: None,
        }
    }

    /// Takes in the next event of the agent's record.
    pub(crate) fn take(&mut self, stored: &Stored) {
        let (place, at) = (Place { seq: stored.seq, part: 0 }, stored.at);
        match &stored.event {
            Event::StartAdmitted { prompt: message, .. } | Event::Accepted { message, .. } => {
                self.waiting.insert(message.id, message.clone());
            }
            Event::TurnOpened { claim, .. } | Event::Claimed { claim, .. } => {
                self.show(place, claim, at);
            }
            Event::ClaimReturned { messages, .. } => self.take_back(messages, true),
            Event::StepRecorded { text, calls, .. } => self.write(place, at, text, calls),
            Event::CallEnded { call, record, .. } => self.end_call(*call, &record.outcome),
            Event::TurnEnded { end, dropped, returned, cut, never_started, .. } => {
                self.take_back(dropped, false);
                self.take_back(returned, true);
                self.answer();
                let how = if *never_started { NEVER_STARTED } else { CUT };
                cut.iter().for_each(|call| self.end_call(*call, how));
                if *end == TurnEnd::Interrupted {
                    self.keep(place, What::Interrupted, at, "");
                }
            }
            Event::Dropped { messages, .. } => {
                self.take_back(messages, false);
                messages.iter().for_each(|id| drop(self.waiting.remove(id)));
            }
            Event::ForestOpened { .. }
            | Event::HostStarted
            | Event::AgentRegistered { .. }
            | Event::StartWithdrawn { .. }
            | Event::ResumeOrdered { .. }
            | Event::Published { .. }
            | Event::ResumeFailed { .. }
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

    /// The messages, oldest first and one more than asked for if there is one, each with its place.
    pub(crate) fn finish(mut self, unreadable: &[Quarantined]) -> BTreeMap<Place, RecentMessage> {
        self.answer();
        for bad in unreadable {
            let text = format!("The record {} of {} cannot be read.", bad.seq, self.agent);
            self.keep(Place { seq: bad.seq, part: 0 }, What::Unreadable, WallTime(0), &text);
        }
        self.kept
    }

    fn show(&mut self, claimed: Place, claim: &Claim, at: WallTime) {
        for (part, shown) in (0..).zip(&claim.messages) {
            let (id, place) = (shown.id, Place { part, ..claimed });
            let message = self.waiting.remove(&id);
            self.unanswered.push(Shown { place, at, id, message });
        }
    }

    fn take_back(&mut self, ids: &[MessageId], waits: bool) {
        for shown in self.unanswered.extract_if(.., |shown| ids.contains(&shown.id)) {
            if let Some(message) = shown.message.filter(|_| waits) {
                self.waiting.insert(shown.id, message);
            }
        }
    }

    /// What was shown stays: a step was made from it, or its turn is over.
    fn answer(&mut self) {
        for Shown { place, at, id, message } in std::mem::take(&mut self.unanswered) {
            let text = message.as_ref().map_or_else(|| MISSING.to_owned(), words);
            self.keep(place, read(id, message), at, &text);
        }
    }

    fn write(&mut self, place: Place, at: WallTime, text: &str, calls: &[ToolUse]) {
        self.answer();
        let calls = calls.iter().map(|call| (tool_name(&call.tool), None)).collect();
        self.keep(place, What::Wrote { calls }, at, text);
        self.step = Some(place);
    }

    fn end_call(&mut self, call: u32, how: &str) {
        let step = self.step.and_then(|step| self.kept.get_mut(&step));
        let Some(RecentMessage { what: What::Wrote { calls }, .. }) = step else { return };
        if let Some((_, outcome)) = calls.get_mut(call as usize) {
            *outcome = Some(how.to_owned());
        }
    }

    fn keep(&mut self, place: Place, what: What, at: WallTime, text: &str) {
        if self.before.is_some_and(|before| place >= before) {
            return;
        }
        self.kept.insert(place, excerpt(what, at, text, self.chars));
        if self.kept.len() > self.most + 1 {
            self.kept.pop_first();
        }
    }
}

impl RecentMessage {
    /// The message it is, if that stands in no record of its reader: what the host says at the end
    /// of a child's stay stands in the child's (SET-2).
    pub(crate) fn missing(&self) -> Option<MessageId> {
        match self.what {
            What::Read { message, of: None } => Some(message),
            _ => None,
        }
    }

    /// Says what that message is.
    pub(crate) fn fill_in(&mut self, message: &Message, chars: usize) {
        let what = read(message.id, Some(message.clone()));
        *self = excerpt(what, self.at, &words(message), chars);
    }
}

fn read(id: MessageId, message: Option<Message>) -> What {
    What::Read { message: id, of: message.map(|message| (message.from, message.kind)) }
}

/// One word, whatever a model wrote.
fn tool_name(written: &str) -> String {
    let odd = |letter: char| letter.is_whitespace() || letter.is_control();
    written.chars().take(TOOL_CHARS).map(|letter| if odd(letter) { '_' } else { letter }).collect()
}

fn excerpt(what: What, at: WallTime, text: &str, chars: usize) -> RecentMessage {
    let text = text.trim_end();
    let cut = text.char_indices().nth(chars).map_or(text.len(), |(place, _)| place);
    RecentMessage { what, at, text: text[..cut].to_owned(), chars: text.chars().count() as u64 }
}
