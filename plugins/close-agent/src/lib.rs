//! The tool by which an agent puts another away.

use switchboard_guest::{Arguments, Delegation, Failure, Output, tool};

#[derive(Arguments)]
struct Close {
    /// Whom to put away: the id or the name of an agent below you.
    agent_id: String,
}

/// Puts an agent below you away, with all that are below it, whatever they are doing. It keeps what
/// it knows and the messages it has not read; writing to it brings it back.
#[tool]
fn close_agent(close: Close, host: &impl Delegation) -> Result<Output, Failure> {
    Ok(host.close(&close.agent_id)?.told("is being put away"))
}
