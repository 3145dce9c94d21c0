//! Watching over one call from outside: the wall clock, and the turn that may be stopped.

use std::future::Future;
use std::pin::pin;
use std::sync::atomic::Ordering;
use std::time::Duration;

use tokio::time::{sleep, timeout};
use tokio_util::sync::CancellationToken;

use super::Fault;
use super::answer::Answer;
use crate::outcome::Ending;
use crate::state::Tally;

/// How a call came to its end.
#[derive(Debug)]
pub(super) enum Ended {
    /// The guest's function returned.
    Answered(Answer),
    /// It did not.
    Faulted(Fault),
    /// It was stopped from outside.
    Stopped {
        ending: Ending,
        /// A control call was cut: nobody can say whether it was done.
        uncertain: bool,
    },
}

/// How long a control call that is under way is waited for before the call is dropped (SAND-4).
const COMMIT: Duration = Duration::from_secs(1);

/// Runs the guest until it ends, or is stopped. The clock of epochs stands still while a guest
/// waits in the host, so this one runs around all of it.
pub(super) async fn until_it_ends(
    guest: impl Future<Output = Result<Answer, Fault>>,
    stop: &CancellationToken,
    halt: &CancellationToken,
    wall: Duration,
    tally: &Tally,
) -> Ended {
    let mut guest = pin!(guest);
    // The timer is made when the guest first waits: most have answered by then.
    let ending = tokio::select! {
        biased;
        () = stop.cancelled() => Ending::Cancelled,
        end = &mut guest => return end.map_or_else(Ended::Faulted, Ended::Answered),
        () = async { sleep(wall).await } => Ending::TimedOut(wall),
    };
    halt.cancel();
    if !tally.in_control.load(Ordering::Relaxed) {
        return Ended::Stopped { ending, uncertain: false };
    }
    let uncertain = timeout(COMMIT, guest).await.is_err();
    Ended::Stopped { ending, uncertain }
}
