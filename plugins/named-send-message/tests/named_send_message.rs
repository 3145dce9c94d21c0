//! The tool as its host calls it.

use named_send_message::Component;
use switchboard_guest::subagents::{
    Block, Body, Content, Data, Envelope, PlanRequest, PlanResponse, ShutdownRequest,
    ShutdownResponse, Target,
};
use switchboard_guest::{Failure, Reply, Value, fake, json};

fn call(arguments: Value, host: &fake::Subagents) -> Result<Reply, Failure> {
    Component::call("SendMessage", &arguments.to_string(), host)
}

#[test]
fn text_goes_out_as_text_with_its_summary_beside_it() {
    let host = fake::Subagents::answering([fake::accepted("agt_2", "reviewer")]);
    let arguments = json!({ "to": "review-*", "summary": "a greeting", "message": "Hello" });
    call(arguments, &host).unwrap();
    let content = Content { summary: Some("a greeting".into()), ..Content::text("Hello") };
    assert_eq!(host.asked(), [Envelope::new(Target::spoken("review-*"), content)]);
}

#[test]
fn acknowledgement_is_asked_for_where_the_model_asks_for_it() {
    let host = fake::Subagents::answering([fake::accepted("agt_2", "reviewer")]);
    call(json!({ "to": "lead", "message": "Hello", "acknowledge": true }), &host)
        .expect("it is accepted");
    let content = Content { acknowledge: true, ..Content::text("Hello") };
    assert_eq!(host.asked(), [Envelope::new(Target::spoken("lead"), content)]);
}

#[test]
fn an_object_goes_out_as_data_of_its_type() {
    let host = fake::Subagents::answering([fake::accepted("agt_2", "reviewer")]);
    let object = json!({ "type": "task_update", "task": 7, "done": true });
    call(json!({ "to": "lead", "message": object }), &host).unwrap();
    let [Envelope { body, .. }] = &host.asked()[..] else { panic!("it asks once") };
    let data = Data { kind: "task_update".into(), json: object.to_string() };
    let content = Content { blocks: vec![Block::Data(data)], ..Content::text("") };
    assert_eq!(*body, content.into());
}

#[test]
fn an_object_without_a_type_and_anything_else_never_reach_the_host() {
    let host = fake::Subagents::answering([]);
    for message in [json!({ "task": 7 }), json!({ "type": 7 }), json!(7), json!(["Hello"])] {
        let failure = call(json!({ "to": "lead", "message": message }), &host).unwrap_err();
        assert_eq!(failure.code, "invalid-argument");
        assert!(failure.text.contains("`message`"), "{}", failure.text);
    }
}

fn typed(object: Value) -> Body {
    let host = fake::Subagents::answering([fake::accepted("agt_2", "reviewer")]);
    call(json!({ "to": "reviewer", "message": object }), &host).expect("it is accepted");
    host.asked().remove(0).body
}

#[test]
fn objects_of_the_hosts_types_are_requests_and_answers_and_no_messages() {
    let asks = json!({ "type": "shutdown_request", "reason": "done" });
    assert_eq!(typed(asks), ShutdownRequest::because("done").into());
    let (request, said) = ("req_7".to_owned(), Some("on it".to_owned()));
    let answers = json!({
        "type": "shutdown_response", "request_id": "req_7", "approve": false, "reason": "on it",
    });
    let (approve, cleaned_up, report) = (false, false, said.clone());
    let body = ShutdownResponse { request: request.clone(), approve, cleaned_up, report };
    assert_eq!(typed(answers), body.into());
    let plans = json!({ "type": "plan_approval_request", "plan": "paint it" });
    assert_eq!(typed(plans), PlanRequest::new("paint it").into());
    let judges = json!({
        "type": "plan_approval_response", "request_id": "req_7", "approve": true,
        "feedback": "on it",
    });
    assert_eq!(typed(judges), PlanResponse { request, approve: true, feedback: said }.into());
}

#[test]
fn an_object_of_such_a_type_that_says_something_else_never_reaches_the_host() {
    let host = fake::Subagents::answering([]);
    for object in [
        json!({ "type": "shutdown_response", "request_id": "req_7" }),
        json!({ "type": "plan_approval_request", "plan": "paint", "colour": "blue" }),
        json!({ "type": "plan_approval_response", "approve": true }),
    ] {
        let failure = call(json!({ "to": "lead", "message": object }), &host).unwrap_err();
        assert_eq!(failure.code, "invalid-argument");
    }
}
