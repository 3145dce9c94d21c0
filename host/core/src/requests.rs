//! The register of requests: which are open, who asks and who is to answer.

use std::collections::{BTreeMap, BTreeSet};

use crate::handshake::{Handshake, OpenRequest};
use crate::ids::{AgentId, LedgerTag, MessageId, RequestId};
use crate::time::WallTime;

/// All requests of a ledger: those that are open, and the last that were.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Requests {
    open: BTreeMap<RequestId, OpenRequest>,
    /// By whom it is or was asked, or to be answered: to find them without going through all.
    of: BTreeMap<Option<AgentId>, BTreeSet<RequestId>>,
    /// Who was to answer those that ended.
    ended: BTreeMap<RequestId, Option<AgentId>>,
    pub(crate) last: u64,
}

impl Requests {
    pub(crate) fn next(&self, tag: LedgerTag) -> RequestId {
        RequestId::new(tag, self.last + 1)
    }

    pub(crate) fn get(&self, id: RequestId) -> Option<&OpenRequest> {
        self.open.get(&id)
    }

    /// All that are open, oldest first.
    pub(crate) fn open(&self) -> impl Iterator<Item = &OpenRequest> {
        self.open.values()
    }

    /// Those that this one is to answer, oldest first.
    pub(crate) fn asked_of(&self, who: Option<AgentId>) -> impl Iterator<Item = &OpenRequest> {
        let ids = self.of.get(&who).into_iter().flatten();
        ids.filter_map(|id| self.open.get(id)).filter(move |open| open.asked == who)
    }

    /// Those that this one asks or is to answer, oldest first.
    pub(crate) fn concerning(&self, who: AgentId) -> impl Iterator<Item = RequestId> {
        self.of.get(&Some(who)).into_iter().flatten().copied()
    }

    /// The open one of this kind that `by` asks of, or about, an agent.
    pub(crate) fn open_by(
        &self,
        by: Option<AgentId>,
        kind: Handshake,
        of: Option<AgentId>,
    ) -> Option<&OpenRequest> {
        let ids = self.of.get(&by).into_iter().flatten();
        let mut open = ids.filter_map(|id| self.open.get(id));
        open.find(|open| {
            let same = open.by == by && open.request.body.kind() == kind;
            same && (kind == Handshake::Plan || open.asked == of)
        })
    }

    /// Whether this one was to answer a request that has ended.
    pub(crate) fn has_ended(&self, id: RequestId, asked: Option<AgentId>) -> bool {
        self.ended.get(&id) == Some(&asked)
    }

    /// Whether this message still asks for something.
    pub(crate) fn is_asked_by(&self, id: RequestId, message: MessageId) -> bool {
        self.open.get(&id).is_some_and(|open| open.message == Some(message))
    }

    /// One is asked for the first time, or of somebody else than before.
    pub(crate) fn put(&mut self, open: OpenRequest) {
        let id = open.request.id;
        self.last = self.last.max(id.number());
        self.take(id);
        for who in [open.by, open.asked] {
            self.of.entry(who).or_default().insert(id);
        }
        self.open.insert(id, open);
    }

    /// An agent reads these messages. Of a request the first time counts.
    pub(crate) fn read(&mut self, reader: AgentId, messages: &[MessageId], at: WallTime) {
        for id in self.of.get(&Some(reader)).into_iter().flatten() {
            let open = self.open.get_mut(id);
            let read = |open: &&mut OpenRequest| {
                open.message.is_some_and(|message| messages.contains(&message))
            };
            if let Some(open) = open.filter(read) {
                open.claimed.get_or_insert(at);
            }
        }
    }

    /// It has ended; of so many it is kept who was to answer.
    pub(crate) fn end(&mut self, id: RequestId, most: usize) -> Option<OpenRequest> {
        self.last = self.last.max(id.number());
        let open = self.take(id)?;
        self.ended.insert(id, open.asked);
        while self.ended.len() > most {
            self.ended.pop_first();
        }
        Some(open)
    }

    fn take(&mut self, id: RequestId) -> Option<OpenRequest> {
        let open = self.open.remove(&id)?;
        for who in [open.by, open.asked] {
            if let Some(ids) = self.of.get_mut(&who) {
                ids.remove(&id);
                if ids.is_empty() {
                    self.of.remove(&who);
                }
            }
        }
        Some(open)
    }
}
