//! The tool as its host calls it.

use subagent::Component;
use switchboard_guest::delegation::{Refusal, StartRequest, Started};
use switchboard_guest::fake::{Done, Order};
use switchboard_guest::{Block, Failure, Reply, Value, fake, json};

fn call(arguments: Value, host: &fake::Delegation) -> Result<Reply, Failure> {
    Component::call("subagent", &arguments.to_string(), host)
}

fn arguments(run_in_background: bool) -> Value {
    json!({
        "agent": "reviewer",
        "description": "Review a.rs",
        "prompt": "Read a.rs and say what is wrong.",
        "run_in_background": run_in_background,
    })
}

fn request(background: bool) -> StartRequest {
    StartRequest {
        agent: "reviewer".into(),
        description: "Review a.rs".into(),
        prompt: "Read a.rs and say what is wrong.".into(),
        background,
        extra: Vec::new(),
    }
}

fn refused(code: &str, text: &str) -> Refusal {
    Refusal {
        code: code.into(),
        text: text.into(),
        retry: false,
        retry_after_ms: None,
        uncertain: false,
        candidates: Vec::new(),
        extra: Vec::new(),
    }
}

#[test]
fn a_started_agent_is_answered_with_its_id_and_name() {
    let agent = "agt_2".into();
    let (name, ticket) = ("reviewer".into(), None);
    let started = Started { agent, name, ticket, repeated: false, extra: Vec::new() };
    let host = fake::Delegation::answering([Ok(Done::Started(started))]);
    let Ok(Reply::Now(output)) = call(arguments(true), &host) else {
        panic!("an answer at once was expected");
    };
    assert_eq!(host.asked(), [Order::Start(request(true))]);
    let [Block::Text(text)] = &output.blocks[..] else { panic!("one block was expected") };
    assert!(text.starts_with("Started reviewer (agt_2)."), "{text}");
    let data: Value = output.structured.unwrap().parse().unwrap();
    assert_eq!(data, json!({ "agent_id": "agt_2", "name": "reviewer", "repeated": false }));
}

#[test]
fn in_the_foreground_the_answer_is_the_ticket_of_the_host() {
    let (agent, name, ticket) = ("agt_2".into(), "reviewer".into(), Some("ticket_0".to_owned()));
    let started = Started { agent, name, ticket, repeated: false, extra: Vec::new() };
    let host = fake::Delegation::answering([Ok(Done::Started(started))]);
    let reply = call(arguments(false), &host).unwrap();
    assert_eq!(reply, Reply::Later("ticket_0".into()));
    assert_eq!(host.asked(), [Order::Start(request(false))]);
}

#[test]
fn an_agent_that_may_not_be_started_is_a_failure() {
    let host = fake::Delegation::answering([Err(refused("capacity", "All places are taken."))]);
    assert_eq!(call(arguments(true), &host).unwrap_err().code, "capacity");
}

#[test]
fn every_argument_is_required() {
    let host = fake::Delegation::answering([]);
    for name in ["agent", "description", "prompt", "run_in_background"] {
        let mut arguments = arguments(true);
        arguments.as_object_mut().unwrap().remove(name);
        let failure = call(arguments, &host).unwrap_err();
        assert_eq!(failure.text, format!("The argument `{name}` is missing."));
    }
    assert!(host.asked().is_empty());
}
