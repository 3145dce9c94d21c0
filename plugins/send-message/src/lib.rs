//! The tool by which an agent writes to another.

use switchboard_guest::subagents::{Content, Envelope, Target};
use switchboard_guest::{Arguments, Failure, Output, Subagents, tool};

#[derive(Arguments)]
struct Message {
    /// Who it is for: an agent's id or name, `parent`, or a role and a name like
    /// `child:api-reviewer`.
    agent_id: String,
    /// What to tell it. It sees this text and nothing else of your work.
    message: String,
}

/// Sends a message to another agent and wakes it if it is idle. You get a receipt at once, which
/// says that the message was accepted and not that it was read; an answer comes as a message.
#[tool(reports(agent_id = "{parent}", message = "what you found or did"))]
fn send_message(message: Message, host: &impl Subagents) -> Result<Output, Failure> {
    let content = Content::text(message.message);
    Ok(host.send_message(&Envelope::new(Target::spoken(message.agent_id), content))?.into())
}
