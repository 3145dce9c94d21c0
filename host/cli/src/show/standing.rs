//! Where a message stands, in words: every view has them from here.

use switchboard_runtime::{Mail, Standing};

use crate::show::book::Book;
use crate::show::words::{self, count};

/// In one word, to be counted by or to end a line with.
pub fn word(standing: Standing) -> String {
    match standing {
        Standing::Waiting { .. } => "waiting".to_owned(),
        Standing::Claimed { .. } => "claimed".to_owned(),
        Standing::Consumed { .. } => "consumed".to_owned(),
        Standing::Dropped { reason, .. } => words::fate(reason.fate()),
    }
}

/// In full: where it is, or what ended it.
pub fn standing(book: &Book, mail: &Mail) -> String {
    let word = word(mail.standing);
    match mail.standing {
        Standing::Waiting { shown, attempts } => {
            let inbox = book.label(mail.message.to);
            format!("{word} in the inbox of {inbox}{}", before(shown, attempts))
        }
        Standing::Claimed { turn, delivery, attempts } => {
            let earlier = before(delivery.saturating_sub(1), attempts);
            format!("{word} by {turn}, which made no step from it yet{earlier}")
        }
        Standing::Consumed { turn, step, .. } => format!("{word} by step {step} of {turn}"),
        Standing::Dropped { .. } => word,
    }
}

/// What is to be known of showings no step was made from.
fn before(shown: u32, attempts: u32) -> String {
    if shown == 0 {
        return String::new();
    }
    let times = |number: u32, noun| count(usize::try_from(number).unwrap_or(usize::MAX), noun);
    let (shown, attempts) = (times(shown, "time"), times(attempts, "failed attempt"));
    format!("; put back {shown} before, which counts as {attempts}")
}
