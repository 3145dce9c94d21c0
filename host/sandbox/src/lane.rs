//! Whose turn it is to compute.

use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio_util::sync::CancellationToken;

/// One call's place in the compute lane. A call that outlasts a tick computes only while it holds
/// one of few permits, and offers it at each tick, so that however many guests spin, threads are
/// left for the timers and the calls beside them.
#[derive(Debug)]
pub(crate) struct Lane {
    permits: Arc<Semaphore>,
    held: Arc<Mutex<Option<OwnedSemaphorePermit>>>,
}

impl Lane {
    pub(crate) fn new(permits: Arc<Semaphore>) -> Self {
        Self { permits, held: Arc::default() }
    }

    /// As many as may compute at once on this computer.
    pub(crate) fn permits() -> Arc<Semaphore> {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        Arc::new(Semaphore::new((cores / 2).max(1)))
    }

    /// Gives the permit back: the guest is about to wait for the host.
    pub(crate) fn leave(&self) {
        drop(lock(&self.held).take());
    }

    /// Gives the permit back and waits for the next, or for `stop`. It yields before it asks,
    /// because a free permit is had without yielding, and nobody else would ever come to run.
    pub(crate) fn turn(&self, stop: CancellationToken) -> Pin<Box<dyn Future<Output = ()> + Send>> {
        self.leave();
        let (permits, held) = (Arc::clone(&self.permits), Arc::clone(&self.held));
        Box::pin(async move {
            tokio::task::yield_now().await;
            let permit = tokio::select! {
                permit = permits.acquire_owned() => permit.ok(),
                () = stop.cancelled() => None,
            };
            *lock(&held) = permit;
        })
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
