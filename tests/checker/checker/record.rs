//! What the stored events alone say of messages, turns and stays, and the laws they have to keep.
//! What is over is forgotten, so that it makes no two states of one.

use std::collections::{BTreeMap, BTreeSet};

use switchboard_core::{
    AgentId, ClosingCause, DropReason, Event, Forest, Handshake, HostKey, Incarnation, Message,
    MessageId, MessageKind, Notice, Schedule, Sender, Terms, TurnId,
};

use super::world::{Holds, holds};

mod asked;
mod gone;
mod tasks;
mod turns;

use tasks::Task;

/// A message that has no fate yet.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Mail {
    /// The agent that speaks; the host and the person are none.
    pub(crate) from: Option<AgentId>,
    pub(crate) to: AgentId,
    pub(crate) schedule: Schedule,
    /// The child whose stay it says is over.
    pub(crate) settled: Option<AgentId>,
    pub(crate) notice: bool,
    wakes: bool,
    pub(crate) shown: u32,
    pub(crate) claimed: bool,
}

/// Where a stay stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Phase {
    Coming,
    Live,
    Closing(ClosingCause),
    Gone,
}

/// What is known of an agent.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Known {
    pub(crate) parent: Option<AgentId>,
    pub(crate) incarnation: Incarnation,
    pub(crate) phase: Phase,
    /// Something was accepted or a turn ran in this stay.
    announced: bool,
    /// Mail up to here begins no turn by itself (INT-3, CLOSE-1).
    mark: u64,
    pub(crate) turn: Option<(TurnId, Interrupted)>,
    /// It is gone for good (DELETE-1).
    pub(crate) deleted: bool,
    /// The step whose call is under way.
    calling: Option<u32>,
    /// It changes nothing until its plan is approved (HAND-2).
    read_only: bool,
    /// What is owed of it, if it was started in the foreground.
    task: Option<Task>,
}

type Interrupted = bool;

/// What the events say.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Record {
    pub(crate) mail: BTreeMap<u64, Mail>,
    pub(crate) agents: BTreeMap<AgentId, Known>,
    last: u64,
    last_turn: u64,
    keys: BTreeSet<(AgentId, HostKey)>,
    requests: asked::Requests,
    /// Those whose sender is to be told, until the command is decided.
    untold: BTreeMap<u64, AgentId>,
}

impl Record {
    /// Takes in one event. `before` is the machine as it was before the command that led to it.
    ///
    /// # Errors
    /// The law it breaks.
    pub(crate) fn take(&mut self, event: &Event, before: &Forest) -> Holds {
        match event {
            Event::ForestOpened { .. } | Event::HostStarted => Ok(()),
            Event::RequestRaised { agent, request, by, key, .. } => {
                self.key(*by, *key)?;
                let settled = request.body.kind() == Handshake::Shutdown;
                self.asked(request, *by, settled.then_some(*agent))
            }
            Event::RequestClosed { request, end, by, key, .. } => {
                self.key(*by, *key)?;
                self.answered(*request, end, *by)
            }
            Event::AgentRegistered { agent, .. } => self.admit(*agent, None, Phase::Live),
            Event::StartAdmitted { agent, parent, prompt, key, descriptor, .. } => {
                self.admit(*agent, Some(*parent), Phase::Coming)?;
                self.known(*agent).task = Task::of(descriptor, *key);
                self.key(Some(*parent), *key)?;
                self.may_change(Some(*parent), "starts another")?;
                self.accept(prompt, None)
            }
            Event::StartWithdrawn { agent, reason } => {
                let its: Vec<u64> = self.to(*agent).map(|(id, _)| id).collect();
                its.iter().try_for_each(|id| self.end(*id))?;
                if *reason == DropReason::StartFailed {
                    // The starter hears of it in words of its own (START-1).
                    its.iter().for_each(|id| _ = self.untold.remove(id));
                }
                self.known(*agent).phase = Phase::Gone;
                Ok(())
            }
            Event::ResumeOrdered { agent, incarnation } => self.resume(*agent, *incarnation),
            Event::Published { agent, incarnation } => self.publish(*agent, *incarnation),
            Event::ResumeFailed { agent, incarnation, .. } => {
                self.current(*agent, *incarnation)?;
                let known = self.known(*agent);
                if known.phase == Phase::Coming {
                    known.phase = Phase::Gone;
                }
                Ok(())
            }
            Event::Accepted { message, terms } => self.accept(message, terms.as_ref()),
            Event::TurnOpened { agent, incarnation, turn, claim } => {
                self.open(*agent, *incarnation, *turn)?;
                self.claim(*agent, claim)
            }
            Event::Claimed { agent, turn, claim, .. } => {
                let open = self.known(*agent).turn;
                holds(open == Some((*turn, false)), "INT-6", || {
                    format!("{turn} claims, and {open:?} is open")
                })?;
                self.claim(*agent, claim)
            }
            Event::ClaimReturned { agent, messages, .. } => self.put_back(*agent, messages),
            Event::StepRecorded { agent, turn, step, consumed, calls, .. } => {
                self.open_turn(*agent, *turn)?;
                self.known(*agent).calling = calls.first().map(|_| *step);
                let claimed: Vec<u64> = self.claimed(*agent);
                holds(claimed == numbers(consumed), "TURN-2", || {
                    format!("{consumed:?} are consumed and {claimed:?} were claimed")
                })?;
                claimed.iter().for_each(|id| _ = self.mail.remove(id));
                Ok(())
            }
            Event::CallEnded { agent, turn, step, .. } => {
                self.open_turn(*agent, *turn)?;
                self.call_ended(*agent, *turn, *step)
            }
            Event::TurnEnded { agent, turn, end, dropped, returned, .. } => {
                self.end_turn(*agent, *turn, *end, dropped, returned)
            }
            Event::InterruptAdmitted { by, key, answer, mark, .. } => {
                self.key(*by, *key)?;
                self.may_change(*by, "stops another")?;
                for stopped in std::iter::once(&answer.target).chain(&answer.below) {
                    if let switchboard_core::Stop::Cancelling(turn) = stopped.stop {
                        self.open_turn(stopped.agent, turn)?;
                        self.known(stopped.agent).turn = Some((turn, true));
                        self.known(stopped.agent).mark = *mark;
                    }
                }
                Ok(())
            }
            Event::Dropped { agent, messages, reason } => {
                self.given_up(*agent, *reason)?;
                let shown = |id: &u64| self.mail.get(id).is_some_and(|mail| mail.shown > 0);
                let dropped = numbers(messages);
                let late = *reason == DropReason::Expired && dropped.iter().any(shown);
                holds(!late, "FATE-5", || format!("{messages:?} were shown, and expire"))?;
                dropped.into_iter().try_for_each(|id| self.end(id))
            }
            Event::Closing { agent, subtree, cause, mark, by, key } => {
                self.key(*by, *key)?;
                self.may_change(*by, "closes another")?;
                self.shuts_down(*agent, *cause)?;
                mark.iter().for_each(|mark| self.mark_from(*agent, *mark));
                for id in subtree {
                    let known = self.known(*id);
                    known.phase = match known.phase {
                        Phase::Coming => Phase::Gone,
                        _ => Phase::Closing(*cause),
                    };
                }
                Ok(())
            }
            Event::Deleted { agent, by, key } => {
                self.key(*by, *key)?;
                self.may_change(*by, "deletes another")?;
                self.delete(*agent)
            }
            // What is held back by it is no matter of the record.
            Event::Paused { .. } | Event::Resumed { .. } => Ok(()),
            Event::Released { agent, incarnation, notice, .. } => {
                self.current(*agent, *incarnation)?;
                self.release(*agent, notice.as_ref(), before)
            }
        }
    }

    /// Senders are told how their messages ended, with the end (FATE-2).
    ///
    /// # Errors
    /// Somebody is not.
    pub(crate) fn told(&self) -> Holds {
        holds(self.untold.is_empty(), "FATE-2", || {
            format!("{:?} are told to nobody", self.untold)
        })?;
        self.requests_are_done()?;
        self.tasks_are_told()
    }

    /// The machine has what the events say it has: each message without a fate waits in one place.
    ///
    /// # Errors
    /// It has something else.
    pub(crate) fn agrees(&self, forest: &Forest) -> Holds {
        for agent in forest.agents() {
            let ids = |claimed: bool| -> Vec<u64> {
                let its = self.to(agent.id).filter(|(_, mail)| mail.claimed == claimed);
                its.map(|(id, _)| id).collect()
            };
            let waits = agent.inbox.items().map(|item| item.message.id.number());
            let mut waits: Vec<u64> = waits.collect();
            waits.sort_unstable();
            let claimed = agent.turn.iter().flat_map(|turn| &turn.claimed);
            let mut claimed: Vec<u64> = claimed.map(|item| item.message.id.number()).collect();
            claimed.sort_unstable();
            holds(waits == ids(false) && claimed == ids(true), "FATE-1", || {
                let (said, open) = (ids(false), ids(true));
                format!("{}: {waits:?}/{claimed:?} wait, not {said:?}/{open:?}", agent.id)
            })?;
            let open = agent.turn.as_ref().map(|turn| (turn.id, turn.interrupted));
            holds(open == self.agents[&agent.id].turn, "TURN-5", || {
                format!("{} has {open:?} open", agent.id)
            })?;
        }
        self.same_requests(forest)?;
        self.deleted_keep_nothing()
    }

    fn known(&mut self, id: AgentId) -> &mut Known {
        self.agents.get_mut(&id).expect("events name agents that were admitted")
    }

    /// What has no fate and is for this agent.
    pub(crate) fn to(&self, id: AgentId) -> impl Iterator<Item = (u64, &Mail)> {
        self.mail.iter().filter(move |(_, mail)| mail.to == id).map(|(id, mail)| (*id, mail))
    }

    fn claimed(&self, id: AgentId) -> Vec<u64> {
        self.to(id).filter(|(_, mail)| mail.claimed).map(|(id, _)| id).collect()
    }

    fn admit(&mut self, id: AgentId, parent: Option<AgentId>, phase: Phase) -> Holds {
        let incarnation = Incarnation(1);
        let known = Known {
            parent,
            incarnation,
            phase,
            announced: false,
            mark: 0,
            turn: None,
            deleted: false,
            calling: None,
            read_only: false,
            task: None,
        };
        let twice = self.agents.insert(id, known).is_some();
        holds(!twice, "ID-4", || format!("{id} is admitted twice"))
    }

    /// A key is answered with something new once (SEND-2).
    fn key(&mut self, by: Option<AgentId>, key: Option<HostKey>) -> Holds {
        let (Some(by), Some(key)) = (by, key) else { return Ok(()) };
        let first = self.keys.insert((by, key));
        holds(first, "SEND-2", || format!("{key} of {by} did something twice"))
    }

    fn accept(&mut self, message: &Message, terms: Option<&Terms>) -> Holds {
        let number = message.id.number();
        holds(number == self.last + 1, "ID-4", || format!("{} after {}", number, self.last))?;
        self.last = number;
        let from = match message.from {
            Sender::Agent { id, .. } => Some(id),
            Sender::User | Sender::Host => None,
        };
        let settled = match &message.kind {
            MessageKind::Request(request) => {
                self.asked(request, from, Some(message.to))?;
                None
            }
            MessageKind::Notice(Notice::Fates { ended }) => {
                for (id, ..) in ended {
                    let due = self.untold.remove(&id.number());
                    holds(due.is_some(), "FATE-2", || format!("{id} is told once too often"))?;
                }
                None
            }
            MessageKind::Notice(Notice::Settled { child, .. }) => {
                self.task_told(*child)?;
                Some(*child)
            }
            MessageKind::Notice(notice) => {
                self.end_told(message.to, notice)?;
                None
            }
            _ => None,
        };
        self.key(from, terms.and_then(|terms| terms.key))?;
        self.not_deleted(message.to, "is told something")?;
        let known = self.known(message.to);
        known.announced |= known.phase != Phase::Gone;
        let asks = matches!(message.kind, MessageKind::Request(_));
        let notice = asks || matches!(message.kind, MessageKind::Notice(_));
        // How a request ends is told with its end (HAND-3).
        let from = from.filter(|_| !asks);
        let (to, schedule) = (message.to, message.schedule);
        let mail = Mail {
            from,
            to,
            schedule,
            settled,
            notice,
            wakes: message.wakes,
            shown: 0,
            claimed: false,
        };
        self.mail.insert(number, mail);
        Ok(())
    }

    fn end(&mut self, id: u64) -> Holds {
        let mail = self.mail.remove(&id);
        holds(mail.is_some(), "FATE-1", || format!("message {id} ends and had a fate, or none"))?;
        let from = mail.and_then(|mail| mail.from).filter(|from| !self.agents[from].deleted);
        if let Some(from) = from {
            self.untold.insert(id, from);
        }
        Ok(())
    }

    fn untold_of(&self, id: AgentId) -> impl Iterator<Item = u64> {
        self.untold.iter().filter(move |(_, from)| **from == id).map(|(message, _)| *message)
    }

    fn current(&mut self, id: AgentId, incarnation: Incarnation) -> Holds {
        let known = self.known(id).incarnation;
        holds(known == incarnation, "ID-2", || {
            format!("{id} is in stay {known}, not {incarnation}")
        })
    }

    fn resume(&mut self, id: AgentId, incarnation: Incarnation) -> Holds {
        self.not_deleted(id, "is brought back")?;
        let above = self.above(id).find(|known| matches!(known.phase, Phase::Closing(_)));
        holds(above.is_none(), "RES-4", || format!("{id} is brought back below a closing one"))?;
        let known = self.known(id);
        holds(known.incarnation < incarnation, "ID-2", || format!("{id} keeps its number"))?;
        known.incarnation = incarnation;
        if known.phase == Phase::Gone {
            known.announced = false;
            known.phase = Phase::Coming;
        }
        Ok(())
    }

    fn mark_from(&mut self, top: AgentId, mark: u64) {
        self.below(top).into_iter().for_each(|id| self.known(id).mark = mark);
    }

    /// One and all below it.
    fn below(&self, top: AgentId) -> Vec<AgentId> {
        let is_below = |id: &AgentId| {
            let parent = |id: &AgentId| self.agents[id].parent;
            std::iter::successors(Some(*id), parent).any(|id| id == top)
        };
        self.agents.keys().copied().filter(is_below).collect()
    }

    fn above(&self, id: AgentId) -> impl Iterator<Item = &Known> {
        let parent = move |known: &&Known| known.parent.map(|id| &self.agents[&id]);
        std::iter::successors(Some(&self.agents[&id]), parent).skip(1)
    }

    fn publish(&mut self, id: AgentId, incarnation: Incarnation) -> Holds {
        self.current(id, incarnation)?;
        self.not_deleted(id, "comes up")?;
        let known = self.known(id);
        let awaited = matches!(known.phase, Phase::Coming | Phase::Live);
        known.phase = Phase::Live;
        holds(awaited, "RES-4", || format!("{id} is up and nobody waits for it"))
    }

    /// SET-2: something happened in this stay exactly if its parent is told, unless it was parked.
    fn release(&mut self, id: AgentId, notice: Option<&Message>, before: &Forest) -> Holds {
        let known = self.known(id).clone();
        self.known(id).phase = Phase::Gone;
        let parked = before.agent(id).is_some_and(|agent| agent.is_parked());
        let quiet = match known.phase {
            Phase::Closing(_) if known.deleted => false,
            Phase::Closing(ClosingCause::PutAway) => true,
            Phase::Closing(ClosingCause::Settled) => parked,
            Phase::Closing(
                ClosingCause::Closed
                | ClosingCause::Lost
                | ClosingCause::Deleted
                | ClosingCause::Drained
                | ClosingCause::ShutDown,
            ) => false,
            Phase::Coming | Phase::Live | Phase::Gone => {
                return holds(false, "RES-4", || format!("{id} is released and was not closing"));
            }
        };
        let hears = known.parent.is_some_and(|parent| !self.agents[&parent].deleted);
        let due = hears && known.announced && !quiet && !self.is_awaited(id);
        self.task_over(id);
        holds(due == notice.is_some(), "SET-2", || format!("{id} ends with {notice:?}"))?;
        notice.map_or(Ok(()), |notice| self.accept(notice, None))
    }
}

fn numbers(ids: &[MessageId]) -> Vec<u64> {
    let mut numbers: Vec<u64> = ids.iter().map(|id| id.number()).collect();
    numbers.sort_unstable();
    numbers
}
