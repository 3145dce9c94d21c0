//! The tool as its host calls it.

use send_message::Component;
use switchboard_guest::subagents::{Content, Envelope, Target};
use switchboard_guest::{Failure, Reply, Value, fake, json};

fn call(arguments: Value, host: &fake::Subagents) -> Result<Reply, Failure> {
    Component::call("send_message", &arguments.to_string(), host)
}

#[test]
fn the_address_is_passed_as_it_was_spoken_and_the_text_as_one_block() {
    let host = fake::Subagents::answering([fake::accepted("agt_2", "reviewer")]);
    call(json!({ "agent_id": "child:reviewer", "message": "Look at a.rs." }), &host).unwrap();
    let content = Content::text("Look at a.rs.");
    assert!(!content.acknowledge);
    assert_eq!(host.asked(), [Envelope::new(Target::spoken("child:reviewer"), content)]);
}

#[test]
fn a_receipt_names_the_message_and_its_reader() {
    let host = fake::Subagents::answering([fake::accepted("agt_2", "reviewer")]);
    let reply = call(json!({ "agent_id": "reviewer", "message": "Hello" }), &host).unwrap();
    assert_eq!(reply, Reply::Now(fake::receipt("agt_2", "reviewer").into()));
}

#[test]
fn a_refusal_is_a_failure_that_says_what_to_do() {
    let refusal = fake::refusal("unreachable", "You cannot reach `bob`.");
    let host = fake::Subagents::answering([Err(refusal)]);
    let failure = call(json!({ "agent_id": "bob", "message": "Hello" }), &host).unwrap_err();
    assert_eq!(failure, Failure::new("unreachable", "You cannot reach `bob`."));
}

#[test]
fn wrong_arguments_never_reach_the_host() {
    let host = fake::Subagents::answering([]);
    let wrong = [
        json!({ "agent_id": "bob" }),
        json!({ "agent_id": "bob", "message": 1 }),
        json!({ "agent_id": "bob", "message": "Hello", "from": "lead" }),
    ];
    for arguments in wrong {
        assert_eq!(call(arguments, &host).unwrap_err().code, "invalid-argument");
    }
    assert!(host.asked().is_empty());
}

#[test]
fn it_says_how_to_report_to_a_parent() {
    let description: Value = Component::DESCRIPTION.parse().unwrap();
    let tool = &description["tools"][0];
    assert_eq!(description["world"], "control-tool");
    assert_eq!(tool["reports"]["agent_id"], "{parent}");
    assert_eq!(tool["annotations"]["read_only"], false);
}
