//! Foreign futures, kept from taking their task with them.

use std::any::Any;
use std::future::{Future, poll_fn};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::task::Poll;

/// A foreign future panicked, and said this; it is not polled again.
#[derive(Clone, Debug)]
pub struct Panicked(pub String);

/// Runs a future to its end, or to its panic; for drivers and tool hosts that run foreign code.
/// What it shares with others has to be behind locks of its own, so that a panic tears nothing.
///
/// # Errors
/// It panicked.
pub async fn caught<T>(mut future: impl Future<Output = T> + Unpin) -> Result<T, Panicked> {
    poll_fn(|context| {
        match catch_unwind(AssertUnwindSafe(|| Pin::new(&mut future).poll(context))) {
            Ok(poll) => poll.map(Ok),
            Err(panic) => Poll::Ready(Err(Panicked(words(panic.as_ref())))),
        }
    })
    .await
}

/// What a panic says, for the log.
pub(crate) fn words(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_default()
}
