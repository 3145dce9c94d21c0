//! `ledger show`, `ledger message` and `ledger verify`: they read the ledger alone, also while a
//! host writes it.

use std::path::Path;

use serde::Serialize;
use switchboard_core::{AgentId, Event, IdError, MessageId, Sender};
use switchboard_runtime::Mail;

use crate::arguments::{LedgerMessage, LedgerShow, LedgerVerify};
use crate::console::Console;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::ledgers::{Reading, named_or_newest, of_tag, read};
use crate::show::book::Book;
use crate::show::chronicle::Chronicle;
use crate::show::letter::letter;
use crate::show::line::line;
use crate::show::paint::{Paint, Role};
use crate::show::record::Record;
use crate::show::safe;
use crate::show::story::story;
use crate::show::words::count;
use crate::verify::{Verdict, verify as judge};

pub(super) fn show(arguments: LedgerShow, console: &Console) -> Result<Exit, Failure> {
    let reading = read(&named_or_newest(arguments.ledger)?)?;
    let wanted = arguments.agent.map(|name| find(&reading, &name)).transpose()?;
    let mut book = Book::default();
    for stored in &reading.events {
        book.learn(&stored.event);
        if wanted.is_some_and(|agent| !concerns(&stored.event, agent)) {
            continue;
        }
        if arguments.json {
            console.json(&Record::from(stored))?;
        } else {
            console.line(&line(&book, console.paint, stored));
        }
    }
    warn_of_unreadable(&reading, console);
    Ok(Exit::Done)
}

fn warn_of_unreadable(reading: &Reading, console: &Console) {
    for bad in &reading.quarantined {
        let problem = safe::line(&bad.problem, 160);
        console.warn(&format!("record {} cannot be read: {problem}", bad.seq));
    }
}

/// Whether it belongs to the agent, or is what the agent said.
fn concerns(event: &Event, agent: AgentId) -> bool {
    let said = match event {
        Event::Accepted { message, .. } => {
            matches!(&message.from, Sender::Agent { id, .. } if *id == agent)
        }
        Event::StartAdmitted { parent, .. } => *parent == agent,
        Event::InterruptAdmitted { by, .. }
        | Event::RequestRaised { by, .. }
        | Event::RequestClosed { by, .. } => *by == Some(agent),
        _ => false,
    };
    said || event.agent() == Some(agent)
}

fn find(reading: &Reading, name: &str) -> Result<AgentId, Failure> {
    let mut book = Book::default();
    reading.events.iter().for_each(|stored| book.learn(&stored.event));
    book.find(name).ok_or_else(|| {
        let known: Vec<_> = book.agents().map(|agent| book.label(agent)).collect();
        let nearest = crate::crew::keys::suggestion(name, known.iter().map(String::as_str));
        let ledger = reading.path.display();
        let failure = Failure::usage(format!("there is no agent `{name}` in {ledger}{nearest}"));
        let tag = name.parse::<AgentId>().ok().map(|id| id.tag());
        match tag.filter(|tag| reading.tag() != Some(*tag)) {
            None => failure.next("name one of those"),
            Some(tag) => {
                let other =
                    of_tag(tag).map_or("LEDGER".to_owned(), |path| path.display().to_string());
                let show = format!("switchboard ledger show {other} --agent {name}");
                failure
                    .because("it is the id of an agent in another ledger")
                    .next(format!("name that ledger: `{show}`"))
            }
        }
    })
}

pub(super) fn message(arguments: LedgerMessage, console: &Console) -> Result<Exit, Failure> {
    let id: MessageId = arguments.id.parse().map_err(|error| no_id(&arguments, &error))?;
    let reading = read(&named_or_newest(arguments.ledger)?)?;
    // What became of the message may stand in one of those.
    warn_of_unreadable(&reading, console);
    let chronicle = Chronicle::of(&reading.events);
    let mail = chronicle.messages.get(id).ok_or_else(|| no_such_message(&reading, id))?;
    if arguments.json {
        console.json(&Asked { ledger: reading.path.display().to_string(), mail })?;
    } else {
        console.lines(letter(&chronicle.book, console.paint, mail));
    }
    Ok(Exit::Done)
}

fn no_id(arguments: &LedgerMessage, error: &IdError) -> Failure {
    let failure = Failure::usage(error.to_string());
    let behind = arguments.ledger.as_deref().and_then(Path::to_str);
    match behind.filter(|behind| behind.parse::<MessageId>().is_ok()) {
        Some(id) => failure
            .next(format!("name the id first: `switchboard ledger message {id} {}`", arguments.id)),
        None => failure.next("copy an id from what `switchboard ledger show` says"),
    }
}

fn no_such_message(reading: &Reading, id: MessageId) -> Failure {
    let ledger = reading.path.display();
    let failure = Failure::usage(format!("there is no message `{id}` in {ledger}"));
    if reading.tag().is_none_or(|tag| tag == id.tag()) {
        return failure
            .next(format!("see which there are: `switchboard ledger verify {ledger} --story`"));
    }
    let other = of_tag(id.tag()).map_or("LEDGER".to_owned(), |path| path.display().to_string());
    failure
        .because("it is the id of a message in another ledger")
        .next(format!("name that ledger behind the id: `switchboard ledger message {id} {other}`"))
}

pub(super) fn verify(arguments: LedgerVerify, console: &Console) -> Result<Exit, Failure> {
    let reading = read(&named_or_newest(arguments.ledger)?)?;
    let verdict = judge(&reading);
    let chronicle = Chronicle::of(&reading.events);
    let told = |paint| if arguments.story { story(&chronicle, paint) } else { Vec::new() };
    if arguments.json {
        console.json(&Report::new(&reading, &verdict, told(Paint::OFF)))?;
    } else {
        print(&reading, &verdict, console);
        let story = told(console.paint);
        if !story.is_empty() {
            console.line("");
            console.lines(story);
        }
    }
    Ok(if verdict.holds() { Exit::Done } else { Exit::Failed })
}

fn print(reading: &Reading, verdict: &Verdict, console: &Console) {
    let paint = console.paint;
    for check in &verdict.checks {
        let mark = if check.problems.is_empty() {
            paint.paint(Role::Good, "ok    ")
        } else {
            paint.paint(Role::Bad, "broken")
        };
        console.line(&format!("{mark} {}", check.promise));
        let problems = check.problems.iter().map(|problem| safe::line(problem, 160));
        console.lines(problems.map(|problem| format!("       {problem}")));
    }
    let ledger = safe::name(&reading.path.display().to_string());
    let events = count(reading.events.len(), "record");
    let outcome = if verdict.holds() { "holds" } else { "does not hold" };
    console.line("");
    console.line(&paint.paint(Role::Strong, &format!("{ledger} {outcome}: {events}")));
}

/// What `message --json` says.
#[derive(Serialize)]
struct Asked<'a> {
    ledger: String,
    #[serde(flatten)]
    mail: &'a Mail,
}

/// What `verify --json` says.
#[derive(Serialize)]
struct Report<'a> {
    ledger: String,
    records: usize,
    holds: bool,
    #[serde(flatten)]
    verdict: &'a Verdict,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    story: Vec<String>,
}

impl<'a> Report<'a> {
    fn new(reading: &Reading, verdict: &'a Verdict, story: Vec<String>) -> Self {
        Self {
            ledger: reading.path.display().to_string(),
            records: reading.events.len(),
            holds: verdict.holds(),
            verdict,
            story,
        }
    }
}
