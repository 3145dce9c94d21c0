//! Calls nobody waits for any more, given up at each place where they can be.

use std::path::Path;
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;

use switchboard_runtime::Outcome;
use switchboard_sandbox::{Grants, ToolLimits};
use tokio::runtime::Builder;
use tokio::task::{spawn_blocking, yield_now};
use tokio_util::sync::CancellationToken;

use super::paths::reading;
use crate::aftermath::no_task_is_left;
use crate::attempt::scene;
use crate::case::End::EachInItsWay;
use crate::case::{Case, Seen};
use crate::ground::{Ground, config};
use crate::guest::{Guest, send};
use crate::plane::{Next, Plane};

pub(crate) fn cases() -> Vec<Case> {
    vec![
        at("dropped wherever it waits for an answer", |_| (thrice(), Grants::content())),
        at("dropped wherever it waits for a file", |folder| (reading(), Grants::reading(folder))),
    ]
}

fn at(name: &'static str, attack: fn(&Path) -> (Guest, Grants)) -> Case {
    scene("dropping", name, EachInItsWay, "", move |_| async move {
        // On one thread nothing moves while the call is not looked at, so each place is met.
        let dropped = spawn_blocking(move || {
            let folder = tempfile::tempdir().unwrap();
            std::fs::write(folder.path().join("hello"), "hello").unwrap();
            let (guest, grants) = attack(folder.path());
            let runtime = Builder::new_current_thread().enable_time().build().unwrap();
            runtime.block_on(dropped_at_each(guest, grants))
        });
        dropped.await.unwrap();
        Seen::of_each("")
    })
}

/// Drops a call after it was looked at once, twice, and so on, until it ends first.
async fn dropped_at_each(guest: Guest, grants: Grants) {
    let ground = Arc::new(Ground::with(config()).await);
    let tool = ground.have(guest, grants, ToolLimits::default()).await;
    let mut places = 0;
    while !ends_within(&ground, &tool, places).await {
        places += 1;
        // Three find room at once, so none is still taken.
        let good = || ground.call_good();
        let (first, second, third) = tokio::join!(good(), good(), good());
        first.and(second).and(third).unwrap();
    }
    assert!(no_task_is_left().await);
    assert!(places > 1, "it was never dropped while it waited");
}

/// Whether the call comes to its end before it was looked at so often; if not, it is dropped.
async fn ends_within(ground: &Ground, tool: &str, looks: usize) -> bool {
    let plane = (0..3).fold(Plane::default(), |plane, _| plane.next(Next::Wait));
    let plane = Arc::new(plane);
    let mut call = pin!(ground.call(tool, "hello", &plane, CancellationToken::new()));
    let mut answering = pin!(async {
        loop {
            plane.reached.notified().await;
            yield_now().await;
            plane.go.notify_one();
        }
    });
    for _ in 0..looks {
        let looked = std::future::poll_fn(|context| {
            let _: Poll<()> = answering.as_mut().poll(context);
            Poll::Ready(call.as_mut().poll(context))
        });
        if let Poll::Ready(result) = looked.await {
            assert_eq!(result.outcome, Outcome::Done, "{}", result.text);
            return true;
        }
        yield_now().await;
    }
    false
}

/// A guest that waits for three answers.
fn thrice() -> Guest {
    let sent = format!("(drop (block (result i32) {}))", send(""));
    Guest::sending(format!("{sent} {sent} {}", send("")))
}
