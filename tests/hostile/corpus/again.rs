//! The same over and over: what one call leaves behind would be seen after so many.

use std::sync::Arc;
use std::time::Duration;

use switchboard_runtime::Outcome::{self, ComputedTooLong, OutOfMemory, Trapped};
use switchboard_sandbox::{Grants, ToolLimits};
use tokio_util::sync::CancellationToken;

use crate::aftermath::resident;
use crate::attempt::{scene, short};
use crate::case::{Case, End};
use crate::ground::Ground;
use crate::guest::{Guest, SPIN, send};

/// What the allocator may keep of it for its own reasons.
const MOST_ADDED: u64 = 16 << 20;

pub(crate) fn cases() -> Vec<Case> {
    vec![
        at("a crash, a thousand times", 1_000, Trapped, || Guest::new("(unreachable)")),
        at("sixteen megabytes, two hundred times", 200, OutOfMemory, || {
            let grow = "(loop $again (drop (memory.grow (i32.const 32))) (br $again))";
            Guest::new(format!("{grow} (unreachable)"))
        }),
        at("a crash after a message, a thousand times", 1_000, Trapped, || {
            Guest::sending(format!("(drop (block (result i32) {})) (unreachable)", send("")))
        }),
        at("a loop, fifty times", 50, ComputedTooLong, || Guest::new(SPIN)),
    ]
}

fn at(name: &'static str, times: usize, outcome: Outcome, guest: fn() -> Guest) -> Case {
    scene("again", name, End::Called(outcome), "", move |ground| async move {
        let limits = ToolLimits { computing: Duration::from_millis(5), ..short() };
        let tool = ground.have(guest(), Grants::content(), limits).await;
        called(&ground, &tool).await;
        let before = resident();
        for _ in 1..times {
            assert_eq!(called(&ground, &tool).await, outcome);
        }
        let added = resident().saturating_sub(before);
        assert!(added < MOST_ADDED, "{} MiB of memory more than before", added >> 20);
        ground.call(&tool, "", &Arc::default(), CancellationToken::new()).await.into()
    })
}

async fn called(ground: &Ground, tool: &str) -> Outcome {
    ground.call(tool, "hello", &Arc::default(), CancellationToken::new()).await.outcome
}
