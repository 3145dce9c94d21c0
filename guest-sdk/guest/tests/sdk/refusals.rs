//! A refusal keeps its code and its text, and gains what a model can do about it.

use switchboard_guest::subagents::Candidate;
use switchboard_guest::{Failure, delegation, fake, workspace};

fn candidate(address: &str, relation: &str) -> Candidate {
    Candidate { address: address.into(), relation: relation.into() }
}

#[test]
fn the_code_the_text_and_the_word_on_retrying_are_kept() {
    let mut refusal = fake::refusal("inbox-full", "Its inbox is full.");
    refusal.retry = true;
    let expected = Failure { retry: true, ..Failure::new("inbox-full", "Its inbox is full.") };
    assert_eq!(Failure::from(refusal), expected);
}

#[test]
fn candidates_are_named_with_their_relation() {
    let mut refusal = fake::refusal("unreachable", "You cannot reach `bob`.");
    refusal.candidates = vec![candidate("lead", "parent"), candidate("child:bo", "child")];
    let text = "You cannot reach `bob`. You can reach `lead` (parent), `child:bo` (child).";
    assert_eq!(Failure::from(refusal).text, text);
}

#[test]
fn candidates_begin_a_sentence_of_their_own() {
    let mut refusal = fake::refusal("unreachable", "there is nobody");
    refusal.candidates = vec![candidate("lead", "parent")];
    let text = "there is nobody. You can reach `lead` (parent).";
    assert_eq!(Failure::from(refusal).text, text);
}

#[test]
fn a_time_to_wait_is_said_in_words_and_as_data() {
    let mut refusal = fake::refusal("rate-limited", "Too fast.");
    refusal.retry_after_ms = Some(800);
    let failure = Failure::from(refusal);
    assert_eq!(failure.text, "Too fast. Try again in 800 ms.");
    assert_eq!(failure.extra, [("retry-after-ms".into(), "800".into())]);
}

#[test]
fn an_uncertain_outcome_is_no_plain_failure() {
    let refusal = delegation::Refusal {
        code: "ledger-unavailable".into(),
        text: "The ledger did not answer.".into(),
        retry: true,
        retry_after_ms: None,
        uncertain: true,
        candidates: Vec::new(),
        extra: Vec::new(),
    };
    let failure = Failure::from(refusal);
    assert!(failure.text.contains("may have happened"), "{}", failure.text);
    assert_eq!(failure.extra, [("uncertain".into(), "true".into())]);
}

#[test]
fn a_failure_of_the_workspace_passes_as_it_is() {
    let failure = workspace::Failure {
        code: "not-found".into(),
        text: "There is no `a.rs`.".into(),
        retry: false,
        extra: Vec::new(),
    };
    assert_eq!(Failure::from(failure), Failure::new("not-found", "There is no `a.rs`."));
}
