//! Where a crew file comes from, and what is wrong in it, by line.

use std::fmt;
use std::ops::Range;
use std::path::{Path, PathBuf};

use crate::failure::Failure;
use crate::show::safe;

/// The text of a crew file, and what its relative paths stand on.
#[derive(Clone, Debug)]
pub struct Source {
    /// What it is called in messages: a path, or the name of a built-in crew.
    pub name: String,
    /// The text.
    pub text: String,
    /// The folder its paths are relative to.
    pub base: PathBuf,
}

/// One thing that is wrong in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Where it begins, line and column from 1; none if it is nowhere in particular.
    pub at: Option<(usize, usize)>,
    /// What is wrong, and what would be right.
    pub what: String,
}

/// A crew file that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problems {
    /// What the file is called.
    pub name: String,
    /// Everything that was found, in order of lines.
    pub found: Vec<Problem>,
}

impl Source {
    /// Reads the file at this path.
    ///
    /// # Errors
    /// It cannot be read.
    pub fn read(path: &Path) -> Result<Self, Failure> {
        let name = path.display().to_string();
        let text = crate::files::read_text(path).map_err(|error| {
            let failure = Failure::usage(format!("cannot read the crew file `{name}`"));
            let failure = failure.because(error);
            if is_ledger(path) {
                return failure.next(format!("go on with a ledger: `switchboard resume {name}`"));
            }
            failure
                .next("check the path, or write a crew file with `switchboard init`")
                .next("run the built-in crew: `switchboard run review`")
        })?;
        let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
        Ok(Self { name, text, base: parent.unwrap_or(Path::new(".")).to_path_buf() })
    }

    /// A problem with what stands at these bytes. It is one line, whatever was quoted.
    pub fn problem(&self, span: Range<usize>, what: impl Into<String>) -> Problem {
        Problem { at: Some(self.position(span.start)), what: safe::name(&what.into()) }
    }

    /// Everything that is wrong, as one error; none if nothing is.
    ///
    /// # Errors
    /// There is a problem.
    pub fn judge(&self, mut found: Vec<Problem>) -> Result<(), Problems> {
        if found.is_empty() {
            return Ok(());
        }
        found.sort_by_key(|problem| problem.at);
        Err(Problems { name: self.name.clone(), found })
    }

    fn position(&self, byte: usize) -> (usize, usize) {
        let before = self.text.get(..byte).unwrap_or(&self.text);
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().unwrap_or("").chars().count() + 1;
        (line, column)
    }
}

/// Whether it is called like a ledger.
fn is_ledger(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "db")
}

impl Problems {
    /// One line for each.
    fn lines(&self) -> Vec<String> {
        let name = &self.name;
        let line = |problem: &Problem| match problem.at {
            Some((line, column)) => format!("{name}:{line}:{column}: {}", problem.what),
            None => format!("{name}: {}", problem.what),
        };
        self.found.iter().map(line).collect()
    }
}

impl fmt::Display for Problems {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}", self.lines().join("\n"))
    }
}

impl std::error::Error for Problems {}

impl From<Problems> for Failure {
    fn from(problems: Problems) -> Self {
        Failure::all_usage(problems.lines())
            .next("correct the lines named above, and run the same command again")
    }
}

#[cfg(test)]
mod tests {
    use super::Source;

    #[test]
    fn a_problem_is_one_line_whatever_it_quotes() {
        let source = Source { name: "c".into(), text: "a\nb".into(), base: ".".into() };
        let problem = source.problem(2..3, "unknown key `x\ny`");
        assert_eq!((problem.at, problem.what.as_str()), (Some((2, 1)), "unknown key `x<U+000A>y`"));
    }
}
