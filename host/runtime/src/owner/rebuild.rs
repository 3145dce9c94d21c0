//! Throwing the machine away and replaying it, when its ledger failed or it panicked (LED-3).

use std::collections::VecDeque;

use switchboard_core::{Answer, Code, Millis, Monotonic, Refusal};
use tracing::{error, info, warn};

use super::{Job, Owner, unavailable};
use crate::batch::Batch;
use crate::recovery::{OpenError, Restored, restore};
use crate::residents::Means;

/// Attempts to open the ledger again before the board stops.
const ATTEMPTS: u32 = 5;

/// Rebuilds within [`WHILE`] that are still bad luck. One more, and something is wrong that
/// replaying does not heal.
const MOST: usize = 5;
const WHILE: Millis = Millis::minutes(1);

/// When the machine was rebuilt of late.
#[derive(Debug, Default)]
pub(super) struct Rebuilds(VecDeque<Monotonic>);

impl Rebuilds {
    /// Counts one more, and says whether that is still bearable.
    fn bearable(&mut self, now: Monotonic) -> bool {
        self.0.retain(|earlier| now.since(*earlier) < WHILE);
        self.0.push_back(now);
        self.0.len() <= MOST
    }
}

impl Owner {
    /// Tells those whose step may or may not be stored that nobody knows.
    pub(super) fn doubt(&mut self, lost: Batch) {
        let later = std::mem::take(&mut self.pending);
        for (ticket, _) in lost.answers.into_iter().chain(later.answers) {
            self.answer(ticket, Answer::Refused(uncertain()));
        }
    }

    /// Lets go of everything that rests on the present machine, and has it replayed.
    pub(super) fn rebuild(&mut self) -> Result<(), Refusal> {
        let refusal = if self.torn { failed() } else { unavailable() };
        self.refuse_all(&refusal);
        self.pending = Batch::default();
        self.residents.abandon();
        if !self.rebuilds.bearable(self.means.parts.clock.stamp().now) {
            let text =
                "the host failed too often in a short time and has stopped; its log says why";
            return Err(Refusal::new(Code::Internal, text));
        }
        self.job = Job::Rebuild(Box::pin(replay(self.means.clone(), self.heard)));
        Ok(())
    }

    pub(super) fn take_over(
        &mut self,
        restored: Result<Restored, OpenError>,
    ) -> Result<(), Refusal> {
        let restored = restored.map_err(|error| {
            // Guests get the refusal, and the error has the ledger's path in it (SAND-5).
            error!(%error, "the ledger could not be taken up again; the host stops");
            let text = "the ledger could not be taken up again and the host has stopped; its log \
                        says why";
            Refusal::new(Code::LedgerUnavailable, text)
        })?;
        info!(recovery = ?restored.recovery, "the machine is rebuilt");
        self.forest = restored.forest;
        self.torn = false;
        self.announce(&restored.news);
        self.pending.effects = restored.effects;
        Ok(())
    }
}

/// Waits until no loop of the old machine runs, then takes the ledger up.
async fn replay(means: Means, heard: u64) -> Result<Restored, OpenError> {
    means.loops.close();
    means.loops.wait().await;
    means.loops.reopen();
    let mut pause = means.parts.deadlines.reopening;
    for attempt in 1..ATTEMPTS {
        match reopen(&means, heard).await {
            Err(OpenError::Ledger(error)) => {
                warn!(%error, attempt, ?pause, "the ledger cannot be taken up yet");
            }
            settled => return settled,
        }
        tokio::time::sleep(pause).await;
        pause *= 2;
    }
    reopen(&means, heard).await
}

async fn reopen(means: &Means, heard: u64) -> Result<Restored, OpenError> {
    let parts = means.parts.clone();
    let reopened = means.writer.with(move |ledger| {
        ledger.reopen()?;
        restore(ledger, &parts, Some(heard))
    });
    reopened.await?
}

fn uncertain() -> Refusal {
    let text = "the ledger failed while this was being stored, so it may have happened or not; ask \
                again with the same key, or look before you repeat it";
    Refusal::new(Code::LedgerUnavailable, text).uncertain()
}

fn failed() -> Refusal {
    Refusal::new(Code::Internal, "the host failed before this was decided; nothing was done")
}
