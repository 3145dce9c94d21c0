//! Whose turn it is to compute.

use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio_util::sync::CancellationToken;

/// One call's place in the compute lane. A call that outlasts a tick computes only while it holds
/// one of few permits, and offers it at each tick, so that however many guests spin, threads are
/// left for the timers and the calls beside them. One that waits for the host lets others have it,
/// and takes it again after that: else many that ask for a little over and over need none at all.
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

    /// Gives the permit back: the guest is about to wait for the host. Says whether it had one.
    pub(crate) fn leave(&self) -> bool {
        lock(&self.held).take().is_some()
    }

    /// Waits for a permit, or for `stop`.
    pub(crate) fn enter(&self, stop: CancellationToken) -> impl Future<Output = ()> + Send + use<> {
        let (permits, held) = (Arc::clone(&self.permits), Arc::clone(&self.held));
        async move {
            let permit = tokio::select! {
                permit = permits.acquire_owned() => permit.ok(),
                () = stop.cancelled() => None,
            };
            *lock(&held) = permit;
        }
    }

    /// Gives the permit back and waits for the next, or for `stop`. It yields before it asks,
    /// because a free permit is had without yielding, and nobody else would ever come to run.
    pub(crate) fn turn(&self, stop: CancellationToken) -> Pin<Box<dyn Future<Output = ()> + Send>> {
        self.leave();
        let next = self.enter(stop);
        Box::pin(async move {
            tokio::task::yield_now().await;
            next.await;
        })
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::pin::pin;
    use std::task::{Context, Waker};

    use super::*;

    fn one() -> Arc<Semaphore> {
        Arc::new(Semaphore::new(1))
    }

    fn comes(turn: Pin<&mut impl Future<Output = ()>>) -> bool {
        turn.poll(&mut Context::from_waker(Waker::noop())).is_ready()
    }

    #[test]
    fn sand_3_who_computes_offers_its_place_at_each_tick_and_waits_for_it_again() {
        let (permits, never) = (one(), CancellationToken::new);
        let (first, second) = (Lane::new(Arc::clone(&permits)), Lane::new(permits));
        let (mut its, mut others) = (pin!(first.turn(never())), pin!(second.turn(never())));
        assert!(!comes(its.as_mut()), "it lets the others go first, also where there are none");
        assert!(comes(its));
        assert!(!comes(others.as_mut()) && !comes(others.as_mut()), "there is one place");
        let mut again = pin!(first.turn(never()));
        assert!(comes(others));
        assert!(!comes(again.as_mut()) && !comes(again.as_mut()));
        second.leave();
        assert!(comes(again));
    }

    #[test]
    fn int_6_who_waits_for_its_place_and_is_stopped_waits_no_longer() {
        let (permits, stop) = (one(), CancellationToken::new());
        let _taken = Arc::clone(&permits).try_acquire_owned().unwrap();
        let mut waiting = pin!(Lane::new(permits).turn(stop.clone()));
        assert!(!comes(waiting.as_mut()) && !comes(waiting.as_mut()));
        stop.cancel();
        assert!(comes(waiting));
    }

    #[test]
    fn sand_3_half_of_the_cores_are_never_given_to_guests_unless_there_is_but_one() {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let given = Lane::permits().available_permits();
        assert!((1..=cores.div_ceil(2)).contains(&given), "{given} of {cores}");
    }

    #[tokio::test]
    async fn sand_3_one_that_waited_for_the_host_computes_on_when_it_is_its_turn_again() {
        let (permits, stop) = (Arc::new(Semaphore::new(1)), CancellationToken::new());
        let (one, other) = (Lane::new(Arc::clone(&permits)), Lane::new(Arc::clone(&permits)));
        assert!(!one.leave(), "one that did not outlast a tick needs none");
        one.turn(stop.clone()).await;
        assert!(one.leave());
        other.turn(stop.clone()).await;
        let mut again = pin!(one.enter(stop));
        assert!(!comes(again.as_mut()), "the other computes");
        other.leave();
        again.await;
        assert_eq!(permits.available_permits(), 0);
    }
}
