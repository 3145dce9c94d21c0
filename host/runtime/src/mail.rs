//! What became of every message: a pure fold over events (FATE-1). A board answers from it what
//! its machine has let go of, and whoever reads a ledger by itself tells the same from it.

use std::collections::BTreeMap;

use serde::Serialize;
use switchboard_core::{
    AgentId, Claim, DropReason, Event, Fate, Message, MessageId, TurnEnd, TurnId, WallTime,
};
use switchboard_ledger::Stored;

/// Where a message stands. It waits and is claimed, perhaps more than once, and ends once
/// (FATE-1).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "standing", rename_all = "kebab-case")]
pub enum Standing {
    /// It is in its target's inbox.
    Waiting {
        /// How often it was shown and put back.
        shown: u32,
        /// How many of those showings count against it (FATE-3).
        attempts: u32,
    },
    /// A turn took it, and no step was made from it yet.
    Claimed {
        /// Which turn.
        turn: TurnId,
        /// The how-manieth showing this is.
        delivery: u32,
        /// How many earlier ones count against it (FATE-3).
        attempts: u32,
    },
    /// A step was made from it (TURN-2).
    Consumed {
        /// In which turn.
        turn: TurnId,
        /// Which step of it, from 0.
        step: u32,
        /// When that was stored.
        at: WallTime,
    },
    /// It was given up.
    Dropped {
        /// Why.
        reason: DropReason,
        /// When that was stored.
        at: WallTime,
    },
}

impl Standing {
    /// What a message begins with.
    const ACCEPTED: Self = Self::Waiting { shown: 0, attempts: 0 };

    /// How it ended; none while it waits or is claimed.
    pub fn fate(self) -> Option<Fate> {
        match self {
            Self::Waiting { .. } | Self::Claimed { .. } => None,
            Self::Consumed { .. } => Some(Fate::Consumed),
            Self::Dropped { reason, .. } => Some(reason.fate()),
        }
    }

    fn claimed(self, turn: TurnId, delivery: u32) -> Self {
        match self {
            Self::Waiting { attempts, .. } | Self::Claimed { attempts, .. } => {
                Self::Claimed { turn, delivery, attempts }
            }
            ended => ended,
        }
    }

    fn put_back(self, attempt: bool) -> Self {
        match self {
            Self::Claimed { delivery: shown, attempts, .. } => {
                Self::Waiting { shown, attempts: attempts.saturating_add(attempt.into()) }
            }
            other => other,
        }
    }
}

/// One showing of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Showing {
    /// In which turn.
    pub turn: TurnId,
    /// Before which step.
    pub step: u32,
    /// It came into a turn that was running already.
    pub steered: bool,
    /// When that was stored.
    pub at: WallTime,
}

/// An accepted message and what became of it.
#[derive(Clone, Debug, Serialize)]
pub struct Mail {
    /// The message.
    pub message: Message,
    /// The place of its acceptance in the ledger.
    pub seq: u64,
    /// Where it was shown, in order.
    pub showings: Vec<Showing>,
    /// Where it stands.
    #[serde(flatten)]
    pub standing: Standing,
}

/// Every message of the events taken in, in order of acceptance. An event about a message whose
/// acceptance was not among them changes nothing.
#[derive(Clone, Debug, Default)]
pub struct Mailbag(BTreeMap<MessageId, Mail>);

impl Mailbag {
    /// Takes in the next event.
    pub fn take(&mut self, stored: &Stored) {
        let (seq, at) = (stored.seq, stored.at);
        match &stored.event {
            Event::Accepted { message, .. }
            | Event::StartAdmitted { prompt: message, .. }
            | Event::Released { notice: Some(message), .. } => self.accept(seq, message),
            Event::TurnOpened { turn, claim, .. } => {
                self.show(claim, Showing { turn: *turn, step: 0, steered: false, at });
            }
            Event::Claimed { turn, step, claim, .. } => {
                self.show(claim, Showing { turn: *turn, step: *step, steered: *step > 0, at });
            }
            Event::ClaimReturned { messages, attempt, .. } => self.put_back(messages, *attempt),
            Event::StepRecorded { turn, step, consumed, .. } => {
                self.end(consumed, Standing::Consumed { turn: *turn, step: *step, at });
            }
            Event::TurnEnded { end, dropped, returned, .. } => {
                // Being put away is no failure; any other end without a step counts (FATE-3).
                self.put_back(returned, *end != TurnEnd::Aborted);
                self.end(dropped, Standing::Dropped { reason: DropReason::Interrupted, at });
            }
            Event::Dropped { messages, reason, .. } => {
                self.end(messages, Standing::Dropped { reason: *reason, at });
            }
            Event::StartWithdrawn { agent, reason } => {
                self.withdraw(*agent, Standing::Dropped { reason: *reason, at });
            }
            Event::ForestOpened { .. }
            | Event::HostStarted
            | Event::AgentRegistered { .. }
            | Event::ResumeOrdered { .. }
            | Event::Published { .. }
            | Event::ResumeFailed { .. }
            | Event::CallEnded { .. }
            | Event::InterruptAdmitted { .. }
            | Event::RequestRaised { .. }
            | Event::RequestClosed { .. }
            | Event::Closing { .. }
            | Event::Paused { .. }
            | Event::Resumed { .. }
            | Event::Deleted { .. }
            | Event::Released { notice: None, .. } => (),
        }
    }

    /// The message of this id.
    pub fn get(&self, id: MessageId) -> Option<&Mail> {
        self.0.get(&id)
    }

    /// All of them, in order of acceptance.
    pub fn values(&self) -> impl DoubleEndedIterator<Item = &Mail> {
        self.0.values()
    }

    fn accept(&mut self, seq: u64, message: &Message) {
        let (message, showings, standing) = (message.clone(), Vec::new(), Standing::ACCEPTED);
        self.0.insert(message.id, Mail { message, seq, showings, standing });
    }

    fn show(&mut self, claim: &Claim, showing: Showing) {
        for shown in &claim.messages {
            if let Some(mail) = self.0.get_mut(&shown.id) {
                mail.standing = mail.standing.claimed(showing.turn, shown.delivery);
                mail.showings.push(showing);
            }
        }
    }

    fn put_back(&mut self, messages: &[MessageId], attempt: bool) {
        self.change(messages, |standing| standing.put_back(attempt));
    }

    fn end(&mut self, messages: &[MessageId], end: Standing) {
        self.change(messages, |_| end);
    }

    fn change(&mut self, messages: &[MessageId], change: impl Fn(Standing) -> Standing) {
        for id in messages {
            if let Some(mail) = self.0.get_mut(id) {
                mail.standing = change(mail.standing);
            }
        }
    }

    /// Everything in the inbox of a child that will not be goes with its start.
    fn withdraw(&mut self, child: AgentId, end: Standing) {
        let lost = |mail: &&mut Mail| mail.message.to == child && mail.standing.fate().is_none();
        self.0.values_mut().filter(lost).for_each(|mail| mail.standing = end);
    }
}
