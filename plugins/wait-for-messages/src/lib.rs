//! The tool by which an agent waits until somebody writes to it.

use switchboard_guest::{Arguments, Failure, Observation, Reply, tool};

#[derive(Arguments)]
struct Wait {
    /// For how long at most, in milliseconds: 10000 to 3600000; 30000 if left out.
    timeout_ms: Option<u64>,
}

/// Waits until there is a message that you read with your next step; at once if there is one. It
/// also returns when nobody is at work who could write to you. Do not call other tools to see
/// whether somebody has written: messages come to you by themselves.
#[tool(read_only)]
fn wait_for_messages(wait: Wait, host: &impl Observation) -> Result<Reply, Failure> {
    Ok(Reply::Later(host.wait(wait.timeout_ms)?))
}
