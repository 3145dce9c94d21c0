//! The tool by which an agent answers the request to come to an end.

use switchboard_guest::subagents::{Envelope, ShutdownResponse, Target};
use switchboard_guest::{Arguments, Failure, Output, Subagents, tool};

#[derive(Arguments)]
struct Response {
    /// Which request: its id, as it stands in what you were asked.
    request_id: String,
    /// Whether you come to an end. Then you are put away at once, so do what is left to do first.
    approve: bool,
    /// Whether you have put in order what you were to.
    cleaned_up: Option<bool>,
    /// What whoever asked should know: what is done and what is not, or why you refuse.
    report: Option<String>,
}

/// Answers a request to come to an end, once. If you approve you are put away with all below you;
/// if you refuse you go on.
#[tool]
fn respond_shutdown(response: Response, host: &impl Subagents) -> Result<Output, Failure> {
    let Response { request_id: request, approve, cleaned_up, report } = response;
    let cleaned_up = cleaned_up.unwrap_or(false);
    let body = ShutdownResponse { request, approve, cleaned_up, report };
    Ok(host.send_message(&Envelope::new(Target::Origin, body))?.into())
}
