//! What waited too long (FATE-5): decided by whatever claims, or by a timer where a sender said
//! when.

use super::{Forest, Work};
use crate::command::Timer;
use crate::ids::AgentId;
use crate::receipt::DropReason;
use crate::time::Millis;

impl Forest {
    /// Gives up what expired unclaimed, before anything is claimed.
    pub(super) fn expire(&mut self, work: &mut Work, id: AgentId) {
        let expired = self.facts.agent(id).inbox.expired(&self.limits, work.stamp.wall);
        self.drop_mail(work, id, &expired, DropReason::Expired);
    }

    /// Has the next expiry looked at when it is due. The wall clock may have jumped by then, so the
    /// timer comes again if it came too early.
    pub(super) fn time_expiry(&self, work: &mut Work, id: AgentId) {
        if let Some(next) = self.facts.agent(id).inbox.next_expiry(&self.limits) {
            let after = Millis(next.0.saturating_sub(work.stamp.wall.0));
            work.timer(Timer::Expiry(id), after);
        }
    }

    pub(super) fn expiry_due(&mut self, work: &mut Work, id: AgentId) {
        if !self.desk.draining && self.facts.get(id).is_some() {
            self.expire(work, id);
            self.time_expiry(work, id);
        }
    }
}
