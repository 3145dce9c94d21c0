//! Compiled code that is not what it should be. It runs unchecked, so it has to be known.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use switchboard_runtime::Outcome;
use switchboard_sandbox::{Grants, LoadRequest, SandboxConfig};
use tokio_util::sync::CancellationToken;

use crate::attempt::scene;
use crate::binary::{good, with_module};
use crate::case::{Case, End, Seen};
use crate::ground::{Ground, config, source};

const MADE_AGAIN: End = End::Called(Outcome::Done);

pub(crate) fn cases() -> Vec<Case> {
    vec![
        spoiled("code that is cut", |code| code.truncate(code.len() / 2)),
        spoiled("code of which nothing is left", Vec::clear),
        spoiled("code with one bit turned", |code| *code.last_mut().unwrap() ^= 1),
        spoiled("code with another seal", |code| code[0] ^= 1),
        spoiled("code with more behind it", |code| code.push(0)),
        scene("kept code", "code of another component", MADE_AGAIN, "hello", |_| async {
            found(kept(with_module("", 1)).await).await
        }),
        spoiled("a component in the place of code", |code| *code = good()),
        scene("kept code", "code overwritten while it runs", MADE_AGAIN, "hello", |_| async {
            let folder = tempfile::tempdir().unwrap();
            let (ground, _) = loaded(good(), folder.path()).await;
            fs::write(only_file(folder.path()), vec![0xcc; 1 << 20]).unwrap();
            called(&ground).await
        }),
        scene("kept code", "a folder others may write to", MADE_AGAIN, "hello", |_| async {
            let folder = tempfile::tempdir().unwrap();
            let cache = folder.path().join("code");
            fs::create_dir(&cache).unwrap();
            fs::set_permissions(&cache, fs::Permissions::from_mode(0o777)).unwrap();
            let (ground, _) = loaded(good(), folder.path()).await;
            assert_eq!(fs::read_dir(cache).unwrap().count(), 0);
            called(&ground).await
        }),
    ]
}

/// The kept code is spoiled.
fn spoiled(name: &'static str, spoil: fn(&mut Vec<u8>)) -> Case {
    scene("kept code", name, MADE_AGAIN, "hello", move |_| async move {
        let mut code = kept(good()).await;
        spoil(&mut code);
        found(code).await
    })
}

/// What is kept of a component.
pub(super) async fn kept(component: Vec<u8>) -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    loaded(component, folder.path()).await;
    fs::read(only_file(folder.path())).unwrap()
}

/// A sandbox finds this in the place of a good tool's code: it makes that again, and the next one
/// finds it.
async fn found(code: Vec<u8>) -> Seen {
    let folder = tempfile::tempdir().unwrap();
    loaded(good(), folder.path()).await;
    fs::write(only_file(folder.path()), code).unwrap();
    let (ground, cached) = loaded(good(), folder.path()).await;
    assert!(!cached, "spoiled code was taken");
    assert!(loaded(good(), folder.path()).await.1, "it was not kept again");
    called(&ground).await
}

/// A ground of its own with this tool, and whether its code was kept.
async fn loaded(component: Vec<u8>, cache: &Path) -> (Ground, bool) {
    let ground = Ground::empty(SandboxConfig { cache: Some(cache.join("code")), ..config() });
    let request = LoadRequest::new(source(component), Grants::default());
    let cached = ground.load_as_it_is(request).await.unwrap();
    (ground, cached)
}

async fn called(ground: &Ground) -> Seen {
    ground.call("tool", "hello", &Arc::default(), CancellationToken::new()).await.into()
}

fn only_file(folder: &Path) -> PathBuf {
    fs::read_dir(folder.join("code")).unwrap().next().unwrap().unwrap().path()
}
