//! The sandbox against guests, files and callers that mean it harm: one host lives through all of
//! them, and after each one everything has to be as it was. The cases are in `corpus/`, a table
//! each; with `-- --nocapture` the test prints what came of them.
#![allow(clippy::unwrap_used, reason = "a broken expectation ends a test")]

mod aftermath;
mod attempt;
mod binary;
mod case;
mod corpus;
mod ground;
#[allow(dead_code, reason = "shared with the sandbox's own tests, which use all of it")]
#[path = "../../host/sandbox/tests/sandbox/guest.rs"]
mod guest;
mod neighbour;
#[allow(dead_code, reason = "shared with the sandbox's own tests, which use all of it")]
#[path = "../../host/sandbox/tests/sandbox/plane.rs"]
mod plane;

use std::sync::Arc;
use std::time::Duration;

use tokio::runtime::{Builder, Runtime};
use tokio::time::timeout;

use crate::aftermath::Before;
use crate::case::Case;
use crate::ground::Ground;
use crate::neighbour::{Lived, Neighbour};

/// No case may hang; how long it takes says nothing on a busy machine.
const LONGEST: Duration = Duration::from_secs(30);
/// How often the neighbour is called where nothing attacks it, and at least beside each attack.
const CALM_CALLS: usize = 1_000;
const LEAST_CALLS: usize = 30;

#[test]
fn sand_3_sand_4_sand_5_no_attack_of_the_corpus_harms_the_host_or_a_neighbour() {
    let cases = corpus::all();
    let count = cases.len();
    let faults = runtime().block_on(survive(cases));
    assert!(faults.is_empty(), "{} faults in {count} cases:\n{}", faults.len(), faults.join("\n"));
}

/// Two workers, so that a guest that holds one is noticed, and threads for blocking work that do
/// not stay, so that one that is still there has something to do.
fn runtime() -> Runtime {
    let mut runtime = Builder::new_multi_thread();
    runtime.worker_threads(2).enable_time().thread_keep_alive(Duration::from_millis(2));
    runtime.build().unwrap()
}

/// Carries out the cases one after the other on the same ground and says what went wrong.
async fn survive(cases: Vec<Case>) -> Vec<String> {
    let ground = Arc::new(Ground::new().await);
    assert!(ground.fill().await, "there is room at first");
    let calm = Neighbour::of(&ground, CALM_CALLS).left_alone().await;
    let before = Before::now().await;
    let mut faults = Vec::new();
    println!("{:<52} {:<12} {:<26} neighbour p50, p99", "attack", "at", "end");
    row("(none: before)", "", "", &calm);
    for case in cases {
        let Case { name, limit, attack, expected } = case;
        let neighbour = Neighbour::of(&ground, LEAST_CALLS);
        let mut attacking = tokio::spawn(attack(Arc::clone(&ground)));
        let seen = timeout(LONGEST, &mut attacking).await;
        attacking.abort();
        let lived = neighbour.left_alone().await;
        let (end, mut wrong) = match seen {
            Ok(Ok(seen)) => (seen.end.to_string(), expected.missed_by(&seen)),
            Ok(Err(panic)) => ("broken".to_owned(), vec![panic.to_string()]),
            Err(_) => ("hung".to_owned(), vec![format!("it took longer than {LONGEST:?}")]),
        };
        wrong.extend(lived.faults.iter().cloned());
        wrong.extend(before.differs(&ground).await);
        row(name, limit, &end, &lived);
        faults.extend(wrong.into_iter().map(|fault| format!("- {limit}: {name}: {fault}")));
    }
    let calm = Neighbour::of(&ground, CALM_CALLS).left_alone().await;
    row("(none: after)", "", "", &calm);
    println!("{before}");
    faults
}

fn row(name: &str, limit: &str, end: &str, lived: &Lived) {
    println!("{name:<52} {limit:<12} {end:<26} {lived}");
}
