//! What the host accepted, as a model reads it and as data.

use switchboard_guest::subagents::{
    Answer, Data, Delivery, Interruption, Outcome, Receipt, Recipient, Stop, Stopped,
};
use switchboard_guest::{Block, Output, Value, fake, json};

fn words(output: &Output) -> &str {
    match &output.blocks[..] {
        [Block::Text(text)] => text,
        other => panic!("one block of text was expected: {other:?}"),
    }
}

fn data(output: &Output) -> Value {
    output.structured.as_deref().unwrap().parse().unwrap()
}

fn receipt(delivery: Delivery) -> Receipt {
    Receipt { delivery, ..fake::receipt("agt_2", "reviewer") }
}

#[test]
fn a_receipt_says_what_was_accepted_and_not_more() {
    let output = Output::from(Answer::Accepted(receipt(Delivery::Queued)));
    let expected = "Queued for reviewer (agt_2) as msg_1, 1 waiting there. \
        Accepted is not read: an answer comes as a message.";
    assert_eq!(words(&output), expected);
    let expected = json!({
        "message_id": "msg_1", "to": "agt_2", "name": "reviewer", "delivery": "queued",
        "pending": 1, "budget_left": 2,
    });
    assert_eq!(data(&output), expected);
}

#[test]
fn each_kind_of_delivery_has_its_word() {
    let deliveries = [
        (Delivery::Delivered, "Delivered to", "delivered"),
        (Delivery::Held, "Held for", "held"),
        (Delivery::Forwarded, "Forwarded to", "forwarded"),
    ];
    for (delivery, start, word) in deliveries {
        let output = Output::from(receipt(delivery));
        assert!(words(&output).starts_with(start), "{}", words(&output));
        assert_eq!(data(&output)["delivery"], word);
    }
}

#[test]
fn a_spent_budget_and_a_repetition_are_mentioned() {
    let last = Receipt { budget_left: 0, repeated: true, ..receipt(Delivery::Delivered) };
    let output = Output::from(last);
    assert!(words(&output).starts_with("Sent before, not again."), "{}", words(&output));
    assert!(words(&output).ends_with("Wait before you send it another."), "{}", words(&output));
}

#[test]
fn a_refusal_of_one_recipient_stands_beside_the_receipts_of_others() {
    let recipient = |to: &str, outcome| Recipient { to: to.into(), name: "n".into(), outcome };
    let output = Output::from(Answer::FannedOut(vec![
        recipient("agt_2", Outcome::Accepted(receipt(Delivery::Delivered))),
        recipient("agt_3", Outcome::Refused(fake::refusal("inbox-full", "It is full."))),
    ]));
    let lines: Vec<_> = words(&output).lines().collect();
    assert!(lines[0].starts_with("Delivered to reviewer (agt_2)"), "{}", lines[0]);
    assert_eq!(lines[1], "Not to n (agt_3): inbox-full: It is full.");
    assert_eq!(data(&output)["recipients"][0]["message_id"], "msg_1");
    assert_eq!(data(&output)["recipients"][1]["refused"]["code"], "inbox-full");
}

fn stopped(agent: &str, outcome: Stop) -> Stopped {
    Stopped { agent: agent.into(), outcome }
}

#[test]
fn an_interruption_says_what_stopped_and_what_did_not() {
    let output = Output::from(Answer::Interrupted(Interruption {
        target: stopped("agt_2", Stop::Cancelling("turn_7".into())),
        below: vec![stopped("agt_3", Stop::AlreadyIdle)],
        still_running: vec!["agt_4".into(), "agt_5".into()],
        calls_cut: vec!["read_file".into()],
        parked: 2,
        extra: Vec::new(),
    }));
    let expected = "agt_2 was told to stop its turn turn_7.\n\
        agt_3 was idle already; there was nothing to stop.\n\
        Calls cut: read_file.\n\
        Below it these still run: agt_4, agt_5.\n\
        Parked behind the interrupt: 2, until a message wakes it.";
    assert_eq!(words(&output), expected);
    let expected = json!({
        "agent_id": "agt_2", "outcome": "cancelling", "turn_id": "turn_7",
        "below": [{ "agent_id": "agt_3", "outcome": "already-idle" }],
        "calls_cut": ["read_file"], "still_running": ["agt_4", "agt_5"], "parked": 2,
    });
    assert_eq!(data(&output), expected);
}

#[test]
fn each_way_to_stop_has_its_words() {
    let ways = [
        (Stop::AlreadyFinished, "already-finished", "had finished"),
        (Stop::TurnMoved("turn_8".into()), "turn-moved", "another turn by now, turn_8"),
        (Stop::NotStarted, "not-started", "its start is withdrawn"),
        (Stop::Signalled, "signalled", "asked to stop"),
        (Stop::Other("asleep".into()), "asleep", "asleep"),
    ];
    for (stop, word, text) in ways {
        let output = Output::from(Interruption {
            target: stopped("agt_2", stop),
            below: Vec::new(),
            still_running: Vec::new(),
            calls_cut: Vec::new(),
            parked: 0,
            extra: Vec::new(),
        });
        assert!(words(&output).contains(text), "{}", words(&output));
        assert_eq!(data(&output)["outcome"], word);
    }
}

#[test]
fn an_answer_of_a_kind_to_come_is_passed_on() {
    let answer = Answer::Other(Data { kind: "poll".into(), json: "{\"votes\":3}".into() });
    let output = Output::from(answer);
    assert_eq!(words(&output), "poll: {\"votes\":3}");
    assert_eq!(data(&output), json!({ "votes": 3 }));
}

#[test]
fn every_letter_survives_in_the_data() {
    let name = "a\"b\\c\nd\te\u{1}é𝄞";
    let output = Output::from(fake::receipt("agt_2", name));
    assert_eq!(data(&output)["name"], name);
}
