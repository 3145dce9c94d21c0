//! What must be as it was: the room for calls, the tasks, the threads and the memory.

use std::fmt;
use std::fs;
use std::sync::Arc;
use std::time::Duration;

use tokio::runtime::Handle;
use tokio::task::yield_now;
use tokio::time::timeout;

use crate::ground::Ground;

/// How it was before the first case, when everything had run once.
pub(crate) struct Before {
    threads: usize,
    memory: u64,
}

/// What is told to end has this long to do so.
const PATIENCE: Duration = Duration::from_secs(10);
/// What may be added by all cases together: the code of each tool stays loaded, and the allocator
/// keeps much of what compiling took. What calls leave behind is looked at in `corpus/again.rs`.
const MOST_ADDED: u64 = 384 << 20;

impl Before {
    pub(crate) async fn now() -> Self {
        // What loading needed goes within moments; until then there are more.
        let mut threads = usize::MAX;
        for _ in 0..1_000 {
            threads = threads.min(count_threads());
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        Self { threads, memory: resident() }
    }

    /// How it is other than it was.
    pub(crate) async fn differs(&self, ground: &Arc<Ground>) -> Vec<String> {
        let mut differs = Vec::new();
        if timeout(PATIENCE, ground.fill()).await != Ok(true) {
            differs.push("not all slots are back".to_owned());
        }
        if !no_task_is_left().await {
            differs.push(format!("{} tasks are left", tasks()));
        }
        if !comes(|| count_threads() <= self.threads).await {
            differs.push(format!("{} threads, {} before", count_threads(), self.threads));
        }
        let added = resident().saturating_sub(self.memory);
        if added > MOST_ADDED {
            differs.push(format!("{} MiB of memory more than before", added >> 20));
        }
        differs
    }
}

impl fmt::Display for Before {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (was, is) = (self.memory >> 20, resident() >> 20);
        write!(out, "memory {was} MiB before, {is} MiB after; threads {}", self.threads)
    }
}

/// Tasks other than the one all cases run in, which is none of the runtime's.
pub(crate) async fn no_task_is_left() -> bool {
    comes(|| tasks() == 0).await
}

async fn comes(is_so: impl Fn() -> bool) -> bool {
    let so = async {
        while !is_so() {
            yield_now().await;
        }
    };
    timeout(PATIENCE, so).await.is_ok()
}

fn tasks() -> usize {
    Handle::current().metrics().num_alive_tasks()
}

fn count_threads() -> usize {
    fs::read_dir("/proc/self/task").unwrap().count()
}

/// Bytes of this process that are in memory.
pub(crate) fn resident() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
    line.trim().trim_end_matches(" kB").parse::<u64>().unwrap() << 10
}
