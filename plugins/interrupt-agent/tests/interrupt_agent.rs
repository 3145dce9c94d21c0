//! The tool as its host calls it.

use interrupt_agent::Component;
use switchboard_guest::subagents::{
    Answer, Envelope, Interrupt, Interruption, Stop, Stopped, Target,
};
use switchboard_guest::{Block, Failure, Reply, Value, fake, json};

fn call(arguments: Value, host: &fake::Subagents) -> Result<Reply, Failure> {
    Component::call("interrupt_agent", &arguments.to_string(), host)
}

fn interruption() -> Interruption {
    let outcome = Stop::Cancelling("turn_7".into());
    Interruption {
        target: Stopped { agent: "agt_2".into(), outcome },
        below: Vec::new(),
        still_running: vec!["agt_3".into()],
        calls_cut: vec!["read_file".into()],
        parked: 2,
        extra: Vec::new(),
    }
}

#[test]
fn it_asks_for_the_current_turn_of_one_agent_to_stop() {
    let host = fake::Subagents::answering([Ok(Answer::Interrupted(interruption()))]);
    call(json!({ "agent_id": "reviewer" }), &host).unwrap();
    let expected = Envelope::new(Target::spoken("reviewer"), Interrupt::current_turn());
    assert_eq!(host.asked(), [expected]);
}

#[test]
fn it_says_in_words_what_stopped_what_runs_and_what_waits() {
    let host = fake::Subagents::answering([Ok(Answer::Interrupted(interruption()))]);
    let Ok(Reply::Now(output)) = call(json!({ "agent_id": "reviewer" }), &host) else {
        panic!("an answer at once was expected");
    };
    let expected = "agt_2 was told to stop its turn turn_7.\n\
        Calls cut: read_file.\n\
        Below it these still run: agt_3.\n\
        Parked behind the interrupt: 2, until a message wakes it.";
    assert_eq!(output.blocks, [Block::Text(expected.into())]);
}

#[test]
fn a_refusal_is_a_failure_with_the_hosts_code() {
    let refusal = fake::refusal("unreachable", "You cannot interrupt `lead`.");
    let host = fake::Subagents::answering([Err(refusal)]);
    let failure = call(json!({ "agent_id": "lead" }), &host).unwrap_err();
    assert_eq!(failure, Failure::new("unreachable", "You cannot interrupt `lead`."));
}

#[test]
fn it_takes_nothing_but_whom_to_stop() {
    let host = fake::Subagents::answering([]);
    for arguments in [json!({}), json!({ "agent_id": "a", "cascade": true })] {
        assert_eq!(call(arguments, &host).unwrap_err().code, "invalid-argument");
    }
    assert!(host.asked().is_empty());
}
