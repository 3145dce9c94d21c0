//! Reading a folder through a guest. What the functions do in full is tested beside them.

use std::fs;
use std::sync::Arc;
use std::time::{Duration, Instant};

use switchboard_runtime::{Outcome, ToolHost};
use switchboard_sandbox::{Grants, LoadRequest, Sandbox, SandboxConfig};
use tempfile::TempDir;
use tokio::runtime::Builder;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use crate::guest::Guest;
use crate::host::{bytes, call, config, run, with};

/// Watches what its arguments name and says how that failed, or `yes`. The failure's code stands
/// where that of a refusal would.
fn watching() -> Guest {
    Guest::reading(
        "(call $watch (local.get $args) (local.get $args_len) (i32.const 0) (i32.const 4096))
        (if (result i32) (i32.load8_u (i32.const 4096))
            (then (call $say (i32.load (i32.const 4100)) (i32.load (i32.const 4104))))
            (else (call $say (i32.const 64) (i32.const 3))))",
    )
}

#[tokio::test]
async fn sand_1_a_workspace_tool_reads_its_folder_and_nothing_outside() {
    let outside = tempfile::tempdir().unwrap();
    fs::write(outside.path().join("secret"), "x").unwrap();
    let folder = outside.path().join("inside");
    fs::create_dir(&folder).unwrap();
    fs::write(folder.join("file"), "x").unwrap();
    std::os::unix::fs::symlink(outside.path().join("secret"), folder.join("link")).unwrap();
    let sandbox = with(watching(), Grants::reading(&folder)).await;
    for (path, said) in
        [("file", "yes"), ("gone", "yes"), ("link", "outside"), ("../secret", "outside")]
    {
        let result = run(&sandbox, path).await;
        assert_eq!((result.outcome, result.text.as_str()), (Outcome::Done, said), "{path}");
    }
    let absolute = outside.path().join("secret");
    assert_eq!(run(&sandbox, absolute.to_str().unwrap()).await.text, "outside");
}

/// Searches the folder for its arguments, with so many keys beside them, and says how that failed,
/// or `yes`.
fn searching(keys: u32) -> Guest {
    let import = r#"(import "switchboard:plugin/workspace@0.1.0" "search"
        (func $search (param i32 i32 i32 i32 i32 i32 i32 i32 i32)))"#;
    let search = format!(
        "(call $search (local.get $args) (local.get $args_len) (i32.const 0) (i32.const 0)
            (i32.const 0) (i32.const 9) (i32.const 9000) (i32.const {keys}) (i32.const 4096))
        (if (result i32) (i32.load8_u (i32.const 4096))
            (then (call $say (i32.load (i32.const 4100)) (i32.load (i32.const 4104))))
            (else (call $say (i32.const 64) (i32.const 3))))"
    );
    Guest::reading(search).with(import)
}

#[tokio::test]
async fn a_search_with_a_key_nobody_knows_is_refused_and_never_ignored() {
    let folder = tempfile::tempdir().unwrap();
    for (keys, said) in [(0, "yes"), (1, "invalid-argument")] {
        let sandbox = with(searching(keys), Grants::reading(folder.path())).await;
        assert_eq!(run(&sandbox, "x").await.text, said);
    }
}

/// A folder that takes an age to search for this pattern.
fn slow() -> (TempDir, &'static str) {
    let folder = tempfile::tempdir().unwrap();
    // Edges of words beside such letters are what patterns are slowest at.
    fs::write(folder.path().join("many"), ("é".repeat(200) + "\n").repeat(9_000)).unwrap();
    (folder, r"\b(é{0,50}){0,9}[^é]\b")
}

#[tokio::test]
async fn sand_3_one_that_finds_no_thread_to_read_with_is_told_to_try_again() {
    let (folder, pattern) = slow();
    let patience = Duration::from_millis(1);
    let sandbox = Sandbox::new(SandboxConfig { file_threads: 1, patience, ..config() }).unwrap();
    for (name, guest) in [("search", searching(0)), ("watch", watching())] {
        let names = [("tool".to_owned(), name.to_owned())].into();
        let request = LoadRequest::new(bytes(name, guest.build()), Grants::reading(folder.path()));
        sandbox.load(LoadRequest { names, ..request }).await.unwrap();
    }
    let (plane, cancel) = (Arc::default(), CancellationToken::new());
    let long = sandbox.call(call("search", pattern, &plane), cancel.clone());
    let until_busy = async {
        loop {
            let result = sandbox.call(call("watch", "many", &plane), cancel.clone()).await;
            if result.text == "busy" {
                return result.outcome;
            }
        }
    };
    tokio::select! {
        ended = long => panic!("the search never was in the way: {ended:?}"),
        outcome = until_busy => assert_eq!(outcome, Outcome::Done, "it is a value for the guest"),
    }
}

#[test]
fn sand_4_a_search_nobody_waits_for_any_more_keeps_no_thread() {
    const AN_AGE: Duration = Duration::from_secs(60);
    let (folder, pattern) = slow();
    let runtime = Builder::new_current_thread().enable_time().build().unwrap();
    runtime.block_on(async {
        let sandbox = with(searching(0), Grants::reading(folder.path())).await;
        let long = run(&sandbox, pattern);
        assert!(timeout(Duration::from_millis(50), long).await.is_err(), "it takes much longer");
    });
    let begun = Instant::now();
    runtime.shutdown_timeout(AN_AGE);
    assert!(begun.elapsed() < AN_AGE, "it still goes on");
}
