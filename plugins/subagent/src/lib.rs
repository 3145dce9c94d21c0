//! The tool by which an agent starts another.

use switchboard_guest::delegation::StartRequest;
use switchboard_guest::{Arguments, Delegation, Failure, Output, tool};

#[derive(Arguments)]
struct Start {
    /// Which kind of agent to start.
    agent: String,
    /// What it is for, in a few words. People read this in lists.
    description: String,
    /// Its task. It sees this text and nothing else of your work.
    prompt: String,
    /// Whether it works while you go on; its findings then come as messages.
    run_in_background: bool,
}

/// Starts an agent for a task of its own and gives its id and name, under which it can be
/// written to.
#[tool]
fn subagent(start: Start, host: &impl Delegation) -> Result<Output, Failure> {
    let Start { agent, description, prompt, run_in_background } = start;
    let background = run_in_background;
    let request = StartRequest { agent, description, prompt, background, extra: Vec::new() };
    Ok(host.start(&request)?.into())
}
