//! Chains of messages that follow from one another, and their end (SEND-17).

use super::{Forest, Work};
use crate::cause::Cause;
use crate::ids::AgentId;
use crate::notice::Notice;
use crate::refusal::{Code, Refusal};

impl Forest {
    /// What follows from what a sender has read; the person, who has read nothing, begins anew.
    ///
    /// # Errors
    /// It would be one too many.
    pub(super) fn next_in_chain(&self, read: Option<Cause>) -> Result<Option<Cause>, Refusal> {
        match read.map(Cause::next) {
            Some(Cause { chain, hop }) if hop > self.limits.hops => {
                let most = self.limits.hops;
                let text = format!(
                    "this would be message {hop} of the chain that began with {chain}, and {most} \
                     are allowed; nothing was sent. Finish with what you have: what the person \
                     says next begins a new chain"
                );
                Err(Refusal::new(Code::BudgetExhausted, text))
            }
            next => Ok(next),
        }
    }

    /// From half of the way on it is worth a word in each turn to whoever goes on.
    pub(super) fn warn_of_chain(&mut self, work: &mut Work, sender: AgentId, cause: Cause) {
        let most = self.limits.hops;
        let warned = self.facts.agent(sender).turn.as_ref().is_none_or(|turn| turn.warned);
        if cause.hop >= most.div_ceil(2) && !warned {
            self.notify_quietly(work, sender, Notice::LongChain { cause, most });
        }
    }
}
