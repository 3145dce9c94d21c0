//! The host's answer in the model's words, and as data beside them.

use std::borrow::Cow;

use crate::object::Object;
use crate::subagents::{
    Answer, Delivery, Interruption, Outcome, Receipt, Recipient, Stop, Stopped,
};
use crate::{Failure, Output};

impl From<Answer> for Output {
    fn from(answer: Answer) -> Self {
        match answer {
            Answer::Accepted(receipt) => receipt.into(),
            Answer::FannedOut(recipients) => fanned_out(recipients),
            Answer::Interrupted(interruption) => interruption.into(),
            Answer::Other(data) => {
                let text = format!("{} {}", other(&data.kind), data.json);
                Output { structured: Some(data.json), ..Output::text(text) }
            }
        }
    }
}

/// What is said in front of an answer that has no case of its own.
fn other(kind: &str) -> Cow<'_, str> {
    Cow::Borrowed(match kind {
        "person-asked" => "The person is asked; the answer comes as a message.",
        "already-settled" => "It was put away already; nothing had to be done.",
        "answered" => "Your answer counts, and whoever asked is told.",
        kind => return Cow::Owned(format!("{kind}:")),
    })
}

impl From<Receipt> for Output {
    fn from(receipt: Receipt) -> Self {
        let mut text = accepted(&receipt);
        if let Some(request) = &receipt.request {
            text += &format!(". It asks for an answer: {request}");
        }
        if receipt.repeated {
            text.insert_str(0, "Sent before, not again. ");
        }
        text += ". Accepted is not read: an answer comes as a message.";
        if receipt.budget_left == 0 {
            text += " Wait before you send it another.";
        }
        Output::text(text).with_structured(receipt_data(&receipt))
    }
}

fn accepted(receipt: &Receipt) -> String {
    let Receipt { name, to, message, pending, .. } = receipt;
    match receipt.delivery {
        Delivery::Delivered => {
            format!("Delivered to {name} ({to}) as {message}, which starts its turn")
        }
        Delivery::Queued => {
            format!("Queued for {name} ({to}) as {message}, {pending} waiting there")
        }
        Delivery::Held => format!("Held for {name} ({to}) as {message} until it is let through"),
        Delivery::Forwarded => format!("Forwarded to {name} ({to}) as {message}"),
    }
}

fn receipt_data(receipt: &Receipt) -> Object {
    let data = Object::default();
    let data = match &receipt.request {
        Some(request) => data.text("request_id", request),
        None => data,
    };
    data.text("message_id", &receipt.message)
        .text("to", &receipt.to)
        .text("name", &receipt.name)
        .text("delivery", delivery_word(receipt.delivery))
        .number("pending", receipt.pending)
        .number("budget_left", receipt.budget_left)
}

fn delivery_word(delivery: Delivery) -> &'static str {
    match delivery {
        Delivery::Delivered => "delivered",
        Delivery::Queued => "queued",
        Delivery::Held => "held",
        Delivery::Forwarded => "forwarded",
    }
}

/// Each recipient has an outcome of its own; a refusal of one is no failure of the call.
fn fanned_out(recipients: Vec<Recipient>) -> Output {
    let mut lines = Vec::new();
    let mut data = Vec::new();
    for Recipient { to, name, outcome } in recipients {
        match outcome {
            Outcome::Accepted(receipt) => {
                let again = if receipt.repeated { "Sent before, not again. " } else { "" };
                lines.push(format!("{again}{}", accepted(&receipt)));
                data.push(receipt_data(&receipt));
            }
            Outcome::Refused(refusal) => {
                let failure = Failure::from(refusal);
                lines.push(format!("Not to {name} ({to}): {}: {}", failure.code, failure.text));
                data.push(refused_data(&to, &name, failure));
            }
        }
    }
    let data = Object::default().objects("recipients", data.into_iter());
    Output::text(lines.join("\n")).with_structured(data)
}

fn refused_data(to: &str, name: &str, failure: Failure) -> Object {
    let Failure { code, text, retry, .. } = failure;
    let refused = Object::default().text("code", &code).text("text", &text).flag("retry", retry);
    Object::default().text("to", to).text("name", name).object("refused", refused)
}

impl From<Interruption> for Output {
    fn from(interruption: Interruption) -> Self {
        let mut lines = vec![stopped(&interruption.target)];
        lines.extend(interruption.below.iter().map(stopped));
        if !interruption.calls_cut.is_empty() {
            lines.push(format!("Calls cut: {}.", interruption.calls_cut.join(", ")));
        }
        if !interruption.still_running.is_empty() {
            let running = interruption.still_running.join(", ");
            lines.push(format!("Below it these still run: {running}."));
        }
        if interruption.parked > 0 {
            let parked = interruption.parked;
            lines.push(format!("Parked behind the interrupt: {parked}, until a message wakes it."));
        }
        Output::text(lines.join("\n")).with_structured(interruption_data(&interruption))
    }
}

fn stopped(Stopped { agent, outcome }: &Stopped) -> String {
    match outcome {
        Stop::Cancelling(turn) => format!("{agent} was told to stop its turn {turn}."),
        Stop::AlreadyIdle => format!("{agent} was idle already; there was nothing to stop."),
        Stop::AlreadyFinished => format!("{agent} had finished its turn before this came."),
        Stop::TurnMoved(turn) => format!("{agent} is in another turn by now, {turn}; it goes on."),
        Stop::NotStarted => format!("{agent} had not started; its start is withdrawn."),
        Stop::Signalled => format!("{agent} runs elsewhere and was asked to stop."),
        Stop::Other(outcome) => format!("{agent}: {outcome}."),
    }
}

fn interruption_data(interruption: &Interruption) -> Object {
    stopped_data(&interruption.target)
        .objects("below", interruption.below.iter().map(stopped_data))
        .texts("calls_cut", &interruption.calls_cut)
        .texts("still_running", &interruption.still_running)
        .number("parked", interruption.parked)
}

fn stopped_data(Stopped { agent, outcome }: &Stopped) -> Object {
    let (word, turn) = match outcome {
        Stop::Cancelling(turn) => ("cancelling", Some(turn)),
        Stop::AlreadyIdle => ("already-idle", None),
        Stop::AlreadyFinished => ("already-finished", None),
        Stop::TurnMoved(turn) => ("turn-moved", Some(turn)),
        Stop::NotStarted => ("not-started", None),
        Stop::Signalled => ("signalled", None),
        Stop::Other(other) => (other.as_str(), None),
    };
    let data = Object::default().text("agent_id", agent).text("outcome", word);
    match turn {
        Some(turn) => data.text("turn_id", turn),
        None => data,
    }
}
