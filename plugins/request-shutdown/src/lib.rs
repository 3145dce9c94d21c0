//! The tool by which an agent asks one below it to come to an end.

use switchboard_guest::subagents::{Envelope, ShutdownRequest, Target};
use switchboard_guest::{Arguments, Failure, Reply, Subagents, tool};

#[derive(Arguments)]
struct Request {
    /// Who is to come to an end: the id or the name of an agent below you.
    agent_id: String,
    /// Why. The agent reads it and decides.
    reason: String,
    /// What it is to put in order before, if anything.
    cleanup: Option<String>,
    /// How many seconds it has for its answer, from when it reads this; 30 unless you say.
    grace_seconds: Option<u32>,
    /// Whether you do nothing until it is answered; otherwise you go on meanwhile.
    wait_for_answer: Option<bool>,
}

/// Asks an agent below you to come to an end. It may put things in order, and it may refuse and say
/// why; if it does not answer in time it is put away by force. Which of these it was comes as a
/// message. A later message to it brings it back.
#[tool]
fn request_shutdown(request: Request, host: &impl Subagents) -> Result<Reply, Failure> {
    let Request { agent_id, reason, cleanup, grace_seconds, wait_for_answer } = request;
    let grace_ms = grace_seconds.map(|seconds| u64::from(seconds) * 1_000);
    let body = ShutdownRequest { reason, cleanup, grace_ms };
    let answer = host.send_message(&Envelope::new(Target::spoken(agent_id), body))?;
    Ok(answer.told(wait_for_answer.unwrap_or(false)))
}
