//! The two streams of a command: results on standard output, everything else on standard error.

use std::io::{self, Write};

use serde::Serialize;

use crate::failure::Failure;
use crate::show::paint::{Choice, Paint, Role};
use crate::show::safe;

/// Where a command speaks.
#[derive(Clone, Copy, Debug)]
pub struct Console {
    /// The colours of standard output.
    pub paint: Paint,
    /// The colours of standard error.
    pub aside: Paint,
}

impl Console {
    /// The streams of this process, with the colours `--color` asks for.
    pub fn new(choice: Choice) -> Self {
        let paint = Paint::decide(choice, &io::stdout());
        let aside = Paint::decide(choice, &io::stderr());
        Self { paint, aside }
    }

    /// A result, with its line end. Somebody who has stopped reading is no failure: what is
    /// written for them is written for nobody.
    pub fn line(&self, text: &str) {
        let _ = writeln!(io::stdout().lock(), "{text}");
    }

    /// Several results.
    pub fn lines<T: AsRef<str>>(&self, lines: impl IntoIterator<Item = T>) {
        lines.into_iter().for_each(|line| self.line(line.as_ref()));
    }

    /// One JSON value on a line of its own.
    ///
    /// # Errors
    /// The value cannot be written as JSON.
    pub fn json(&self, value: &impl Serialize) -> Result<(), Failure> {
        self.line(&json(value)?);
        Ok(())
    }

    /// Something said by the way.
    pub fn note(&self, text: &str) {
        self.say("", text);
    }

    /// Something that went wrong and does not end the command.
    pub fn warn(&self, text: &str) {
        self.say(&self.aside.paint(Role::Warning, "warning: "), text);
    }

    /// What ended the command.
    pub fn fail(&self, failure: &Failure) {
        self.say(&self.aside.paint(Role::Bad, "error: "), &failure.to_string());
    }

    /// The one way to standard error. Names, paths and reasons in it come from others.
    fn say(&self, lead: &str, text: &str) {
        let _ = writeln!(io::stderr().lock(), "{lead}{}", safe::paragraphs(text));
    }
}

/// A value as JSON, on one line and harmless.
///
/// # Errors
/// It cannot be written as JSON.
pub fn json(value: &impl Serialize) -> Result<String, Failure> {
    let text = serde_json::to_string(value)
        .map_err(|error| Failure::new("cannot write this as JSON").because(error))?;
    Ok(safe::json(&text))
}
