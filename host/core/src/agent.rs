//! One agent's life: absent, starting, resident, closing; and what follows from each.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::activity::Activity;
use crate::cause::Cause;
use crate::command::ToolUse;
use crate::descriptor::{Descriptor, Mode};
use crate::ending::TurnEnd;
use crate::event::ClosingCause;
use crate::ids::{AgentId, Incarnation, MessageId, TurnId};
use crate::inbox::{Inbox, Item};
use crate::kept::KeptAnswers;
use crate::key::HostKey;
use crate::message::Sender;
use crate::name::AgentName;
use crate::wait::Outcome;

/// Where an agent is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Life {
    /// On its way into memory for the first time, or again after it was absent.
    Starting {
        /// Nobody has ever seen it in memory: failing withdraws it (START-1).
        first: bool,
    },
    /// Live (RES-3). After a restart it stays so while it is rebuilt.
    Resident {
        /// It is in memory.
        published: bool,
    },
    /// Being put away (RES-4).
    Closing(ClosingCause),
    /// Only stored.
    Absent,
    /// Its start came to nothing; its name is free.
    Withdrawn,
}

/// A turn that has begun and not ended.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct OpenTurn {
    /// Which.
    pub id: TurnId,
    /// The step to be recorded next.
    pub step: u32,
    /// Claimed messages no step was made from yet.
    pub claimed: Vec<Item>,
    /// The calls of the last recorded step; those that ended are none.
    pub calls: Vec<Option<ToolUse>>,
    /// The text of the last recorded step.
    pub said: Arc<str>,
    /// The agent whose message woke its reader, if an agent's did (SEND-5).
    pub origin: Option<AgentId>,
    /// The farthest of what it has claimed: what is sent now follows from it (SEND-17).
    pub cause: Option<Cause>,
    /// It was told that this has come a long way.
    pub warned: bool,
    /// An interrupt was admitted for it.
    pub interrupted: bool,
}

impl OpenTurn {
    /// Calls in flight, by their place in the step.
    pub fn in_flight(&self) -> impl Iterator<Item = (u32, &ToolUse)> {
        (0..).zip(&self.calls).filter_map(|(place, call)| Some((place, call.as_ref()?)))
    }
}

/// What happened in the present stay in memory, for the notice at its end (SET-1).
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Residency {
    /// Something was accepted, or a turn ran: its end is worth a notice (SET-2).
    pub announced: bool,
    /// How its last turn ended, interrupts aside.
    pub last_end: Option<TurnEnd>,
    /// The last thing it wrote to end a turn.
    pub closing: Option<Arc<str>>,
}

/// One agent, as the facts have it.
///
/// With thousands of agents a send costs what has to be fetched of its target. So the fields that
/// a send looks at come first, in three lines of the cache, and a turn lies elsewhere.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[repr(C, align(64))]
pub struct Agent {
    /// Its id.
    pub id: AgentId,
    /// Who started it; none for a root.
    pub parent: Option<AgentId>,
    /// The root above it, or itself.
    pub root: AgentId,
    /// Where it is.
    pub life: Life,
    /// An interrupt has held it since its last turn began (RES-3).
    pub held: bool,
    /// Derived: it keeps its parent waiting.
    pub(crate) keeps_parent: bool,
    /// Its latest stay (ID-2).
    pub incarnation: Incarnation,
    /// What is needed to bring it back.
    pub descriptor: Arc<Descriptor>,
    /// Its open turn.
    pub turn: Option<Box<OpenTurn>>,
    /// What waits for it.
    pub inbox: Inbox,
    /// Derived: the oldest message it is due for.
    pub(crate) due_since: Option<u64>,
    /// Its name among its siblings.
    pub name: AgentName,
    /// What happened in the present stay.
    pub residency: Residency,
    /// Derived: it stands in the queue for a place, since it is due.
    pub(crate) queued: bool,
    /// It is gone for good, though it may still be on its way out (DELETE-1).
    pub deleted: bool,
    /// The person has paused it: it takes nothing up until it is resumed (PAUSE-1).
    pub paused: bool,
    /// Derived: how many of its children keep it waiting (RES-3).
    pub(crate) busy_children: u32,
    /// Levels below its root.
    pub depth: u32,
    /// How often in a row it could not be brought back (RES-2).
    pub failed_rebuilds: u32,
    /// Its children, oldest first, without those withdrawn or gone.
    pub children: Vec<AgentId>,
    /// Derived, for a root: its tree's places.
    pub(crate) places: Places,
    pub(crate) kept: KeptAnswers,
    /// What it has read and is to acknowledge, oldest first (FATE-4).
    pub owes: Vec<Obligation>,
    /// It changes nothing until a plan of it is approved (HAND-2).
    pub read_only: bool,
    /// What its latest turn followed from (SEND-17).
    pub(crate) cause: Option<Cause>,
    /// How many messages were ever accepted for it.
    pub messages: u64,
    /// The last thing it wrote, in a line of at most 200 characters (OBS-1).
    pub last_words: Option<Arc<str>>,
    /// Those of its children that are deleted and gone. They keep their names from being taken for
    /// those of others (ID-5).
    pub(crate) gone: Vec<AgentId>,
    /// The call that started it, if that waits for what it comes to (START-1).
    pub(crate) awaited: Option<HostKey>,
    /// What a one-shot child came to.
    pub(crate) outcome: Option<Outcome>,
    /// The last of its turns that was completed: what a child that goes on from it knows (START-3).
    pub(crate) completed: Option<TurnId>,
    /// It goes on from its parent's transcript, as far as the end of this turn (START-3).
    pub seed: Option<TurnId>,
}

/// A message whose sender asked for acknowledgement, and whose reader has not given it (FATE-4).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Obligation {
    /// The message.
    pub message: MessageId,
    /// Who asked.
    pub to: AgentId,
}

const _: () = assert!(
    std::mem::offset_of!(Agent, children) <= 3 * 64,
    "what a send looks at lies in three cache lines"
);

/// Who holds and who waits for the places of a tree (RES-5).
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Places {
    /// Open turns.
    pub(crate) held: usize,
    /// Agents that are paused.
    pub(crate) paused: usize,
    /// Agents whose turn may be opened, the longest due first.
    pub(crate) queue: BTreeSet<(u64, AgentId)>,
}

impl Places {
    pub(crate) fn requeue(&mut self, agent: AgentId, before: Option<u64>, after: Option<u64>) {
        if let Some(since) = before {
            self.queue.remove(&(since, agent));
        }
        if let Some(since) = after {
            self.queue.insert((since, agent));
        }
    }
}

impl Agent {
    /// An agent that was just admitted and has never been in memory.
    pub(crate) fn admitted(
        id: AgentId,
        parent: Option<&Agent>,
        name: AgentName,
        descriptor: Arc<Descriptor>,
    ) -> Self {
        let life = match parent {
            Some(_) => Life::Starting { first: true },
            None => Life::Resident { published: false },
        };
        let read_only = descriptor.plan_required;
        Self {
            id,
            parent: parent.map(|parent| parent.id),
            root: parent.map_or(id, |parent| parent.root),
            life,
            held: false,
            keeps_parent: false,
            incarnation: Incarnation::default().next(),
            descriptor,
            turn: None,
            inbox: Inbox::default(),
            due_since: None,
            name,
            residency: Residency::default(),
            queued: false,
            deleted: false,
            paused: false,
            busy_children: 0,
            depth: parent.map_or(0, |parent| parent.depth + 1),
            failed_rebuilds: 0,
            children: Vec::new(),
            places: Places::default(),
            kept: KeptAnswers::default(),
            owes: Vec::new(),
            read_only,
            cause: None,
            messages: 0,
            last_words: None,
            gone: Vec::new(),
            awaited: None,
            outcome: None,
            completed: None,
            seed: None,
        }
    }

    /// Live: it may send, and its kin may count on it (RES-3).
    pub fn is_live(&self) -> bool {
        matches!(self.life, Life::Resident { .. })
    }

    /// Nobody can tell it anything any more: it is deleted, or never came to be.
    pub(crate) fn is_gone(&self) -> bool {
        self.deleted || self.life == Life::Withdrawn
    }

    /// In memory, and not leaving it.
    pub fn is_up(&self) -> bool {
        self.life == Life::Resident { published: true }
    }

    /// Parked (RES-3): quiet by interrupt, until something newer wakes it.
    pub fn is_parked(&self) -> bool {
        // A one-shot child that is stopped is done: nobody can send it anything newer.
        let may_wake = self.descriptor.mode != Mode::OneShot;
        may_wake
            && self.turn.is_none()
            && self.due_since.is_none()
            && (self.held || self.inbox.holds_parked())
    }

    /// Every child it ever had that came to be, by id: also those that are gone. What the host said
    /// of the end of their stays is stored with them.
    pub fn ever_children(&self) -> Vec<AgentId> {
        let mut all: Vec<AgentId> = self.children.iter().chain(&self.gone).copied().collect();
        all.sort_unstable();
        all
    }

    /// It has a stay whose end is still to be told. One on its way back has none yet: put away, it
    /// is only stored at once.
    pub(crate) fn has_a_stay(&self) -> bool {
        matches!(self.life, Life::Resident { .. } | Life::Closing(_))
    }

    /// It is in memory, leaving it, or on its way there.
    pub(crate) fn occupies(&self) -> bool {
        matches!(self.life, Life::Starting { .. } | Life::Resident { .. } | Life::Closing(_))
    }

    /// What it has claimed leads on to what it sends; what the person says begins anew (SEND-17).
    pub(crate) fn follow(&mut self, items: &[Item]) {
        let Some(turn) = &mut self.turn else { return };
        let mut items = items.iter().map(|item| &item.message);
        let person = items.clone().rfind(|message| message.from == Sender::User);
        turn.cause = match person {
            Some(message) => Some(message.place_in_chain()),
            None => {
                let claimed = items.by_ref().map(|message| message.place_in_chain());
                claimed.chain(turn.cause).max_by_key(|cause| cause.hop)
            }
        };
        self.cause = turn.cause;
    }

    /// Its stay ends, or is about to, and nobody is to hear of it: it was parked (RES-3).
    pub(crate) fn goes_quietly(&self) -> bool {
        match self.life {
            Life::Closing(_) if self.deleted => false,
            Life::Closing(ClosingCause::PutAway) => true,
            // One that was parked goes with its parent and keeps its mark.
            Life::Closing(ClosingCause::Settled) => self.is_parked(),
            _ => false,
        }
    }

    /// Puts claimed messages back in front of the inbox.
    pub(crate) fn return_claims(&mut self, messages: &[MessageId], attempt: bool, most: u32) {
        let Some(turn) = &mut self.turn else { return };
        let (back, kept) = std::mem::take(&mut turn.claimed)
            .into_iter()
            .partition(|item| messages.contains(&item.message.id));
        turn.claimed = kept;
        self.inbox.put_back(back, attempt, most);
    }

    /// It has come to rest, with everything below it (RES-3).
    pub(crate) fn is_settled(&self) -> bool {
        self.parent.is_some()
            && self.is_up()
            && self.turn.is_none()
            && self.due_since.is_none()
            && self.busy_children == 0
            && !self.is_parked()
            && !self.paused
    }

    /// It has something to do, and may not take it up (PAUSE-1).
    pub(crate) fn is_kept_from_work(&self) -> bool {
        self.paused && (self.turn.is_some() || self.due_since.is_some())
    }

    /// What it is doing.
    pub fn activity(&self) -> Activity {
        match self.life {
            Life::Starting { .. } => Activity::Starting,
            Life::Closing(_) => Activity::Closing,
            Life::Absent | Life::Withdrawn => Activity::Absent,
            Life::Resident { .. } if self.paused => Activity::Paused,
            Life::Resident { .. } if self.turn.is_some() || self.due_since.is_some() => {
                Activity::Running
            }
            Life::Resident { .. } if self.busy_children > 0 => Activity::Waiting,
            Life::Resident { .. } if self.is_parked() => Activity::Parked,
            Life::Resident { .. } => Activity::Idle,
        }
    }

    /// Since when it stands in the queue for a place.
    pub(crate) fn queued_since(&self) -> Option<u64> {
        self.due_since.filter(|_| self.queued)
    }

    /// Recomputes what follows from the rest of it. Whether it keeps its parent waiting changed
    /// if the answer is true.
    pub(crate) fn derive(&mut self) -> bool {
        self.due_since = self.inbox.due_since().filter(|_| !self.deleted);
        let free = self.is_up() && self.turn.is_none() && !self.paused;
        self.queued = self.due_since.is_some() && free;
        let keeps = match self.life {
            Life::Starting { .. } | Life::Closing(_) => true,
            Life::Resident { .. } => !self.is_parked() || self.busy_children > 0,
            Life::Absent => self.due_since.is_some() || self.busy_children > 0,
            Life::Withdrawn => false,
        };
        std::mem::replace(&mut self.keeps_parent, keeps) != keeps
    }
}
