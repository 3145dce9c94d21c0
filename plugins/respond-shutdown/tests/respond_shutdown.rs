//! The tool as its host calls it.

use respond_shutdown::Component;
use switchboard_guest::subagents::{Answer, Data, Envelope, ShutdownResponse, Target};
use switchboard_guest::{Failure, Reply, Value, fake, json};

fn call(arguments: Value, host: &fake::Subagents) -> Result<Reply, Failure> {
    Component::call("respond_shutdown", &arguments.to_string(), host)
}

fn words(reply: Reply) -> String {
    let Reply::Now(output) = reply else { panic!("it answers at once") };
    format!("{output:?}")
}

fn counts() -> Result<Answer, switchboard_guest::subagents::Refusal> {
    Ok(Answer::Other(Data { kind: "answered".into(), json: "{}".into() }))
}

#[test]
fn the_answer_goes_out_whole() {
    let host = fake::Subagents::answering([counts()]);
    let arguments = json!({
        "request_id": "req_7", "approve": true, "cleaned_up": true, "report": "in order",
    });
    let said = words(call(arguments, &host).expect("it counts"));
    assert!(said.contains("Your answer counts"), "{said}");
    let (request, report) = ("req_7".to_owned(), Some("in order".to_owned()));
    let body = ShutdownResponse { request, approve: true, cleaned_up: true, report };
    assert_eq!(host.asked(), [Envelope::new(Target::Origin, body)]);
}

#[test]
fn nothing_counts_as_put_in_order_that_is_not_said_to_be() {
    let host = fake::Subagents::answering([counts()]);
    call(json!({ "request_id": "req_7", "approve": false }), &host).expect("it counts");
    let request = "req_7".to_owned();
    let body = ShutdownResponse { request, approve: false, cleaned_up: false, report: None };
    assert_eq!(host.asked(), [Envelope::new(Target::Origin, body)]);
}

#[test]
fn without_a_yes_or_a_no_it_is_no_answer() {
    let host = fake::Subagents::answering([]);
    let failure = call(json!({ "request_id": "req_7" }), &host).expect_err("it is incomplete");
    assert_eq!(failure.code, "invalid-argument");
}
