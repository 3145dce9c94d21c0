//! How agents come into memory: start, resume, restart; and how the host stops.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::send::{draining, reused_key};
use super::{Forest, Work};
use crate::agent::{Agent, Life};
use crate::answer::{Answer, Started};
use crate::command::{Caller, StartRequest, Ticket, Timer};
use crate::descriptor::{Descriptor, Mode};
use crate::effect::{CancelCause, Effect};
use crate::ending::TurnEnd;
use crate::event::{ClosingCause, Event};
use crate::ids::{AgentId, Incarnation, MessageId};
use crate::inbox::Item;
use crate::kept::Kept;
use crate::key::HostKey;
use crate::message::{Content, Message, MessageKind, Schedule};
use crate::name::AgentName;
use crate::notice::Notice;
use crate::receipt::{DropReason, Fate};
use crate::refusal::{Code, Refusal};
use crate::time::Millis;

impl Forest {
    pub(super) fn register(
        &mut self,
        work: &mut Work,
        ticket: Ticket,
        name: AgentName,
        descriptor: Arc<Descriptor>,
    ) {
        if let Some(known) = self.root(name.stem()).map(|root| root.id) {
            return work.answer(ticket, Answer::Registered(known));
        }
        let agent = self.facts.next_agent();
        let name = name.of_generation(self.facts.next_generation(None, name.stem()));
        self.emit(work, Event::AgentRegistered { agent, name, descriptor });
        self.materialise(work, agent);
        work.answer(ticket, Answer::Registered(agent));
    }

    fn materialise(&self, work: &mut Work, id: AgentId) {
        let incarnation = self.facts.agent(id).incarnation;
        work.effect(Effect::Materialise { agent: id, incarnation });
        work.timer(Timer::Publication(id, incarnation), self.limits.publication);
    }

    /// START-1: admission records the child and its prompt; the answer is its id and name.
    pub(super) fn start(
        &mut self,
        work: &mut Work,
        caller: Caller,
        key: Option<HostKey>,
        request: StartRequest,
    ) -> Result<Started, Refusal> {
        let starter = self.live_caller(caller)?.ok_or_else(only_agents_start)?;
        let prompt = Content::text(request.prompt);
        if let Some(first) = self.first_started(starter, key, &prompt)? {
            return Ok(first);
        }
        self.admitting()?;
        self.not_closing(Some(starter))?;
        self.admitting_of(Some(starter))?;
        self.may_change(Some(starter))?;
        self.not_paused(starter)?;
        prompt.check(&self.limits)?;
        let parent = self.facts.agent(starter);
        let StartRequest { background, fork, description, .. } = request;
        let descriptor = match fork {
            true => parent.descriptor.clone(),
            false => startable(parent, request.kind, request.descriptor)?,
        };
        let descriptor = described(descriptor, description);
        let descriptor = in_mode(descriptor, background)?;
        self.room_for_child(parent, background)?;
        let read = parent.turn.as_ref().and_then(|turn| turn.cause);
        let cause = self.next_in_chain(read)?;
        let base = if fork { FORK } else { descriptor.kind.as_str() };
        let name = self.free_name(parent, base)?;
        let seed = parent.completed.filter(|_| fork);
        let agent = self.facts.next_agent();
        let prompt = Message {
            id: self.facts.next_message(),
            from: self.as_parent(parent),
            to: agent,
            kind: MessageKind::Prompt,
            content: Arc::new(prompt),
            schedule: Schedule::NextTurn,
            wakes: true,
            at: work.stamp.wall,
            cause,
        };
        let parent = starter;
        let event = Event::StartAdmitted {
            agent,
            parent,
            name: name.clone(),
            descriptor,
            prompt,
            key,
            seed,
        };
        self.emit(work, event);
        if let Some(cause) = cause {
            self.warn_of_chain(work, parent, cause);
        }
        self.materialise(work, agent);
        Ok(Started { agent, name, repeated: false })
    }

    fn as_parent(&self, parent: &Agent) -> crate::message::Sender {
        crate::message::Sender::Agent {
            id: parent.id,
            name: parent.name.clone(),
            relationship: crate::kinship::Relationship::Parent,
        }
    }

    fn first_started(
        &self,
        starter: AgentId,
        key: Option<HostKey>,
        wanted: &Content,
    ) -> Result<Option<Started>, Refusal> {
        match key.and_then(|key| self.facts.agent(starter).kept.get(&key)) {
            None => Ok(None),
            Some(Kept::Started { prompt, started }) if *prompt == wanted.digest() => {
                Ok(Some(Started { repeated: true, ..started.clone() }))
            }
            Some(_) => Err(reused_key()),
        }
    }

    /// START-2 and RES-5: which limit there is no room under, and who holds the places.
    fn room_for_child(&self, parent: &Agent, background: bool) -> Result<(), Refusal> {
        let limits = &self.limits;
        let full = |what: String| Err(Refusal::new(Code::Capacity, what));
        if parent.depth >= limits.depth {
            return full(format!(
                "you are {} levels below the root, and no deeper agents are allowed; do this work \
                 yourself",
                parent.depth
            ));
        }
        // One that has run its one task takes nothing up any more.
        let lasting = |id: &&AgentId| self.facts.agent(**id).outcome.is_none();
        let children = parent.children.iter().filter(lasting).count();
        if children >= limits.children {
            return full(format!(
                "you have {children} children, as many as allowed; give the task to one of them"
            ));
        }
        let tree = self.facts.descendants(parent.root);
        let agents = tree.iter().filter(lasting).count();
        if agents >= limits.agents {
            return full(format!("there are {agents} agents below this root already"));
        }
        // Whoever waits for its child gives its own place back.
        let own = usize::from(!background && parent.turn.is_some());
        if self.places_taken(parent.root).saturating_sub(own) >= limits.places {
            let running: Vec<String> = std::iter::once(parent.root)
                .chain(tree)
                .map(|id| self.facts.agent(id))
                .filter(|agent| agent.turn.is_some() && self.desk.waits.of(agent.id).is_empty())
                .map(|agent| agent.name.to_string())
                .collect();
            return full(format!(
                "all {} places are taken by {}; wait until one of them is done",
                limits.places,
                running.join(", ")
            ));
        }
        Ok(())
    }

    /// The kind's name, with a number from the second on, and in the generation that it is (ID-5).
    fn free_name(&self, parent: &Agent, base: &str) -> Result<AgentName, Refusal> {
        let base = AgentName::new(base)
            .map_err(|error| Refusal::new(Code::InvalidArgument, error.to_string()))?;
        // Gathered once: a parent may have many children, most of them of one kind.
        let children = parent.children.iter().map(|child| self.facts.agent(*child));
        let taken: BTreeSet<&str> =
            children.filter(|child| !child.deleted).map(|child| child.name.stem()).collect();
        let free =
            (1..).map(|ordinal| base.numbered(ordinal)).find(|name| !taken.contains(name.as_str()));
        let free = free.expect("among endless names one is free");
        let generation = self.facts.next_generation(Some(parent.id), free.stem());
        Ok(free.of_generation(generation))
    }

    /// RES-1: brings a stored agent back, once for all who wait (RES-2).
    pub(super) fn order_resume(&mut self, work: &mut Work, id: AgentId) {
        let incarnation = self.facts.agent(id).incarnation.next();
        self.desk.given_up.remove(&id);
        self.emit(work, Event::ResumeOrdered { agent: id, incarnation });
        self.materialise(work, id);
    }

    /// The agent is in memory. One nobody waits for any more is put away at once (RES-4).
    pub(super) fn published(&mut self, work: &mut Work, id: AgentId, incarnation: Incarnation) {
        if !self.awaits_publication(id, incarnation) {
            return work.effect(Effect::Dispose { agent: id, incarnation });
        }
        self.emit(work, Event::Published { agent: id, incarnation });
        self.run_turn(work, id);
    }

    fn awaits_publication(&self, id: AgentId, incarnation: Incarnation) -> bool {
        let agent = self.facts.get(id).filter(|agent| agent.incarnation == incarnation);
        let agent = agent.filter(|_| !self.desk.given_up.contains(&id));
        agent.is_some_and(|agent| {
            matches!(agent.life, Life::Starting { .. } | Life::Resident { published: false })
        })
    }

    pub(super) fn materialise_failed(
        &mut self,
        work: &mut Work,
        id: AgentId,
        incarnation: Incarnation,
        why: String,
    ) {
        if !self.awaits_publication(id, incarnation) {
            return;
        }
        // What may still be on its way is not wanted any more.
        work.effect(Effect::Dispose { agent: id, incarnation });
        if let Life::Starting { first: true } = self.facts.agent(id).life {
            return self.first_start_failed(work, id, why);
        }
        // Should it come up all the same, it is put away: another stay is ordered.
        self.desk.given_up.insert(id);
        self.emit(work, Event::ResumeFailed { agent: id, incarnation, why });
        self.fail_line(work, id);
        if self.facts.agent(id).life == Life::Absent {
            self.end_shutdowns(work, id);
        }
        let agent = self.facts.agent(id);
        let failures = agent.failed_rebuilds;
        if failures >= self.limits.rebuilds {
            self.lose(work, id);
        } else if agent.is_live() || agent.due_since.is_some() {
            let doubled = self.limits.rebuild_backoff.0 << (failures - 1).min(16);
            work.timer(Timer::Rebuild(id, incarnation), Millis(doubled));
        }
    }

    /// START-1: the prompt is dropped, the name free, the spawner told once.
    fn first_start_failed(&mut self, work: &mut Work, id: AgentId, why: String) {
        let agent = self.facts.agent(id);
        let (child, name, parent) = (id, agent.name.clone(), agent.parent);
        self.pass_on_requests(work, id);
        self.emit(work, Event::StartWithdrawn { agent: id, reason: DropReason::StartFailed });
        if let Some(parent) = parent {
            let why = Arc::from(why);
            self.notify(work, parent, Notice::StartFailed { child, name, why });
        }
    }

    /// An admitted start is taken back before it was up (INT-4).
    pub(super) fn withdraw_start(&mut self, work: &mut Work, id: AgentId, reason: DropReason) {
        let agent = self.facts.agent(id);
        let incarnation = agent.incarnation;
        let prompt: Vec<Item> = agent.inbox.items().cloned().collect();
        self.pass_on_requests(work, id);
        self.emit(work, Event::StartWithdrawn { agent: id, reason });
        self.tell_fates(work, &prompt, Fate::Dropped(reason));
        work.effect(Effect::Dispose { agent: id, incarnation });
    }

    /// RES-2: an agent that cannot be brought back gives up its mail, its turn and its stay.
    fn lose(&mut self, work: &mut Work, id: AgentId) {
        self.finish_turn(work, id, TurnEnd::Error, Some("it could not be brought back".into()));
        let mail = self.facts.agent(id).inbox.items().filter(|item| !item.always_fits());
        let mail: Vec<Item> = mail.cloned().collect();
        self.drop_mail(work, id, &mail, DropReason::StartFailed);
        // What the host had to say is kept and brings nobody back by itself.
        let mark = Some(self.facts.last_message);
        self.begin_closing(work, id, ClosingCause::Lost, mark);
    }

    pub(super) fn rebuild_due(&mut self, work: &mut Work, id: AgentId, incarnation: Incarnation) {
        if !self.is_current(id, incarnation) || self.desk.draining {
            return;
        }
        if self.is_in_drain(id) {
            return work.timer(Timer::Rebuild(id, incarnation), self.limits.rebuild_backoff);
        }
        let agent = self.facts.agent(id);
        let wanted = match agent.life {
            Life::Resident { published } => !published,
            Life::Absent => self.is_wanted_back(agent),
            Life::Starting { .. } | Life::Closing(_) | Life::Withdrawn => false,
        };
        if wanted {
            self.order_resume(work, id);
        }
    }

    /// One that is only stored has something to do, and may take it up.
    fn is_wanted_back(&self, agent: &Agent) -> bool {
        agent.due_since.is_some() && !agent.paused && !self.is_below_closing(agent.id)
    }

    /// LED-4: ownership, then agents, then mail. Nobody is in memory; whoever was is ordered
    /// back under a new number, and what no step was made from waits again.
    pub(super) fn host_started(&mut self, work: &mut Work) {
        self.emit(work, Event::HostStarted);
        let ids: Vec<AgentId> = self.facts.agents().map(|agent| agent.id).collect();
        for &id in &ids {
            self.recover_turn(work, id);
            self.drop_moot(work, id);
        }
        for &id in &ids {
            let agent = self.facts.agent(id);
            let wanted = match agent.life {
                Life::Starting { .. } | Life::Resident { .. } => true,
                Life::Absent => self.is_wanted_back(agent),
                Life::Closing(_) | Life::Withdrawn => false,
            };
            if wanted {
                self.order_resume(work, id);
            }
        }
        // The desk is new: what waits for a disposal or a timer is to be ordered again.
        ids.iter().for_each(|id| self.time_waiting(work, *id));
        self.facts.requests.open().for_each(|open| self.time_request(work, open));
        self.facts.touched.extend(ids);
    }

    /// TURN-3 and TURN-4.
    fn recover_turn(&mut self, work: &mut Work, id: AgentId) {
        let agent = self.facts.agent(id);
        let Some(open) = &agent.turn else { return };
        if open.interrupted {
            return self.finish_turn(work, id, TurnEnd::Interrupted, None);
        }
        if let Life::Closing(_) = agent.life {
            return self.finish_turn(work, id, TurnEnd::Aborted, None);
        }
        let turn = open.id;
        let messages: Vec<MessageId> = open.claimed.iter().map(|item| item.message.id).collect();
        if !messages.is_empty() {
            self.emit(work, Event::ClaimReturned { agent: id, turn, messages, attempt: true });
            self.drop_poison(work, id);
        }
    }

    /// DRAIN-1, for the whole service.
    pub(super) fn drain(&mut self, work: &mut Work, ticket: Ticket) {
        self.desk.drain_waiters.push(ticket);
        if !std::mem::replace(&mut self.desk.draining, true) {
            for attempt in self.desk.take_lines() {
                self.conclude(work, &attempt, Err(draining()));
            }
            self.drop_drains(work);
            self.let_all_go(work);
            self.cancel_loops(work, CancelCause::Draining);
            work.timer(Timer::Drain, self.limits.drain);
        }
        self.answer_drained(work);
    }

    pub(super) fn drain_over(&mut self, work: &mut Work) {
        self.cancel_loops(work, CancelCause::DrainOver);
    }

    fn cancel_loops(&mut self, work: &mut Work, cause: CancelCause) {
        for (&agent, &turn) in &self.desk.loops {
            let incarnation = self.facts.agent(agent).incarnation;
            work.effect(Effect::CancelTurn { agent, incarnation, turn, cause });
        }
    }

    pub(super) fn answer_drained(&mut self, work: &mut Work) {
        if self.desk.draining && self.desk.loops.is_empty() {
            for ticket in std::mem::take(&mut self.desk.drain_waiters) {
                work.answer(ticket, Answer::Drained);
            }
        }
    }
}

/// What the starter asked for, if it is one of the kinds it may start.
fn startable(
    starter: &Agent,
    kind: String,
    descriptor: Option<Arc<Descriptor>>,
) -> Result<Arc<Descriptor>, Refusal> {
    let allowed = &starter.descriptor.starts;
    descriptor.filter(|_| allowed.contains(&kind)).ok_or_else(|| {
        let kinds = match allowed.as_slice() {
            [] => "you may start no agents".to_owned(),
            kinds => format!("you may start {}", kinds.join(", ")),
        };
        let text = format!("`{kind}` is no kind of agent you may start; {kinds}");
        Refusal::new(Code::InvalidArgument, text)
    })
}

fn only_agents_start() -> Refusal {
    Refusal::new(Code::InvalidArgument, "only an agent starts a child; register a root instead")
}

/// The kind, with what the starter says this one is for.
fn described(kind: Arc<Descriptor>, description: String) -> Arc<Descriptor> {
    if description.trim().is_empty() {
        return kind;
    }
    Arc::new(Descriptor { description, ..kind.as_ref().clone() })
}

/// What a child that goes on from its parent's transcript is called.
const FORK: &str = "fork";

/// In the background a child is continuable. In the foreground it is a one-shot child, which has
/// nobody to report to: what it writes at its end is what the call returns.
fn in_mode(descriptor: Arc<Descriptor>, background: bool) -> Result<Arc<Descriptor>, Refusal> {
    let (mode, reports) = match background {
        true => (Mode::Continuable, descriptor.reports.clone()),
        false => (Mode::OneShot, None),
    };
    if !background && descriptor.plan_required {
        let text = "this kind of agent has its plans approved before it changes anything, and can \
                    ask for that in the background alone; set run_in_background to true";
        return Err(Refusal::new(Code::InvalidArgument, text));
    }
    if background && descriptor.mode == Mode::OneShot {
        let text = "this kind of agent runs one task in the foreground; set run_in_background to \
                    false and wait for what it returns";
        return Err(Refusal::new(Code::InvalidArgument, text));
    }
    Ok(match (descriptor.mode == mode, descriptor.reports == reports) {
        (true, true) => descriptor,
        (_, _) => Arc::new(Descriptor { mode, reports, ..descriptor.as_ref().clone() }),
    })
}
