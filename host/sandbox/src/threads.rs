//! Threads for what blocks, so many and no more: those that a runtime has are its program's too,
//! and who finds none free there waits without end.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::Semaphore;
use tokio::task::{JoinError, spawn_blocking};
use tokio::time::timeout;

/// The threads of all calls.
#[derive(Clone, Debug)]
pub(crate) struct Threads {
    free: Arc<Semaphore>,
    /// How long a call waits for one.
    patience: Duration,
}

/// None was free in time.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Busy;

impl Threads {
    pub(crate) fn new(most: u32, patience: Duration) -> Self {
        Self { free: Arc::new(Semaphore::new(most.max(1) as usize)), patience }
    }

    /// Does what blocks. A thread is free again when its work has ended, which one that nobody
    /// waits for any more may not have done yet.
    pub(crate) async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<Result<T, JoinError>, Busy> {
        let free = timeout(self.patience, Arc::clone(&self.free).acquire_owned()).await;
        let Ok(Ok(held)) = free else { return Err(Busy) };
        let worked = spawn_blocking(move || {
            let _held = held;
            work()
        });
        Ok(worked.await)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::{Sender, channel};

    use super::*;

    fn one(patience: Duration) -> Threads {
        Threads::new(1, patience)
    }

    /// Work that ends when it is told to.
    fn held(threads: &Threads) -> (Sender<()>, impl Future<Output = ()>) {
        let (end, told) = channel();
        let threads = threads.clone();
        let work = async move {
            // Its sender may be gone.
            let _ = threads.run(move || told.recv()).await;
        };
        (end, work)
    }

    #[tokio::test]
    async fn sand_3_one_that_finds_no_thread_in_time_is_told_so() {
        let threads = one(Duration::from_millis(10));
        let (end, work) = held(&threads);
        let second = async {
            assert_eq!(threads.run(|| ()).await.unwrap_err(), Busy);
            end.send(()).unwrap();
        };
        tokio::join!(work, second);
        assert!(threads.run(|| ()).await.is_ok());
    }

    #[tokio::test]
    async fn sand_4_a_thread_is_free_when_its_work_ends_and_not_when_nobody_waits_for_it() {
        let threads = one(Duration::from_millis(10));
        let (end, work) = held(&threads);
        assert!(timeout(Duration::from_millis(1), work).await.is_err());
        assert_eq!(threads.run(|| ()).await.unwrap_err(), Busy);
        end.send(()).unwrap();
        let patient = Threads { patience: Duration::from_secs(60), ..threads };
        assert!(patient.run(|| ()).await.is_ok());
        assert!(patient.run(|| panic!("as the test wants it")).await.unwrap().is_err());
        assert!(patient.run(|| ()).await.is_ok(), "a panic frees it too");
    }
}
