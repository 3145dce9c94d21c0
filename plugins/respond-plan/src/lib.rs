//! The tool by which an agent approves another's plan, or does not.

use switchboard_guest::subagents::{Envelope, PlanResponse, Target};
use switchboard_guest::{Arguments, Failure, Output, Subagents, tool};

#[derive(Arguments)]
struct Response {
    /// Which request: its id, as it stands in what you were asked.
    request_id: String,
    /// Whether that plan may be carried out.
    approve: bool,
    /// What you say to it: why not, or what to mind.
    feedback: Option<String>,
}

/// Answers a request to approve a plan, once. The approval is for that plan alone; without it the
/// agent changes nothing and may ask again.
#[tool]
fn respond_plan(response: Response, host: &impl Subagents) -> Result<Output, Failure> {
    let Response { request_id: request, approve, feedback } = response;
    let body = PlanResponse { request, approve, feedback };
    Ok(host.send_message(&Envelope::new(Target::Origin, body))?.into())
}
