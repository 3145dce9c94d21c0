//! Asking the model of one step, as often as it takes while trying again can help. Mail was claimed
//! for the step, and a turn that ends as `error` gives it up; so a provider that is away for a
//! moment must not end one.

use std::pin::pin;
use std::time::Duration;

use switchboard_core::StepRecord;
use tokio::time::{Instant, timeout};
use tokio_util::sync::CancellationToken;
use tracing::{info, warn};

use super::{Exit, Turn};
use crate::caught::{Panicked, caught};
use crate::driver::DriverError;

/// The pause after the first attempt; doubled for each further one.
const FIRST: Duration = Duration::from_millis(250);
/// No pause is longer, unless the provider asks for it.
const LONGEST: Duration = Duration::from_secs(30);

impl Turn {
    /// The model's answer. All attempts and the pauses between share the deadline of one call.
    pub(super) async fn ask(&self, step: u32) -> Result<StepRecord, Exit> {
        let (begun, allowed) = (Instant::now(), self.parts.deadlines.model_call);
        let mut most = FIRST;
        loop {
            let left = allowed.saturating_sub(begun.elapsed());
            let (after, why) = match self.ask_once(step, left).await? {
                Ok(record) => return Ok(record),
                Err(DriverError::Failed(why)) => return Err(self.give_up(why)),
                Err(DriverError::Unavailable { after, why }) => (after, why),
            };
            let pause = pause(most, after, self.parts.clock.stamp().entropy);
            if begun.elapsed().saturating_add(pause) >= allowed {
                return Err(self.give_up(format!("the model was not there for {allowed:?}: {why}")));
            }
            info!(agent = %self.activation.agent, %why, ?pause, "the model is asked again");
            self.wait(pause).await?;
            most = (most * 2).min(LONGEST);
        }
    }

    /// One attempt. An answer that is there when the reins are pulled counts: completion wins.
    async fn ask_once(
        &self,
        step: u32,
        left: Duration,
    ) -> Result<Result<StepRecord, DriverError>, Exit> {
        self.hold()?;
        let cancel = CancellationToken::new();
        let _dropped_with_us = cancel.clone().drop_guard();
        let mut answer =
            pin!(caught(self.parts.driver.answer(self.question(step), cancel.clone())));
        tokio::select! {
            biased;
            answered = timeout(left, &mut answer) => {
                let answered = answered.map_err(|_| self.too_late())?.unwrap_or_else(panicked);
                return Ok(answered.map(|answered| answered.record));
            }
            () = self.reins.until_pulled() => (),
        }
        cancel.cancel();
        let partial = timeout(self.parts.deadlines.letting_go, answer).await;
        let partial = partial.ok().and_then(Result::ok).and_then(Result::ok);
        let written = partial.map(|partial| partial.record.text.to_string());
        let cause = self.reins.pulled().expect("the reins were pulled and stay so");
        Err(Exit::Pulled(cause, written.filter(|text| !text.is_empty())))
    }

    /// Waits between two attempts, unless the reins are pulled.
    async fn wait(&self, pause: Duration) -> Result<(), Exit> {
        let _ = timeout(pause, self.reins.until_pulled()).await;
        self.hold()
    }

    fn too_late(&self) -> Exit {
        let waited = self.parts.deadlines.model_call;
        self.give_up(format!("the model did not answer within {waited:?}"))
    }

    fn give_up(&self, why: String) -> Exit {
        warn!(agent = %self.activation.agent, %why, "the model could not be asked");
        Exit::Failed(why)
    }
}

fn panicked<T>(Panicked(words): Panicked) -> Result<T, DriverError> {
    tracing::error!(%words, "a driver panicked");
    Err(DriverError::Failed("the model's driver failed".to_owned()))
}

/// Between half of `most` and all of it, so that those who lost a model together do not come back
/// together. Where the provider says when to come back, nobody comes before that.
fn pause(most: Duration, after: Option<Duration>, entropy: u128) -> Duration {
    let half = most / 2;
    let share = f64::from(entropy as u32) / f64::from(u32::MAX);
    after.unwrap_or(half).saturating_add(half.mul_f64(share))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::pause;

    #[test]
    fn a_pause_is_between_half_and_all_and_never_before_the_provider_wants_it() {
        let (half, all) = (Duration::from_secs(1), Duration::from_secs(2));
        assert_eq!((pause(all, None, 0), pause(all, None, u128::MAX)), (half, all));
        let (after, long) = (Duration::from_secs(60), Duration::from_secs(61));
        assert_eq!(pause(all, Some(after), 0), after);
        assert_eq!(pause(all, Some(after), u128::MAX), long);
        assert_eq!(pause(all, Some(Duration::MAX), u128::MAX), Duration::MAX);
    }
}
