//! The tool as its host calls it.

use subagent_fork::Component;
use switchboard_guest::delegation::{ForkRequest, Started};
use switchboard_guest::fake::{Done, Order};
use switchboard_guest::{Failure, Reply, Value, fake, json};

fn call(arguments: Value, host: &fake::Delegation) -> Result<Reply, Failure> {
    Component::call("subagent_fork", &arguments.to_string(), host)
}

fn arguments(background: bool) -> Value {
    json!({ "description": "A look", "prompt": "Go on.", "run_in_background": background })
}

fn started(ticket: Option<&str>) -> fake::Delegation {
    let (agent, name) = ("agt_2".into(), "fork".into());
    let ticket = ticket.map(str::to_owned);
    let started = Started { agent, name, ticket, repeated: false, extra: Vec::new() };
    fake::Delegation::answering([Ok(Done::Started(started))])
}

#[test]
fn in_the_background_the_answer_is_whom_to_write_to() {
    let host = started(None);
    let Ok(Reply::Now(output)) = call(arguments(true), &host) else {
        panic!("an answer at once was expected");
    };
    let data: Value = output.structured.unwrap_or_default().parse().expect("it is JSON");
    assert_eq!(data["name"], "fork");
    let (description, prompt) = ("A look".into(), "Go on.".into());
    let request = ForkRequest { description, prompt, background: true, extra: Vec::new() };
    assert_eq!(host.asked(), [Order::Fork(request)]);
}

#[test]
fn in_the_foreground_the_answer_is_a_ticket() {
    let reply = call(arguments(false), &started(Some("ticket_0"))).expect("it is started");
    assert_eq!(reply, Reply::Later("ticket_0".into()));
}

#[test]
fn its_task_has_to_be_said() {
    let host = fake::Delegation::answering([]);
    let failure = call(json!({ "description": "A look" }), &host).expect_err("it has no task");
    assert_eq!(failure.text, "The argument `prompt` is missing.");
}
