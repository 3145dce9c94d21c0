//! What waited too long (FATE-5): decided by whatever claims, or by a timer.

use super::{Forest, Work};
use crate::command::Timer;
use crate::ids::AgentId;
use crate::receipt::DropReason;
use crate::time::{Millis, WallTime};

impl Forest {
    /// Gives up what expired unclaimed, before anything is claimed. Says whether there was any.
    pub(super) fn expire(&mut self, work: &mut Work, id: AgentId) -> bool {
        let expired = self.facts.agent(id).inbox.expired(&self.limits, work.stamp.wall);
        self.drop_mail(work, id, &expired, DropReason::Expired);
        !expired.is_empty()
    }

    /// Has an expiry looked at when it is due, if no timer of that agent comes before: whichever
    /// comes sees to the next.
    pub(super) fn time_expiry(&mut self, work: &mut Work, id: AgentId, expires: Option<WallTime>) {
        if let Some(expires) = expires.filter(|expires| self.desk.set_expiry(id, *expires)) {
            let after = Millis(expires.0.saturating_sub(work.stamp.wall.0));
            work.timer(Timer::Expiry(id), after);
        }
    }

    /// The wall clock may have jumped since the timer was set, so it is set again if it came too
    /// early.
    pub(super) fn expiry_due(&mut self, work: &mut Work, id: AgentId) {
        if self.desk.draining || self.facts.get(id).is_none() {
            return;
        }
        self.desk.expiry_came(id);
        self.expire(work, id);
        self.time_waiting(work, id);
    }

    /// Sets the timer for what waits.
    pub(super) fn time_waiting(&mut self, work: &mut Work, id: AgentId) {
        let next = self.facts.agent(id).inbox.next_expiry(&self.limits);
        self.time_expiry(work, id, next);
    }
}
