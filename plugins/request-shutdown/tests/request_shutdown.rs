//! The tool as its host calls it.

use request_shutdown::Component;
use switchboard_guest::subagents::{Answer, Envelope, Receipt, ShutdownRequest, Target};
use switchboard_guest::{Failure, Reply, Value, fake, json};

fn call(arguments: Value, host: &fake::Subagents) -> Result<Reply, Failure> {
    Component::call("request_shutdown", &arguments.to_string(), host)
}

fn words(reply: Reply) -> String {
    let Reply::Now(output) = reply else { panic!("it answers at once") };
    format!("{output:?}")
}

#[test]
fn the_request_goes_out_whole_and_its_id_comes_back() {
    let asked = Receipt { request: Some("req_7".into()), ..fake::receipt("agt_2", "worker") };
    let host = fake::Subagents::answering([Ok(Answer::Accepted(asked))]);
    let arguments = json!({
        "agent_id": "worker", "reason": "done", "cleanup": "the branch", "grace_seconds": 5,
    });
    let said = words(call(arguments, &host).expect("it is accepted"));
    assert!(said.contains("req_7"), "{said}");
    let (reason, cleanup) = ("done".to_owned(), Some("the branch".to_owned()));
    let body = ShutdownRequest { reason, cleanup, grace_ms: Some(5_000) };
    assert_eq!(host.asked(), [Envelope::new(Target::spoken("worker"), body)]);
}

#[test]
fn a_refusal_is_a_failure_that_says_what_to_do() {
    let refusal = fake::refusal("unreachable", "There is nobody.");
    let host = fake::Subagents::answering([Err(refusal)]);
    let arguments = json!({ "agent_id": "parent", "reason": "done" });
    let failure = call(arguments, &host).expect_err("it is refused");
    assert_eq!(failure, Failure::new("unreachable", "There is nobody."));
    let failure = call(json!({ "agent_id": "worker" }), &host).expect_err("it is incomplete");
    assert_eq!(failure.code, "invalid-argument");
}
