//! The phrases every view of a ledger shares.

use std::fmt::Display;

use switchboard_core::{
    DropReason, EndReason, Fate, Message, MessageKind, Notice, Schedule, Shown, Stop, Stopped,
    ToolUse, TurnEnd,
};

use crate::show::book::Book;
use crate::show::{requests, safe};

/// How many columns a body may take in a line of its own.
pub const BODY: usize = 72;
/// How many columns a turn's note may take: it says what went wrong, so it is cut only if absurd.
pub const NOTE: usize = 600;
/// How many columns the arguments of a call may take.
const ARGUMENTS: usize = 48;

/// What a message says, on one line; for a notice, what the host says.
pub fn body(message: &Message, width: usize) -> String {
    match &message.kind {
        MessageKind::Notice(said) => safe::line(&notice(said), width),
        MessageKind::Request(request) => safe::line(&requests::asked(request), width),
        MessageKind::Relay | MessageKind::Prompt | MessageKind::Instruction => {
            format!("“{}”", safe::line(&message.content.plain(), width))
        }
    }
}

/// What a notice says, without the reader's frame around it.
pub fn notice(notice: &Notice) -> String {
    match notice {
        Notice::Settled { name, reason, closing, .. } => {
            let words = closing.as_deref().map_or_else(
                || "it wrote nothing at the end".to_owned(),
                |words| format!("its last words: “{words}”"),
            );
            format!("{name} settled: {}; {words}", end_reason(*reason))
        }
        Notice::Fates { ended } => {
            let each =
                ended.iter().map(|(id, to, fate)| format!("{id} to {to} {}", self::fate(*fate)));
            each.collect::<Vec<_>>().join(", ")
        }
        Notice::ChildInterrupted { name, .. } => format!("{name} was interrupted by another"),
        Notice::StartFailed { name, why, .. } => format!("{name} could not be brought up: {why}"),
        Notice::RequestClosed { .. } => requests::closed(notice).unwrap_or_default(),
        Notice::LongChain { cause, most } => {
            format!("{} messages follow from {}; {most} may", cause.hop, cause.chain)
        }
        Notice::Acknowledged { message, name, note, .. } => {
            let note = note.as_deref().map_or_else(String::new, |note| format!(": “{note}”"));
            format!("{name} acknowledges {message}{note}")
        }
        Notice::Unacknowledged { name, messages, .. } => {
            let which: Vec<_> = messages.iter().map(ToString::to_string).collect();
            format!("{name} came to rest without acknowledging {}", which.join(", "))
        }
    }
}

/// How a turn ended; what does not say so by itself, with what it means.
pub fn turn_end(end: TurnEnd) -> String {
    match end {
        TurnEnd::Ceiling => format!("{end} (a limit was reached)"),
        TurnEnd::Refusal => format!("{end} (its model refused)"),
        TurnEnd::Completed | TurnEnd::Error | TurnEnd::Interrupted | TurnEnd::Aborted => {
            end.to_string()
        }
    }
}

/// The same of a stay.
pub fn end_reason(reason: EndReason) -> String {
    match reason {
        EndReason::Ceiling => turn_end(TurnEnd::Ceiling),
        EndReason::Refusal => turn_end(TurnEnd::Refusal),
        EndReason::Completed | EndReason::Error | EndReason::Aborted => reason.to_string(),
    }
}

/// How a message ended.
pub fn fate(fate: Fate) -> String {
    match fate {
        Fate::Consumed => "consumed".to_owned(),
        Fate::Expired => "expired".to_owned(),
        Fate::Dropped(reason) => format!("dropped ({})", dropped(reason)),
    }
}

/// Why a message was given up.
pub fn dropped(reason: DropReason) -> &'static str {
    match reason {
        DropReason::Interrupted => "interrupted",
        DropReason::StartFailed => "start-failed",
        DropReason::Poison => "poison",
        DropReason::Deleted => "deleted",
        DropReason::Moot => "moot",
        DropReason::Expired => "expired",
    }
}

/// How a message comes: into a running turn, or to begin one.
pub fn schedule(message: &Message) -> &'static str {
    match (message.schedule, message.wakes) {
        (Schedule::NextStep, true) => "steers",
        (Schedule::NextTurn, true) => "queued for a turn",
        (Schedule::NextStep | Schedule::NextTurn, false) => "wakes nobody",
    }
}

/// A call as a model asked for it.
pub fn call(call: &ToolUse) -> String {
    let arguments = safe::line(&call.arguments, ARGUMENTS);
    format!("{} {arguments}", safe::line(&call.tool, ARGUMENTS))
}

/// Messages as a claim shows them, with who sent each.
pub fn shown(book: &Book, messages: &[Shown]) -> String {
    let each = messages.iter().map(|shown| {
        let again = if shown.delivery > 1 {
            format!(" for the {} time", ordinal(shown.delivery))
        } else {
            String::new()
        };
        format!("{} from {}{again}", shown.id, book.sender_of(shown.id))
    });
    each.collect::<Vec<_>>().join(", ")
}

/// The how-manieth: `2nd`.
fn ordinal(number: u32) -> String {
    let ending = match (number % 10, number % 100) {
        (1, tens) if tens != 11 => "st",
        (2, tens) if tens != 12 => "nd",
        (3, tens) if tens != 13 => "rd",
        _ => "th",
    };
    format!("{number}{ending}")
}

/// What became of a turn somebody wanted stopped.
pub fn stopped(book: &Book, stopped: &Stopped) -> String {
    let outcome = match stopped.stop {
        Stop::Cancelling(turn) => format!("stops {turn}"),
        Stop::AlreadyIdle => "was idle already".to_owned(),
        Stop::AlreadyFinished => "was finished already".to_owned(),
        Stop::TurnMoved(turn) => format!("has moved on to {turn}"),
        Stop::NotStarted => "will not start".to_owned(),
    };
    format!("{} {outcome}", book.label(stopped.agent))
}

/// Things in a row.
pub fn list<T: Display>(things: impl IntoIterator<Item = T>) -> String {
    things.into_iter().map(|thing| thing.to_string()).collect::<Vec<_>>().join(", ")
}

/// How long, in the unit a person would take.
pub fn duration(micros: u64) -> String {
    match micros {
        0..1_000 => format!("{micros} µs"),
        1_000..1_000_000 => tenths(micros, 1_000, "ms"),
        _ => tenths(micros, 1_000_000, "s"),
    }
}

/// How much memory, in the unit a person would take.
pub fn bytes(bytes: u64) -> String {
    match bytes {
        0..1_024 => format!("{bytes} B"),
        1_024..1_048_576 => tenths(bytes, 1 << 10, "KiB"),
        _ => tenths(bytes, 1 << 20, "MiB"),
    }
}

/// So many of something, in the plural where it needs one.
pub fn count(number: usize, noun: &str) -> String {
    if number == 1 { format!("1 {noun}") } else { format!("{number} {noun}s") }
}

fn tenths(amount: u64, unit: u64, name: &str) -> String {
    format!("{}.{} {name}", amount / unit, amount % unit * 10 / unit)
}

#[cfg(test)]
mod tests {
    use super::{bytes, count, duration, ordinal};

    #[test]
    fn memory_is_told_in_the_unit_a_person_would_take() {
        assert_eq!(bytes(0), "0 B");
        assert_eq!(bytes(1_536), "1.5 KiB");
        assert_eq!(bytes(1_114_112), "1.0 MiB");
    }

    #[test]
    fn a_duration_is_told_in_the_unit_a_person_would_take() {
        assert_eq!(duration(12), "12 µs");
        assert_eq!(duration(1_250), "1.2 ms");
        assert_eq!(duration(61_000_000), "61.0 s");
    }

    #[test]
    fn an_ordinal_has_the_ending_it_is_spoken_with() {
        let spoken = [1, 2, 3, 4, 11, 12, 13, 21, 112].map(ordinal);
        assert_eq!(spoken, ["1st", "2nd", "3rd", "4th", "11th", "12th", "13th", "21st", "112th"]);
    }

    #[test]
    fn one_is_no_plural() {
        assert_eq!(count(1, "turn"), "1 turn");
        assert_eq!(count(2, "turn"), "2 turns");
    }
}
