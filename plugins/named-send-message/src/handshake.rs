//! The objects that ask for one answer, or are one.

use switchboard_guest::subagents::{
    Body, PlanRequest, PlanResponse, ShutdownRequest, ShutdownResponse,
};
use switchboard_guest::{Argument, Arguments, Failure, Value};

#[derive(Arguments)]
struct Ending {
    reason: Option<String>,
}

#[derive(Arguments)]
struct Ended {
    request_id: String,
    approve: bool,
    reason: Option<String>,
}

#[derive(Arguments)]
struct Plan {
    plan: String,
    alternatives: Option<Vec<String>>,
    recommendation: Option<String>,
}

#[derive(Arguments)]
struct Judged {
    request_id: String,
    approve: bool,
    feedback: Option<String>,
}

/// What an object of this type, given without it, asks for or answers; none if its reader is to
/// know what it is.
pub(crate) fn read(kind: &str, object: Value) -> Result<Option<Body>, Failure> {
    Ok(Some(match kind {
        "shutdown_request" => {
            let Ending { reason } = Argument::read(object)?;
            ShutdownRequest::because(reason.unwrap_or_else(|| "none was given".into())).into()
        }
        "shutdown_response" => {
            let Ended { request_id: request, approve, reason: report } = Argument::read(object)?;
            ShutdownResponse { request, approve, cleaned_up: false, report }.into()
        }
        "plan_approval_request" => {
            let Plan { plan, alternatives, recommendation } = Argument::read(object)?;
            let alternatives = alternatives.unwrap_or_default();
            PlanRequest { plan, alternatives, recommendation }.into()
        }
        "plan_approval_response" => {
            let Judged { request_id: request, approve, feedback } = Argument::read(object)?;
            PlanResponse { request, approve, feedback }.into()
        }
        _ => return Ok(None),
    }))
}
