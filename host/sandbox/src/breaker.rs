//! The circuit breaker: rest for a tool that crashes again and again.
//!
//! An agent whose arguments crash a tool would go on crashing it: each time costs an instance and
//! a line in the log. So after some crashes in a row the tool rests, longer each time it then
//! crashes again. It rests for that agent alone: what one asks of a tool is no reason to take it
//! from the others.

use std::collections::BTreeMap;
use std::num::NonZeroU32;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use switchboard_core::AgentId;
use switchboard_runtime::Outcome;
use tokio::time::Instant;

use crate::outcome::Ending;

/// The first rest; each further one is twice as long.
const FIRST: Duration = Duration::from_secs(1);
const LONGEST: Duration = Duration::from_secs(60);
/// Agents remembered. Beyond that the one that is heard of longest ago is forgiven.
const AGENTS: usize = 1_024;

/// How one tool has fared with each agent of late.
#[derive(Debug, Default)]
pub(crate) struct Breaker(Mutex<BTreeMap<AgentId, Record>>);

#[derive(Clone, Copy, Debug)]
struct Record {
    crashes: u32,
    last: Instant,
    rests_until: Option<Instant>,
    /// The rest is over, and a call is under way that shows whether it helped.
    on_trial: bool,
}

/// A call that may be made. Dropped without its end, it counts for nothing.
#[derive(Debug)]
pub(crate) struct Admitted<'a> {
    breaker: &'a Breaker,
    agent: AgentId,
    is_trial: bool,
}

impl Breaker {
    /// Whether the tool may be called for this agent now. After a rest it is tried with one call;
    /// until that has ended, the others are refused.
    pub(crate) fn admit(&self, agent: AgentId) -> Result<Admitted<'_>, Ending> {
        let admitted = |is_trial| Ok(Admitted { breaker: self, agent, is_trial });
        let mut records = self.records();
        let Some(record) = records.get_mut(&agent) else { return admitted(false) };
        let Some(until) = record.rests_until else { return admitted(false) };
        let left = until.saturating_duration_since(Instant::now());
        if !left.is_zero() {
            // Rounded up, so that one who comes back when he is told to is in time.
            let seconds = left.as_secs() + u64::from(left.subsec_nanos() > 0);
            return Err(Ending::Resting { crashes: record.crashes, seconds });
        }
        if record.on_trial {
            return Err(Ending::OnTrial);
        }
        record.on_trial = true;
        admitted(true)
    }

    fn crashed(&self, agent: AgentId, threshold: NonZeroU32) -> Option<Duration> {
        let mut records = self.records();
        let now = Instant::now();
        if records.len() >= AGENTS && !records.contains_key(&agent) {
            forgive_one(&mut records);
        }
        let fresh = Record { crashes: 0, last: now, rests_until: None, on_trial: false };
        let record = records.entry(agent).or_insert(fresh);
        record.crashes = record.crashes.saturating_add(1);
        record.last = now;
        let beyond = record.crashes.checked_sub(threshold.get())?;
        let rest = FIRST.saturating_mul(1 << beyond.min(16)).min(LONGEST);
        record.rests_until = Some(now + rest);
        Some(rest)
    }

    fn records(&self) -> MutexGuard<'_, BTreeMap<AgentId, Record>> {
        // Each change of it is one assignment; nobody leaves it half-done.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Admitted<'_> {
    /// Takes in how the call ended; answers with the rest if the tool is to have one.
    pub(crate) fn ended(self, outcome: Outcome, threshold: NonZeroU32) -> Option<Duration> {
        match outcome {
            Outcome::Done | Outcome::Failed => {
                self.breaker.records().remove(&self.agent);
                None
            }
            Outcome::Trapped
            | Outcome::InvalidData
            | Outcome::OutOfMemory
            | Outcome::ComputedTooLong => self.breaker.crashed(self.agent, threshold),
            // Not the tool's doing, or not certainly so.
            Outcome::TimedOut
            | Outcome::TooManyHostCalls
            | Outcome::OutputTooLarge
            | Outcome::Refused
            | Outcome::Cancelled
            | Outcome::Internal
            | Outcome::Unknown => None,
        }
    }
}

impl Drop for Admitted<'_> {
    fn drop(&mut self) {
        let mut records = self.breaker.records();
        let record = records.get_mut(&self.agent).filter(|_| self.is_trial);
        record.into_iter().for_each(|record| record.on_trial = false);
    }
}

fn forgive_one(records: &mut BTreeMap<AgentId, Record>) {
    let oldest = records.iter().min_by_key(|(_, record)| record.last).map(|(agent, _)| *agent);
    if let Some(agent) = oldest {
        records.remove(&agent);
    }
}

#[cfg(test)]
mod tests {
    use switchboard_core::{Id, LedgerTag};
    use tokio::time::advance;

    use super::*;

    const THRESHOLD: NonZeroU32 = NonZeroU32::new(3).unwrap();

    fn agent(number: u64) -> AgentId {
        Id::new(LedgerTag::new(1), number)
    }

    /// A call that ends like this.
    fn ends(breaker: &Breaker, agent: AgentId, outcome: Outcome) -> Option<Duration> {
        breaker.admit(agent).unwrap().ended(outcome, THRESHOLD)
    }

    fn crash(breaker: &Breaker, agent: AgentId) -> Option<u64> {
        ends(breaker, agent, Outcome::Trapped).map(|rest| rest.as_secs())
    }

    /// Crashed three times, and rested.
    async fn rested() -> Breaker {
        let breaker = Breaker::default();
        let rests = [(); 3].map(|()| crash(&breaker, agent(1)));
        assert_eq!(rests, [None, None, Some(1)]);
        advance(Duration::from_secs(1)).await;
        breaker
    }

    fn seconds_left(breaker: &Breaker) -> Option<u64> {
        match breaker.admit(agent(1)) {
            Err(Ending::Resting { seconds, .. }) => Some(seconds),
            _ => None,
        }
    }

    #[tokio::test(start_paused = true)]
    async fn sand_4_a_tool_rests_longer_each_time_it_crashes_after_a_rest_up_to_a_minute() {
        let breaker = rested().await;
        for seconds in [2, 4, 8, 16, 32, 60, 60] {
            assert_eq!(crash(&breaker, agent(1)), Some(seconds));
            assert_eq!(seconds_left(&breaker), Some(seconds));
            advance(Duration::from_millis(1_500)).await;
            assert_eq!(seconds_left(&breaker), Some(seconds - 1), "rounded up");
            advance(Duration::from_secs(seconds)).await;
        }
    }

    #[tokio::test(start_paused = true)]
    async fn sand_4_after_a_rest_one_call_is_tried_however_long_it_takes() {
        let breaker = rested().await;
        let trial = breaker.admit(agent(1)).unwrap();
        advance(Duration::from_secs(10)).await;
        assert!(matches!(breaker.admit(agent(1)), Err(Ending::OnTrial)));
        drop(trial);
        assert!(breaker.admit(agent(1)).is_ok(), "a trial that was dropped is no end of it");
    }

    #[tokio::test(start_paused = true)]
    async fn sand_4_a_good_call_ends_the_rest_and_one_that_says_nothing_leaves_it() {
        let breaker = rested().await;
        assert_eq!(ends(&breaker, agent(1), Outcome::Cancelled), None);
        assert_eq!(crash(&breaker, agent(1)), Some(2));
        advance(Duration::from_secs(2)).await;
        assert_eq!(ends(&breaker, agent(1), Outcome::Failed), None);
        assert_eq!([(); 3].map(|()| crash(&breaker, agent(1))), [None, None, Some(1)]);
    }

    #[tokio::test(start_paused = true)]
    async fn sand_4_what_one_agent_does_to_a_tool_is_not_held_against_another() {
        let breaker = Breaker::default();
        (0..3).for_each(|_| assert!(crash(&breaker, agent(1)).is_none_or(|rest| rest == 1)));
        assert!(breaker.admit(agent(1)).is_err());
        assert!(breaker.admit(agent(2)).is_ok());
    }

    #[tokio::test(start_paused = true)]
    async fn it_remembers_so_many_agents_and_no_more() {
        let breaker = Breaker::default();
        for number in 0..2 * AGENTS as u64 {
            advance(Duration::from_millis(1)).await;
            (0..3)
                .for_each(|_| assert!(crash(&breaker, agent(number)).is_none_or(|rest| rest == 1)));
        }
        assert_eq!(breaker.records().len(), AGENTS);
        assert!(breaker.admit(agent(0)).is_ok());
    }
}
