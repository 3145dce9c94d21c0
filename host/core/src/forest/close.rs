//! Putting agents away on purpose (CLOSE-1), and having them gone for good (DELETE-1).

use super::send::reused_key;
use super::settle::Asked;
use super::{Forest, Work};
use crate::answer::Closed;
use crate::command::Caller;
use crate::event::{ClosingCause, Event};
use crate::ids::AgentId;
use crate::inbox::Item;
use crate::kept::Kept;
use crate::key::HostKey;
use crate::kinship::Verb;
use crate::message::Target;
use crate::name::AgentName;
use crate::receipt::DropReason;
use crate::refusal::{Code, Refusal};

impl Forest {
    /// CLOSE-1: put away with all below, and the mark set, so that it stays away.
    pub(super) fn close(
        &mut self,
        work: &mut Work,
        caller: Caller,
        key: Option<HostKey>,
        target: &Target,
    ) -> Result<Closed, Refusal> {
        let by = self.live_caller(caller)?;
        match self.first_answer(by, key) {
            None => (),
            Some(Kept::Closed(first)) => return Ok(again(first)),
            Some(_) => return Err(reused_key()),
        }
        let id = self.to_be_ended(by, Verb::Close, target)?;
        let closed = self.facts.closed(id, self.in_memory(id).len());
        let (asked, mark) = (Asked { by, key }, Some(self.facts.last_message));
        self.close_for(work, asked, id, ClosingCause::Closed, mark);
        Ok(closed)
    }

    /// DELETE-1: nobody can tell it anything from now on, and nothing brings it back; what is in
    /// memory is put away behind that. Deleting what is deleted changes nothing.
    pub(super) fn delete(
        &mut self,
        work: &mut Work,
        caller: Caller,
        key: Option<HostKey>,
        target: &Target,
    ) -> Result<Closed, Refusal> {
        let by = self.live_caller(caller)?;
        match self.first_answer(by, key) {
            None => (),
            Some(Kept::Deleted(first)) => return Ok(again(first)),
            Some(_) => return Err(reused_key()),
        }
        let id = self.to_be_ended(by, Verb::Delete, target)?;
        let all: Vec<AgentId> = std::iter::once(id).chain(self.facts.descendants(id)).collect();
        let deleted = self.facts.closed(id, all.len());
        if self.facts.agent(id).deleted {
            return Ok(again(&deleted));
        }
        let stored = all.iter().map(|id| self.facts.agent(*id)).filter(|agent| !agent.has_a_stay());
        let owed: Vec<_> = stored.map(|agent| (agent.id, agent.owes.clone())).collect();
        self.emit(work, Event::Deleted { agent: id, by, key });
        for (id, owes) in owed {
            self.tell_owed(work, id, &owes);
        }
        all.iter().for_each(|id| self.cancel_requests(work, *id));
        self.begin_closing(work, id, ClosingCause::Deleted, None);
        for id in all {
            self.drop_all(work, id);
        }
        Ok(deleted)
    }

    fn first_answer(&self, by: Option<AgentId>, key: Option<HostKey>) -> Option<&Kept> {
        self.facts.agent(by?).kept.get(&key?)
    }

    pub(super) fn to_be_ended(
        &self,
        by: Option<AgentId>,
        verb: Verb,
        target: &Target,
    ) -> Result<AgentId, Refusal> {
        self.admitting()?;
        self.not_closing(by)?;
        self.may_change(by)?;
        self.resolve(by, verb, target)
    }

    /// What waits for one that is deleted is read by nobody; its senders are told (FATE-2).
    pub(super) fn drop_all(&mut self, work: &mut Work, id: AgentId) {
        let mail: Vec<Item> = self.facts.agent(id).inbox.items().cloned().collect();
        self.drop_mail(work, id, &mail, DropReason::Deleted);
    }
}

fn again(first: &Closed) -> Closed {
    Closed { repeated: true, ..first.clone() }
}

/// The answer to whoever means one that is gone for good.
pub(super) fn deleted(name: &AgentName) -> Refusal {
    let text = format!("{name} is deleted and stays so; choose another, or start a new one");
    Refusal::new(Code::Deleted, text)
}
