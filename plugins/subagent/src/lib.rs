//! The tool by which an agent starts another.

use switchboard_guest::delegation::StartRequest;
use switchboard_guest::{Arguments, Delegation, Failure, Reply, tool};

#[derive(Arguments)]
struct Start {
    /// Which kind of agent to start.
    agent: String,
    /// What it is for, in a few words. People read this in lists.
    description: String,
    /// Its task. It sees this text and nothing else of your work.
    prompt: String,
    /// Whether it works while you go on, and its findings come as messages. Otherwise it runs this
    /// one task, and what it writes at its end is the result of this call.
    run_in_background: bool,
}

/// Starts an agent for a task of its own. In the background you get its id and name, under which it
/// can be written to; otherwise you wait for what it comes to.
#[tool]
fn subagent(start: Start, host: &impl Delegation) -> Result<Reply, Failure> {
    let Start { agent, description, prompt, run_in_background } = start;
    let background = run_in_background;
    let request = StartRequest { agent, description, prompt, background, extra: Vec::new() };
    Ok(host.start(&request)?.into())
}
