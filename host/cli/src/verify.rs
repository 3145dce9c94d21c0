//! What a ledger promises, checked from its records alone: first replayed through the machine
//! itself, then looked at by checks that know nothing of it.

mod agents;
mod mail;
mod notices;
mod order;
mod requests;
mod turns;

use serde::Serialize;
use switchboard_core::{Event, Message};
use switchboard_ledger::Stored;

use crate::ledgers::Reading;
use crate::show::words::count;

/// How a ledger stands.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Verdict {
    /// Every check, in order.
    pub checks: Vec<Checked>,
}

/// One check.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Checked {
    /// What must hold.
    pub promise: &'static str,
    /// Where it does not.
    pub problems: Vec<String>,
}

impl Verdict {
    /// Whether every promise holds.
    pub fn holds(&self) -> bool {
        self.checks.iter().all(|check| check.problems.is_empty())
    }
}

/// Looks at one event after the other.
trait Check {
    /// What must hold.
    fn promise(&self) -> &'static str;
    /// The next event; what is wrong with it goes to `found`.
    fn see(&mut self, stored: &Stored, found: &mut Vec<String>);
    /// The end of the ledger.
    fn end(&mut self, _found: &mut Vec<String>) {}
}

/// Checks a ledger that was read.
pub fn verify(reading: &Reading) -> Verdict {
    let mut checks = vec![readable(reading), filed(reading), replays(reading)];
    let all: [Box<dyn Check>; 11] = [
        Box::new(order::Order::default()),
        Box::new(agents::Names::default()),
        Box::new(agents::Incarnations::default()),
        Box::new(mail::Fates::default()),
        Box::new(mail::Showings::default()),
        Box::new(mail::InOrder::default()),
        Box::new(turns::Ends::default()),
        Box::new(turns::Calls::default()),
        Box::new(notices::AfterReports::default()),
        Box::new(notices::KeysOnce::default()),
        Box::new(requests::Answers::default()),
    ];
    checks.extend(all.into_iter().map(|check| run(check, &reading.events)));
    Verdict { checks }
}

fn run(mut check: Box<dyn Check>, events: &[Stored]) -> Checked {
    let mut problems = Vec::new();
    for stored in events {
        check.see(stored, &mut problems);
    }
    check.end(&mut problems);
    Checked { promise: check.promise(), problems }
}

fn readable(reading: &Reading) -> Checked {
    let bad = reading.quarantined.iter();
    let problems = bad.map(|bad| format!("record {}: {}", bad.seq, bad.problem)).collect();
    Checked { promise: "every record can be read", problems }
}

/// Who selects by the columns, as the reading of one agent's records does, finds what they say.
fn filed(reading: &Reading) -> Checked {
    let bad = reading.misfiled.iter();
    let problems = bad.map(|bad| format!("record {}: {}", bad.seq, bad.problem)).collect();
    Checked { promise: "every record is filed under its own kind and agent", problems }
}

/// The machine takes every record, and agrees on what still waits.
fn replays(reading: &Reading) -> Checked {
    let promise = "the machine replays it, and knows the same messages to be waiting";
    let problems = match reading.replayed() {
        Err(problem) => vec![problem],
        Ok(forest) => {
            let waits = forest.agents().map(|agent| {
                let claimed = agent.turn.as_ref().map_or(0, |turn| turn.claimed.len());
                agent.inbox.len() + claimed
            });
            let (machine, here) = (waits.sum::<usize>(), mail::open(&reading.events));
            let differ = (machine != here).then(|| {
                let (machine, here) = (count(machine, "message"), count(here, "message"));
                format!("{machine} wait for the machine, {here} by the records")
            });
            differ.into_iter().collect()
        }
    };
    Checked { promise, problems }
}

/// The message an event puts into an inbox.
fn accepted(event: &Event) -> Option<&Message> {
    match event {
        Event::Accepted { message, .. } => Some(message),
        Event::StartAdmitted { prompt, .. } => Some(prompt),
        Event::Released { notice, .. } => notice.as_ref(),
        _ => None,
    }
}
