//! One message: who said what to whom, and what became of it, in the order it happened.

use switchboard_core::{Fate, Message, Sender};
use switchboard_runtime::{Mail, Showing, Standing};

use crate::show::book::{Book, kind};
use crate::show::paint::{Paint, Role};
use crate::show::safe;
use crate::show::words::{self, BODY, count};

/// Columns for a time.
const TIME: usize = 13;

/// The lines of a message.
pub fn letter(book: &Book, paint: Paint, mail: &Mail) -> Vec<String> {
    let line = |at: &str, text: &str| {
        format!("{}  {text}", paint.paint(Role::Aside, &safe::padded(at, TIME)))
    };
    let mut lines = vec![head(book, paint, &mail.message)];
    lines.push(line(&mail.message.at.to_string(), "accepted"));
    let showings = mail.showings.iter();
    lines.extend(showings.map(|shown| line(&shown.at.to_string(), &showing(paint, *shown))));
    let (at, role, text) = match mail.standing {
        Standing::Waiting { shown, attempts } => {
            let inbox = format!("waits in the inbox of {}", book.label(mail.message.to));
            (None, Role::Strong, format!("{inbox}{}", before(shown, attempts)))
        }
        Standing::Claimed { turn, delivery, attempts } => {
            let earlier = before(delivery.saturating_sub(1), attempts);
            (
                None,
                Role::Strong,
                format!("claimed by {turn}, which made no step from it yet{earlier}"),
            )
        }
        Standing::Consumed { turn, step, at } => {
            (Some(at), Role::Good, format!("consumed by step {step} of {turn}"))
        }
        Standing::Dropped { reason, at } => {
            (Some(at), Role::Warning, words::fate(Fate::Dropped(reason)))
        }
    };
    let at = at.map_or_else(String::new, |at| at.to_string());
    lines.push(line(&at, &paint.paint(role, &text)));
    lines
}

/// Who says what to whom.
pub fn head(book: &Book, paint: Paint, message: &Message) -> String {
    let from = match &message.from {
        Sender::Agent { id, .. } => book.painted(paint, *id),
        sender => book.sender(sender),
    };
    let to = book.painted(paint, message.to);
    let (what, said) = (kind(&message.kind), words::body(message, BODY));
    format!("{from} → {to}  {what} {}: {said}", message.id)
}

/// Where a message was shown.
pub fn showing(paint: Paint, showing: Showing) -> String {
    let Showing { turn, step, steered, .. } = showing;
    match steered {
        true => paint.paint(Role::Warning, &format!("steered into running {turn} at step {step}")),
        false => format!("read at step {step} of {turn}"),
    }
}

/// What is to be known of earlier showings.
fn before(shown: u32, attempts: u32) -> String {
    if shown == 0 {
        return String::new();
    }
    let times = |number: u32, noun| count(usize::try_from(number).unwrap_or(usize::MAX), noun);
    let (shown, attempts) = (times(shown, "time"), times(attempts, "attempt"));
    format!("; shown {shown} before, which counts as {attempts}")
}
