//! The tool by which an agent stops another's turn.

use switchboard_guest::subagents::{Envelope, Interrupt, Target};
use switchboard_guest::{Arguments, Failure, Output, Subagents, tool};

#[derive(Arguments)]
struct Interruption {
    /// Whom to stop: the id or the name of an agent below you.
    agent_id: String,
}

/// Stops the current turn of an agent below you. The agent stays and can be written to. Agents
/// below it keep running, and messages that it has not read wait until the next one wakes it.
#[tool]
fn interrupt_agent(target: Interruption, host: &impl Subagents) -> Result<Output, Failure> {
    let envelope = Envelope::new(Target::spoken(target.agent_id), Interrupt::current_turn());
    Ok(host.send_message(&envelope)?.into())
}
