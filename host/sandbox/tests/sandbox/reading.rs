//! Reading a folder through a guest. What the functions do in full is tested beside them.

use std::fs;
use std::time::{Duration, Instant};

use switchboard_runtime::Outcome;
use switchboard_sandbox::Grants;
use tokio::runtime::Builder;
use tokio::time::timeout;

use crate::guest::Guest;
use crate::host::{run, with};

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

#[test]
fn sand_4_a_search_nobody_waits_for_any_more_keeps_no_thread() {
    const AN_AGE: Duration = Duration::from_secs(60);
    let folder = tempfile::tempdir().unwrap();
    // Edges of words beside such letters are what patterns are slowest at.
    fs::write(folder.path().join("many"), ("é".repeat(200) + "\n").repeat(9_000)).unwrap();
    let runtime = Builder::new_current_thread().enable_time().build().unwrap();
    runtime.block_on(async {
        let sandbox = with(searching(0), Grants::reading(folder.path())).await;
        let long = run(&sandbox, r"\b(é{0,50}){0,9}[^é]\b");
        assert!(timeout(Duration::from_millis(50), long).await.is_err(), "it takes much longer");
    });
    let begun = Instant::now();
    runtime.shutdown_timeout(AN_AGE);
    assert!(begun.elapsed() < AN_AGE, "it still goes on");
}
