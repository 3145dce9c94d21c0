//! Rest for a tool that crashes again and again.
//!
//! An agent whose arguments crash a tool would go on crashing it: each time costs an instance and
//! a line in the log. So after some crashes in a row the tool rests, longer each time it then
//! crashes again. It rests for that agent alone: what one asks of a tool is no reason to take it
//! from the others.

use std::collections::BTreeMap;
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
}

impl Breaker {
    /// Whether the tool may be called for this agent now. After a rest it is tried once; until
    /// that one is over, the others are refused.
    pub(crate) fn admit(&self, agent: AgentId) -> Result<(), Ending> {
        let mut records = self.records();
        let Some(record) = records.get_mut(&agent) else { return Ok(()) };
        let (Some(until), now) = (record.rests_until, Instant::now()) else { return Ok(()) };
        if until > now {
            let crashes = record.crashes;
            // Rounded up, so that one who comes back when he is told to is in time.
            let seconds = (until - now).as_millis().div_ceil(1_000);
            return Err(Ending::Resting { crashes, seconds });
        }
        record.rests_until = Some(now + FIRST);
        Ok(())
    }

    /// Takes in how a call ended; answers with the rest if the tool is to have one.
    pub(crate) fn ended(&self, agent: AgentId, outcome: Outcome, most: u32) -> Option<Duration> {
        match outcome {
            Outcome::Done | Outcome::Failed => {
                self.records().remove(&agent);
                None
            }
            Outcome::Trapped
            | Outcome::InvalidData
            | Outcome::OutOfMemory
            | Outcome::ComputedTooLong => self.crashed(agent, most),
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

    fn crashed(&self, agent: AgentId, most: u32) -> Option<Duration> {
        let mut records = self.records();
        let now = Instant::now();
        if records.len() >= AGENTS && !records.contains_key(&agent) {
            forgive_one(&mut records);
        }
        let fresh = Record { crashes: 0, last: now, rests_until: None };
        let record = records.entry(agent).or_insert(fresh);
        record.crashes = record.crashes.saturating_add(1);
        record.last = now;
        let beyond = record.crashes.checked_sub(most)?;
        let rest = FIRST.saturating_mul(1 << beyond.min(16)).min(LONGEST);
        record.rests_until = Some(now + rest);
        Some(rest)
    }

    fn records(&self) -> MutexGuard<'_, BTreeMap<AgentId, Record>> {
        // Each change of it is one assignment; nobody leaves it half-done.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
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

    const MOST: u32 = 3;

    fn agent(number: u64) -> AgentId {
        Id::new(LedgerTag::new(1), number)
    }

    fn crash(breaker: &Breaker, agent: AgentId) -> Option<Duration> {
        breaker.ended(agent, Outcome::Trapped, MOST)
    }

    #[tokio::test(start_paused = true)]
    async fn a_tool_rests_from_the_third_crash_in_a_row_and_longer_each_time() {
        let breaker = Breaker::default();
        assert_eq!([crash(&breaker, agent(1)), crash(&breaker, agent(1))], [None, None]);
        for seconds in [1, 2, 4, 8, 16, 32, 60, 60] {
            assert_eq!(crash(&breaker, agent(1)), Some(Duration::from_secs(seconds)));
            let refused = breaker.admit(agent(1));
            assert!(matches!(refused, Err(Ending::Resting { .. })), "{refused:?}");
            advance(Duration::from_secs(seconds)).await;
            assert_eq!(breaker.admit(agent(1)), Ok(()));
        }
    }

    #[tokio::test(start_paused = true)]
    async fn after_a_rest_one_call_is_tried_and_a_good_one_ends_it_all() {
        let breaker = Breaker::default();
        (0..MOST).for_each(|_| assert!(crash(&breaker, agent(1)).is_none_or(|rest| rest == FIRST)));
        advance(Duration::from_secs(1)).await;
        assert_eq!(breaker.admit(agent(1)), Ok(()));
        assert!(breaker.admit(agent(1)).is_err(), "one is being tried");
        assert_eq!(breaker.ended(agent(1), Outcome::Failed, MOST), None);
        assert_eq!(breaker.admit(agent(1)), Ok(()));
        assert_eq!([crash(&breaker, agent(1)), crash(&breaker, agent(1))], [None, None]);
    }

    #[tokio::test(start_paused = true)]
    async fn what_one_agent_does_to_a_tool_is_not_held_against_another() {
        let breaker = Breaker::default();
        (0..MOST).for_each(|_| assert!(crash(&breaker, agent(1)).is_none_or(|rest| rest == FIRST)));
        assert!(breaker.admit(agent(1)).is_err());
        assert_eq!(breaker.admit(agent(2)), Ok(()));
    }

    #[tokio::test(start_paused = true)]
    async fn it_remembers_so_many_agents_and_no_more() {
        let breaker = Breaker::default();
        for number in 0..2 * AGENTS as u64 {
            advance(Duration::from_millis(1)).await;
            (0..MOST).for_each(|_| {
                assert!(crash(&breaker, agent(number)).is_none_or(|rest| rest == FIRST))
            });
        }
        assert_eq!(breaker.records().len(), AGENTS);
        assert_eq!(breaker.admit(agent(0)), Ok(()));
    }
}
