//! One message: who said what to whom, and what became of it, in the order it happened.

use switchboard_core::{Message, MessageKind, Sender};
use switchboard_runtime::{Mail, Showing, Standing};

use crate::show::book::{Book, kind};
use crate::show::paint::{Paint, Role};
use crate::show::standing::standing;
use crate::show::words::{self, BODY};
use crate::show::{requests, safe};

/// Columns for a time.
const TIME: usize = 13;

/// The lines of a message.
pub fn letter(book: &Book, paint: Paint, mail: &Mail) -> Vec<String> {
    let line = |at: &str, text: &str| {
        format!("{}  {text}", paint.paint(Role::Aside, &safe::padded(at, TIME)))
    };
    let mut lines = vec![envelope(book, paint, &mail.message), String::new()];
    lines.extend(words_of(&mail.message));
    lines.push(String::new());
    lines.push(line(&mail.message.at.to_string(), "accepted"));
    let showings = mail.showings.iter();
    lines.extend(showings.map(|shown| line(&shown.at.to_string(), &showing(paint, *shown))));
    let (at, role) = match mail.standing {
        Standing::Waiting { .. } | Standing::Claimed { .. } => (None, Role::Strong),
        Standing::Consumed { at, .. } => (Some(at), Role::Good),
        Standing::Dropped { at, .. } => (Some(at), Role::Warning),
    };
    let at = at.map_or_else(String::new, |at| at.to_string());
    lines.push(line(&at, &paint.paint(role, &standing(book, mail))));
    lines
}

/// All that a message says, each line a little to the right.
fn words_of(message: &Message) -> Vec<String> {
    let said = match &message.kind {
        MessageKind::Notice(said) => words::notice(said),
        MessageKind::Request(request) => requests::asked(request),
        MessageKind::Relay | MessageKind::Prompt | MessageKind::Instruction => {
            message.content.plain()
        }
    };
    let indented = |line: &str| format!("  {line}").trim_end().to_owned();
    safe::paragraphs(&said).lines().map(indented).collect()
}

/// Who writes to whom, and what it is.
fn envelope(book: &Book, paint: Paint, message: &Message) -> String {
    let from = match &message.from {
        Sender::Agent { id, .. } => book.painted(paint, *id),
        sender => book.sender(sender),
    };
    let to = book.painted(paint, message.to);
    format!("{from} → {to}  {} {}", kind(&message.kind), message.id)
}

/// Who says what to whom, on one line.
pub fn head(book: &Book, paint: Paint, message: &Message) -> String {
    format!("{}: {}", envelope(book, paint, message), words::body(message, BODY))
}

/// Where a message was shown.
pub fn showing(paint: Paint, showing: Showing) -> String {
    let Showing { turn, step, steered, .. } = showing;
    match steered {
        true => paint.paint(Role::Warning, &format!("steered into running {turn} at step {step}")),
        false => format!("read at step {step} of {turn}"),
    }
}
