//! What the host shows, as lines a model reads, and as data beside them. Whatever another agent
//! wrote stands behind a mark in each of its lines, so that it cannot pass for a line of the
//! host's.

use super::{Message, MessageState, Page, Recent, Row, Sender, ToolCall};
use crate::Output;
use crate::object::Object;

/// An agent begins a line; what it is for and what it wrote last stand below it.
impl From<Page> for Output {
    fn from(Page { rows, next, .. }: Page) -> Self {
        let mut lines: Vec<String> = rows.iter().flat_map(row).collect();
        if rows.is_empty() {
            lines.push("(nobody)".into());
        }
        if let Some(next) = &next {
            lines.push(format!("(there are more: go on with the cursor `{next}`)"));
        }
        let data = Object::default().objects("agents", rows.iter().map(row_data));
        answer(lines, maybe(data, "next_cursor", next.as_deref()))
    }
}

impl From<Row> for Output {
    fn from(shown: Row) -> Self {
        answer(row(&shown), row_data(&shown))
    }
}

fn row(row: &Row) -> Vec<String> {
    let Row { name, agent, relationship, depth, activity, pending, messages, .. } = row;
    let can = if row.can.is_empty() { "nothing".into() } else { row.can.join(", ") };
    let owed = match row.obligations {
        0 => String::new(),
        owed => format!("{owed} to acknowledge, "),
    };
    let mut lines = vec![format!(
        "{name} ({agent}): {relationship}, depth {depth}, {activity}, {pending} waiting, {owed}\
         {messages} messages so far; you can: {can}"
    )];
    if !row.description.is_empty() {
        lines.push(format!("  for: {}", row.description));
    }
    lines.extend(row.last_summary.iter().map(|words| format!("  wrote last: {words}")));
    lines
}

fn row_data(row: &Row) -> Object {
    let data = Object::default()
        .text("agent_id", &row.agent)
        .text("name", &row.name)
        .text("relationship", &row.relationship)
        .number("depth", row.depth)
        .text("description", &row.description)
        .text("activity", &row.activity)
        .number("pending", row.pending)
        .number("obligations", row.obligations)
        .number("messages", row.messages)
        .texts("can", &row.can);
    maybe(data, "last_summary", row.last_summary.as_deref())
}

/// In words, where a message stands; as data, the same.
impl From<MessageState> for Output {
    fn from(state: MessageState) -> Self {
        let MessageState { message, sender, to, standing, reason, shown, turn, .. } = state;
        let how = match (standing.as_str(), &reason, shown) {
            ("waiting", _, Some(0) | None) => "waits and was not read yet".to_owned(),
            ("waiting", _, Some(times)) => {
                format!("waits again: it was shown {times} times and no step was made from it")
            }
            ("claimed", ..) => "is before its reader, who has made no step from it yet".to_owned(),
            ("consumed", ..) => "was read".to_owned(),
            ("expired", ..) => "expired before it was read".to_owned(),
            ("dropped", Some(reason), _) => format!("was dropped: {reason}"),
            (other, ..) => format!("is {other}"),
        };
        let from = &sender.name;
        let data = Object::default()
            .text("message_id", &message)
            .text("from", from)
            .text("to", &to)
            .text("standing", &standing);
        let data = maybe(maybe(data, "reason", reason.as_deref()), "turn", turn.as_deref());
        answer(vec![format!("{message} from {from} to {to} {how}.")], data)
    }
}

/// Each message has a line of the host's, and below it its own lines, with `>` in front.
impl From<Recent> for Output {
    fn from(recent: Recent) -> Self {
        let Recent { agent, name, messages, older, unreadable, .. } = recent;
        let mut lines = vec![format!("The last messages of {name} ({agent}), newest last:")];
        for message in &messages {
            lines.push(format!("[{}{}]", what(message), cut(message)));
            lines.extend(quoted(&message.text));
        }
        if messages.is_empty() {
            lines.push("(none)".into());
        }
        if unreadable > 0 {
            lines.push(format!("({unreadable} of its records cannot be read)"));
        }
        if let Some(older) = &older {
            lines.push(format!("(there are older ones: go on with the cursor `{older}`)"));
        }
        let data = Object::default()
            .text("agent_id", &agent)
            .text("name", &name)
            .objects("messages", messages.iter().map(message_data))
            .number("unreadable", unreadable);
        answer(lines, maybe(data, "older_cursor", older.as_deref()))
    }
}

fn what(message: &Message) -> String {
    let calls: Vec<_> = message.calls.iter().map(called).collect();
    match (&message.sender, calls.is_empty()) {
        (Some(sender), _) => format!("{} from {}", message.kind, from(sender)),
        (None, true) => message.kind.clone(),
        (None, false) => format!("{}, called {}", message.kind, calls.join(", ")),
    }
}

fn from(sender: &Sender) -> String {
    match (&sender.agent, &sender.relationship) {
        (Some(agent), Some(kin)) => format!("its {kin} {} ({agent})", sender.name),
        (Some(agent), None) => format!("{} ({agent})", sender.name),
        (None, _) => format!("the {}", sender.name),
    }
}

fn called(ToolCall { tool, outcome }: &ToolCall) -> String {
    format!("{tool} ({})", outcome.as_deref().unwrap_or("under way"))
}

fn cut(message: &Message) -> String {
    let shown = message.text.chars().count() as u64;
    if shown < message.chars {
        format!(", cut: {shown} of {} characters", message.chars)
    } else {
        String::new()
    }
}

/// Whatever begins a line for anybody who shows or reads it.
fn quoted(text: &str) -> impl Iterator<Item = String> {
    let ends = |letter| {
        matches!(letter, '\n' | '\r' | '\u{b}' | '\u{c}' | '\u{85}' | '\u{2028}' | '\u{2029}')
    };
    let shown = Some(text).filter(|text| !text.is_empty());
    shown.into_iter().flat_map(move |text| text.split(ends)).map(|line| format!("> {line}"))
}

fn message_data(message: &Message) -> Object {
    let calls = message.calls.iter().map(|call| {
        maybe(Object::default().text("tool", &call.tool), "outcome", call.outcome.as_deref())
    });
    let data = Object::default()
        .text("kind", &message.kind)
        .number("at_ms", message.at_ms)
        .text("text", &message.text)
        .number("chars", message.chars)
        .objects("calls", calls);
    let data = maybe(data, "message_id", message.message.as_deref());
    match &message.sender {
        Some(sender) => data.object("sender", sender_data(sender)),
        None => data,
    }
}

fn sender_data(sender: &Sender) -> Object {
    let data = Object::default().text("name", &sender.name);
    let data = maybe(data, "agent_id", sender.agent.as_deref());
    maybe(data, "relationship", sender.relationship.as_deref())
}

/// A field that is left out if there is nothing in it.
fn maybe(data: Object, name: &str, value: Option<&str>) -> Object {
    match value {
        Some(value) => data.text(name, value),
        None => data,
    }
}

fn answer(lines: Vec<String>, data: Object) -> Output {
    Output::text(lines.join("\n")).with_structured(data)
}
