//! The tool by which an agent has a plan approved before it changes anything.

use switchboard_guest::subagents::{Envelope, PlanRequest, Target};
use switchboard_guest::{Arguments, Failure, Reply, Subagents, tool};

#[derive(Arguments)]
struct Plan {
    /// What you would do, in steps that can be judged.
    plan: String,
    /// What could be done instead, if there is a choice.
    alternatives: Option<Vec<String>>,
    /// What you would choose, and why.
    recommendation: Option<String>,
    /// Whether you do nothing until it is answered; otherwise you go on meanwhile.
    wait_for_answer: Option<bool>,
}

/// Asks your parent to approve a plan. From then on you may change nothing until it is approved;
/// you can still read and write messages. The answer comes as a message: with it you may go on, or
/// ask again with a better plan. A new plan takes the place of one that has no answer yet.
#[tool]
fn request_plan_approval(plan: Plan, host: &impl Subagents) -> Result<Reply, Failure> {
    let Plan { plan, alternatives, recommendation, wait_for_answer } = plan;
    let alternatives = alternatives.unwrap_or_default();
    let body = PlanRequest { plan, alternatives, recommendation };
    let answer = host.send_message(&Envelope::new(Target::spoken("parent"), body))?;
    Ok(answer.told(wait_for_answer.unwrap_or(false)))
}
