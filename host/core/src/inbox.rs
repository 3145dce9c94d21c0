//! The inbox: the only queue there is. Its two parts, what a claim takes from them, and the mark
//! an interrupt leaves.

use std::sync::Arc;

use crate::handshake::RequestEnd;
use crate::ids::MessageId;
use crate::limits::Limits;
use crate::message::{Message, MessageKind, Schedule};
use crate::notice::Notice;
use crate::time::WallTime;

/// A message in an inbox or in a claim.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Item {
    /// The message. It is shared with whoever shows it, and an inbox of many stays small.
    pub message: Arc<Message>,
    /// How often it was shown.
    pub deliveries: u32,
    /// How many of those showings count against it (FATE-3).
    pub attempts: u32,
}

impl Item {
    fn number(&self) -> u64 {
        self.message.id.number()
    }

    /// The host's own words, and what wants an answer: they always fit and are never given up.
    pub(crate) fn always_fits(&self) -> bool {
        matches!(self.message.kind, MessageKind::Notice(_) | MessageKind::Request(_))
    }

    /// A request or how one ended: claimed before all else (DEL-3).
    fn is_handshake(&self) -> bool {
        matches!(
            self.message.kind,
            MessageKind::Request(_) | MessageKind::Notice(Notice::RequestClosed { .. })
        )
    }

    /// About how many bytes of text it is when it is shown.
    fn weight(&self) -> usize {
        let more = match &self.message.kind {
            MessageKind::Notice(
                Notice::Settled { closing: said, .. } | Notice::Acknowledged { note: said, .. },
            ) => said.as_ref().map_or(0, |words| words.len()),
            MessageKind::Notice(Notice::RequestClosed {
                end: RequestEnd::Answered(reply), ..
            }) => reply.words().map_or(0, str::len),
            MessageKind::Request(request) => request.body.bytes(),
            _ => 0,
        };
        (self.message.content.bytes() + more).max(1)
    }
}

/// What waits for an agent.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Inbox {
    /// What is for the next step, then what is for a turn. Both are in one list because there are
    /// as many inboxes as agents: an empty one owns no memory, and a full one but one piece.
    waiting: Vec<Item>,
    /// Messages up to this number no longer wake by themselves; 0 is no mark.
    mark: u64,
}

/// What a boundary would take.
#[derive(Debug, Default)]
pub(crate) struct Selection {
    pub(crate) ids: Vec<MessageId>,
    pub(crate) left: u32,
}

impl Inbox {
    /// Everything that waits, next-step before next-turn.
    pub fn items(&self) -> impl Iterator<Item = &Item> {
        self.waiting.iter()
    }

    /// How many messages wait.
    pub fn len(&self) -> usize {
        self.waiting.len()
    }

    /// Whether nothing waits.
    pub fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    /// The oldest waking message newer than the mark; with one, its agent is due (DEL-5).
    pub fn due_since(&self) -> Option<u64> {
        let newer = self.items().filter(|item| item.message.wakes && item.number() > self.mark);
        newer.map(Item::number).min()
    }

    /// Whether waking mail lies behind the mark (RES-3).
    pub fn holds_parked(&self) -> bool {
        self.mark > 0 && self.items().any(|item| item.message.wakes && item.number() <= self.mark)
    }

    /// How many messages lie behind the mark.
    pub fn parked(&self) -> u32 {
        count(self.items().filter(|item| item.number() <= self.mark))
    }

    /// What was never claimed and has waited too long by now (FATE-5).
    pub(crate) fn expired(&self, limits: &Limits, now: WallTime) -> Vec<Item> {
        let over = |item: &&Item| {
            let expires = item.message.expires(limits);
            item.deliveries == 0 && expires.is_some_and(|expires| expires <= now)
        };
        self.items().filter(over).cloned().collect()
    }

    /// When the next of what was never claimed expires.
    pub(crate) fn next_expiry(&self, limits: &Limits) -> Option<WallTime> {
        let unclaimed = self.items().filter(|item| item.deliveries == 0);
        unclaimed.filter_map(|item| item.message.expires(limits)).min()
    }

    /// How many messages of agents and the person wait in front of the mark, of those that wake or
    /// of those that do not (SEND-11). What wakes nobody may lie here for long, and is not to keep
    /// out what does.
    pub fn unclaimed_content(&self, wakes: bool) -> usize {
        let content = |item: &&Item| {
            let counts = item.message.wakes == wakes && !item.always_fits();
            item.number() > self.mark && counts
        };
        self.items().filter(content).count()
    }

    pub(crate) fn put(&mut self, message: Message) {
        let end = match message.schedule {
            Schedule::NextStep => self.next_step().len(),
            Schedule::NextTurn => self.waiting.len(),
        };
        let item = Item { message: Arc::new(message), deliveries: 0, attempts: 0 };
        self.waiting.insert(end, item);
    }

    pub(crate) fn set_mark(&mut self, mark: u64) {
        self.mark = self.mark.max(mark);
    }

    /// Whether there is a mark that nothing has ended yet.
    pub(crate) fn is_marked(&self) -> bool {
        self.mark > 0
    }

    /// What a turn would begin with (DEL-3): handshakes first, what lies behind a mark (INT-3), all
    /// of next-step, and one of next-turn if all of that fits.
    pub(crate) fn select_start(&self, limits: &Limits) -> Selection {
        let behind = |item: &&Item| item.number() <= self.mark;
        let mut first: Vec<&Item> = self.items().filter(behind).collect();
        first.sort_by_key(|item| item.number());
        let (next_step, next_turn) = self.waiting.split_at(self.next_step().len());
        first.extend(next_step.iter().filter(|item| !behind(item)));
        first.sort_by_key(|item| !item.is_handshake());
        let mut chosen = fitting(&first, limits.claim_bytes);
        if chosen.len() == first.len() {
            chosen.extend(next_turn.iter().find(|item| !behind(item)));
        }
        self.selection(chosen)
    }

    /// What a running turn would take at its next step (DEL-3).
    pub(crate) fn select_step(&self, limits: &Limits) -> Selection {
        let mut all: Vec<&Item> = self.next_step().iter().collect();
        all.sort_by_key(|item| !item.is_handshake());
        self.selection(fitting(&all, limits.claim_bytes))
    }

    fn selection(&self, mut chosen: Vec<&Item>) -> Selection {
        chosen.sort_by_key(|item| item.number());
        let left = u32::try_from(self.len() - chosen.len()).unwrap_or(u32::MAX);
        Selection { ids: chosen.iter().map(|item| item.message.id).collect(), left }
    }

    /// Ends a park: what lay behind the mark goes to the front of next-step, and belongs there
    /// from now on (INT-3).
    pub(crate) fn unpark(&mut self) {
        if self.mark == 0 {
            return;
        }
        let (mut behind, newer): (Vec<_>, Vec<_>) =
            self.waiting.drain(..).partition(|item| item.number() <= self.mark);
        behind.sort_by_key(Item::number);
        for item in &mut behind {
            Arc::make_mut(&mut item.message).schedule = Schedule::NextStep;
        }
        behind.extend(newer);
        self.waiting = behind;
        self.mark = 0;
    }

    /// Takes these out, counting the showing.
    pub(crate) fn claim(&mut self, ids: &[MessageId]) -> Vec<Item> {
        let mut taken = self.remove(ids);
        for item in &mut taken {
            item.deliveries += 1;
        }
        taken
    }

    /// Takes these out.
    pub(crate) fn remove(&mut self, ids: &[MessageId]) -> Vec<Item> {
        let asked_for = |item: &Item| ids.contains(&item.message.id);
        // Nearly always it is the whole list.
        let mut taken = if self.waiting.iter().all(asked_for) {
            std::mem::take(&mut self.waiting)
        } else {
            self.waiting.extract_if(.., |item| asked_for(item)).collect()
        };
        taken.sort_by_key(Item::number);
        taken
    }

    /// Puts claimed items back in front (FATE-3).
    /// What always fits and was shown `most` times in vain stays, wakes nobody any more, and is
    /// read with whatever does: in front of those for a turn of their own it would keep them from
    /// theirs.
    pub(crate) fn put_back(&mut self, items: Vec<Item>, attempt: bool, most: u32) {
        for mut item in items.into_iter().rev() {
            item.attempts += u32::from(attempt);
            if item.always_fits() && item.attempts >= most {
                let message = Arc::make_mut(&mut item.message);
                (message.wakes, message.schedule) = (false, Schedule::NextStep);
            }
            let front = match item.message.schedule {
                Schedule::NextStep => 0,
                Schedule::NextTurn => self.next_step().len(),
            };
            self.waiting.insert(front, item);
        }
    }

    /// The first part: what is for the next step.
    fn next_step(&self) -> &[Item] {
        let for_step = |item: &Item| item.message.schedule == Schedule::NextStep;
        &self.waiting[..self.waiting.partition_point(for_step)]
    }
}

/// The first of these that fit into so many bytes; always at least one.
fn fitting<'a>(items: &[&'a Item], budget: usize) -> Vec<&'a Item> {
    let mut used = 0;
    let fits = |item: &&&Item| {
        let first = used == 0;
        used += item.weight();
        first || used <= budget
    };
    items.iter().take_while(fits).copied().collect()
}

fn count<'a>(items: impl Iterator<Item = &'a Item>) -> u32 {
    u32::try_from(items.count()).unwrap_or(u32::MAX)
}
