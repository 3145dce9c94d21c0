//! Who said what to whom, as a picture: a column for each agent, an arrow for each message.

use switchboard_core::{AgentId, Message, MessageKind, Notice, Sender};
use switchboard_runtime::Mail;

use crate::show::book::{Book, PERSON};
use crate::show::chronicle::Chronicle;
use crate::show::paint::{Paint, Role};
use crate::show::words;
use crate::show::{requests, safe};

/// How wide the picture may be, without the remarks behind it.
const WIDTH: usize = 100;
const NARROWEST: usize = 16;
const WIDEST: usize = 28;

/// The lines of the picture, at most so many arrows of it.
pub fn diagram(chronicle: &Chronicle, paint: Paint, most: usize) -> Vec<String> {
    let columns = Columns::of(chronicle, paint);
    let arrows: Vec<_> =
        chronicle.messages.values().filter_map(|mail| columns.arrow(mail)).collect();
    if arrows.is_empty() {
        return Vec::new();
    }
    let mut lines = vec![columns.heads()];
    lines.extend(arrows.iter().take(most).map(|arrow| columns.line(arrow)));
    if arrows.len() > most {
        lines.push(format!("… and {}", words::count(arrows.len() - most, "more message")));
    }
    if columns.left_out > 0 {
        let more = words::count(columns.left_out, "more agent");
        lines.push(format!("… and {more}; `switchboard ledger verify FILE --story` has all"));
    }
    lines
}

/// Who has a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Party {
    Person,
    Agent(AgentId),
}

struct Columns<'a> {
    book: &'a Book,
    paint: Paint,
    parties: Vec<Party>,
    /// How many agents have no column, because there is no room.
    left_out: usize,
    width: usize,
}

struct Arrow {
    from: usize,
    to: usize,
    text: String,
    /// The host says it, not the agent.
    notice: bool,
    /// What stands behind the picture.
    remark: String,
}

impl<'a> Columns<'a> {
    fn of(chronicle: &'a Chronicle, paint: Paint) -> Self {
        let person = chronicle.messages.values().any(|mail| mail.message.from == Sender::User);
        let agents = chronicle.book.agents().map(Party::Agent);
        let mut parties: Vec<_> =
            person.then_some(Party::Person).into_iter().chain(agents).collect();
        let left_out = parties.len().saturating_sub(WIDTH / NARROWEST);
        parties.truncate(WIDTH / NARROWEST);
        let width = (WIDTH / parties.len().max(1)).clamp(NARROWEST, WIDEST);
        Self { book: &chronicle.book, paint, parties, left_out, width }
    }

    fn heads(&self) -> String {
        let heads = self.parties.iter().map(|party| {
            let (label, role) = match party {
                Party::Person => (PERSON.to_owned(), Role::Strong),
                Party::Agent(agent) => (self.book.label(*agent), self.book.role(*agent)),
            };
            let label = safe::padded(&safe::line(&label, self.width - 1), self.width);
            self.paint.paint(role, &label)
        });
        heads.collect::<String>().trim_end().to_owned()
    }

    fn arrow(&self, mail: &Mail) -> Option<Arrow> {
        let message = &mail.message;
        let (from, text, notice) = match (&message.kind, &message.from) {
            (MessageKind::Notice(notice), _) => {
                let (child, text) = notice_arrow(notice)?;
                (Party::Agent(child), text, true)
            }
            (_, Sender::Agent { id, .. }) => (Party::Agent(*id), said(message), false),
            (_, Sender::User) => (Party::Person, said(message), false),
            (_, Sender::Host) => return None,
        };
        let place = |wanted| self.parties.iter().position(|party| *party == wanted);
        let (from, to) = (place(from)?, place(Party::Agent(message.to))?);
        let steered = mail.showings.iter().find(|showing| showing.steered);
        let remark =
            steered.map_or(String::new(), |showing| format!("steers step {}", showing.step));
        (from != to).then_some(Arrow { from, to, text, notice, remark })
    }

    /// One arrow between the life lines of everybody else.
    fn line(&self, arrow: &Arrow) -> String {
        let (left, right) = (arrow.from.min(arrow.to), arrow.from.max(arrow.to));
        let mut line = String::new();
        for place in 0..self.parties.len() {
            if place == left {
                line.push('│');
                line.push_str(&self.shaft(arrow, (right - left) * self.width - 1));
            } else if place < left || place >= right {
                let last = place + 1 == self.parties.len();
                line.push_str(&safe::padded("│", if last { 1 } else { self.width }));
            }
        }
        if !arrow.remark.is_empty() {
            line.push_str(&self.paint.paint(Role::Aside, &format!("  {}", arrow.remark)));
        }
        line
    }

    fn shaft(&self, arrow: &Arrow, length: usize) -> String {
        let dash = if arrow.notice { "╌" } else { "─" };
        // Two dashes, a blank on both sides, and the head at the least.
        let text = safe::line(&arrow.text, length.saturating_sub(5));
        let rest = length.saturating_sub(safe::width(&text) + 4);
        let text = if arrow.notice { self.paint.paint(Role::Aside, &text) } else { text };
        let tail = dash.repeat(rest);
        if arrow.from < arrow.to {
            format!("{dash} {text} {tail}▶")
        } else {
            format!("◀{tail} {text} {dash}")
        }
    }
}

fn said(message: &Message) -> String {
    match &message.kind {
        MessageKind::Request(request) => requests::asked(request),
        MessageKind::Relay
        | MessageKind::Prompt
        | MessageKind::Instruction
        | MessageKind::Notice(_) => message.content.plain(),
    }
}

/// Whom a notice is about, in a few words.
fn notice_arrow(notice: &Notice) -> Option<(AgentId, String)> {
    match notice {
        Notice::Settled { child, reason, .. } => {
            Some((*child, format!("settled: {}", words::end_reason(*reason))))
        }
        Notice::ChildInterrupted { child, .. } => Some((*child, "interrupted".to_owned())),
        Notice::StartFailed { child, .. } => Some((*child, "could not start".to_owned())),
        Notice::Acknowledged { by, message, .. } => Some((*by, format!("acknowledges {message}"))),
        Notice::Unacknowledged { by, .. } => Some((*by, "did not acknowledge".to_owned())),
        Notice::RequestClosed { asked, end, .. } => {
            let (asked, _) = asked.as_ref()?;
            Some((*asked, format!("request {}", requests::ended(end))))
        }
        Notice::Fates { .. } | Notice::LongChain { .. } => None,
    }
}
