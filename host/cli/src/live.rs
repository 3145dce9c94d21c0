//! A run as it happens: one line, or one JSON object, for each event.

use switchboard_ledger::Stored;

use crate::arguments::Show;
use crate::console::{Console, json};
use crate::failure::Failure;
use crate::output::Output;
use crate::show::book::Book;
use crate::show::chronicle::Chronicle;
use crate::show::line::line;
use crate::show::record::Record;
use crate::show::words::count;

/// Tells what happens.
#[derive(Debug)]
pub struct Live<'a> {
    console: &'a Console,
    show: Show,
    events: Output,
    asides: Output,
}

impl<'a> Live<'a> {
    /// Tells it there, in that way.
    pub fn new(console: &'a Console, show: Show) -> Self {
        let to = *console;
        let events = Output::begin(move |line| to.line(line));
        let asides = Output::begin(move |line| to.note(line));
        Self { console, show, events, asides }
    }

    /// What happened before is not told again, only how much there is.
    pub fn catch_up(&self, before: &Chronicle) {
        if before.events > 0 {
            let records = count(before.events, "record");
            self.console.note(&format!("replayed {records} of what happened before"));
        }
    }

    /// The next event.
    ///
    /// # Errors
    /// It cannot be written as JSON.
    pub fn tell(&mut self, book: &Book, stored: &Stored) -> Result<(), Failure> {
        if self.show.json {
            self.events.say(json(&Record::from(stored))?);
        } else if !self.show.quiet {
            self.events.say(line(book, self.console.paint, stored));
        }
        Ok(())
    }

    /// Whether what was told is not read as fast as it is told.
    pub fn is_behind(&self) -> bool {
        self.events.is_behind()
    }

    /// Waits until one more line is taken. Nothing is lost when this is given up.
    pub async fn wait(&mut self) {
        self.events.catch_up().await;
    }

    /// Waits until everything is written.
    pub async fn end(self) {
        tokio::join!(self.events.end(), self.asides.end());
    }

    /// Somebody pressed Ctrl-C.
    pub fn draining(&mut self) {
        let told =
            "stopping: calls in flight may finish, nothing new begins (Ctrl-C again stops at once)";
        self.asides.say(told.to_owned());
    }
}
