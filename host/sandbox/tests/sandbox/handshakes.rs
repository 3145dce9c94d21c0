//! The tools that ask for one answer, and give one: what reaches the plane, and what is refused.

use std::sync::Arc;

use switchboard_core::{Millis, Reply, RequestBody, Target, WaitFor};
use switchboard_runtime::{Later, Outcome, ToolClass, ToolHost, ToolResult};
use switchboard_sandbox::{BodyKind, Disposal, Grants};

use crate::plane::{Asked, Plane, request};
use crate::shipped::{run, shipped};

async fn calls(
    component: &str,
    tool: &str,
    kinds: &[BodyKind],
    arguments: &str,
) -> (ToolResult, Vec<Asked>) {
    let plane = Arc::<Plane>::default();
    let sandbox = shipped(component, Grants::sending(kinds)).await;
    let result = run(&sandbox, tool, arguments, &plane).await;
    (result, plane.asked())
}

/// It is granted its own kind, and refused with any other.
async fn asks(component: &str, kind: BodyKind, arguments: &str) -> (ToolResult, Asked) {
    let tool = component.replace('-', "_");
    let others = [
        BodyKind::Content,
        BodyKind::ShutdownRequest,
        BodyKind::ShutdownResponse,
        BodyKind::PlanRequest,
        BodyKind::PlanResponse,
    ];
    let others: Vec<_> = others.into_iter().filter(|other| *other != kind).collect();
    let (denied, asked) = calls(component, &tool, &others, arguments).await;
    assert!(denied.text.starts_with("not-granted"), "{}", denied.text);
    assert!(asked.is_empty());
    let (result, mut asked) = calls(component, &tool, &[kind], arguments).await;
    assert_eq!(result.outcome, Outcome::Done, "{}", result.text);
    assert_eq!(asked.len(), 1);
    (result, asked.remove(0))
}

#[tokio::test]
async fn tool_3_one_that_asks_and_waits_has_its_result_when_the_answer_is_there() {
    let later = Later { on: WaitFor::Answer(request()), patience: Some(Millis::minutes(24 * 60)) };
    let cases = [
        (
            "request-shutdown",
            BodyKind::ShutdownRequest,
            r#"{"agent_id": "worker", "reason": "done", "wait_for_answer": true}"#,
        ),
        (
            "request-plan-approval",
            BodyKind::PlanRequest,
            r#"{"plan": "paint it", "wait_for_answer": true}"#,
        ),
    ];
    for (component, kind, arguments) in cases {
        let tool = component.replace('-', "_");
        let (result, asked) = calls(component, &tool, &[kind], arguments).await;
        assert_eq!(result.later, Some(later), "{}", result.text);
        assert_eq!(asked.len(), 1);
        let goes_on = arguments.replace("true", "false");
        let (result, _) = calls(component, &tool, &[kind], &goes_on).await;
        assert_eq!((result.outcome, result.later), (Outcome::Done, None), "{}", result.text);
    }
}

#[tokio::test]
async fn hand_1_a_shutdown_request_and_sand_2_nothing_granted_otherwise_sends_it() {
    let arguments = r#"{"agent_id": "worker", "reason": "done", "grace_seconds": 5}"#;
    let (result, asked) = asks("request-shutdown", BodyKind::ShutdownRequest, arguments).await;
    let Asked::Request(_, key, to, body) = asked else { panic!("{asked:?}") };
    let (cleanup, grace) = (None, Some(Millis(5_000)));
    assert_eq!(body, RequestBody::Shutdown { reason: "done".into(), cleanup, grace });
    assert_eq!((key.nth, to), (0, Target::Spoken("worker".into())));
    assert!(result.text.contains(&request().to_string()), "{}", result.text);
}

#[tokio::test]
async fn hand_1_a_tool_is_told_when_there_was_nothing_to_do() {
    let arguments = r#"{"agent_id": "away", "reason": "done"}"#;
    let (result, _) = asks("request-shutdown", BodyKind::ShutdownRequest, arguments).await;
    assert!(result.text.contains("put away already"), "{}", result.text);
}

#[tokio::test]
async fn hand_1_a_shutdown_response_and_sand_2_nothing_granted_otherwise_sends_it() {
    let arguments = r#"{"request_id": "req_00007-4", "approve": true, "report": " "}"#;
    let (_, asked) = asks("respond-shutdown", BodyKind::ShutdownResponse, arguments).await;
    let Asked::Respond(_, _, id, reply) = asked else { panic!("{asked:?}") };
    assert_eq!(id, request());
    assert_eq!(reply, Reply::Shutdown { approve: true, cleaned_up: false, report: None });
}

#[tokio::test]
async fn hand_2_a_plan_request_and_sand_2_nothing_granted_otherwise_sends_it() {
    let arguments = r#"{"plan": "paint it", "alternatives": ["leave it"]}"#;
    let (result, asked) = asks("request-plan-approval", BodyKind::PlanRequest, arguments).await;
    let Asked::Request(_, _, _, body) = asked else { panic!("{asked:?}") };
    let (plan, alternatives) = ("paint it".into(), vec!["leave it".into()]);
    assert_eq!(body, RequestBody::Plan { plan, alternatives, recommendation: None });
    assert!(result.text.contains("The person is asked"), "{}", result.text);
}

#[tokio::test]
async fn hand_2_a_plan_response_and_sand_2_nothing_granted_otherwise_sends_it() {
    let arguments = r#"{"request_id": "req_00007-4", "approve": false, "feedback": "why?"}"#;
    let (_, asked) = asks("respond-plan", BodyKind::PlanResponse, arguments).await;
    let Asked::Respond(_, _, _, reply) = asked else { panic!("{asked:?}") };
    assert_eq!(reply, Reply::Plan { approve: false, feedback: Some("why?".into()) });
}

#[tokio::test]
async fn id_4_a_request_is_answered_by_its_id_and_no_other() {
    let kinds = [BodyKind::ShutdownResponse];
    let arguments = r#"{"request_id": "msg_00007-4", "approve": true}"#;
    let (result, asked) = calls("respond-shutdown", "respond_shutdown", &kinds, arguments).await;
    assert!(result.text.contains("a request id is wanted"), "{}", result.text);
    assert!(asked.is_empty());
}

#[tokio::test]
async fn hand_1_objects_of_send_message_are_requests_and_sand_2_only_where_granted() {
    let object = r#"{"to": "worker", "message": {"type": "shutdown_request", "reason": "done"}}"#;
    let component = "named-send-message";
    let (result, asked) = calls(component, "SendMessage", &[BodyKind::Content], object).await;
    assert!(result.text.starts_with("not-granted"), "{}", result.text);
    assert!(asked.is_empty());
    let kinds = [BodyKind::Content, BodyKind::ShutdownRequest];
    let (_, asked) = calls(component, "SendMessage", &kinds, object).await;
    assert!(matches!(asked[..], [Asked::Request(..)]), "{asked:?}");
    let other = object.replace("shutdown_request", "task_update");
    let (_, asked) = calls(component, "SendMessage", &kinds, &other).await;
    assert!(matches!(asked[..], [Asked::Send(..)]), "{asked:?}");
}

#[tokio::test]
async fn hand_2_a_tool_writes_unless_all_it_holds_is_to_look_or_to_talk() {
    let writes = |grants: Grants| grants.writes();
    assert!(!writes(Grants::default()));
    assert!(!writes(Grants::reading(".")));
    assert!(!writes(Grants::observing()));
    assert!(!writes(Grants::content()));
    assert!(!writes(Grants::acknowledge()));
    assert!(!writes(Grants::sending([BodyKind::PlanRequest, BodyKind::ShutdownResponse])));
    assert!(writes(Grants::interrupt()));
    assert!(writes(Grants::starting()));
    assert!(writes(Grants { delegation: vec![Disposal::Start], ..Grants::reading(".") }));
    assert!(writes(Grants::sending([BodyKind::Content, BodyKind::Interrupt])));
}

#[tokio::test]
async fn hand_2_the_tool_that_asks_for_approval_is_known() {
    let kinds = [BodyKind::PlanRequest];
    let sandbox = shipped("request-plan-approval", Grants::sending(kinds)).await;
    let spec = sandbox.spec("request_plan_approval").unwrap();
    assert_eq!((spec.plans, spec.writes, spec.class), (true, false, ToolClass::Control));
    let sandbox = shipped("interrupt-agent", Grants::interrupt()).await;
    let spec = sandbox.spec("interrupt_agent").unwrap();
    assert_eq!((spec.plans, spec.writes), (false, true));
}
