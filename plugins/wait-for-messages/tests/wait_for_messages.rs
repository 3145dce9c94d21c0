//! The tool as its host calls it.

use switchboard_guest::fake::{Inquiry, Shown};
use switchboard_guest::observation::Refusal;
use switchboard_guest::{Failure, Reply, Value, fake, json};
use wait_for_messages::Component;

fn call(arguments: Value, host: &fake::Observation) -> Result<Reply, Failure> {
    Component::call("wait_for_messages", &arguments.to_string(), host)
}

#[test]
fn the_answer_is_the_ticket_of_the_host() {
    let host = fake::Observation::answering([Ok(Shown::Ticket("ticket_0".into()))]);
    let reply = call(json!({ "timeout_ms": 10_000 }), &host).expect("it may wait");
    assert_eq!(reply, Reply::Later("ticket_0".into()));
    assert_eq!(host.asked(), [Inquiry::Wait(Some(10_000))]);
}

#[test]
fn how_long_is_for_the_host_to_say() {
    let refusal = Refusal {
        code: "invalid-argument".into(),
        text: "A wait takes 10000 to 3600000 milliseconds, not 9999.".into(),
        retry: false,
        retry_after_ms: None,
        uncertain: false,
        candidates: Vec::new(),
        extra: Vec::new(),
    };
    let host = fake::Observation::answering([Err(refusal)]);
    let failure = call(json!({ "timeout_ms": 9_999 }), &host).expect_err("it is too short");
    assert!(failure.text.contains("10000"), "{}", failure.text);
    assert_eq!(host.asked(), [Inquiry::Wait(Some(9_999))]);
}
