//! What is said of a tool that crashes, and what becomes of one that does so again and again.

use std::num::NonZeroU32;

use switchboard_core::{AgentId, Id, LedgerTag};
use switchboard_runtime::{Outcome, ToolCall, ToolHost, ToolResult};
use switchboard_sandbox::{Grants, LoadRequest, Sandbox, SandboxConfig};
use tokio_util::sync::CancellationToken;

use crate::guest::Guest;
use crate::host::{bytes, call, config, in_time, run, with};

const TRAP_ON_X: &str = r#"
    (if (i32.eq (i32.load8_u (local.get $args)) (i32.const 120)) (then (unreachable)))
    (call $say (local.get $args) (local.get $args_len))"#;
const MOST: u32 = 3;

async fn impatient() -> Sandbox {
    let sandbox =
        Sandbox::new(SandboxConfig { crashes_before_rest: NonZeroU32::new(MOST), ..config() })
            .unwrap();
    let source = bytes("a test", Guest::new(TRAP_ON_X).build());
    sandbox.load(LoadRequest::new(source, Grants::default())).await.unwrap();
    sandbox
}

async fn ask(sandbox: &Sandbox, agent: AgentId, arguments: &str) -> ToolResult {
    let mut call: ToolCall = call("tool", arguments, &Default::default());
    call.activation.agent = agent;
    in_time(sandbox.call(call, CancellationToken::new())).await
}

fn agent(number: u64) -> AgentId {
    Id::new(LedgerTag::new(7), number)
}

#[tokio::test]
async fn sand_4_a_tool_that_crashes_again_and_again_rests_for_the_agent_it_crashes_for() {
    let sandbox = impatient().await;
    for _ in 0..MOST {
        assert_eq!(ask(&sandbox, agent(1), "x").await.outcome, Outcome::Trapped);
    }
    let refused = ask(&sandbox, agent(1), "y").await;
    assert_eq!(refused.outcome, Outcome::Refused);
    assert_eq!(
        refused.text,
        "the tool was not started: it crashed 3 times in a row on what you asked of it, and rests \
         for 1 s. Ask something else of it then, or do without it"
    );
    assert_eq!(ask(&sandbox, agent(2), "y").await.outcome, Outcome::Done, "another goes on");
}

#[tokio::test]
async fn sand_4_an_answer_in_between_begins_the_count_anew() {
    let sandbox = impatient().await;
    for _ in 0..MOST {
        for _ in 1..MOST {
            assert_eq!(ask(&sandbox, agent(1), "x").await.outcome, Outcome::Trapped);
        }
        assert_eq!(ask(&sandbox, agent(1), "y").await.outcome, Outcome::Done);
    }
}

#[tokio::test]
async fn sand_5_a_panic_is_told_with_the_function_of_the_tool_that_panicked() {
    let functions = "(func $core::panicking::panic_fmt (unreachable))
        (func $shout::loud (call $core::panicking::panic_fmt))";
    let guest = Guest::new("(call $shout::loud) (i32.const 0)").with(functions);
    let result = run(&with(guest, Grants::default()).await, "").await;
    assert_eq!(result.outcome, Outcome::Trapped);
    assert_eq!(
        result.text,
        "the tool crashed: it panicked in `shout::loud`. Change what you ask of it, or do without \
         it"
    );
}

#[tokio::test]
async fn sand_5_a_function_with_a_hostile_name_says_nothing_but_letters() {
    let functions = "(func $core::panicking::panic_fmt (unreachable))
        (func $evil (@name \"a\\u{202e}b\\nc\") (call $core::panicking::panic_fmt))";
    let guest = Guest::new("(call $evil) (i32.const 0)").with(functions);
    let result = run(&with(guest, Grants::default()).await, "").await;
    assert_eq!(
        result.text,
        "the tool crashed: it panicked in `a?b?c`. Change what you ask of it, or do without it"
    );
}
