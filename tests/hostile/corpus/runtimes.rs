//! Guests that spin where there is little to spin on. A timer beside them must not stand still.

use std::sync::Arc;
use std::time::Duration;

use switchboard_runtime::Outcome;
use switchboard_sandbox::{Grants, SandboxConfig};
use tokio::runtime::Builder;
use tokio::task::{JoinSet, spawn_blocking};
use tokio_util::sync::CancellationToken;

use crate::aftermath::no_task_is_left;
use crate::attempt::{scene, short};
use crate::case::{Case, End, Seen};
use crate::ground::{Ground, config};
use crate::guest::{Guest, SPIN};

const TOO_LONG: End = End::Called(Outcome::ComputedTooLong);

pub(crate) fn cases() -> Vec<Case> {
    vec![
        scene("the runtime", "32 loops beside a timer", TOO_LONG, "", |ground| async move {
            spinning(&ground, 32).await
        }),
        scene("the runtime", "three loops on the only thread", TOO_LONG, "", |_| {
            elsewhere(Builder::new_current_thread())
        }),
        scene("the runtime", "three loops on the only worker", TOO_LONG, "", |_| {
            let mut one = Builder::new_multi_thread();
            one.worker_threads(1);
            elsewhere(one)
        }),
    ]
}

/// The same on a runtime of its own, with a good tool there too.
async fn elsewhere(mut runtime: Builder) -> Seen {
    let lived = spawn_blocking(move || {
        let runtime = runtime.enable_time().build().unwrap();
        runtime.block_on(async {
            let ground = Ground::with(SandboxConfig { instances: 8, ..config() }).await;
            let seen = spinning(&Arc::new(ground), 3).await;
            assert!(no_task_is_left().await);
            seen
        })
    });
    lived.await.unwrap()
}

/// So many spin, while a timer goes off and the good tool is called each time.
async fn spinning(ground: &Arc<Ground>, count: usize) -> Seen {
    let tool = ground.have(Guest::new(SPIN), Grants::default(), short()).await;
    let mut spinning = JoinSet::new();
    for _ in 0..count {
        let (ground, tool) = (Arc::clone(ground), tool.clone());
        spinning.spawn(async move {
            ground.call(&tool, "", &Arc::default(), CancellationToken::new()).await
        });
    }
    let mut timer = tokio::time::interval(Duration::from_millis(2));
    let mut went_off = 0;
    let mut last = None;
    while last.is_none() || !spinning.is_empty() {
        tokio::select! {
            biased;
            _ = timer.tick() => {
                went_off += 1;
                ground.call_good().await.unwrap();
            }
            result = spinning.join_next() => {
                let result = result.unwrap().unwrap();
                assert_eq!(result.outcome, Outcome::ComputedTooLong, "{}", result.text);
                last = Some(result);
            }
        }
    }
    assert!(went_off > count, "the timer went off {went_off} times");
    last.unwrap().into()
}
