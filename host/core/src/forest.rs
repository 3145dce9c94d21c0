//! The machine: every agent of one ledger as one value.
//!
//! A command is decided by looking only, and each fact that follows is applied at once, so that
//! what comes after it sees it. Then [`Forest::rest`] decides again whatever that freed: turns
//! that may open, agents that have come to rest, sends that waited.

mod acknowledge;
mod address;
mod chain;
mod close;
mod expiry;
mod handshake;
mod interrupt;
mod lifecycle;
mod many;
mod notices;
mod observe;
mod pause;
mod requests;
mod send;
mod settle;
mod trees;
mod turn;
mod wait;

use std::collections::VecDeque;

use crate::activity::Activity;
use crate::agent::{Agent, Life};
use crate::answer::Answer;
use crate::command::{Caller, Command, Stamp, Ticket, Timer};
use crate::desk::{Desk, SendAttempt};
use crate::effect::{CancelCause, Effect};
use crate::event::{Event, FORMAT};
use crate::facts::Facts;
use crate::ids::{AgentId, Incarnation, LedgerTag, MessageId};
use crate::kinship::ReachPolicy;
use crate::limits::Limits;
use crate::refusal::{Code, Refusal};
use crate::time::Millis;

/// What one command led to. Nobody hears of it before the events are stored.
#[derive(Clone, Debug, Default)]
pub struct Step {
    /// What to store, in order.
    pub events: Vec<Event>,
    /// What to do, once they are stored.
    pub effects: Vec<Effect>,
    /// Whom to answer, once they are stored.
    pub answers: Vec<(Ticket, Answer)>,
}

/// Every agent of one ledger.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Forest {
    facts: Facts,
    desk: Desk,
    limits: Limits,
    reach: ReachPolicy,
    /// Where [`Forest::rest`] queues; empty between two steps, and kept for its memory.
    changed: VecDeque<AgentId>,
}

/// A stored fact that does not fit those before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a `{kind}` record names what no record before it admitted")]
pub struct Unfit {
    /// What kind of event it is.
    pub kind: &'static str,
}

/// A command being decided.
#[derive(Debug)]
struct Work {
    stamp: Stamp,
    step: Step,
}

impl Work {
    fn answer(&mut self, ticket: Ticket, answer: Answer) {
        self.step.answers.push((ticket, answer));
    }

    fn refuse(&mut self, ticket: Ticket, refusal: Refusal) {
        self.answer(ticket, Answer::Refused(refusal));
    }

    fn effect(&mut self, effect: Effect) {
        self.step.effects.push(effect);
    }

    fn timer(&mut self, timer: Timer, after: Millis) {
        self.effect(Effect::SetTimer { timer, after });
    }
}

impl Forest {
    /// An empty forest, and the event its ledger begins with.
    pub fn open(tag: LedgerTag, limits: Limits, reach: ReachPolicy) -> (Self, Event) {
        let mut forest = Self::replaying(limits, reach);
        let event = Event::ForestOpened { format: FORMAT, tag };
        forest.facts.apply(&event);
        (forest, event)
    }

    /// A forest without any fact yet, to be filled by [`Forest::apply`] from a ledger.
    pub fn replaying(limits: Limits, reach: ReachPolicy) -> Self {
        Self {
            facts: Facts::new(&limits),
            desk: Desk::default(),
            limits,
            reach,
            changed: VecDeque::new(),
        }
    }

    /// Decides a command.
    pub fn step(&mut self, command: Command, stamp: Stamp) -> Step {
        let mut work = Work { stamp, step: Step::default() };
        self.decide(&mut work, command);
        self.rest(&mut work);
        work.step
    }

    /// Takes in one stored fact (LED-2).
    ///
    /// # Errors
    /// It does not fit the facts before it: a record is missing, or the ledger was altered. The
    /// fact is left out.
    pub fn apply(&mut self, event: &Event) -> Result<(), Unfit> {
        self.facts.remember_ids(event);
        if !self.facts.fits(event) {
            return Err(Unfit { kind: event.kind() });
        }
        self.facts.apply(event);
        self.facts.touched.clear();
        Ok(())
    }

    /// All that facts alone say is to be done. [`Command::HostStarted`] has these effects, and
    /// live handling left no others to do (LED-4).
    pub fn outstanding(&self) -> Vec<Effect> {
        let mut effects = Vec::new();
        for agent in self.facts.agents() {
            let (id, incarnation) = (agent.id, agent.incarnation);
            match (agent.life, &agent.turn) {
                (Life::Starting { .. } | Life::Resident { published: false }, _) => {
                    effects.push(Effect::Materialise { agent: id, incarnation });
                }
                (Life::Resident { published: true }, Some(turn)) if !agent.paused => {
                    let turn_id = turn.id;
                    effects.push(Effect::RunTurn { agent: id, incarnation, turn: turn_id });
                    let cause = CancelCause::Interrupted;
                    effects.extend(turn.interrupted.then_some(Effect::CancelTurn {
                        agent: id,
                        incarnation,
                        turn: turn_id,
                        cause,
                    }));
                }
                (Life::Closing(_), _) if self.is_hollow(agent) => {
                    effects.push(Effect::Dispose { agent: id, incarnation });
                }
                (Life::Resident { .. } | Life::Closing(_) | Life::Absent | Life::Withdrawn, _) => {}
            }
        }
        effects
    }

    /// One agent, as the facts have it.
    pub fn agent(&self, id: AgentId) -> Option<&Agent> {
        self.facts.get(id)
    }

    /// All agents, oldest first.
    pub fn agents(&self) -> impl Iterator<Item = &Agent> {
        self.facts.agents()
    }

    /// The root of this name, in whichever generation.
    pub fn root(&self, name: &str) -> Option<&Agent> {
        let roots = self.facts.roots.iter().map(|id| self.facts.agent(*id));
        roots.into_iter().find(|root| !root.deleted && root.name.stem() == name)
    }

    /// Nothing runs, is due, or is on its way: what was asked for is done.
    pub fn is_quiet(&self) -> bool {
        let at_rest = |id: &AgentId| {
            let root = self.facts.agent(*id);
            let settled = matches!(
                root.activity(),
                Activity::Idle | Activity::Parked | Activity::Absent | Activity::Paused
            ) && !root.is_kept_from_work();
            settled && root.busy_children == 0 && root.life != Life::Resident { published: false }
        };
        self.facts.roots.iter().all(at_rest) && self.desk.targets().next().is_none()
    }

    /// Whether a call that is not answered yet was done in part: one to many is answered when the
    /// last of them is decided (SEND-15).
    pub fn is_done_in_part(&self, ticket: Ticket) -> bool {
        self.desk.is_done_in_part(ticket)
    }

    /// Whether the same facts are in both; what lies on the desks does not count (LED-2).
    pub fn same_facts(&self, other: &Self) -> bool {
        self.facts == other.facts
    }

    fn decide(&mut self, work: &mut Work, command: Command) {
        match command {
            Command::HostStarted => self.host_started(work),
            Command::Register { ticket, name, descriptor } => {
                self.register(work, ticket, name, descriptor);
            }
            Command::Send { ticket, caller, key, draft, patience } => {
                let mut attempt = SendAttempt::new(ticket, caller, key, draft, patience);
                self.bind_to_turn(&mut attempt);
                self.send(work, attempt);
            }
            Command::Acknowledge { ticket, caller, key, message, note } => {
                let answer = self.acknowledge(work, caller, key, message, note);
                work.answer(ticket, answer.map_or_else(Answer::Refused, Answer::Accepted));
            }
            Command::Interrupt { ticket, caller, key, target, turn, cascade, reason } => {
                let wish = interrupt::Wish { caller, key, target, turn, cascade, reason };
                let answer = self.interrupt(work, wish);
                work.answer(ticket, answer.map_or_else(Answer::Refused, Answer::Interrupted));
            }
            Command::Request { ticket, caller, key, to, body } => {
                let answer = self.request(work, caller, key, &to, body);
                work.answer(ticket, answer.map_or_else(Answer::Refused, Answer::Requested));
            }
            Command::Respond { ticket, caller, key, request, reply } => {
                let answer = self.respond(work, caller, key, request, reply);
                work.answer(ticket, answer.map_or_else(Answer::Refused, Answer::Responded));
            }
            Command::Start { ticket, caller, key, request } => {
                let answer = self.start(work, caller, key, request);
                work.answer(ticket, answer.map_or_else(Answer::Refused, Answer::Started));
            }
            Command::Close { ticket, caller, key, target } => {
                let answer = self.close(work, caller, key, &target);
                work.answer(ticket, answer.map_or_else(Answer::Refused, Answer::Closed));
            }
            Command::Delete { ticket, caller, key, target } => {
                let answer = self.delete(work, caller, key, &target);
                work.answer(ticket, answer.map_or_else(Answer::Refused, Answer::Deleted));
            }
            Command::Pause { ticket, whom, paused } => {
                let answer = self.pause(work, whom, paused);
                work.answer(ticket, answer.map_or_else(Answer::Refused, Answer::Paused));
            }
            Command::DrainTrees { ticket, caller, targets } => {
                self.drain_trees(work, ticket, caller, &targets);
            }
            Command::Withdraw { ticket } => self.desk.withdraw(ticket),
            Command::Claim { ticket, activation } => {
                self.claim_or_hold(work, ticket, activation);
            }
            Command::RecordStep { ticket, activation, record } => {
                let answer = self.record_step(work, activation, record);
                work.answer(ticket, Answer::Loop(answer));
            }
            Command::RecordCall { ticket, activation, call, record } => {
                let answer = self.record_call(work, activation, call, record);
                work.answer(ticket, Answer::Loop(answer));
            }
            Command::EndTurn { ticket, activation, end, note } => {
                let answer = self.end_turn(work, activation, end, note);
                work.answer(ticket, Answer::Loop(answer));
            }
            Command::Wait { ticket, activation, on, patience } => {
                self.wait(work, ticket, activation, on, patience);
            }
            Command::LoopStopped { activation } => self.loop_stopped(work, activation),
            Command::Published { agent, incarnation } => self.published(work, agent, incarnation),
            Command::MaterialiseFailed { agent, incarnation, why } => {
                self.materialise_failed(work, agent, incarnation, why);
            }
            Command::Disposed { agent, incarnation } => {
                self.disposed(work, agent, incarnation, false);
            }
            Command::Timer(timer) => self.timer(work, timer),
            Command::Drain { ticket } => self.drain(work, ticket),
        }
    }

    fn timer(&mut self, work: &mut Work, timer: Timer) {
        match timer {
            Timer::Parking(ticket) => self.parked_too_long(work, ticket),
            Timer::Rebuild(agent, incarnation) => self.rebuild_due(work, agent, incarnation),
            Timer::Publication(agent, incarnation) => {
                let why = "it took too long".to_owned();
                self.materialise_failed(work, agent, incarnation, why);
            }
            Timer::PutAway(agent, incarnation) => self.put_away(work, agent, incarnation),
            Timer::Disposal(agent, incarnation) => self.disposed(work, agent, incarnation, true),
            Timer::Waiting(ticket) => self.waited_too_long(work, ticket),
            Timer::Drain => self.drain_over(work),
            Timer::Expiry(agent) => self.expiry_due(work, agent),
            Timer::Request(request) => self.request_due(work, request),
        }
    }

    /// Stores a fact: applied here, appended by the shell.
    fn emit(&mut self, work: &mut Work, event: Event) {
        self.facts.apply(&event);
        let events = &mut work.step.events;
        if events.is_empty() {
            // Most commands lead to a fact or two, and a fact is large.
            events.reserve_exact(2);
        }
        events.push(event);
    }

    /// Decides again what the last facts freed, until nothing more follows.
    fn rest(&mut self, work: &mut Work) {
        let mut queue = std::mem::take(&mut self.changed);
        queue.extend(self.facts.touched.drain(..));
        while let Some(id) = queue.pop_front() {
            self.follow(work, id);
            queue.extend(self.facts.touched.drain(..));
        }
        self.changed = queue;
        self.end_idle_waits(work);
    }

    /// Whether a message of this id was ever accepted here (ID-4).
    pub fn has_given(&self, id: MessageId) -> bool {
        let next = self.facts.next_message();
        id.tag() == next.tag() && (1..next.number()).contains(&id.number())
    }

    /// Who speaks, if that stay is still the live one (ID-2); none is the person.
    ///
    /// # Errors
    /// `unauthorized` if it is not.
    pub fn live_caller(&self, caller: Caller) -> Result<Option<AgentId>, Refusal> {
        let Caller::Agent { agent, incarnation } = caller else { return Ok(None) };
        let current = self.facts.get(agent).filter(|known| {
            let here = matches!(known.life, Life::Resident { .. } | Life::Closing(_));
            here && known.incarnation == incarnation
        });
        match current {
            Some(_) => Ok(Some(agent)),
            None => Err(Refusal::new(
                Code::Unauthorized,
                "this call belongs to a stay of the agent that is over; nothing can be done from \
                 it any more",
            )),
        }
    }

    fn is_current(&self, agent: AgentId, incarnation: Incarnation) -> bool {
        self.facts.get(agent).is_some_and(|known| known.incarnation == incarnation)
    }

    /// Nothing below it is in memory.
    fn is_hollow(&self, agent: &Agent) -> bool {
        !self.facts.descendants(agent.id).iter().any(|below| self.facts.agent(*below).occupies())
    }
}
