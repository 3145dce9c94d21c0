//! One message for many: one look at who they are, then for each of them a receipt or a refusal of
//! its own (SEND-15).

use std::collections::BTreeSet;

use super::address::Addressees;
use super::send::{draining, may_speak, reused_key};
use super::{Forest, Work};
use crate::answer::Answer;
use crate::desk::SendAttempt;
use crate::ids::AgentId;
use crate::kept::Kept;
use crate::kinship::Verb;
use crate::message::Target;
use crate::receipt::{Receipt, Recipient};
use crate::refusal::{Code, Refusal};

impl Forest {
    pub(super) fn send_to_many(
        &mut self,
        work: &mut Work,
        attempt: &SendAttempt,
        addressees: Result<Addressees, Refusal>,
    ) {
        let members = match self.members(attempt, addressees) {
            Ok(members) => members,
            Err(refusal) => return work.refuse(attempt.ticket, refusal),
        };
        self.desk.begin_round(attempt.ticket, &members);
        for id in members {
            let to = Target::Agent(id);
            self.send_to_one(work, SendAttempt { to, one_of_many: true, ..attempt.clone() });
        }
    }

    /// What is refused is refused for all of them (SEND-1 to SEND-5, SEND-8). Under a known key
    /// those who have it already are among them, and so is whoever came since.
    fn members(
        &self,
        attempt: &SendAttempt,
        addressees: Result<Addressees, Refusal>,
    ) -> Result<Vec<AgentId>, Refusal> {
        let sender = self.live_caller(attempt.caller)?;
        let mut members = self.had_it(sender, attempt)?;
        if members.is_empty() {
            self.admitting()?;
            self.admitting_of(sender)?;
            attempt.content.check(&self.limits)?;
            if let Some(sender) = sender {
                may_speak(self.facts.agent(sender))?;
            }
        }
        members.extend(self.matching(sender, &addressees?));
        if members.is_empty() {
            return Err(self.unreachable(sender, Verb::Send));
        }
        Ok(members.into_iter().collect())
    }

    /// SEND-2.
    fn had_it(
        &self,
        sender: Option<AgentId>,
        attempt: &SendAttempt,
    ) -> Result<BTreeSet<AgentId>, Refusal> {
        let known = sender.zip(attempt.key).and_then(|(sender, (key, digest))| {
            Some((self.facts.agent(sender).kept.get(&key)?, digest))
        });
        match known {
            None => Ok(BTreeSet::new()),
            Some((Kept::Receipts { content, receipts }, digest)) if *content == digest => {
                Ok(receipts.iter().map(|receipt| receipt.to).collect())
            }
            Some(_) => Err(reused_key()),
        }
    }

    /// What became of an attempt is told, or noted until all of its round are decided.
    pub(super) fn conclude(
        &mut self,
        work: &mut Work,
        attempt: &SendAttempt,
        outcome: Result<Receipt, Refusal>,
    ) {
        let ticket = attempt.ticket;
        let (true, Target::Agent(to)) = (attempt.one_of_many, &attempt.to) else {
            let answer = outcome.map_or_else(Answer::Refused, Answer::Accepted);
            return work.answer(ticket, answer);
        };
        let name = self.facts.agent(*to).name.clone();
        let Some(all) = self.desk.note(ticket, Recipient { to: *to, name, outcome }) else {
            return;
        };
        // The host stops: asked again under its key after the restart, it reaches those it has not
        // reached yet. The drain of a tree is the refusal of those in it alone (SEND-15).
        let cut = |one: &Recipient| {
            one.outcome.as_ref().is_err_and(|refusal| refusal.code == Code::Draining)
        };
        if self.desk.draining && attempt.key.is_some() && all.iter().any(cut) {
            let some_have_it = all.iter().any(|one| one.outcome.is_ok());
            let refusal = if some_have_it { draining().uncertain() } else { draining() };
            return work.refuse(ticket, refusal);
        }
        work.answer(ticket, Answer::FannedOut(all));
    }
}
