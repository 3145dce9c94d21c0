//! The tool as its host calls it.

use named_send_message::Component;
use switchboard_guest::subagents::{Block, Content, Data, Envelope, Target};
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
