//! The tool by which an agent asks what became of a message.

use switchboard_guest::{Arguments, Failure, Observation, Output, tool};

#[derive(Arguments)]
struct Status {
    /// Which message: its id, as you got it when you sent it or as it stands above one that you
    /// read.
    message_id: String,
}

/// Says what became of a message that you sent or got: whether it waits, was read, expired or was
/// dropped. That it was read does not say that anything was done about it.
#[tool(read_only)]
fn message_status(status: Status, host: &impl Observation) -> Result<Output, Failure> {
    Ok(host.message_status(&status.message_id)?.into())
}
