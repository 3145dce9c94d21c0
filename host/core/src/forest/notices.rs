//! The host's own words: whom they go to, at which boundary, and whether they wake (SET, FATE-2).

use std::collections::BTreeMap;
use std::sync::Arc;

use super::{Forest, Work};
use crate::agent::{Agent, Life};
use crate::descriptor::Mode;
use crate::ending::EndReason;
use crate::event::Event;
use crate::ids::{AgentId, MessageId, TurnId};
use crate::inbox::Item;
use crate::key::HostKey;
use crate::message::{Content, Message, MessageKind, Schedule, Sender};
use crate::name::AgentName;
use crate::notice::{Afterwards, Notice};
use crate::receipt::Fate;

impl Forest {
    /// What the parent is told at the end of a residency (SET-2); none if it is not told.
    pub(super) fn settlement(
        &self,
        work: &Work,
        agent: &Agent,
        reason: EndReason,
    ) -> Option<Message> {
        let parent = self.facts.agent(agent.parent?);
        let Life::Closing(_) = agent.life else { return None };
        if agent.goes_quietly() || !agent.residency.announced || parent.is_gone() {
            return None;
        }
        if self.is_awaited(agent, parent) {
            return None;
        }
        let closing = agent.residency.closing.as_ref();
        let notice = self.settled(agent, reason, closing);
        Some(self.notice(work, parent, notice))
    }

    fn settled(&self, agent: &Agent, reason: EndReason, closing: Option<&Arc<str>>) -> Notice {
        let afterwards = match agent.descriptor.mode {
            _ if agent.deleted => Afterwards::Deleted,
            Mode::OneShot => Afterwards::OneShot,
            Mode::Root | Mode::Continuable => Afterwards::Stored,
        };
        Notice::Settled {
            child: agent.id,
            name: agent.name.clone(),
            reason,
            closing: closing.map(|words| self.shortened(words)),
            unacknowledged: u32::try_from(agent.owes.len()).unwrap_or(u32::MAX),
            afterwards,
        }
    }

    /// A call is cut before it has its result on record. If that was what a child has come to by
    /// now, a notice tells it, as for one that comes to its end later.
    pub(super) fn tell_cut_result(
        &mut self,
        work: &mut Work,
        parent: AgentId,
        (turn, step, call): (TurnId, u32, u32),
    ) {
        let reader = self.facts.agent(parent);
        let is_it = |key: &HostKey| (key.turn, key.step, key.call) == (turn, step, call);
        let children = reader.ever_children();
        let mut children = children.iter().map(|id| self.facts.agent(*id));
        let child = children.find(|child| child.awaited.as_ref().is_some_and(is_it));
        let Some((child, outcome)) = child.and_then(|child| Some((child, child.outcome.as_ref()?)))
        else {
            return;
        };
        if !reader.is_gone() {
            let notice = self.settled(child, outcome.reason, outcome.closing.as_ref());
            self.notify(work, parent, notice);
        }
    }

    /// What a one-shot child comes to is told by the call that waits for it. If that was cut, it is
    /// told by a notice, so that finished work is not lost.
    fn is_awaited(&self, child: &Agent, parent: &Agent) -> bool {
        let (Some(key), Some(turn)) = (child.awaited, &parent.turn) else { return false };
        let its_step = key.turn == turn.id && key.step.checked_add(1) == Some(turn.step);
        its_step && !turn.interrupted && turn.in_flight().any(|(place, _)| place == key.call)
    }

    /// As much of a closing text as a message may have; a cut is marked.
    pub(super) fn shortened(&self, words: &Arc<str>) -> Arc<str> {
        let most = self.limits.message_bytes;
        if words.len() <= most {
            return words.clone();
        }
        let kept = &words[..words.floor_char_boundary(most)];
        format!("{kept}\n[cut: these are the first {} of {} bytes]", kept.len(), words.len()).into()
    }

    /// A notice at the boundary that suits what its reader is doing (SET-2).
    fn notice(&self, work: &Work, reader: &Agent, notice: Notice) -> Message {
        let busy = reader.turn.is_some() || reader.due_since.is_some();
        let (schedule, wakes) = match reader.life {
            Life::Absent | Life::Starting { .. } | Life::Withdrawn => (Schedule::NextStep, false),
            Life::Closing(_) => (Schedule::NextStep, false),
            Life::Resident { .. } if reader.is_parked() => (Schedule::NextStep, false),
            Life::Resident { .. } if busy => (Schedule::NextStep, true),
            Life::Resident { .. } => (Schedule::NextTurn, true),
        };
        self.host_message(work, reader.id, notice, schedule, wakes)
    }

    pub(super) fn host_message(
        &self,
        work: &Work,
        to: AgentId,
        notice: Notice,
        schedule: Schedule,
        wakes: bool,
    ) -> Message {
        // What the host says of an agent follows from what that agent did.
        let cause = notice.about().and_then(|id| self.facts.agent(id).cause);
        Message {
            id: self.facts.next_message(),
            from: Sender::Host,
            to,
            kind: MessageKind::Notice(notice),
            content: Arc::new(Content::default()),
            schedule,
            wakes,
            at: work.stamp.wall,
            cause,
        }
    }

    /// Tells one who is to know and to act.
    pub(super) fn notify(&mut self, work: &mut Work, reader: AgentId, notice: Notice) {
        let message = self.notice(work, self.facts.agent(reader), notice);
        self.emit(work, Event::Accepted { message, terms: None });
    }

    /// Tells one who is to know, without waking it.
    pub(super) fn notify_quietly(&mut self, work: &mut Work, reader: AgentId, notice: Notice) {
        let message = self.host_message(work, reader, notice, Schedule::NextStep, false);
        self.emit(work, Event::Accepted { message, terms: None });
    }

    /// Tells the senders how these ended, each once (FATE-2).
    pub(super) fn tell_fates(&mut self, work: &mut Work, items: &[Item], fate: Fate) {
        let mut by_sender: BTreeMap<AgentId, Vec<(MessageId, AgentName, Fate)>> = BTreeMap::new();
        for Item { message, .. } in items {
            // How a request ends is told with its end (HAND-3).
            let asks = matches!(message.kind, MessageKind::Request(_));
            if let (Sender::Agent { id, .. }, false) = (&message.from, asks) {
                let id = *id;
                let to = self.facts.agent(message.to).name.clone();
                by_sender.entry(id).or_default().push((message.id, to, fate));
            }
        }
        for (sender, ended) in by_sender {
            if !self.facts.agent(sender).is_gone() {
                self.notify_quietly(work, sender, Notice::Fates { ended });
            }
        }
    }
}
