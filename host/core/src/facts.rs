//! What replay of the ledger gives (LED-2). Only [`Facts::apply`] changes it.

mod arriving;
mod fit;
mod handshake;
mod leaving;
mod pausing;

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use crate::agent::{Agent, Life, Obligation, OpenTurn, Residency};
use crate::answer::{Interruption, Stop};
use crate::descriptor::Mode;
use crate::ending::TurnEnd;
use crate::event::{Claim, Event, Terms};
use crate::ids::{AgentId, Id, LedgerTag, MessageId, TurnId};
use crate::inbox::Item;
use crate::kept::Kept;
use crate::key::HostKey;
use crate::kinship::Kinship;
use crate::limits::Limits;
use crate::message::{Message, MessageKind, Sender};
use crate::name::AgentName;
use crate::notice::Notice;
use crate::receipt::Receipt;
use crate::requests::Requests;
use crate::roster::line;

pub(crate) use handshake::again;

/// Every agent of one ledger, and how far its counters are.
#[derive(Clone, Debug)]
pub(crate) struct Facts {
    pub(crate) tag: LedgerTag,
    /// Agent number n is at n - 1: none is ever removed.
    agents: Vec<Agent>,
    pub(crate) roots: Vec<AgentId>,
    /// Roots that are deleted and gone.
    gone: Vec<AgentId>,
    pub(crate) last_message: u64,
    last_turn: u64,
    pub(crate) requests: Requests,
    /// How many agents have a place and nothing else, because their admission cannot be read.
    lost: u32,
    /// How many first answers each agent keeps, and how often a notice may be shown in vain; the
    /// limits that facts depend on.
    receipts: usize,
    attempts: u32,
    /// Agents that changed since somebody last looked; no fact.
    pub(crate) touched: Vec<AgentId>,
}

impl PartialEq for Facts {
    fn eq(&self, other: &Self) -> bool {
        self.tag == other.tag
            && self.agents == other.agents
            && (&self.roots, &self.gone) == (&other.roots, &other.gone)
            && self.requests == other.requests
            && (self.last_message, self.last_turn) == (other.last_message, other.last_turn)
    }
}

impl Eq for Facts {}

impl Hash for Facts {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (self.tag, &self.agents, &self.roots, &self.gone, &self.requests).hash(state);
        (self.last_message, self.last_turn).hash(state);
    }
}

impl Kinship for Facts {
    fn parent(&self, agent: AgentId) -> Option<AgentId> {
        self.get(agent)?.parent
    }
}

impl Facts {
    pub(crate) fn new(limits: &Limits) -> Self {
        Self {
            tag: LedgerTag::new(0),
            agents: Vec::new(),
            roots: Vec::new(),
            gone: Vec::new(),
            last_message: 0,
            last_turn: 0,
            requests: Requests::default(),
            lost: 0,
            receipts: limits.receipts,
            attempts: limits.attempts,
            touched: Vec::new(),
        }
    }

    pub(crate) fn get(&self, id: AgentId) -> Option<&Agent> {
        let place = usize::try_from(id.number().checked_sub(1)?).ok()?;
        self.agents.get(place).filter(|_| id.tag() == self.tag)
    }

    /// The agent of an id that came from the facts themselves.
    pub(crate) fn agent(&self, id: AgentId) -> &Agent {
        self.get(id).expect("ids in the facts name agents of the facts")
    }

    pub(crate) fn agents(&self) -> impl Iterator<Item = &Agent> {
        self.agents.iter()
    }

    /// The children of a parent, or the roots, by id; also those deleted that are on their way out.
    pub(crate) fn beside(&self, parent: Option<AgentId>) -> &[AgentId] {
        parent.map_or(&self.roots, |parent| &self.agent(parent).children)
    }

    /// Everybody below, parents before children.
    pub(crate) fn descendants(&self, id: AgentId) -> Vec<AgentId> {
        let mut found = self.agent(id).children.clone();
        let mut next = 0;
        while let Some(&below) = found.get(next) {
            found.extend(&self.agent(below).children);
            next += 1;
        }
        found
    }

    pub(crate) fn next_agent(&self) -> AgentId {
        Id::new(self.tag, self.agents.len() as u64 + 1)
    }

    pub(crate) fn next_message(&self) -> MessageId {
        Id::new(self.tag, self.last_message + 1)
    }

    pub(crate) fn next_turn(&self) -> TurnId {
        Id::new(self.tag, self.last_turn + 1)
    }

    /// Takes in one fact that fits.
    pub(crate) fn apply(&mut self, event: &Event) {
        match event {
            Event::ForestOpened { tag, .. } => self.tag = *tag,
            Event::HostStarted => self.host_started(),
            Event::AgentRegistered { agent, name, descriptor } => {
                self.roots.push(*agent);
                self.agents.push(Agent::admitted(*agent, None, name.clone(), descriptor.clone()));
                self.refresh(*agent);
            }
            Event::StartAdmitted { .. } => self.admit(event),
            Event::StartWithdrawn { agent, .. } => self.withdraw_start(*agent),
            Event::ResumeOrdered { agent, incarnation } => self.change(*agent, |agent| {
                agent.incarnation = *incarnation;
                agent.life = match agent.life {
                    Life::Resident { .. } => Life::Resident { published: false },
                    Life::Starting { first } => Life::Starting { first },
                    Life::Closing(_) | Life::Absent | Life::Withdrawn => {
                        agent.residency = Residency::default();
                        Life::Starting { first: false }
                    }
                };
            }),
            Event::Published { agent, .. } => self.change(*agent, |agent| {
                agent.life = Life::Resident { published: true };
                agent.failed_rebuilds = 0;
            }),
            Event::ResumeFailed { agent, .. } => self.change(*agent, |agent| {
                agent.failed_rebuilds += 1;
                if let Life::Starting { .. } = agent.life {
                    agent.life = Life::Absent;
                }
            }),
            Event::Accepted { message, terms } => self.accept(message, terms.as_ref()),
            Event::TurnOpened { agent, turn, claim, .. } => self.open_turn(*agent, *turn, claim),
            Event::Claimed { agent, claim, .. } => self.claim(*agent, claim),
            Event::ClaimReturned { agent, messages, attempt, .. } => {
                let most = self.attempts;
                self.change(*agent, |agent| agent.return_claims(messages, *attempt, most));
            }
            Event::StepRecorded { agent, step, text, calls, .. } => {
                let most = self.receipts;
                self.mutate(*agent, |agent| {
                    agent.last_words = line(text).or(agent.last_words.take());
                    if let Some(turn) = &mut agent.turn {
                        agent.owes.extend(turn.claimed.iter().filter_map(obligation));
                        let over = agent.owes.len().saturating_sub(most);
                        agent.owes.drain(..over);
                        turn.claimed.clear();
                        turn.step = step.saturating_add(1);
                        turn.said = text.clone();
                        turn.calls = calls.iter().cloned().map(Some).collect();
                    }
                });
            }
            Event::CallEnded { agent, call, .. } => self.mutate(*agent, |agent| {
                let calls = agent.turn.as_mut().map(|turn| &mut turn.calls);
                if let Some(slot) = calls.and_then(|calls| calls.get_mut(*call as usize)) {
                    *slot = None;
                }
            }),
            Event::TurnEnded { agent, end, returned, .. } => self.end_turn(*agent, *end, returned),
            Event::InterruptAdmitted { by, key, answer, mark, .. } => {
                self.interrupt(answer, *mark);
                self.keep(*by, *key, Kept::Interruption(answer.clone()));
            }
            Event::RequestRaised { agent, request, by, key, at } => {
                self.raised(*agent, request, *by, *key, *at);
            }
            Event::RequestClosed { request, end, by, key, .. } => {
                self.request_ended(*request, end, *by, *key);
            }
            Event::Dropped { agent, messages, .. } => self.change(*agent, |agent| {
                agent.inbox.remove(messages);
            }),
            Event::Closing { agent, subtree, cause, mark, by, key } => {
                let closed = self.closed(*agent, subtree.len());
                self.close(*agent, subtree, *cause, *mark);
                self.keep(*by, *key, Kept::Closed(closed));
            }
            Event::Deleted { agent, by, key } => {
                let closed = self.closed(*agent, 1 + self.descendants(*agent).len());
                self.delete(*agent);
                self.keep(*by, *key, Kept::Deleted(closed));
            }
            Event::Paused { agents, .. } => self.set_paused(agents, true),
            Event::Resumed { agents, .. } => self.set_paused(agents, false),
            Event::Released { agent, reason, notice, .. } => {
                self.release(*agent, *reason, notice.is_some());
                if let Some(notice) = notice {
                    self.accept(notice, None);
                }
            }
        }
    }

    fn accept(&mut self, message: &Message, terms: Option<&Terms>) {
        self.last_message = self.last_message.max(message.id.number());
        let warned = matches!(message.kind, MessageKind::Notice(Notice::LongChain { .. }));
        self.change(message.to, |agent| {
            if let Some(turn) = agent.turn.as_mut().filter(|_| warned) {
                turn.warned = true;
            }
            agent.residency.announced |= agent.occupies();
            agent.messages += 1;
            agent.inbox.put(message.clone());
        });
        self.asked(message, terms);
        let speaker = match (&message.kind, &message.from) {
            (MessageKind::Notice(Notice::Acknowledged { by, message, .. }), _) => {
                self.mutate(*by, |agent| agent.owes.retain(|owed| owed.message != *message));
                Some(*by)
            }
            (_, Sender::Agent { id, .. }) => Some(*id),
            (_, Sender::User | Sender::Host) => None,
        };
        let (Some(terms), Some(id)) = (terms, speaker) else { return };
        let Some(key) = terms.key else { return };
        let receipt = receipt(message, terms, self.agent(message.to).name.clone());
        let (content, most) = (|| message.content.digest(), self.receipts);
        self.mutate(id, |agent| match (&message.kind, terms.one_of_many) {
            (MessageKind::Notice(Notice::Acknowledged { message, .. }), _) => {
                agent.kept.keep(key, Kept::Acknowledged { message: *message, receipt }, most);
            }
            (MessageKind::Request(_), _) => (),
            (_, true) => agent.kept.keep_one_of_many(key, content, receipt, most),
            (_, false) => agent.kept.keep(key, Kept::Receipt { content: content(), receipt }, most),
        });
    }

    fn claim(&mut self, id: AgentId, claim: &Claim) {
        self.change(id, |agent| {
            let items = agent.inbox.claim(&ids(claim));
            agent.follow(&items);
            if let Some(turn) = &mut agent.turn {
                turn.claimed.extend(items);
            }
        });
        self.requests.read(id, &ids(claim), claim.at);
    }

    fn open_turn(&mut self, id: AgentId, turn: TurnId, claim: &Claim) {
        self.last_turn = self.last_turn.max(turn.number());
        let root = self.agent(id).root;
        if self.agent(id).turn.is_none() {
            self.mutate(root, |root| root.places.held += 1);
        }
        self.change(id, |agent| {
            let due = agent.due_since;
            agent.inbox.unpark();
            let claimed = agent.inbox.claim(&ids(claim));
            agent.held = false;
            agent.residency.announced = true;
            let woke = claimed.iter().find(|item| Some(item.message.id.number()) == due);
            let origin = woke.and_then(|item| spoken_by(&item.message));
            agent.turn = Some(Box::new(OpenTurn {
                id: turn,
                step: 0,
                claimed: Vec::new(),
                calls: Vec::new(),
                said: Arc::from(""),
                origin,
                cause: None,
                warned: false,
                interrupted: false,
            }));
            agent.follow(&claimed);
            if let Some(turn) = &mut agent.turn {
                turn.claimed = claimed;
            }
        });
        self.requests.read(id, &ids(claim), claim.at);
    }

    fn end_turn(&mut self, id: AgentId, end: TurnEnd, returned: &[MessageId]) {
        let (root, most) = (self.agent(id).root, self.attempts);
        let held = self.agent(id).turn.is_some();
        self.change(id, |agent| {
            // Being put away is no failure; any other end without a step counts (FATE-3).
            agent.return_claims(returned, end != TurnEnd::Aborted, most);
            let Some(turn) = agent.turn.take() else { return };
            if end != TurnEnd::Interrupted {
                agent.residency.last_end = Some(end);
            }
            if end == TurnEnd::Completed {
                agent.completed = Some(turn.id);
            }
            // What a one-shot child has written is what it comes to, however it ends.
            let spoke = matches!(end, TurnEnd::Completed | TurnEnd::Ceiling | TurnEnd::Refusal)
                || agent.descriptor.mode == Mode::OneShot;
            if spoke && !turn.said.trim().is_empty() {
                agent.residency.closing = Some(turn.said);
            }
        });
        if held {
            self.change(root, |root| root.places.held -= 1);
        }
    }

    fn interrupt(&mut self, answer: &Interruption, mark: u64) {
        for stopped in std::iter::once(&answer.target).chain(&answer.below) {
            if let Stop::Cancelling(_) = stopped.stop {
                self.change(stopped.agent, |agent| {
                    agent.held = true;
                    agent.inbox.set_mark(mark);
                    if let Some(turn) = &mut agent.turn {
                        turn.interrupted = true;
                    }
                });
            }
        }
    }

    /// Keeps the first answer of a call that may be repeated (TURN-3).
    fn keep(&mut self, caller: Option<AgentId>, key: Option<HostKey>, kept: Kept) {
        let most = self.receipts;
        if let (Some(caller), Some(key)) = (caller, key) {
            self.mutate(caller, |agent| agent.kept.keep(key, kept, most));
        }
    }

    /// Changes an agent in something nothing else follows from.
    fn mutate(&mut self, id: AgentId, change: impl FnOnce(&mut Agent)) {
        let place = usize::try_from(id.number().wrapping_sub(1)).ok();
        let agent = place.and_then(|place| self.agents.get_mut(place));
        change(agent.expect("facts name agents that were admitted before"));
    }

    /// Changes an agent, and what follows from it for those above, however many they are.
    fn change(&mut self, id: AgentId, change: impl FnOnce(&mut Agent)) {
        self.mutate(id, change);
        let mut turned = self.refresh(id);
        while let Some((parent, keeps)) = turned {
            self.mutate(parent, |parent| {
                parent.busy_children =
                    if keeps { parent.busy_children + 1 } else { parent.busy_children - 1 };
            });
            turned = self.refresh(parent);
        }
    }

    /// Derives anew what follows from an agent's facts. The answer is the parent for which it
    /// began or ceased to be busy.
    fn refresh(&mut self, id: AgentId) -> Option<(AgentId, bool)> {
        let place = (id.number() - 1) as usize;
        let agent = &mut self.agents[place];
        let before = agent.queued_since();
        let turned = agent.derive();
        let (root, parent) = (agent.root, agent.parent);
        let (keeps, after) = (agent.keeps_parent, agent.queued_since());
        if before != after {
            self.mutate(root, |root| root.places.requeue(id, before, after));
        }
        if self.touched.last() != Some(&id) {
            self.touched.push(id);
        }
        parent.filter(|_| turned).map(|parent| (parent, keeps))
    }
}

/// What its reader owes for a message from now on.
fn obligation(item: &Item) -> Option<Obligation> {
    match item.message.from {
        Sender::Agent { id, .. } if item.message.content.acknowledge => {
            Some(Obligation { message: item.message.id, to: id })
        }
        Sender::Agent { .. } | Sender::User | Sender::Host => None,
    }
}

/// The agent that speaks in a message.
fn spoken_by(message: &Message) -> Option<AgentId> {
    match message.from {
        Sender::Agent { id, .. } => Some(id),
        Sender::User | Sender::Host => None,
    }
}

fn ids(claim: &Claim) -> Vec<MessageId> {
    claim.messages.iter().map(|shown| shown.id).collect()
}

/// The receipt these terms and this message make.
pub(crate) fn receipt(message: &Message, terms: &Terms, name: AgentName) -> Receipt {
    Receipt {
        message: message.id,
        to: message.to,
        name,
        delivery: terms.delivery,
        at: message.at,
        pending: terms.pending,
        budget_left: terms.budget_left,
        repeated: false,
        paused: terms.paused,
    }
}
