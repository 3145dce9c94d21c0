//! A future that whoever has work for it may push on from where he stands.
//!
//! The owner is one task, and waking a task on another thread takes longer than all the owner does
//! for a request. So one who hands in a note and finds nobody at the owner polls it himself: the
//! note is decided, stored where the ledger needs no waiting, and answered before he would have
//! gone to sleep. The task is there for everything else, and for an owner whose ledger is on a disk
//! it is all there is. The future notices nothing of this: it is polled by one at a time, and each
//! wake is followed by a poll. It may be polled on the stack of a guest, which is why that has room
//! for it.

#[cfg(test)]
mod tests;

use std::future::poll_fn;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Wake, Waker};

use crate::caught::{self, Panicked};
use crate::tools::BoxFuture;

/// Polls in a row by one who came with a note; the future sees to it that one takes no long time.
/// What is to be done after that is the task's: he has work of his own.
pub(crate) const POLLS: usize = 2;

/// Where the future lies when nobody polls it.
#[derive(Default)]
pub(crate) struct Baton(Mutex<Place>);

#[derive(Default)]
struct Place {
    future: Option<BoxFuture<'static, ()>>,
    /// It was woken since it was polled last.
    woken: bool,
    /// It has ended, or its task has: it is not laid back.
    over: bool,
    panicked: Option<Panicked>,
    task: Option<Waker>,
}

/// The future in the hand of the one who may poll it. Dropped, it is laid back.
pub(crate) struct Held<'a> {
    baton: &'a Arc<Baton>,
    future: Option<BoxFuture<'static, ()>>,
}

impl Baton {
    /// Polls the future whenever it is woken, until it ends. Dropped, it ends here.
    ///
    /// # Errors
    /// It panicked, whoever polled it.
    pub(crate) async fn carry(
        self: Arc<Self>,
        future: BoxFuture<'static, ()>,
    ) -> Result<(), Panicked> {
        self.place().future = Some(future);
        let _ends_with_its_task = Ends(&self);
        poll_fn(|context| self.poll(context)).await;
        self.place().panicked.take().map_or(Ok(()), Err)
    }

    /// Takes the future, if nobody is at it. Until it is laid back, nothing wakes the task.
    pub(crate) fn take(self: &Arc<Self>) -> Option<Held<'_>> {
        let future = self.place().future.take()?;
        Some(Held { baton: self, future: Some(future) })
    }

    fn poll(self: &Arc<Self>, context: &mut Context<'_>) -> Poll<()> {
        let mut place = self.place();
        place.task = Some(context.waker().clone());
        // If another has it, he looks at this before he lays it back, and this poll is not lost.
        place.woken = true;
        let future = place.future.take();
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
    /// Polls the future, and again while it was woken meanwhile, at most so many times.
    pub(crate) fn push(mut self, most: usize) {
        let waker = Waker::from(self.baton.clone());
        let mut context = Context::from_waker(&waker);
        for _ in 0..most {
            let Some(future) = &mut self.future else { return };
            self.baton.place().woken = false;
            let polled = catch_unwind(AssertUnwindSafe(|| future.as_mut().poll(&mut context)));
            let mut place = self.baton.place();
            match polled {
                Ok(Poll::Pending) => (),
                Ok(Poll::Ready(())) => place.over = true,
                Err(panic) => {
                    place.over = true;
                    place.panicked = Some(Panicked(caught::words(panic.as_ref())));
                }
            }
            if place.over || !place.woken {
                return;
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
