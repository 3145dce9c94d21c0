//! A run as it happens: one line, or one JSON object, for each event.

use switchboard_ledger::Stored;

use crate::arguments::Show;
use crate::console::Console;
use crate::failure::Failure;
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
}

impl<'a> Live<'a> {
    /// Tells it there, in that way.
    pub fn new(console: &'a Console, show: Show) -> Self {
        Self { console, show }
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
            return self.console.json(&Record::from(stored));
        }
        if !self.show.quiet {
            self.console.line(&line(book, self.console.paint, stored));
        }
        Ok(())
    }

    /// Somebody pressed Ctrl-C.
    pub fn draining(&self) {
        self.console.note(
            "stopping: calls in flight may finish, nothing new begins (Ctrl-C again stops at once)",
        );
    }
}
