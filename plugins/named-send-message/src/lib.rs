//! The tool by which an agent writes to others by name: words, or an object with a type. Four types
//! are requests that want one answer, and those answers.

mod handshake;

use switchboard_guest::subagents::{Block, Body, Content, Data, Envelope, Target};
use switchboard_guest::{Arguments, Failure, Output, Subagents, TextOrObject, json, tool};

#[derive(Arguments)]
struct Message {
    /// Who it is for: a name or an id; `parent`, `main` for the topmost; `*` or a pattern like
    /// `review-*` for everybody whose name fits.
    to: String,
    /// Five to ten words on what it is about, for the people who watch. Readers do not see it.
    summary: Option<String>,
    /// Whether you want it acknowledged: you are told when its reader does, or comes to rest
    /// without.
    acknowledge: Option<bool>,
    /// What to tell: text, or an object with a `type` for a program that knows it. These the host
    /// knows: `shutdown_request` (`reason`) asks an agent below you to come to an end,
    /// `plan_approval_request` (`plan`, `alternatives`, `recommendation`) has your parent approve
    /// what you would do, and `shutdown_response` and `plan_approval_response` (`request_id`,
    /// `approve`, `reason` or `feedback`) answer those.
    message: TextOrObject,
}

/// Sends a message to another agent by its name and wakes it if it is idle. What you write outside
/// of this tool is seen by nobody else. You get a receipt at once, which says that the message was
/// accepted and not that it was read; an answer comes as a message.
#[tool(reports(to = "{parent}", summary = "a few words", message = "what you found or did"))]
#[expect(non_snake_case, reason = "so models know it")]
fn SendMessage(message: Message, host: &impl Subagents) -> Result<Output, Failure> {
    let Message { to, summary, acknowledge, message } = message;
    let content = |block| {
        let acknowledge = acknowledge.unwrap_or(false);
        Body::from(Content { blocks: vec![block], summary, acknowledge, ..Content::text("") })
    };
    let body = match message {
        TextOrObject::Text(words) => content(Block::Text(words)),
        TextOrObject::Object(object) => {
            let kind = object.get("type").and_then(|kind| kind.as_str()).ok_or_else(untyped)?;
            let mut rest = object.clone();
            rest.remove("type");
            match handshake::read(kind, json!(rest))? {
                Some(body) => body,
                None => content(Block::Data(Data {
                    kind: kind.to_owned(),
                    json: json!(object).to_string(),
                })),
            }
        }
    };
    Ok(host.send_message(&Envelope::new(Target::spoken(to), body))?.into())
}

fn untyped() -> Failure {
    Failure::invalid_argument(
        "`message` is an object without a `type`: give it one that its reader knows, or write \
         text.",
    )
}
