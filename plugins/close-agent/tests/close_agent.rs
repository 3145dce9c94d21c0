//! The tool as its host calls it.

use close_agent::Component;
use switchboard_guest::delegation::{Candidate, Closed, Refusal};
use switchboard_guest::fake::{Done, Order};
use switchboard_guest::{Block, Failure, Reply, Value, fake, json};

fn call(arguments: Value, host: &fake::Delegation) -> Result<Reply, Failure> {
    Component::call("close_agent", &arguments.to_string(), host)
}

fn closed(below: u32) -> Closed {
    Closed {
        agent: "agt_2".into(),
        name: "reviewer".into(),
        was: "running".into(),
        below,
        repeated: false,
        extra: Vec::new(),
    }
}

#[test]
fn the_answer_says_what_it_was_doing_and_how_many_go_with_it() {
    let host = fake::Delegation::answering([Ok(Done::Closed(closed(2)))]);
    let Ok(Reply::Now(output)) = call(json!({ "agent_id": "reviewer" }), &host) else {
        panic!("an answer at once was expected");
    };
    assert_eq!(host.asked(), [Order::Close("reviewer".into())]);
    let [Block::Text(text)] = &output.blocks[..] else { panic!("one block was expected") };
    let expected = "reviewer (agt_2) is being put away, and 2 agents below it. It was running.";
    assert_eq!(text, expected);
    let data: Value = output.structured.unwrap().parse().unwrap();
    assert_eq!(data["was"], "running");
}

#[test]
fn a_refusal_names_those_who_could_be_meant() {
    let refusal = Refusal {
        code: "unreachable".into(),
        text: "There is nobody.".into(),
        retry: false,
        retry_after_ms: None,
        uncertain: false,
        candidates: vec![Candidate { address: "tester".into(), relation: "child".into() }],
        extra: Vec::new(),
    };
    let host = fake::Delegation::answering([Err(refusal)]);
    let failure = call(json!({ "agent_id": "nobody" }), &host).unwrap_err();
    assert_eq!(failure.text, "There is nobody. You can name `tester` (child).");
}

#[test]
fn whom_it_is_about_has_to_be_said() {
    let host = fake::Delegation::answering([]);
    let failure = call(json!({}), &host).unwrap_err();
    assert_eq!(failure.text, "The argument `agent_id` is missing.");
}
