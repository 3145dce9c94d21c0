//! Compiled code kept between runs.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use switchboard_runtime::Outcome;
use switchboard_sandbox::{Grants, LoadRequest, Sandbox, SandboxConfig};

use crate::guest::{ECHO, Guest};
use crate::host::{bytes, config, run};

fn sandbox(cache: &Path) -> Sandbox {
    Sandbox::new(SandboxConfig { cache: Some(cache.to_owned()), ..config() }).unwrap()
}

/// Whether the code was there; the tool works either way.
async fn cached(cache: &Path, guest: &str) -> bool {
    let sandbox = sandbox(cache);
    let source = bytes("a test", Guest::new(guest).build());
    let loaded = sandbox.load(LoadRequest::new(source, Grants::default())).await.unwrap();
    assert_eq!(run(&sandbox, "hello").await.outcome, Outcome::Done);
    loaded.cached
}

const OTHER: &str = "(call $say (i32.const 64) (i32.const 3))";

fn files(cache: &Path) -> Vec<PathBuf> {
    fs::read_dir(cache).unwrap().map(|entry| entry.unwrap().path()).collect()
}

#[tokio::test]
async fn code_is_compiled_once() {
    let folder = tempfile::tempdir().unwrap();
    let cache = folder.path().join("cache");
    assert!(!cached(&cache, ECHO).await);
    assert!(cached(&cache, ECHO).await);
    assert!(!cached(&cache, OTHER).await);
    assert_eq!(files(&cache).len(), 2, "nothing is left beside them");
}

#[tokio::test]
async fn code_that_is_cut_changed_or_of_another_component_is_a_miss_and_made_again() {
    let folder = tempfile::tempdir().unwrap();
    let cache = folder.path().join("cache");
    cached(&cache, ECHO).await;
    let echo = files(&cache).remove(0);
    let whole = fs::read(&echo).unwrap();
    cached(&cache, OTHER).await;
    let other = files(&cache).into_iter().find(|file| *file != echo).unwrap();
    let mut changed = whole.clone();
    changed[whole.len() / 2] ^= 1;
    for bad in [&whole[..whole.len() / 2], &changed, &fs::read(other).unwrap(), b"", b"short"] {
        fs::write(&echo, bad).unwrap();
        assert!(!cached(&cache, ECHO).await);
        assert!(cached(&cache, ECHO).await);
    }
}

#[tokio::test]
async fn a_folder_others_may_look_into_is_not_used() {
    let folder = tempfile::tempdir().unwrap();
    let cache = folder.path().join("cache");
    fs::create_dir(&cache).unwrap();
    fs::set_permissions(&cache, fs::Permissions::from_mode(0o755)).unwrap();
    assert!(sandbox(&cache).posture().cache.as_ref().unwrap_err().contains("mode 0700"));
    assert!(!cached(&cache, ECHO).await);
    assert!(!cached(&cache, ECHO).await);
    assert!(files(&cache).is_empty());
}
