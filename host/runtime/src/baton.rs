//! A future that whoever has work for it may push on from where he stands.
//!
//! The owner is one task, and waking a task on another thread takes longer than all the owner does
//! for a request. So one who hands in a note and finds nobody at the owner polls it himself: the
//! note is decided, stored where the ledger needs no waiting, and answered before he would have
//! gone to sleep. The task is there for everything else. The future notices nothing of this: it is
//! polled by one at a time, and each wake is followed by a poll.

use std::future::poll_fn;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Wake, Waker};

use tracing::error;

use crate::caught;
use crate::tools::BoxFuture;

/// Polls in a row by one who came with a note. What is to be done after that is the task's: he has
/// work of his own.
pub(crate) const POLLS: usize = 2;

/// Where the future lies when nobody polls it.
#[derive(Default)]
pub(crate) struct Baton(Mutex<Place>);

#[derive(Default)]
struct Place {
    future: Option<BoxFuture<'static, ()>>,
    /// It was woken since it was polled last.
    woken: bool,
    /// It has ended, or its task has: it is not polled again.
    over: bool,
    task: Option<Waker>,
}

/// The future in the hand of the one who may poll it. Dropped, it is laid back.
pub(crate) struct Held<'a> {
    baton: &'a Arc<Baton>,
    future: Option<BoxFuture<'static, ()>>,
}

impl Baton {
    /// Polls the future whenever it is woken, until it ends. Dropped, it ends here.
    pub(crate) async fn carry(self: Arc<Self>, future: BoxFuture<'static, ()>) {
        self.place().future = Some(future);
        let _ends_with_its_task = Ends(&self);
        poll_fn(|context| self.poll(context)).await;
    }

    /// Takes the future, if nobody is at it. Until it is laid back, nothing wakes the task.
    pub(crate) fn take(self: &Arc<Self>) -> Option<Held<'_>> {
        let future = self.place().future.take()?;
        Some(Held { baton: self, future: Some(future) })
    }

    fn poll(self: &Arc<Self>, context: &mut Context<'_>) -> Poll<()> {
        let mut place = self.place();
        place.task = Some(context.waker().clone());
        let future = place.future.take();
        // Whoever has it now looks at this before he lays it back.
        place.woken = true;
        drop(place);
        if let Some(future) = future {
            Held { baton: self, future: Some(future) }.push(1);
        }
        if self.place().over { Poll::Ready(()) } else { Poll::Pending }
    }

    fn place(&self) -> MutexGuard<'_, Place> {
        // Nothing that can panic runs under the lock.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Held<'_> {
    /// Polls the future as long as it is woken, at most so many times.
    pub(crate) fn push(mut self, most: usize) {
        let waker = Waker::from(self.baton.clone());
        let mut context = Context::from_waker(&waker);
        for _ in 0..most {
            self.baton.place().woken = false;
            if self.future.as_mut().is_none_or(|future| ends(future, &mut context)) {
                self.future = None;
                self.baton.place().over = true;
            }
            if !self.baton.place().woken {
                break;
            }
        }
    }
}

impl Drop for Held<'_> {
    fn drop(&mut self) {
        let mut place = self.baton.place();
        let mut gone = self.future.take();
        if !place.over {
            place.future = gone.take();
        }
        let due = place.woken || place.over;
        let task = due.then(|| place.task.clone()).flatten();
        drop(place);
        drop(gone);
        task.into_iter().for_each(Waker::wake);
    }
}

impl Wake for Baton {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        let mut place = self.place();
        place.woken = true;
        let task = place.future.is_some().then(|| place.task.clone()).flatten();
        drop(place);
        task.into_iter().for_each(Waker::wake);
    }
}

/// Ends the future with the task that carries it, also when the runtime drops that.
struct Ends<'a>(&'a Baton);

impl Drop for Ends<'_> {
    fn drop(&mut self) {
        let mut place = self.0.place();
        place.over = true;
        let gone = (place.future.take(), place.task.take());
        drop(place);
        drop(gone);
    }
}

/// Whether it ended, by itself or by a panic.
fn ends(future: &mut BoxFuture<'static, ()>, context: &mut Context<'_>) -> bool {
    match catch_unwind(AssertUnwindSafe(|| future.as_mut().poll(context))) {
        Ok(poll) => poll.is_ready(),
        Err(panic) => {
            error!(words = caught::words(panic.as_ref()), "the owner of the machine panicked");
            true
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use tokio::sync::{mpsc, oneshot};

    use super::{Baton, POLLS};

    const CALLERS: u64 = 4;
    const NOTES: u64 = 40_000;

    /// Hands in a note as the lanes do.
    fn put(
        baton: &Arc<Baton>,
        notes: &mpsc::UnboundedSender<(u64, oneshot::Sender<u64>)>,
        of: u64,
    ) {
        let (reply, mut answer) = oneshot::channel();
        let held = baton.take();
        let free = held.is_some();
        notes.send((of, reply)).unwrap();
        held.into_iter().for_each(|held| held.push(POLLS));
        // One who found it free has his answer already, unless its time slice was over.
        assert!(!free || answer.try_recv() != Err(oneshot::error::TryRecvError::Closed));
    }

    /// LED-4, SEND-12: each note is taken in once, whoever pushes the owner on, and however they
    /// come between each other.
    #[tokio::test(flavor = "multi_thread", worker_threads = 4)]
    async fn every_note_is_taken_in_once_however_many_push_the_owner_on_at_once() {
        let baton = Arc::new(Baton::default());
        let (notes, mut mailbox) = mpsc::unbounded_channel::<(u64, oneshot::Sender<u64>)>();
        let (total, counted) = oneshot::channel();
        let owner = async move {
            let (mut sum, mut taken) = (0, 0);
            while let Some((of, reply)) = mailbox.recv().await {
                sum += of;
                taken += 1;
                let _ = reply.send(of);
            }
            total.send((taken, sum)).unwrap();
        };
        let task = tokio::spawn(baton.clone().carry(Box::pin(owner)));
        let callers: Vec<_> = (1..=CALLERS)
            .map(|of| {
                let (baton, notes) = (baton.clone(), notes.clone());
                std::thread::spawn(move || (0..NOTES).for_each(|_| put(&baton, &notes, of)))
            })
            .collect();
        callers.into_iter().for_each(|caller| caller.join().unwrap());
        drop(notes);
        task.await.unwrap();
        let sum_of_callers = CALLERS * (CALLERS + 1) / 2;
        assert_eq!(counted.await, Ok((CALLERS * NOTES, NOTES * sum_of_callers)));
    }

    /// LED-3: a panic ends the owner and its task, and takes nobody along who pushed it.
    #[tokio::test]
    async fn an_owner_that_panics_under_the_hand_of_another_ends_with_its_task() {
        let baton = Arc::new(Baton::default());
        let (notes, mut mailbox) = mpsc::unbounded_channel::<(u64, oneshot::Sender<u64>)>();
        let owner = async move {
            mailbox.recv().await;
            panic!("as the test wants it");
        };
        let task = tokio::spawn(baton.clone().carry(Box::pin(owner)));
        tokio::task::yield_now().await;
        let (reply, answer) = oneshot::channel();
        let held = baton.take().expect("nobody is at it");
        notes.send((1, reply)).unwrap();
        held.push(POLLS);
        assert!(answer.await.is_err());
        task.await.unwrap();
        assert!(notes.is_closed() && baton.take().is_none());
    }

    /// A runtime that is dropped takes the owner along, and with it what it holds.
    #[test]
    fn an_owner_ends_with_the_runtime_of_its_task() {
        let baton = Arc::new(Baton::default());
        let (notes, mut mailbox) = mpsc::unbounded_channel::<()>();
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let owner = async move { while mailbox.recv().await.is_some() {} };
        runtime.spawn(baton.clone().carry(Box::pin(owner)));
        runtime.block_on(tokio::task::yield_now());
        drop(runtime);
        assert!(notes.is_closed() && baton.take().is_none());
    }
}
