//! The tool by which an agent says that it has read a message that asked for it.

use switchboard_guest::subagents::{Acknowledgement, Body, Envelope, Target};
use switchboard_guest::{Arguments, Failure, Output, Subagents, tool};

#[derive(Arguments)]
struct Read {
    /// Which message: its id, as it stands in front of the message.
    message_id: String,
    /// What you say to it, in a line of at most 1,000 characters, if there is anything to say.
    note: Option<String>,
}

/// Acknowledges a message that asks for it, so that its sender knows that you have read it. The
/// sender is told without being disturbed. It is no answer: send a message if one is wanted.
#[tool]
fn acknowledge(read: Read, host: &impl Subagents) -> Result<Output, Failure> {
    let Read { message_id, note } = read;
    let said = Output::text(format!("Acknowledged {message_id}; its sender is told."));
    let body = Body::Acknowledge(Acknowledgement { message: message_id, note });
    host.send_message(&Envelope::new(Target::Origin, body))?;
    Ok(said)
}
