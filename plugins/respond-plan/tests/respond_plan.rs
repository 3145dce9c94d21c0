//! The tool as its host calls it.

use respond_plan::Component;
use switchboard_guest::subagents::{Answer, Data, Envelope, PlanResponse, Target};
use switchboard_guest::{Failure, Reply, Value, fake, json};

fn call(arguments: Value, host: &fake::Subagents) -> Result<Reply, Failure> {
    Component::call("respond_plan", &arguments.to_string(), host)
}

fn words(reply: Reply) -> String {
    let Reply::Now(output) = reply else { panic!("it answers at once") };
    format!("{output:?}")
}

#[test]
fn the_answer_goes_out_whole() {
    let answered = Answer::Other(Data { kind: "answered".into(), json: "{}".into() });
    let host = fake::Subagents::answering([Ok(answered)]);
    let arguments = json!({ "request_id": "req_7", "approve": false, "feedback": "too large" });
    let said = words(call(arguments, &host).expect("it counts"));
    assert!(said.contains("Your answer counts"), "{said}");
    let (request, feedback) = ("req_7".to_owned(), Some("too large".to_owned()));
    let body = PlanResponse { request, approve: false, feedback };
    assert_eq!(host.asked(), [Envelope::new(Target::Origin, body)]);
}

#[test]
fn a_refusal_is_a_failure_that_says_what_to_do() {
    let refusal = fake::refusal("already-answered", "req_7 has ended.");
    let host = fake::Subagents::answering([Err(refusal)]);
    let arguments = json!({ "request_id": "req_7", "approve": true });
    let failure = call(arguments, &host).expect_err("it is refused");
    assert_eq!(failure, Failure::new("already-answered", "req_7 has ended."));
}
