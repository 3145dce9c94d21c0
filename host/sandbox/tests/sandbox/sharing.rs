//! What one agent asks for does not take the room from another.

use std::num::NonZeroU32;
use std::sync::Arc;
use std::time::Duration;

use switchboard_core::{AgentId, Id, LedgerTag};
use switchboard_runtime::{Outcome, ToolHost, ToolResult};
use switchboard_sandbox::{Grants, LoadRequest, Sandbox, SandboxConfig};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use crate::guest::{Guest, send};
use crate::host::{bytes, call, config, in_time};
use crate::plane::{Next, Plane};

/// A sandbox with room for six, of which one agent has two.
async fn shared(patience: Duration) -> Arc<Sandbox> {
    let agent_share = NonZeroU32::new(2);
    let sandbox =
        Sandbox::new(SandboxConfig { instances: 8, agent_share, patience, ..config() }).unwrap();
    let source = bytes("a test", Guest::sending(send("")).build());
    sandbox.load(LoadRequest::new(source, Grants::content())).await.unwrap();
    Arc::new(sandbox)
}

async fn ask(
    sandbox: Arc<Sandbox>,
    agent: u64,
    plane: Arc<Plane>,
    stop: CancellationToken,
) -> ToolResult {
    let mut call = call("tool", "hello", &plane);
    call.activation.agent = AgentId::from(Id::new(LedgerTag::new(7), agent));
    sandbox.call(call, stop).await
}

const HOUR: Duration = Duration::from_secs(3_600);

#[tokio::test]
async fn sand_3_however_many_calls_one_agent_has_another_finds_room() {
    let sandbox = shared(HOUR).await;
    let stop = CancellationToken::new();
    let planes: Vec<_> = (0..20).map(|_| Arc::new(Plane::default().next(Next::Hang))).collect();
    let mut greedy = JoinSet::new();
    for plane in &planes {
        greedy.spawn(ask(sandbox.clone(), 1, plane.clone(), stop.clone()));
    }
    for plane in &planes[..2] {
        in_time(plane.reached.notified()).await;
    }
    for other in 2..6 {
        let result = in_time(ask(sandbox.clone(), other, Arc::default(), stop.clone())).await;
        assert_eq!(result.outcome, Outcome::Done, "{}", result.text);
    }
    let asked = planes.iter().map(|plane| plane.asked().len()).sum::<usize>();
    assert_eq!(asked, 2, "the other calls of the first still wait");
    stop.cancel();
    let ended = in_time(greedy.join_all()).await;
    assert!(ended.iter().all(|result| result.outcome == Outcome::Cancelled));
    let again = in_time(ask(sandbox, 1, Arc::default(), CancellationToken::new())).await;
    assert_eq!(again.outcome, Outcome::Done, "they left nothing behind");
}

#[tokio::test(start_paused = true)]
async fn sand_3_a_call_beyond_its_agents_share_is_told_so_and_what_to_do() {
    let sandbox = shared(Duration::from_secs(1)).await;
    let stop = CancellationToken::new();
    let planes = [(); 2].map(|()| Arc::new(Plane::default().next(Next::Hang)));
    let mut held = JoinSet::new();
    for plane in &planes {
        held.spawn(ask(sandbox.clone(), 1, plane.clone(), stop.clone()));
        plane.reached.notified().await;
    }
    let refused = ask(sandbox, 1, Arc::default(), CancellationToken::new()).await;
    assert_eq!(refused.outcome, Outcome::Refused);
    assert_eq!(
        refused.text,
        "the tool was not started: 2 of your calls are running, and one agent may have no more at \
         once. Try again when some have ended, or ask for less at once"
    );
    stop.cancel();
}
