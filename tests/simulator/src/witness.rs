//! What everybody in a history was told and saw, and what of it is not as it should be.

use std::collections::{BTreeMap, BTreeSet};

use switchboard_core::{
    AgentId, Code, Interruption, Receipt, Recipient, Refusal, Started, Stop, Stopped, TurnId,
};
use switchboard_runtime::{Entry, Sent};

use crate::book::Book;

/// Which call of which step.
pub(crate) type CallId = (TurnId, u32, u32);

/// Somebody hands in words, perhaps not for the first time: a call that is run again does.
#[derive(Debug)]
pub(crate) struct Attempt {
    /// How many records there were when it began.
    pub(crate) began: u64,
    pub(crate) told: Told,
}

/// What came of an attempt, as far as its maker knows.
#[derive(Debug, Default)]
pub(crate) struct Told {
    /// Who got it.
    pub(crate) accepted: Vec<Receipt>,
    pub(crate) started: Option<Started>,
    /// For whom it was refused; none if it was for one, or for nobody yet.
    pub(crate) refused: Vec<(Option<AgentId>, Refusal)>,
}

/// The last question a model was asked for an agent.
#[derive(Debug)]
pub(crate) struct LastAsk {
    pub(crate) turn: TurnId,
    pub(crate) step: u32,
    pub(crate) transcript: Vec<Entry>,
}

/// All that was seen. It outlives hosts; what is under way ends with them.
#[derive(Debug, Default)]
pub(crate) struct Witness {
    pub(crate) problems: Vec<String>,
    pub(crate) tally: BTreeMap<String, u64>,
    /// By their words.
    pub(crate) attempts: BTreeMap<String, Vec<Attempt>>,
    pub(crate) asked: BTreeMap<AgentId, LastAsk>,
    /// How often each call began that may have done something.
    effects: BTreeMap<CallId, u32>,
    asking: BTreeSet<AgentId>,
    calling: BTreeSet<CallId>,
    /// Turns of which somebody was told that they are being stopped.
    stopping: BTreeSet<TurnId>,
}

/// More are no help.
const PROBLEMS: usize = 20;

impl Witness {
    pub(crate) fn object(&mut self, problem: impl Into<String>) {
        if self.problems.len() < PROBLEMS {
            self.problems.push(problem.into());
        }
    }

    pub(crate) fn count(&mut self, what: impl Into<String>) {
        *self.tally.entry(what.into()).or_default() += 1;
    }

    /// Nothing runs in a host that starts.
    pub(crate) fn host_starts(&mut self) {
        self.asking.clear();
        self.calling.clear();
    }

    /// Begins an attempt, and says which of these words it is.
    pub(crate) fn attempt(&mut self, words: &str, book: &Book) -> usize {
        let attempts = self.attempts.entry(words.to_owned()).or_default();
        attempts.push(Attempt { began: book.len, told: Told::default() });
        attempts.len() - 1
    }

    /// SEND-12: what one is told of is stored.
    pub(crate) fn sent(
        &mut self,
        (words, nth): (&str, usize),
        answer: &Result<Sent, Refusal>,
        book: &Book,
    ) {
        let mut told = Told::default();
        match answer {
            Ok(Sent::ToOne(receipt)) => told.accepted.push(receipt.clone()),
            Ok(Sent::ToMany(recipients)) => {
                for Recipient { to, outcome, .. } in recipients {
                    match outcome {
                        Ok(receipt) => told.accepted.push(receipt.clone()),
                        Err(refusal) => told.refused.push((Some(*to), refusal.clone())),
                    }
                }
            }
            Err(refusal) => told.refused.push((None, refusal.clone())),
        }
        for receipt in &told.accepted {
            self.count("receipts");
            self.check_receipt(words, receipt, book);
        }
        told.refused.iter().for_each(|(_, refusal)| self.count_refusal(refusal));
        self.tell(words, nth, told);
    }

    pub(crate) fn started(
        &mut self,
        (words, nth): (&str, usize),
        answer: &Result<Started, Refusal>,
        book: &Book,
    ) {
        let mut told = Told::default();
        match answer {
            Ok(started) => {
                self.count("starts answered");
                if !book.agents.contains(&started.agent) {
                    self.object(format!("START-1: {} is answered and not stored", started.agent));
                }
                told.started = Some(started.clone());
            }
            Err(refusal) => {
                self.count_refusal(refusal);
                told.refused.push((None, refusal.clone()));
            }
        }
        self.tell(words, nth, told);
    }

    pub(crate) fn interrupted(&mut self, answer: &Result<Interruption, Refusal>, book: &Book) {
        match answer {
            Ok(answer) => {
                self.count("interrupts answered");
                if !book.interruptions.contains(answer) {
                    self.object(format!("INT-2: {answer:?} is answered and not stored"));
                }
                let stopped = std::iter::once(&answer.target).chain(&answer.below);
                self.stopping.extend(stopped.filter_map(cancelling));
            }
            Err(refusal) => self.count_refusal(refusal),
        }
    }

    pub(crate) fn count_refusal(&mut self, refusal: &Refusal) {
        let uncertain = if refusal.uncertain { ", uncertain" } else { "" };
        self.count(format!("refused {}{uncertain}", refusal.code));
    }

    /// A model is asked for an agent. At once only one loop asks for it.
    pub(crate) fn asks(&mut self, agent: AgentId, ask: LastAsk) {
        self.count("models asked");
        if !self.asking.insert(agent) {
            self.object(format!("two loops of {agent} ask at once"));
        }
        self.asked.insert(agent, ask);
    }

    pub(crate) fn asked(&mut self, agent: AgentId) {
        self.asking.remove(&agent);
    }

    /// A tool is called: what asked for it is stored, nobody stopped its turn, and nobody else
    /// makes this call.
    pub(crate) fn calls(&mut self, call: CallId, tool: &str, effectful: bool, book: &Book) {
        self.count(format!("calls of {tool}"));
        let (turn, step, place) = call;
        let named = book.steps.get(&(turn, step)).and_then(|tools| tools.get(place as usize));
        if named.is_none_or(|named| named != tool) {
            self.object(format!("TURN-1: {call:?} starts and no stored step asks for it"));
        }
        if self.stopping.contains(&turn) {
            self.object(format!("INT-6: {call:?} starts after its turn was stopped"));
        }
        if !self.calling.insert(call) {
            self.object(format!("{call:?} runs twice at once"));
        }
        let before = self.effects.entry(call).or_default();
        *before += u32::from(effectful);
        if *before > 1 {
            self.object(format!("TURN-3: {call:?} may have done something and is run again"));
        }
    }

    pub(crate) fn called(&mut self, call: CallId) {
        self.calling.remove(&call);
    }

    fn check_receipt(&mut self, words: &str, receipt: &Receipt, book: &Book) {
        let Receipt { message, to, .. } = receipt;
        match book.messages.get(message) {
            None => self.object(format!("SEND-12: there is a receipt for {message}, not stored")),
            Some(message) => {
                if message.to != *to || message.content.plain() != words {
                    self.object(format!("{receipt:?} for `{words}` is about {message:?}"));
                }
            }
        }
    }

    fn tell(&mut self, words: &str, nth: usize, told: Told) {
        if let Some(attempt) = self.attempts.get_mut(words).and_then(|made| made.get_mut(nth)) {
            attempt.told = told;
        }
    }
}

fn cancelling(stopped: &Stopped) -> Option<TurnId> {
    match stopped.stop {
        Stop::Cancelling(turn) => Some(turn),
        Stop::AlreadyIdle | Stop::AlreadyFinished | Stop::TurnMoved(_) | Stop::NotStarted => None,
    }
}

/// Codes with which the shell refuses, whatever the machine would have said.
pub(crate) fn of_the_shell(code: Code) -> bool {
    matches!(code, Code::Draining | Code::LedgerUnavailable | Code::Internal)
}
