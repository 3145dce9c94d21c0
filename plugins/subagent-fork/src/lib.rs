//! The tool by which an agent starts another that knows what it knows itself.

use switchboard_guest::delegation::ForkRequest;
use switchboard_guest::{Arguments, Delegation, Failure, Reply, tool};

#[derive(Arguments)]
struct Fork {
    /// What it is for, in a few words. People read this in lists.
    description: String,
    /// Its task. It knows what you knew at the end of your last completed turn, and this text.
    prompt: String,
    /// Whether it works while you go on, and its findings come as messages. Otherwise it runs this
    /// one task, and what it writes at its end is the result of this call.
    run_in_background: bool,
}

/// Starts an agent like you that already knows what you knew at the end of your last completed
/// turn; nothing of the present one. In the background you get its id and name, under which it can
/// be written to; otherwise you wait for what it comes to.
#[tool]
fn subagent_fork(fork: Fork, host: &impl Delegation) -> Result<Reply, Failure> {
    let Fork { description, prompt, run_in_background: background } = fork;
    let request = ForkRequest { description, prompt, background, extra: Vec::new() };
    Ok(host.fork(&request)?.into())
}
