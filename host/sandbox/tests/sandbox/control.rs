//! What a tool may say to the control plane, and who says it.

use std::sync::Arc;

use switchboard_core::{
    Caller, Code, Content, Draft, HostKey, Incarnation, LedgerTag, Millis, Target, TurnId,
};
use switchboard_runtime::{Outcome, ToolClass, ToolHost};
use switchboard_sandbox::{Disposal, Grants, SubagentsGrant};

use crate::guest::{Guest, SAY_CODE, send};
use crate::host::{run_on, with};
use crate::plane::{Asked, Next, Plane, agent, refusal};

fn caller() -> Caller {
    Caller::Agent { agent: agent(), incarnation: Incarnation(3) }
}

fn key(nth: u32) -> HostKey {
    HostKey { turn: TurnId::new(LedgerTag::new(7), 5), step: 1, call: 2, nth }
}

#[tokio::test]
async fn id_1_the_caller_is_the_hosts_and_turn_3_every_control_call_has_its_key() {
    let twice = format!("(drop (block (result i32) {})) {}", send(""), send(""));
    let sandbox = with(Guest::sending(twice), Grants::content()).await;
    let plane = Arc::default();
    let result = run_on(&sandbox, "hello", &plane).await;
    assert_eq!((result.outcome, result.text.as_str()), (Outcome::Done, "yes"));
    let draft =
        || Draft { to: Target::Spoken("parent".to_owned()), content: Content::text("hello") };
    let sent = |nth| Asked::Send(caller(), key(nth), draft());
    assert_eq!(plane.asked(), [sent(0), sent(1)]);
}

/// What the tool says after it was made to send an envelope with these edits under these grants.
async fn said(edits: &str, grants: Grants) -> (String, usize) {
    let sandbox = with(Guest::sending(send(edits)), grants).await;
    let plane = Arc::default();
    let result = run_on(&sandbox, "hello", &plane).await;
    assert_eq!(result.outcome, Outcome::Done);
    (result.text, plane.asked().len())
}

const INTERRUPT: &str = "
    (i64.store (i32.const 2080) (i64.const 0))
    (i32.store8 (i32.const 2072) (i32.const 1))";

#[tokio::test]
async fn sand_2_content_is_sent_only_by_a_tool_granted_content() {
    assert_eq!(said("", Grants::content()).await, ("yes".to_owned(), 1));
    assert_eq!(said("", Grants::interrupt()).await, ("not-granted".to_owned(), 0));
}

#[tokio::test]
async fn sand_2_an_interrupt_is_sent_only_by_a_tool_granted_interrupt() {
    assert_eq!(said(INTERRUPT, Grants::interrupt()).await, ("yes".to_owned(), 1));
    assert_eq!(said(INTERRUPT, Grants::content()).await, ("not-granted".to_owned(), 0));
}

#[tokio::test]
async fn sand_2_a_grant_of_no_kind_permits_nothing() {
    let none = Grants { subagents: Some(SubagentsGrant { kinds: vec![] }), ..Grants::default() };
    assert_eq!(said("", none).await, ("not-granted".to_owned(), 0));
}

#[tokio::test]
async fn send_5_everybody_and_the_origin_are_targets_like_any_other() {
    for target in [3, 4] {
        let edit = format!("(i32.store8 (i32.const 2048) (i32.const {target}))");
        assert_eq!(said(&edit, Grants::content()).await, ("yes".to_owned(), 1), "{target}");
    }
}

#[tokio::test]
async fn fate_4_to_6_what_a_sender_asks_for_reaches_the_plane() {
    let edits =
        "(i32.store8 (i32.const 2128) (i32.const 1)) (i64.store (i32.const 2136) (i64.const 9))
        (i32.store8 (i32.const 2144) (i32.const 1)) (i32.store8 (i32.const 2145) (i32.const 1))";
    let sandbox = with(Guest::sending(send(edits)), Grants::content()).await;
    let plane = Arc::default();
    run_on(&sandbox, "hello", &plane).await;
    let asked = plane.asked();
    let [Asked::Send(_, _, Draft { content, .. })] = &asked[..] else { panic!("{asked:?}") };
    let wanted = Content {
        expires_in: Some(Millis(9)),
        acknowledge: true,
        reply_optional: true,
        ..Content::text("hello")
    };
    assert_eq!(*content, wanted);
}

#[tokio::test]
async fn what_this_host_does_not_have_yet_is_refused_and_never_ignored() {
    let refused = ("invalid-argument".to_owned(), 0);
    let edits = [
        ("after", "(i32.store8 (i32.const 2112) (i32.const 1))"),
        ("key", "(i32.store8 (i32.const 2152) (i32.const 1))"),
        (
            "extra",
            "(i32.store (i32.const 2164) (i32.const 9000))
            (i32.store (i32.const 2168) (i32.const 1))",
        ),
        ("reply-to", "(i32.store8 (i32.const 2100) (i32.const 1))"),
    ];
    for (what, edit) in edits {
        assert_eq!(said(edit, Grants::content()).await, refused, "{what}");
    }
}

#[tokio::test]
async fn a_start_with_a_key_nobody_knows_is_refused_and_never_ignored() {
    let args = "(local.get $args) (local.get $args_len)".repeat(3);
    for (keys, code, starts) in [(0, "yes", 1), (1, "invalid-argument", 0)] {
        let start = format!(
            "(call $start {args} (i32.const 1) (i32.const 9000) (i32.const {keys})
                (i32.const 4096)) {SAY_CODE}"
        );
        let sandbox = with(Guest::starting(start), Grants::starting()).await;
        let plane = Arc::default();
        let result = run_on(&sandbox, "reviewer", &plane).await;
        assert_eq!((result.text.as_str(), plane.asked().len()), (code, starts));
    }
}

#[tokio::test]
async fn a_refusal_of_the_control_plane_is_a_value_for_the_guest() {
    let sandbox = with(Guest::sending(send("")), Grants::content()).await;
    let plane = Arc::new(Plane::default().next(Next::Refuse(refusal(Code::InboxFull))));
    let result = run_on(&sandbox, "hello", &plane).await;
    assert_eq!((result.text.as_str(), result.draining), ("inbox-full", false));
}

#[tokio::test]
async fn drain_1_a_call_refused_because_the_host_drains_says_so() {
    let sandbox = with(Guest::sending(send("")), Grants::content()).await;
    let plane = Arc::new(Plane::default().next(Next::Refuse(refusal(Code::Draining))));
    let result = run_on(&sandbox, "hello", &plane).await;
    assert_eq!((result.text.as_str(), result.draining), ("draining", true));
}

#[tokio::test]
async fn send_2_a_tool_that_crashes_after_it_sent_says_what_was_carried_out() {
    for (sends, refused, told) in [(0, 0, None), (1, 0, Some("1 of")), (3, 1, Some("2 of"))] {
        let sent = format!("(drop (block (result i32) {}))", send("")).repeat(sends);
        let crash = format!("{sent} (unreachable)");
        let sandbox = with(Guest::sending(crash), Grants::content()).await;
        let refuse = |plane: Plane, _| plane.next(Next::Refuse(refusal(Code::InboxFull)));
        let plane = Arc::new((0..refused).fold(Plane::default(), refuse));
        let result = run_on(&sandbox, "hello", &plane).await;
        assert_eq!((result.outcome, plane.asked().len()), (Outcome::Trapped, sends));
        let before = result.text.split_once(". Before that, ").map(|(_, before)| before);
        assert_eq!(before.is_some(), told.is_some(), "{}", result.text);
        assert!(before.unwrap_or("").starts_with(told.unwrap_or("")), "{}", result.text);
    }
}

#[tokio::test]
async fn turn_3_what_may_be_run_again_follows_from_the_grants() {
    let class = |grants: Grants| grants.class();
    assert_eq!(class(Grants::content()), ToolClass::Control);
    assert_eq!(class(Grants::starting()), ToolClass::Control);
    assert_eq!(class(Grants::reading(".")), ToolClass::ReadOnly);
    assert_eq!(class(Grants::default()), ToolClass::ReadOnly);
    assert_eq!(class(Grants::observing()), ToolClass::ReadOnly);
    assert_eq!(class(Grants { observe: true, ..Grants::reading(".") }), ToolClass::ReadOnly);
    assert_eq!(
        class(Grants { delegation: vec![Disposal::Start], ..Grants::reading(".") }),
        ToolClass::Effectful
    );
    assert_eq!(class(Grants { observe: true, ..Grants::content() }), ToolClass::Effectful);
    let sandbox = with(Guest::sending(send("")), Grants::content()).await;
    assert_eq!(sandbox.spec("tool").unwrap().class, ToolClass::Control);
}
