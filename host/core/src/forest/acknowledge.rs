//! Acknowledgements: what a sender may ask for, and is told if it does not get it (FATE-4).

use std::collections::BTreeMap;
use std::sync::Arc;

use super::close::deleted;
use super::send::reused_key;
use super::{Forest, Work};
use crate::agent::Obligation;
use crate::command::Caller;
use crate::event::{Event, Terms};
use crate::facts::receipt;
use crate::ids::{AgentId, MessageId};
use crate::kept::Kept;
use crate::key::HostKey;
use crate::message::{Content, Schedule};
use crate::notice::Notice;
use crate::receipt::{Delivery, Receipt};
use crate::refusal::{Code, Refusal};

impl Forest {
    /// The sender of the message is told, without being woken; it has asked for no more. The
    /// receipt is for that notice, which always fits (SEND-11).
    pub(super) fn acknowledge(
        &mut self,
        work: &mut Work,
        caller: Caller,
        key: Option<HostKey>,
        message: MessageId,
        note: Option<String>,
    ) -> Result<Receipt, Refusal> {
        let by = self.live_caller(caller)?.ok_or_else(only_agents)?;
        if let Some(first) = self.first_acknowledgement(by, key, message)? {
            return Ok(first);
        }
        self.admitting()?;
        let note = note.filter(|words| !words.trim().is_empty());
        if let Some(words) = &note {
            Content::text(words.as_str()).check(&self.limits)?;
        }
        let agent = self.facts.agent(by);
        let owed = agent.owes.iter().find(|owed| owed.message == message);
        let to = owed.ok_or_else(|| not_owed(message))?.to;
        let reader = self.facts.agent(to);
        if reader.deleted {
            return Err(deleted(&reader.name));
        }
        let (name, reader) = (agent.name.clone(), reader.name.clone());
        let notice = Notice::Acknowledged { message, by, name, note: note.map(Arc::from) };
        let notice = self.host_message(work, to, notice, Schedule::NextStep, false);
        let pending = u32::try_from(self.facts.agent(to).inbox.len() + 1).unwrap_or(u32::MAX);
        let paused = self.facts.agent(to).paused;
        let (delivery, budget_left) = (Delivery::Queued, self.limits.bucket);
        let terms = Terms { key, delivery, pending, budget_left, one_of_many: false, paused };
        let receipt = receipt(&notice, &terms, reader);
        self.emit(work, Event::Accepted { message: notice, terms: Some(terms) });
        Ok(receipt)
    }

    /// SEND-2, of acknowledgements: what tells them apart is the message.
    fn first_acknowledgement(
        &self,
        by: AgentId,
        key: Option<HostKey>,
        wanted: MessageId,
    ) -> Result<Option<Receipt>, Refusal> {
        match key.and_then(|key| self.facts.agent(by).kept.get(&key)) {
            None => Ok(None),
            Some(Kept::Acknowledged { message, receipt }) if *message == wanted => {
                Ok(Some(Receipt { repeated: true, ..receipt.clone() }))
            }
            Some(_) => Err(reused_key()),
        }
    }

    /// An agent comes to rest: those who still wait for its word are told, and wait no longer.
    pub(super) fn tell_unacknowledged(&mut self, work: &mut Work, id: AgentId) {
        let agent = self.facts.agent(id);
        if !agent.goes_quietly() {
            let owes = agent.owes.clone();
            self.tell_owed(work, id, &owes);
        }
    }

    /// Tells those who wait for an agent's word that it does not come.
    pub(super) fn tell_owed(&mut self, work: &mut Work, by: AgentId, owes: &[Obligation]) {
        let name = self.facts.agent(by).name.clone();
        let mut owed: BTreeMap<AgentId, Vec<MessageId>> = BTreeMap::new();
        for one in owes {
            owed.entry(one.to).or_default().push(one.message);
        }
        for (reader, messages) in owed {
            if !self.facts.agent(reader).is_gone() {
                let notice = Notice::Unacknowledged { by, name: name.clone(), messages };
                self.notify_quietly(work, reader, notice);
            }
        }
    }
}

fn not_owed(message: MessageId) -> Refusal {
    let text = format!(
        "{message} is no message that you have read and still have to acknowledge; nothing was done"
    );
    Refusal::new(Code::NotFound, text)
}

fn only_agents() -> Refusal {
    Refusal::new(Code::InvalidArgument, "only an agent acknowledges what it has read")
}
