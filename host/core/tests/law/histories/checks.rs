//! What must hold of a history, from what is stored alone.

use std::collections::{BTreeMap, BTreeSet};

use switchboard_core::{
    AgentId, Claim, Content, DropReason, Event, Fate, HostKey, Limits, Message, MessageId,
    MessageKind, Notice, Obligation, Sender, TurnId, WallTime,
};

use crate::world::World;

/// What the ledger alone says.
#[derive(Default)]
pub(super) struct Checks {
    pub(super) messages: BTreeMap<MessageId, Message>,
    ends: BTreeMap<MessageId, Fate>,
    told: BTreeMap<MessageId, Fate>,
    /// Those that ended otherwise than consumed, and whose sender is to be told.
    untold: BTreeMap<MessageId, (AgentId, Fate)>,
    /// The body of each key, and who got it.
    pub(super) keys: BTreeMap<(AgentId, HostKey), (Content, BTreeSet<AgentId>)>,
    unkeyed: BTreeSet<(String, AgentId)>,
    shown: BTreeMap<MessageId, u32>,
    owes: BTreeMap<AgentId, BTreeSet<MessageId>>,
    acknowledged: BTreeSet<MessageId>,
    turns: BTreeMap<AgentId, TurnId>,
    ended: BTreeSet<TurnId>,
    warned: BTreeSet<TurnId>,
    parents: BTreeMap<AgentId, AgentId>,
    deleted: BTreeSet<AgentId>,
}

impl Checks {
    pub(super) fn event(&mut self, event: &Event, now: WallTime, limits: &Limits) {
        match event {
            Event::Accepted { message, terms } => {
                self.accept(message, limits);
                let key = terms.as_ref().and_then(|terms| terms.key);
                if let (Sender::Agent { id, .. }, Some(key)) = (&message.from, key) {
                    let entry = self
                        .keys
                        .entry((*id, key))
                        .or_insert_with(|| ((*message.content).clone(), BTreeSet::new()));
                    assert_eq!(entry.0, *message.content, "one body a key");
                    assert!(entry.1.insert(message.to), "{key} is accepted once at {}", message.to);
                } else if !matches!(message.kind, MessageKind::Notice(_)) {
                    let words = message.content.plain();
                    if words.starts_with('m') {
                        assert!(self.unkeyed.insert((words, message.to)), "once");
                    }
                }
            }
            Event::StartAdmitted { agent, parent, prompt, .. } => {
                self.parents.insert(*agent, *parent);
                self.accept(prompt, limits);
            }
            Event::Deleted { agent, .. } => self.delete(*agent),
            Event::Released { notice, .. } => {
                notice.iter().for_each(|notice| self.accept(notice, limits));
            }
            Event::TurnOpened { agent, turn, claim, .. } => {
                assert!(self.turns.insert(*agent, *turn).is_none(), "one turn at once");
                self.claim(*agent, claim, limits);
            }
            Event::Claimed { agent, claim, .. } => self.claim(*agent, claim, limits),
            Event::StepRecorded { agent, consumed, .. } => {
                for id in consumed {
                    self.end(*id, Fate::Consumed);
                    let message = &self.messages[id];
                    let Sender::Agent { id: by, .. } = &message.from else { continue };
                    if message.content.acknowledge && !self.deleted.contains(by) {
                        self.owes.entry(*agent).or_default().insert(*id);
                    }
                }
            }
            Event::TurnEnded { agent, turn, dropped, .. } => {
                assert_eq!(self.turns.remove(agent), Some(*turn));
                assert!(self.ended.insert(*turn), "{turn} ends once");
                dropped.iter().for_each(|id| self.end(*id, Fate::Dropped(DropReason::Interrupted)));
            }
            Event::Dropped { messages, reason, .. } => {
                for id in messages {
                    if *reason == DropReason::Expired {
                        let expires = self.messages[id].expires(limits).expect("it expires");
                        assert!(expires <= now, "{id} expires when it is time");
                        assert!(!self.shown.contains_key(id), "{id} was claimed before");
                    }
                    self.end(*id, reason.fate());
                }
            }
            Event::StartWithdrawn { agent, reason } => {
                let its: Vec<MessageId> = self
                    .messages
                    .values()
                    .filter(|message| message.to == *agent)
                    .map(|message| message.id)
                    .collect();
                for id in its {
                    self.end(id, reason.fate());
                    if *reason == DropReason::StartFailed {
                        self.untold.remove(&id);
                    }
                }
            }
            _ => {}
        }
    }

    fn delete(&mut self, top: AgentId) {
        self.deleted.insert(top);
        for (child, parent) in &self.parents {
            // Whoever is below came later.
            if self.deleted.contains(parent) {
                self.deleted.insert(*child);
            }
        }
        let Self { deleted, owes, untold, messages, .. } = self;
        // What is owed to those who are gone, nobody is told of.
        for owed in owes.values_mut() {
            owed.retain(|id| match &messages[id].from {
                Sender::Agent { id, .. } => !deleted.contains(id),
                Sender::User | Sender::Host => true,
            });
        }
        untold.retain(|_, (sender, _)| !deleted.contains(sender));
    }

    fn accept(&mut self, message: &Message, limits: &Limits) {
        assert!(!self.deleted.contains(&message.to), "nothing comes to one that is deleted");
        assert!(self.messages.insert(message.id, message.clone()).is_none(), "ids are unique");
        assert!(message.cause.is_none_or(|cause| cause.hop <= limits.hops), "{message:?}");
        match &message.kind {
            MessageKind::Notice(Notice::Acknowledged { message, by, .. }) => {
                assert!(self.owes.get_mut(by).is_some_and(|owes| owes.remove(message)), "owed");
                assert!(self.acknowledged.insert(*message), "once");
            }
            MessageKind::Notice(Notice::Unacknowledged { by, messages, .. }) => {
                for id in messages {
                    let owes = self.owes.get_mut(by);
                    assert!(
                        owes.is_some_and(|owes| owes.remove(id)),
                        "{id} was owed, and is told once"
                    );
                }
            }
            MessageKind::Notice(Notice::Fates { ended }) => {
                for (id, _, fate) in ended {
                    let (sender, of) =
                        self.untold.remove(id).expect("it ended so, and is told once");
                    assert_eq!((sender, of), (message.to, *fate));
                    assert!(self.told.insert(*id, *fate).is_none());
                }
            }
            MessageKind::Notice(Notice::LongChain { .. }) => {
                if let Some(turn) = self.turns.get(&message.to) {
                    assert!(self.warned.insert(*turn), "one word of a long chain a turn");
                }
            }
            _ => {}
        }
    }

    fn claim(&mut self, agent: AgentId, claim: &Claim, limits: &Limits) {
        for showing in &claim.messages {
            let message = &self.messages[&showing.id];
            assert_eq!(message.to, agent, "its own mail");
            assert!(!self.ends.contains_key(&showing.id), "what ended is shown no more");
            let before = self.shown.insert(showing.id, showing.delivery).unwrap_or(0);
            assert!(before < showing.delivery, "{showing:?} after {before}");
            if before == 0 {
                let over = message.expires(limits).is_some_and(|expires| expires <= claim.at);
                assert!(!over, "{} is claimed after its time", showing.id);
            }
        }
    }

    fn end(&mut self, id: MessageId, fate: Fate) {
        assert!(self.ends.insert(id, fate).is_none(), "{id} ends once");
        let from = &self.messages[&id].from;
        let Sender::Agent { id: sender, .. } = from else { return };
        if fate != Fate::Consumed && !self.deleted.contains(sender) {
            self.untold.insert(id, (*sender, fate));
        }
    }

    pub(super) fn state(&self, world: &World) {
        assert!(self.untold.is_empty(), "senders are told how it ended: {:?}", self.untold);
        let mut waiting = BTreeSet::new();
        for agent in world.forest.agents() {
            let lives = |owed: &&Obligation| !self.deleted.contains(&owed.to);
            let owes: BTreeSet<MessageId> =
                agent.owes.iter().filter(lives).map(|owed| owed.message).collect();
            assert_eq!(owes, self.owes.get(&agent.id).cloned().unwrap_or_default(), "obligations");
            let claimed = agent.turn.iter().flat_map(|turn| &turn.claimed);
            for item in agent.inbox.items().chain(claimed) {
                assert!(waiting.insert(item.message.id), "{} waits once", item.message.id);
            }
        }
        for id in self.messages.keys() {
            assert!(
                self.ends.contains_key(id) != waiting.contains(id),
                "{id} has one fate or waits"
            );
        }
    }
}
