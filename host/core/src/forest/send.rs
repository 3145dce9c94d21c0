//! Admission of a message (SEND), each attempt one transition.

use std::sync::Arc;

use super::address::Addressees;
use super::close::deleted;
use super::{Forest, Work};
use crate::agent::{Agent, Life};
use crate::cause::Cause;
use crate::command::{Caller, Ticket, Timer};
use crate::descriptor::Mode;
use crate::desk::SendAttempt;
use crate::event::{Event, Terms};
use crate::facts::receipt;
use crate::ids::AgentId;
use crate::kept::Kept;
use crate::kinship::{Verb, ancestors, relationship};
use crate::message::{Content, Message, MessageKind, Schedule, Sender, Target};
use crate::receipt::{Delivery, Receipt};
use crate::refusal::{Code, Refusal};

/// What looking at an attempt came to.
enum Verdict {
    /// Its first receipt again (SEND-2).
    Repeat(Receipt),
    /// It may go into this inbox, if there is room.
    Fits(Option<AgentId>, AgentId),
    /// It waits until its target is up, or out of the way.
    Park(AgentId),
}

impl Forest {
    /// Decides what is for one or for many: an answer, or places on the desk.
    pub(super) fn send(&mut self, work: &mut Work, attempt: SendAttempt) {
        match Addressees::of(&attempt.to) {
            Some(addressees) => self.send_to_many(work, &attempt, addressees),
            None => self.send_to_one(work, attempt),
        }
    }

    /// What an attempt owes to the turn it is made in is taken now: it may have to wait, and its
    /// sender be woken by another meanwhile.
    pub(super) fn bind_to_turn(&self, attempt: &mut SendAttempt) {
        let Caller::Agent { agent, .. } = attempt.caller else { return };
        let turn = self.facts.get(agent).and_then(|agent| agent.turn.as_ref());
        let Some(turn) = turn else { return };
        attempt.cause = turn.cause;
        if let (Target::Origin, Some(origin)) = (&attempt.to, turn.origin) {
            attempt.to = Target::Agent(origin);
        }
    }

    pub(super) fn send_to_one(&mut self, work: &mut Work, attempt: SendAttempt) {
        let outcome = match self.admit(&attempt) {
            Ok(Verdict::Repeat(receipt)) => Ok(receipt),
            Ok(Verdict::Park(target)) => return self.park(work, target, attempt),
            Ok(Verdict::Fits(sender, target)) => self.accept(work, sender, target, &attempt),
            Err(refusal) => Err(refusal),
        };
        self.conclude(work, &attempt, outcome);
    }

    /// SEND-1 to SEND-10, in that order; it looks and changes nothing.
    fn admit(&self, attempt: &SendAttempt) -> Result<Verdict, Refusal> {
        let sender = self.live_caller(attempt.caller)?;
        if let Some(receipt) = self.first_receipt(sender, attempt)? {
            return Ok(Verdict::Repeat(receipt));
        }
        self.admitting()?;
        self.admitting_of(sender)?;
        attempt.content.check(&self.limits)?;
        let target = self.resolve(sender, Verb::Send, &attempt.to)?;
        self.admitting_of(Some(target))?;
        if sender.is_none() && attempt.content.acknowledge {
            let text = "nobody can acknowledge anything to the person yet; ask for an answer";
            return Err(Refusal::new(Code::InvalidArgument, text));
        }
        if let Some(sender) = sender {
            let sender = self.facts.agent(sender);
            may_speak(sender)?;
            if sender.parent == Some(target) && is_gone(self.facts.agent(target)) {
                return Err(parent_unavailable());
            }
        }
        let to = self.facts.agent(target);
        if attempt.content.has_image() && !to.descriptor.images {
            return Err(Refusal::new(
                Code::ModelDoesNotSupportImages,
                format!("{}'s model takes no images; describe the image in words", to.name),
            ));
        }
        self.place(sender, to, &attempt.content)
    }

    /// SEND-2.
    fn first_receipt(
        &self,
        sender: Option<AgentId>,
        attempt: &SendAttempt,
    ) -> Result<Option<Receipt>, Refusal> {
        let (Some(sender), Some((key, digest))) = (sender, attempt.key) else { return Ok(None) };
        let again = |receipt: &Receipt| Receipt { repeated: true, ..receipt.clone() };
        match self.facts.agent(sender).kept.get(&key) {
            None => Ok(None),
            Some(Kept::Receipt { content, receipt })
                if *content == digest && !attempt.one_of_many =>
            {
                Ok(Some(again(receipt)))
            }
            Some(Kept::Receipts { content, receipts })
                if *content == digest && attempt.one_of_many =>
            {
                let its = |receipt: &&Receipt| attempt.to == Target::Agent(receipt.to);
                Ok(receipts.iter().find(its).map(again))
            }
            Some(_) => Err(reused_key()),
        }
    }

    /// SEND-3.
    pub(super) fn admitting(&self) -> Result<(), Refusal> {
        if self.desk.draining {
            return Err(draining());
        }
        Ok(())
    }

    /// SEND-10.
    fn place(
        &self,
        sender: Option<AgentId>,
        to: &Agent,
        content: &Content,
    ) -> Result<Verdict, Refusal> {
        if to.deleted {
            return Err(deleted(&to.name));
        }
        if to.descriptor.mode == Mode::OneShot {
            return Err(Refusal::new(
                Code::NotResumable,
                format!(
                    "{} runs one task and cannot be messaged; do not try again, choose another \
                     target",
                    to.name
                ),
            ));
        }
        match to.life {
            Life::Resident { .. } => Ok(Verdict::Fits(sender, to.id)),
            // What wakes nobody brings nobody back (FATE-6), nor does what it may not take up yet.
            Life::Absent if (content.reply_optional || to.paused) && !self.desk.has_line(to.id) => {
                Ok(Verdict::Fits(sender, to.id))
            }
            Life::Starting { .. } | Life::Closing(_) | Life::Absent => {
                self.line_has_room(to)?;
                Ok(Verdict::Park(to.id))
            }
            Life::Withdrawn => Err(self.unreachable(sender, Verb::Send)),
        }
    }

    fn line_has_room(&self, to: &Agent) -> Result<(), Refusal> {
        if to.inbox.unclaimed_content(true) + self.desk.parked(to.id) >= self.limits.pending {
            return Err(self.inbox_full(to));
        }
        Ok(())
    }

    fn inbox_full(&self, to: &Agent) -> Refusal {
        Refusal::new(
            Code::InboxFull,
            format!(
                "{} messages already wait for {}; wait until it has read some, or put what you \
                 have into one message",
                self.limits.pending, to.name
            ),
        )
        .after(self.limits.bucket_refill)
    }

    /// SEND-11 and SEND-12: takes room and accepts, in one.
    fn accept(
        &mut self,
        work: &mut Work,
        sender: Option<AgentId>,
        target: AgentId,
        attempt: &SendAttempt,
    ) -> Result<Receipt, Refusal> {
        let to = self.facts.agent(target);
        let wakes = !attempt.content.reply_optional;
        let waiting = to.inbox.unclaimed_content(wakes);
        if waiting + self.desk.parked(target) >= self.limits.pending {
            return Err(self.inbox_full(to));
        }
        let waiting = waiting + to.inbox.unclaimed_content(!wakes);
        let cause = self.next_in_chain(attempt.cause)?;
        let (name, delivery) = (to.name.clone(), self.delivery(to, wakes));
        let paused = to.paused;
        let budget_left = self.take_token(work, sender, target)?;
        let message = self.relay(work, sender, target, attempt.content.clone(), cause);
        let pending = u32::try_from(waiting + 1).unwrap_or(u32::MAX);
        let (key, one_of_many) = (attempt.key.map(|(key, _)| key), attempt.one_of_many);
        let terms = Terms { key, delivery, pending, budget_left, one_of_many, paused };
        let receipt = receipt(&message, &terms, name);
        let expires = message.expires(&self.limits);
        self.emit(work, Event::Accepted { message, terms: Some(terms) });
        self.time_expiry(work, target, expires);
        if let (Some(sender), Some(cause)) = (sender, cause) {
            self.warn_of_chain(work, sender, cause);
        }
        Ok(receipt)
    }

    fn take_token(
        &mut self,
        work: &Work,
        sender: Option<AgentId>,
        target: AgentId,
    ) -> Result<u32, Refusal> {
        let Some(sender) = sender else { return Ok(self.limits.bucket) };
        self.desk.take_token(sender, target, &self.limits, work.stamp.now).map_err(|wait| {
            // When to try again is said by whoever shows it, from the refusal's own field.
            let text = "you send this agent messages too quickly; nothing was sent.";
            Refusal::new(Code::RateLimited, text).after(wait)
        })
    }

    fn relay(
        &self,
        work: &Work,
        sender: Option<AgentId>,
        target: AgentId,
        content: Arc<Content>,
        cause: Option<Cause>,
    ) -> Message {
        let wakes = !content.reply_optional;
        let (from, kind, schedule) = match sender {
            Some(id) => (self.as_sender(id, target), MessageKind::Relay, Schedule::NextStep),
            // What begins no turn waits for none of its own (FATE-6).
            None if !wakes => (Sender::User, MessageKind::Instruction, Schedule::NextStep),
            None => (Sender::User, MessageKind::Instruction, Schedule::NextTurn),
        };
        Message {
            id: self.facts.next_message(),
            from,
            to: target,
            kind,
            content,
            schedule,
            wakes,
            at: work.stamp.wall,
            cause,
        }
    }

    /// An agent as the reader of its message is told of it.
    pub(super) fn as_sender(&self, id: AgentId, reader: AgentId) -> Sender {
        Sender::Agent {
            id,
            name: self.facts.agent(id).name.clone(),
            relationship: relationship(&self.facts, reader, id),
        }
    }

    /// DEL-6: whether a turn starts with what is accepted now.
    pub(super) fn delivery(&self, to: &Agent, wakes: bool) -> Delivery {
        let queue = &self.facts.agent(to.root).places.queue;
        let free = self.places_taken(to.root) < self.limits.places && queue.is_empty();
        let idle = wakes && to.is_up() && to.turn.is_none() && to.due_since.is_none() && !to.paused;
        if idle && free && !self.desk.draining { Delivery::Delivered } else { Delivery::Queued }
    }

    fn park(&mut self, work: &mut Work, target: AgentId, mut attempt: SendAttempt) {
        let first = !std::mem::replace(&mut attempt.parked, true);
        if first && self.desk.is_first_to_wait(attempt.ticket) {
            work.timer(Timer::Parking(attempt.ticket), attempt.patience);
        }
        self.desk.park(target, attempt);
        let absent = self.facts.agent(target).life == Life::Absent;
        if absent && !self.is_below_closing(target) {
            self.order_resume(work, target);
        }
    }

    /// Decides a line again, now that its target's state allows it; who comes to wait again keeps
    /// its order.
    pub(super) fn redecide_line(&mut self, work: &mut Work, target: AgentId) {
        let agent = self.facts.agent(target);
        let waits = matches!(agent.life, Life::Starting { .. } | Life::Closing(_));
        if (waits && !agent.deleted) || !self.desk.has_line(target) {
            return;
        }
        for _ in 0..self.desk.parked(target) {
            if let Some(attempt) = self.desk.next_parked(target) {
                self.send_to_one(work, attempt);
            }
        }
    }

    /// Sends that waited for one who could not be brought up fail with it (RES-2).
    pub(super) fn fail_line(&mut self, work: &mut Work, target: AgentId) {
        for attempt in self.desk.take_line(target) {
            let upward = self.live_caller(attempt.caller).is_ok_and(|sender| {
                sender.and_then(|id| self.facts.agent(id).parent) == Some(target)
            });
            let refusal = if upward {
                parent_unavailable()
            } else {
                let name = &self.facts.agent(target).name;
                Refusal::new(
                    Code::StartFailed,
                    format!("{name} could not be brought back; nothing was sent."),
                )
                .after(self.limits.rebuild_backoff)
            };
            self.conclude(work, &attempt, Err(refusal));
        }
    }

    /// SEND-13.
    pub(super) fn parked_too_long(&mut self, work: &mut Work, ticket: Ticket) {
        for attempt in self.desk.take_parked(ticket) {
            let text = format!(
                "the target was not ready within {}; nothing was sent. Try again",
                attempt.patience
            );
            self.conclude(work, &attempt, Err(Refusal::new(Code::TimedOut, text)));
        }
    }

    pub(super) fn is_below_closing(&self, id: AgentId) -> bool {
        ancestors(&self.facts, id)
            .any(|above| matches!(self.facts.agent(above).life, Life::Closing(_)))
    }
}

/// Whether children cannot send to this parent any more. A continuable one is brought back for
/// them; a root that was put away is its host's to bring back (SEND-8).
pub(super) fn is_gone(parent: &Agent) -> bool {
    match parent.life {
        Life::Closing(_) | Life::Withdrawn => true,
        Life::Absent => parent.descriptor.mode == Mode::Root,
        Life::Starting { .. } | Life::Resident { .. } => false,
    }
}

/// SEND-8, for a sender that has a parent.
pub(super) fn may_speak(sender: &Agent) -> Result<(), Refusal> {
    let leaving = matches!(sender.life, Life::Closing(_)) || sender.deleted;
    if sender.parent.is_none() && !sender.deleted {
        return Ok(());
    }
    if sender.descriptor.mode == Mode::OneShot {
        return Err(Refusal::new(
            Code::Unauthorized,
            "only a continuable child can send messages; your answer is what your task returns",
        ));
    }
    if leaving {
        return Err(Refusal::new(
            Code::ActivationClosing,
            "you are being put away and can send nothing any more",
        ));
    }
    Ok(())
}

pub(super) fn draining() -> Refusal {
    Refusal::new(
        Code::Draining,
        "the host is about to stop and takes nothing in; it goes on after the restart",
    )
}

pub(super) fn reused_key() -> Refusal {
    Refusal::new(
        Code::InvalidArgument,
        "this key was used for another call already; a key belongs to one call and its repeats",
    )
}

fn parent_unavailable() -> Refusal {
    Refusal::new(
        Code::ParentUnavailable,
        "your parent cannot get mail any more; finish your task, your closing text is kept",
    )
}
