//! LIM: the bounds, and the relations between them that are checked at the start.

use switchboard_core::{LimitError, Limits, Millis};

fn refused(change: impl FnOnce(&mut Limits)) -> &'static str {
    let mut limits = Limits::default();
    change(&mut limits);
    let LimitError { limit, problem } = limits.checked().expect_err("it contradicts itself");
    assert!(problem.starts_with("must be at least "), "{limit} {problem}");
    limit
}

fn allowed(change: impl FnOnce(&mut Limits)) {
    let mut limits = Limits::default();
    change(&mut limits);
    limits.checked().unwrap();
}

#[test]
fn lim_1_the_defaults_are_those_promised() {
    let limits = Limits::default().checked().unwrap();
    assert_eq!((limits.message_chars, limits.message_bytes), (16_384, 65_536));
    assert_eq!((limits.pending, limits.bucket), (20, 3));
    assert_eq!(limits.bucket_refill, Millis(1_000));
    assert_eq!((limits.depth, limits.children, limits.agents, limits.places), (3, 64, 256, 8));
    assert_eq!((limits.attempts, limits.receipts, limits.candidates), (3, 1_000, 10));
    assert_eq!(limits.parking_guest, Millis::seconds(8));
    assert_eq!(limits.parking_host, Millis::seconds(30));
    assert_eq!((limits.rebuilds, limits.put_away), (3, Millis::minutes(15)));
    assert_eq!(limits.drain, Millis::seconds(30));
}

#[test]
fn lim_1_what_would_let_nothing_happen_is_refused() {
    assert_eq!(refused(|limits| limits.message_chars = 0), "message_chars");
    assert_eq!(refused(|limits| limits.pending = 0), "pending");
    assert_eq!(refused(|limits| limits.bucket = 0), "bucket");
    assert_eq!(refused(|limits| limits.bucket_refill = Millis(0)), "bucket_refill");
    assert_eq!(refused(|limits| limits.places = 0), "places");
    assert_eq!(refused(|limits| limits.turn_steps = 0), "turn_steps");
    assert_eq!(refused(|limits| limits.attempts = 0), "attempts");
    assert_eq!(refused(|limits| limits.rebuilds = 0), "rebuilds");
    assert_eq!(refused(|limits| limits.receipts = 0), "receipts");
}

#[test]
fn lim_1_a_one_in_their_place_is_allowed() {
    allowed(|limits| limits.message_chars = 1);
    allowed(|limits| limits.pending = 1);
    allowed(|limits| limits.bucket = 1);
    allowed(|limits| limits.bucket_refill = Millis(1));
    allowed(|limits| limits.places = 1);
    allowed(|limits| limits.turn_steps = 1);
    allowed(|limits| limits.attempts = 1);
    allowed(|limits| limits.rebuilds = 1);
    allowed(|limits| limits.receipts = 1);
}

#[test]
fn lim_1_relations_between_limits_are_checked_and_their_edges_allowed() {
    assert_eq!(refused(|limits| limits.message_bytes = 16_383), "message_bytes");
    allowed(|limits| limits.message_bytes = 16_384);
    assert_eq!(refused(|limits| limits.agents = 63), "agents");
    allowed(|limits| limits.agents = 64);
    assert_eq!(refused(|limits| limits.claim_bytes = 65_535), "claim_bytes");
    allowed(|limits| limits.claim_bytes = 65_536);
}

#[test]
fn lim_1_a_setting_nobody_knows_is_refused_and_one_left_out_has_its_default() {
    let read: Limits = serde_json::from_str(r#"{"pending": 5}"#).unwrap();
    assert_eq!(read, Limits { pending: 5, ..Limits::default() });
    let unknown = serde_json::from_str::<Limits>(r#"{"pendign": 5}"#).unwrap_err();
    assert!(unknown.to_string().contains("pendign"));
}
