//! The tool as its host calls it.

use message_status::Component;
use switchboard_guest::fake::{Inquiry, Shown};
use switchboard_guest::observation::{MessageState, Sender};
use switchboard_guest::{Block, Failure, Reply, Value, fake, json};

fn call(host: &fake::Observation) -> Result<Reply, Failure> {
    Component::call("message_status", r#"{ "message_id": "msg_7" }"#, host)
}

fn state(standing: &str, reason: Option<&str>, shown: Option<u32>) -> MessageState {
    MessageState {
        message: "msg_7".into(),
        sender: Sender { agent: Some("agt_1".into()), name: "lead".into(), relationship: None },
        to: "agt_2".into(),
        accepted_at_ms: 0,
        standing: standing.into(),
        reason: reason.map(str::to_owned),
        shown,
        turn: None,
        extra: Vec::new(),
    }
}

#[test]
fn each_standing_is_said_in_words_and_as_data() {
    let cases = [
        (state("waiting", None, Some(0)), "waits and was not read yet"),
        (state("waiting", None, Some(2)), "was shown 2 times"),
        (state("claimed", None, Some(1)), "has made no step from it yet"),
        (state("consumed", None, None), "was read"),
        (state("expired", None, None), "expired before it was read"),
        (state("dropped", Some("poison"), None), "was dropped: poison"),
    ];
    for (state, words) in cases {
        let standing = state.standing.clone();
        let host = fake::Observation::answering([Ok(Shown::State(state))]);
        let Ok(Reply::Now(output)) = call(&host) else { panic!("an answer was expected") };
        let [Block::Text(text)] = &output.blocks[..] else { panic!("one block was expected") };
        assert!(text.starts_with("msg_7 from lead to agt_2 "), "{text}");
        assert!(text.contains(words), "{text}");
        let data: Value = output.structured.unwrap_or_default().parse().expect("it is JSON");
        assert_eq!(data["standing"], json!(standing));
        assert_eq!(host.asked(), [Inquiry::MessageStatus("msg_7".into())]);
    }
}
