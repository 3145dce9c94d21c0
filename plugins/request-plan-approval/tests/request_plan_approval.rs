//! The tool as its host calls it.

use request_plan_approval::Component;
use switchboard_guest::subagents::{Answer, Data, Envelope, PlanRequest, Receipt, Target};
use switchboard_guest::{Failure, Reply, Value, fake, json};

fn call(arguments: Value, host: &fake::Subagents) -> Result<Reply, Failure> {
    Component::call("request_plan_approval", &arguments.to_string(), host)
}

fn words(reply: Reply) -> String {
    let Reply::Now(output) = reply else { panic!("it answers at once") };
    format!("{output:?}")
}

#[test]
fn the_plan_goes_out_whole_and_its_request_comes_back() {
    let asked = Receipt { request: Some("req_7".into()), ..fake::receipt("agt_1", "lead") };
    let host = fake::Subagents::answering([Ok(Answer::Accepted(asked))]);
    let arguments = json!({
        "plan": "paint it", "alternatives": ["leave it"], "recommendation": "paint it",
    });
    let said = words(call(arguments, &host).expect("it is accepted"));
    assert!(said.contains("req_7"), "{said}");
    let (plan, alternatives) = ("paint it".to_owned(), vec!["leave it".to_owned()]);
    let body = PlanRequest { plan, alternatives, recommendation: Some("paint it".into()) };
    assert_eq!(host.asked(), [Envelope::new(Target::spoken("parent"), body)]);
}

#[test]
fn where_the_person_is_asked_the_model_is_told() {
    let (kind, json) = ("person-asked".to_owned(), r#"{"request_id":"req_7"}"#.to_owned());
    let host = fake::Subagents::answering([Ok(Answer::Other(Data { kind, json }))]);
    let said = words(call(json!({ "plan": "paint it" }), &host).expect("it is accepted"));
    assert!(said.contains("The person is asked") && said.contains("req_7"), "{said}");
}

#[test]
fn without_a_plan_nothing_is_asked() {
    let host = fake::Subagents::answering([]);
    let failure = call(json!({}), &host).expect_err("it is incomplete");
    assert_eq!(failure.code, "invalid-argument");
}

#[test]
fn one_that_waits_answers_with_the_request_as_its_ticket() {
    let (kind, json) = ("person-asked".to_owned(), r#"{"request_id":"req_7"}"#.to_owned());
    let host = fake::Subagents::answering([Ok(Answer::Other(Data { kind, json }))]);
    let arguments = json!({ "plan": "paint it", "wait_for_answer": true });
    let reply = call(arguments, &host).expect("it is accepted");
    assert_eq!(reply, Reply::Later("req_7".into()));
}
