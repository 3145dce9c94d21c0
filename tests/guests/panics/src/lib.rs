//! A tool that means well, sends, and panics on what nobody thought of. It may send and nothing
//! else, so it has no import by which it could say why.

use switchboard_guest::subagents::{Content, Envelope, Target};
use switchboard_guest::{Arguments, Failure, Output, Subagents, tool};

#[derive(Arguments)]
struct Report {
    /// What to report, with at least two words.
    words: String,
}

/// Tells the parent the second word of a report.
#[tool]
fn report_second(report: Report, host: &impl Subagents) -> Result<Output, Failure> {
    let content = Content::text(second_word(&report.words));
    Ok(host.send_message(&Envelope::new(Target::spoken("parent"), content))?.into())
}

#[inline(never)]
fn second_word(words: &str) -> &str {
    words.split(' ').nth(1).expect("a report has two words")
}
