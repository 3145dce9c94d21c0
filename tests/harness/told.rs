//! What a ledger says of a run: read with the product's own reader, judged by its own verification.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use switchboard_cli::ledgers::{Reading, is_over, read};
use switchboard_cli::show::book::kind;
use switchboard_cli::show::chronicle::Chronicle;
use switchboard_cli::verify::verify;
use switchboard_core::{AgentId, Event, MessageKind, Stop, TurnEnd};
use switchboard_runtime::Mail;

/// A run as its ledger tells it.
#[derive(Debug)]
pub(crate) struct Told {
    /// Its events.
    pub(crate) reading: Reading,
    /// The same, put together.
    pub(crate) chronicle: Chronicle,
}

/// What was said, without what differs between any two runs: ids, times, order.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Said {
    /// The sender's name.
    pub(crate) from: String,
    /// The target's name.
    pub(crate) to: String,
    /// What it is.
    pub(crate) kind: &'static str,
    /// The body, or what a notice is about.
    pub(crate) body: String,
}

impl Told {
    /// What this ledger says.
    ///
    /// # Panics
    /// It cannot be read.
    pub(crate) fn of(ledger: &Path) -> Self {
        let reading = read(ledger).unwrap_or_else(|failure| panic!("{failure}"));
        let chronicle = Chronicle::of(&reading.events);
        Self { reading, chronicle }
    }

    /// What should not be so in a run that is over.
    pub(crate) fn problems(&self) -> Vec<String> {
        let broken = verify(&self.reading).checks.into_iter();
        let mut problems: Vec<_> = broken.flat_map(|check| check.problems).collect();
        if !is_over(&self.reading.events) {
            problems.push("the run is not over".to_owned());
        }
        let waiting =
            self.chronicle.messages.values().filter(|mail| mail.standing.fate().is_none());
        problems.extend(waiting.map(|mail| format!("{} has no fate", mail.message.id)));
        problems.extend(self.went_on());
        problems
    }

    /// Turns that were told to stop and went on (INT-6, TURN-4).
    fn went_on(&self) -> impl Iterator<Item = String> {
        let mut stopping = BTreeSet::new();
        self.events().filter_map(move |event| match event {
            Event::InterruptAdmitted { answer, .. } => {
                let stopped = std::iter::once(&answer.target).chain(&answer.below);
                stopping.extend(stopped.filter_map(|one| match one.stop {
                    Stop::Cancelling(turn) => Some(turn),
                    _ => None,
                }));
                None
            }
            Event::StepRecorded { turn, step, .. } if stopping.contains(turn) => {
                Some(format!("{turn} was told to stop and made step {step}"))
            }
            Event::TurnEnded { turn, end, .. } if stopping.contains(turn) => {
                let other = *end != TurnEnd::Interrupted;
                other.then(|| format!("{turn} was told to stop and ended as {end}"))
            }
            _ => None,
        })
    }

    /// Everything that was said, sorted: a multiset.
    pub(crate) fn said(&self) -> Vec<Said> {
        let mut said: Vec<_> =
            self.chronicle.messages.values().map(|mail| self.one(mail)).collect();
        said.sort();
        said
    }

    fn one(&self, Mail { message, .. }: &Mail) -> Said {
        let book = &self.chronicle.book;
        let body = match &message.kind {
            MessageKind::Notice(notice) => {
                let text = serde_json::to_string(notice).expect("a notice is writable");
                text.replace(&message.to.tag().to_string(), "")
            }
            _ => message.content.plain(),
        };
        let (from, to) = (book.sender(&message.from), book.label(message.to));
        Said { from, to, kind: kind(&message.kind), body }
    }

    /// What the root said last.
    pub(crate) fn report(&self) -> &str {
        let turn = self.chronicle.last_turn(self.agent("lead"));
        turn.map_or("", |(_, turn)| &turn.said)
    }

    /// The agent that is called so.
    ///
    /// # Panics
    /// There is none.
    pub(crate) fn agent(&self, name: &str) -> AgentId {
        let found = self.chronicle.book.find(name);
        found.unwrap_or_else(|| panic!("there is no {name}"))
    }

    /// Its events, without when and where they were stored.
    pub(crate) fn events(&self) -> impl Iterator<Item = &Event> {
        self.reading.events.iter().map(|stored| &stored.event)
    }

    /// What the calls of an agent came to, in the order it made them: the outcome and the text.
    pub(crate) fn results(&self, name: &str) -> Vec<(&str, &str)> {
        let caller = self.agent(name);
        let results = self.events().filter_map(|event| match event {
            Event::CallEnded { agent, turn, step, call, record } if *agent == caller => {
                Some(((turn, step, call), (record.outcome.as_str(), record.text.as_str())))
            }
            _ => None,
        });
        results.collect::<BTreeMap<_, _>>().into_values().collect()
    }

    /// Messages with these words at the beginning of a line.
    pub(crate) fn mail<'a>(&'a self, words: &'a str) -> impl Iterator<Item = &'a Mail> {
        let says = move |mail: &&Mail| {
            let body = mail.message.content.plain();
            body.lines().any(|line| line.starts_with(words))
        };
        self.chronicle.messages.values().filter(says)
    }
}
