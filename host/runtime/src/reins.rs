//! How the owner holds a running loop: softly for a drain, hard for everything else.

use std::sync::OnceLock;

use switchboard_core::CancelCause;
use tokio_util::sync::CancellationToken;

/// The reins of one loop. Pulling them never waits; the first hard cause stays the cause.
#[derive(Debug, Default)]
pub(crate) struct Reins {
    drain: CancellationToken,
    cut: CancellationToken,
    cause: OnceLock<CancelCause>,
}

impl Reins {
    pub(crate) fn pull(&self, cause: CancelCause) {
        match cause {
            CancelCause::Draining => self.drain.cancel(),
            CancelCause::Interrupted | CancelCause::Closing | CancelCause::DrainOver => {
                // A loop stops once; an interrupt that is followed by a close stays an interrupt.
                let _ = self.cause.set(cause);
                self.cut.cancel();
            }
        }
    }

    /// Why the loop is to stop, if it is.
    pub(crate) fn pulled(&self) -> Option<CancelCause> {
        self.severed().or_else(|| self.drain.is_cancelled().then_some(CancelCause::Draining))
    }

    /// Why the loop is to stop at once, if it is.
    pub(crate) fn severed(&self) -> Option<CancelCause> {
        let cause = || *self.cause.get().expect("the cause is set before the cut");
        self.cut.is_cancelled().then(cause)
    }

    /// Returns when the loop is to stop in whichever way.
    pub(crate) async fn until_pulled(&self) {
        tokio::select! {
            biased;
            () = self.cut.cancelled() => (),
            () = self.drain.cancelled() => (),
        }
    }

    /// Returns when the loop is to stop at once.
    pub(crate) async fn until_severed(&self) {
        self.cut.cancelled().await;
    }
}
