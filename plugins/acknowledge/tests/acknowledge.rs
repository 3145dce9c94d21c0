//! The tool as its host calls it.

use acknowledge::Component;
use switchboard_guest::subagents::{Acknowledgement, Body, Envelope, Target};
use switchboard_guest::{Failure, Output, Reply, fake, json};

#[test]
fn the_message_and_the_note_are_passed_and_the_model_is_told_what_that_did() {
    let host = fake::Subagents::answering([fake::accepted("agt_2", "lead")]);
    let arguments = json!({ "message_id": "msg_7", "note": "on it" }).to_string();
    let reply = Component::call("acknowledge", &arguments, &host).expect("it is accepted");
    let said = Output::text("Acknowledged msg_7; its sender is told.");
    assert_eq!(reply, Reply::Now(said));
    let (message, note) = ("msg_7".to_owned(), Some("on it".to_owned()));
    let body = Body::Acknowledge(Acknowledgement { message, note });
    assert_eq!(host.asked(), [Envelope::new(Target::Origin, body)]);
}

#[test]
fn a_refusal_is_a_failure_that_says_what_to_do() {
    let refusal = fake::refusal("not-found", "msg_7 asks for none.");
    let host = fake::Subagents::answering([Err(refusal)]);
    let arguments = json!({ "message_id": "msg_7" }).to_string();
    let failure = Component::call("acknowledge", &arguments, &host).expect_err("it is refused");
    assert_eq!(failure, Failure::new("not-found", "msg_7 asks for none."));
}
