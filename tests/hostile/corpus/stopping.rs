//! Calls that are stopped, wherever they are, and calls for which there is no room.

use std::sync::Arc;
use std::time::Duration;

use switchboard_runtime::{Outcome, ToolResult};
use switchboard_sandbox::{Grants, SandboxConfig, ToolLimits};
use tokio::task::yield_now;
use tokio_util::sync::CancellationToken;

use crate::attempt::scene;
use crate::case::{Case, End, Seen};
use crate::ground::{GOOD, Ground, config};
use crate::guest::{Guest, SPIN, send};
use crate::plane::{Next, Plane};

const CANCELLED: End = End::Called(Outcome::Cancelled);
const REFUSED: End = End::Called(Outcome::Refused);
const STOPPED: &str = "the tool was stopped, because the turn was";

pub(crate) fn cases() -> Vec<Case> {
    vec![
        at("stopped before it begins", STOPPED, |ground| async move {
            let cancel = CancellationToken::new();
            cancel.cancel();
            ground.call(GOOD, "hello", &Arc::default(), cancel).await.into()
        }),
        at("stopped while it computes", STOPPED, |ground| async move {
            let tool = ground.have(Guest::new(SPIN), Grants::default(), patient()).await;
            let begun = async {
                for _ in 0..100 {
                    yield_now().await;
                }
            };
            stopped(&ground, &tool, &Arc::default(), begun).await.into()
        }),
        at("stopped at a message nobody answers", "may have been done", |ground| async move {
            let plane = Arc::new(Plane::default().next(Next::Hang));
            stopped(&ground, GOOD, &plane, plane.reached.notified()).await.into()
        }),
        at("stopped at its second message", "Before that, 1 of", |ground| async move {
            let twice = format!("(drop (block (result i32) {})) {}", send(""), send(""));
            let tool = ground.have(Guest::sending(twice), Grants::content(), patient()).await;
            let plane = Arc::new(Plane::default().next(Next::Wait).next(Next::Hang));
            let second = async {
                plane.reached.notified().await;
                plane.go.notify_one();
                plane.reached.notified().await;
            };
            stopped(&ground, &tool, &plane, second).await.into()
        }),
        at("stopped while it watches a file", STOPPED, |ground| async move {
            let folder = tempfile::tempdir().unwrap();
            let watch = "(call $watch (local.get $args) (local.get $args_len) (i32.const -1)
                (i32.const 4096)) (unreachable)";
            let grants = Grants::reading(folder.path());
            let tool = ground.have(Guest::reading(watch), grants, patient()).await;
            let long = tokio::time::sleep(Duration::from_millis(120));
            stopped(&ground, &tool, &Arc::default(), long).await.into()
        }),
        scene("room", "a call for which there is none", REFUSED, "Try again", no_room),
        scene("room", "a call of no tool", REFUSED, "there is no tool", |ground| async move {
            let name = "../../etc/passwd\u{0}";
            ground.call(name, "", &Arc::default(), CancellationToken::new()).await.into()
        }),
    ]
}

fn at<F>(
    name: &'static str,
    words: &str,
    attack: impl FnOnce(Arc<Ground>) -> F + Send + 'static,
) -> Case
where
    F: Future<Output = Seen> + Send + 'static,
{
    scene("stopping", name, CANCELLED, words, attack)
}

fn patient() -> ToolLimits {
    let long = Duration::from_secs(3_600);
    ToolLimits { computing: long, wall: long, ..ToolLimits::default() }
}

/// Calls it, and stops it after that.
async fn stopped(
    ground: &Ground,
    tool: &str,
    plane: &Arc<Plane>,
    after: impl Future<Output = ()>,
) -> ToolResult {
    let cancel = CancellationToken::new();
    let stop = async {
        after.await;
        cancel.cancel();
    };
    tokio::join!(ground.call(tool, "hello", plane, cancel.clone()), stop).0
}

/// The only room is taken by one that waits.
async fn no_room(_: Arc<Ground>) -> Seen {
    let patience = Duration::from_millis(20);
    let ground = Ground::with(SandboxConfig { instances: 1, patience, ..config() }).await;
    let plane = Arc::new(Plane::default().next(Next::Wait));
    let second = async {
        plane.reached.notified().await;
        let refused = ground.call(GOOD, "hello", &Arc::default(), CancellationToken::new()).await;
        plane.go.notify_one();
        refused
    };
    let first = ground.call(GOOD, "hello", &plane, CancellationToken::new());
    let (first, refused) = tokio::join!(first, second);
    assert_eq!(first.outcome, Outcome::Done);
    refused.into()
}
