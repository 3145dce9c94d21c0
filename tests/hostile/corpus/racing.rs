//! A file that is a link to the secret by the time it is opened, and a file again after that.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;

use switchboard_runtime::Outcome;
use switchboard_sandbox::{Grants, ToolLimits};
use tokio_util::sync::CancellationToken;

use super::paths::READ;
use crate::attempt::scene;
use crate::case::{Case, End, Seen};
use crate::ground::Ground;
use crate::guest::Guest;

pub(super) fn case() -> Case {
    scene("paths", "a link put in its place while it is read", DONE, "yes", |ground| async move {
        let outside = tempfile::tempdir().unwrap();
        let inside = outside.path().join("inside");
        fs::create_dir(&inside).unwrap();
        fs::write(outside.path().join("secret"), "Secret").unwrap();
        fs::write(inside.join("file"), "fine").unwrap();
        let swapping = Swapping::begin(&inside);
        let seen = read_often(&ground, &inside, || swapping.times() > OFTEN).await;
        swapping.end();
        seen
    })
}

const DONE: End = End::Called(Outcome::Done);

/// So often they are swapped at least.
const OFTEN: usize = 300;

/// A thread that puts a link and a file in each other's place.
struct Swapping {
    enough: Arc<AtomicBool>,
    times: Arc<AtomicUsize>,
    thread: thread::JoinHandle<()>,
}

impl Swapping {
    fn begin(inside: &Path) -> Self {
        let (enough, times) = (Arc::<AtomicBool>::default(), Arc::<AtomicUsize>::default());
        let (inside, told, count) = (inside.to_owned(), Arc::clone(&enough), Arc::clone(&times));
        let thread = thread::spawn(move || {
            while !told.load(Ordering::Relaxed) {
                put(&inside, |aside| symlink("../secret", aside).unwrap());
                put(&inside, |aside| fs::write(aside, "fine").unwrap());
                count.fetch_add(1, Ordering::Relaxed);
            }
        });
        Self { enough, times, thread }
    }

    /// How often it was done so far.
    fn times(&self) -> usize {
        self.times.load(Ordering::Relaxed)
    }

    fn end(self) {
        self.enough.store(true, Ordering::Relaxed);
        self.thread.join().unwrap();
    }
}

fn put(inside: &Path, make: impl Fn(&PathBuf)) {
    let aside = inside.join("aside");
    make(&aside);
    fs::rename(aside, inside.join("file")).unwrap();
}

/// Calls a guest until there were enough, or until it crashes: it does if what it reads ever begins
/// like the secret.
async fn read_often(ground: &Ground, inside: &Path, enough: impl Fn() -> bool) -> Seen {
    let import = r#"(import "switchboard:plugin/workspace@0.1.0" "read"
        (func $read (param i32 i32 i32 i32 i32)))"#;
    let body = format!(
        "(local $times i32)
        (loop $again
            (global.set $heap (i32.const 65536))
            {READ}
            (if (i32.eqz (i32.load8_u (i32.const 4096))) (then
                (if (i32.eq (i32.load8_u (i32.load (i32.const 4100))) (i32.const 83))
                    (then (unreachable)))))
            (local.set $times (i32.add (local.get $times) (i32.const 1)))
            (br_if $again (i32.lt_u (local.get $times) (i32.const 500))))
        (call $say (i32.const 64) (i32.const 3))"
    );
    let guest = Guest::reading(body).with(import);
    let tool = ground.have(guest, Grants::reading(inside), ToolLimits::default()).await;
    loop {
        let result = ground.call(&tool, "file", &Arc::default(), CancellationToken::new()).await;
        if enough() || result.outcome != Outcome::Done {
            return result.into();
        }
    }
}
