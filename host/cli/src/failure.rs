//! What is said when something does not work: what failed, why, and what to do next.

use std::fmt;

use crate::exit::Exit;
use crate::show::safe;

/// A command that did not work.
#[derive(Debug)]
pub struct Failure {
    what: Vec<String>,
    why: Option<String>,
    next: Vec<String>,
    exit: Exit,
}

impl Failure {
    /// Something was tried and did not work; `what` names the operation and its subject.
    pub fn new(what: impl Into<String>) -> Self {
        let what = vec![what.into()];
        Self { what, why: None, next: Vec::new(), exit: Exit::Failed }
    }

    /// Several things were asked wrongly; each has a line.
    pub fn all_usage(what: Vec<String>) -> Self {
        Self { what, ..Self::usage("") }
    }

    /// Something was asked wrongly.
    pub fn usage(what: impl Into<String>) -> Self {
        Self::new(what).exiting(Exit::Usage)
    }

    /// The same, with what went wrong underneath.
    #[must_use]
    pub fn because(self, why: impl fmt::Display) -> Self {
        Self { why: Some(why.to_string()), ..self }
    }

    /// The same, with one more thing to do about it.
    #[must_use]
    pub fn next(mut self, step: impl Into<String>) -> Self {
        self.next.push(step.into());
        self
    }

    /// The same, with another exit code.
    #[must_use]
    pub fn exiting(self, exit: Exit) -> Self {
        Self { exit, ..self }
    }

    /// The code the command ends with.
    pub fn exit(&self) -> Exit {
        self.exit
    }
}

/// No name in it begins a line of its own, which could look like one of these.
impl fmt::Display for Failure {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what: Vec<_> = self.what.iter().map(|what| safe::name(what)).collect();
        write!(out, "{}", what.join("\n"))?;
        if let Some(why) = &self.why {
            write!(out, ": {}", safe::line(why, usize::MAX))?;
        }
        for (place, step) in self.next.iter().enumerate() {
            let lead = if place == 0 { "next: " } else { "  or: " };
            write!(out, "\n{lead}{}", safe::name(step))?;
        }
        Ok(())
    }
}

impl std::error::Error for Failure {}
