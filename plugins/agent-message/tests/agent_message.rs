//! The tool as its host calls it.

use agent_message::Component;
use switchboard_guest::subagents::{Content, Envelope, Member, Relation, Target};
use switchboard_guest::{Failure, Reply, Value, fake, json};

fn call(arguments: Value, host: &fake::Subagents) -> Result<Reply, Failure> {
    Component::call("agent_message", &arguments.to_string(), host)
}

/// Whom the host was asked to send to.
fn target(mut arguments: Value) -> Target {
    arguments["message"] = json!("Hello");
    let host = fake::Subagents::answering([fake::accepted("agt_2", "reviewer")]);
    call(arguments, &host).expect("it is accepted");
    let [Envelope { to, body, .. }] = &host.asked()[..] else { panic!("it asks once") };
    assert_eq!(*body, Content::text("Hello").into());
    to.clone()
}

fn member(role: Relation, name: Option<&str>) -> Target {
    Target::Member(Member { role, name: name.map(Into::into) })
}

#[test]
fn a_role_and_a_name_are_passed_as_they_are() {
    let to =
        |role: &str, name: Value| target(json!({"receiver_role": role, "receiver_name": name}));
    assert_eq!(to("parent", Value::Null), member(Relation::Parent, None));
    assert_eq!(to("sibling", json!("tester")), member(Relation::Sibling, Some("tester")));
    assert_eq!(to("child", json!("all")), member(Relation::Child, Some("all")));
}

#[test]
fn a_name_without_a_role_is_an_address_as_it_was_spoken() {
    assert_eq!(target(json!({ "receiver_name": "all" })), Target::spoken("all"));
    assert_eq!(target(json!({ "receiver_name": "review-*" })), Target::spoken("review-*"));
}

#[test]
fn who_names_nobody_is_told_how_to_and_the_host_is_not_asked() {
    let host = fake::Subagents::answering([]);
    let failure = call(json!({ "message": "Hello" }), &host).unwrap_err();
    assert!(failure.text.contains("`receiver_role`"), "{}", failure.text);
    let wrong = json!({ "message": "Hello", "receiver_role": "cousin" });
    assert!(call(wrong, &host).unwrap_err().text.contains("parent, sibling, child"));
}
