//! What happened, put together from all events of a ledger: messages, turns, calls, stays,
//! interrupts. The longer views are made from this.

use std::collections::{BTreeMap, BTreeSet};

use switchboard_core::{
    AgentId, EndReason, Event, Handshake, Incarnation, Interruption, MessageId, RequestEnd,
    TurnEnd, TurnId, Usage, WallTime,
};
use switchboard_ledger::Stored;
use switchboard_runtime::Mailbag;

use crate::show::book::Book;

/// A whole run.
#[derive(Clone, Debug, Default)]
pub struct Chronicle {
    /// Who is called what.
    pub book: Book,
    /// Accepted messages, in order of acceptance.
    pub messages: Mailbag,
    /// Turns, in order.
    pub turns: BTreeMap<TurnId, Turn>,
    /// Tool calls, in order of their start.
    pub calls: Vec<Call>,
    /// Stays in memory, in order of their beginning.
    pub stays: Vec<Stay>,
    /// Interrupts, in order.
    pub interrupts: Vec<Interrupt>,
    /// Agents that agreed to come to an end, and were not brought back.
    pub agreed: BTreeSet<AgentId>,
    /// How many events there are.
    pub events: usize,
    /// The place of the last one; it is more than their number if some could not be read.
    pub last: u64,
}

/// A turn.
#[derive(Clone, Debug)]
pub struct Turn {
    /// Whose.
    pub agent: AgentId,
    /// How many steps were recorded.
    pub steps: u32,
    /// How it ended, and with what remark; none while it is open.
    pub end: Option<(TurnEnd, Option<String>)>,
    /// The last words recorded in it.
    pub said: std::sync::Arc<str>,
}

/// A tool call.
#[derive(Clone, Debug)]
pub struct Call {
    /// Whose.
    pub agent: AgentId,
    /// In which turn, which step, at which place.
    pub place: (TurnId, u32, u32),
    /// The tool.
    pub tool: String,
    /// How it ended, and what it used; none while it runs, or if it was cut.
    pub end: Option<(String, Usage)>,
    /// It was in flight when its turn was ended.
    pub cut: bool,
}

/// One stay of an agent in memory.
#[derive(Clone, Debug)]
pub struct Stay {
    /// Whose.
    pub agent: AgentId,
    /// Which.
    pub incarnation: Incarnation,
    /// How it came about.
    pub began: Began,
    /// When.
    pub from: WallTime,
    /// How it ended, and what the parent was told.
    pub end: Option<(EndReason, Option<MessageId>)>,
}

/// How a stay came about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Began {
    /// It is the first one.
    First,
    /// The agent had been put away.
    ColdResume,
    /// The host was restarted, or the agent had failed.
    Rebuilt,
}

/// An admitted interrupt.
#[derive(Clone, Debug)]
pub struct Interrupt {
    /// When.
    pub at: WallTime,
    /// By whom; none is the person.
    pub by: Option<AgentId>,
    /// What was answered.
    pub answer: Interruption,
    /// Why.
    pub reason: Option<String>,
}

impl Chronicle {
    /// Puts these events together.
    pub fn of<'a>(events: impl IntoIterator<Item = &'a Stored>) -> Self {
        let mut chronicle = Self::default();
        events.into_iter().for_each(|stored| chronicle.take(stored));
        chronicle
    }

    /// Takes in the next event.
    pub fn take(&mut self, stored: &Stored) {
        self.events += 1;
        self.last = stored.seq;
        self.book.learn(&stored.event);
        self.messages.take(stored);
        match &stored.event {
            Event::ResumeOrdered { agent, incarnation } => {
                self.agreed.remove(agent);
                let before = self.stays.iter().rev().find(|stay| stay.agent == *agent);
                let away = before.is_none_or(|stay| stay.end.is_some());
                let began = if away { Began::ColdResume } else { Began::Rebuilt };
                self.stay(*agent, *incarnation, began, stored.at);
            }
            Event::Published { agent, incarnation } => {
                if self.last_stay(*agent).is_none_or(|stay| stay.incarnation != *incarnation) {
                    self.stay(*agent, *incarnation, Began::First, stored.at);
                }
            }
            Event::TurnOpened { agent, turn, .. } => {
                let opened = Turn { agent: *agent, steps: 0, end: None, said: "".into() };
                self.turns.insert(*turn, opened);
            }
            Event::StepRecorded { .. } => self.step(&stored.event),
            Event::CallEnded { turn, step, call, record, .. } => {
                let place = (*turn, *step, *call);
                if let Some(call) = self.calls.iter_mut().rev().find(|call| call.place == place) {
                    call.end = Some((record.outcome.clone(), record.usage));
                }
            }
            Event::TurnEnded { turn, end, cut, note, .. } => {
                if let Some(turn) = self.turns.get_mut(turn) {
                    turn.end = Some((*end, note.clone()));
                }
                self.cut(*turn, cut);
            }
            Event::InterruptAdmitted { by, answer, reason, .. } => {
                self.interrupts.push(Interrupt {
                    at: stored.at,
                    by: *by,
                    answer: answer.clone(),
                    reason: reason.clone(),
                })
            }
            Event::RequestClosed { agent, end: RequestEnd::Answered(reply), .. } => {
                if reply.kind() == Handshake::Shutdown && reply.approves() {
                    self.agreed.insert(*agent);
                }
            }
            Event::RequestClosed { .. } => {}
            Event::Released { agent, incarnation, reason, notice, .. } => {
                let this =
                    |stay: &&mut Stay| (stay.agent, stay.incarnation) == (*agent, *incarnation);
                if let Some(stay) = self.stays.iter_mut().rev().find(this) {
                    stay.end = Some((*reason, notice.as_ref().map(|notice| notice.id)));
                }
            }
            Event::ForestOpened { .. }
            | Event::HostStarted
            | Event::AgentRegistered { .. }
            | Event::StartAdmitted { .. }
            | Event::StartWithdrawn { .. }
            | Event::ResumeFailed { .. }
            | Event::Accepted { .. }
            | Event::Claimed { .. }
            | Event::ClaimReturned { .. }
            | Event::RequestRaised { .. }
            | Event::Dropped { .. }
            | Event::Closing { .. }
            | Event::Paused { .. }
            | Event::Resumed { .. }
            | Event::Deleted { .. } => {}
        }
    }

    /// The stays of one agent, in order.
    pub fn stays_of(&self, agent: AgentId) -> impl Iterator<Item = &Stay> {
        self.stays.iter().filter(move |stay| stay.agent == agent)
    }

    /// The last turn of an agent.
    pub fn last_turn(&self, agent: AgentId) -> Option<(&TurnId, &Turn)> {
        self.turns.iter().rev().find(|(_, turn)| turn.agent == agent)
    }

    fn last_stay(&self, agent: AgentId) -> Option<&Stay> {
        self.stays.iter().rev().find(|stay| stay.agent == agent)
    }

    fn stay(&mut self, agent: AgentId, incarnation: Incarnation, began: Began, from: WallTime) {
        self.stays.push(Stay { agent, incarnation, began, from, end: None });
    }

    fn step(&mut self, event: &Event) {
        let Event::StepRecorded { agent, turn, step, text, calls, .. } = event else { return };
        if let Some(turn) = self.turns.get_mut(turn) {
            turn.steps = step.saturating_add(1);
            turn.said = text.clone();
        }
        self.calls.extend((0..).zip(calls).map(|(place, call)| Call {
            agent: *agent,
            place: (*turn, *step, place),
            tool: call.tool.clone(),
            end: None,
            cut: false,
        }));
    }

    /// Marks calls of a turn's last step.
    fn cut(&mut self, turn: TurnId, cut: &[u32]) {
        let in_flight = |call: &&mut Call| {
            call.place.0 == turn && call.end.is_none() && cut.contains(&call.place.2)
        };
        self.calls.iter_mut().filter(in_flight).for_each(|call| call.cut = true);
    }
}
