//! Requests that want one answer (HAND): asking, answering, and what happens when nobody does.

use std::sync::Arc;

use super::send::{is_gone, may_speak, reused_key};
use super::{Forest, Work};
use crate::agent::Life;
use crate::cause::Cause;
use crate::command::{CallRecord, Caller, Timer};
use crate::event::{Event, Terms};
use crate::facts::{again, receipt};
use crate::handshake::{
    Asked, Handshake, OpenRequest, Reply, Request, RequestBody, RequestEnd, Requested, Responded,
};
use crate::ids::{AgentId, RequestId};
use crate::kept::Kept;
use crate::key::HostKey;
use crate::kinship::{Verb, ancestors};
use crate::message::{Content, Message, MessageKind, Schedule, Sender, Target};
use crate::refusal::{Code, Refusal};
use crate::usage::Usage;

impl Forest {
    /// Every request that is still to be answered, oldest first.
    pub fn requests(&self) -> impl Iterator<Item = &OpenRequest> {
        self.facts.requests.open()
    }

    /// Those that this one is to answer; none is the person.
    pub fn requests_for(&self, who: Option<AgentId>) -> impl Iterator<Item = &OpenRequest> {
        self.facts.requests.asked_of(who)
    }

    /// HAND-1 and HAND-2: the request is open, and whoever is to answer it has it.
    pub(super) fn request(
        &mut self,
        work: &mut Work,
        caller: Caller,
        key: Option<HostKey>,
        to: &Target,
        body: RequestBody,
    ) -> Result<Requested, Refusal> {
        let by = self.live_caller(caller)?;
        if let Some(first) = self.first_requested(by, key, &body)? {
            return Ok(first);
        }
        self.admitting()?;
        self.admitting_of(by)?;
        self.not_closing(by)?;
        body.check(&self.limits)?;
        match body.kind() {
            Handshake::Shutdown => {
                let target = self.resolve(by, Verb::Shutdown, to)?;
                self.admitting_of(Some(target))?;
                Ok(self.ask_to_end(work, by, key, target, body))
            }
            Handshake::Plan => {
                let planner = by.ok_or_else(only_agents_plan)?;
                may_speak(self.facts.agent(planner))?;
                self.ask_for_approval(work, planner, key, body)
            }
        }
    }

    fn first_requested(
        &self,
        by: Option<AgentId>,
        key: Option<HostKey>,
        wanted: &RequestBody,
    ) -> Result<Option<Requested>, Refusal> {
        let (Some(by), Some(key)) = (by, key) else { return Ok(None) };
        match self.facts.agent(by).kept.get(&key) {
            None => Ok(None),
            Some(Kept::Requested { body, requested }) if *body == wanted.digest() => {
                Ok(Some(again(requested)))
            }
            Some(_) => Err(reused_key()),
        }
    }

    /// One that is put away is not brought back to be put away: whoever asks is told at once.
    fn ask_to_end(
        &mut self,
        work: &mut Work,
        by: Option<AgentId>,
        key: Option<HostKey>,
        target: AgentId,
        body: RequestBody,
    ) -> Requested {
        let key = key.filter(|_| by.is_some());
        let request = self.new_request(by, body, Some(target));
        let (id, replaces) = (request.id, request.replaces);
        let agent = self.facts.agent(target);
        if let Life::Absent | Life::Closing(_) | Life::Withdrawn = agent.life {
            let asked = Asked::Settled(target, agent.name.clone());
            let at = work.stamp.wall;
            self.emit(work, Event::RequestRaised { agent: target, request, by, key, at });
            self.close_request(work, id, RequestEnd::AlreadySettled, None);
            return Requested { request: id, asked, repeated: false };
        }
        let cause = self.read_by(by).map(Cause::next);
        let asked = self.deliver_request(work, by, target, request, key, cause);
        self.supersede(work, replaces, id);
        Requested { request: id, asked, repeated: false }
    }

    /// The nearest above who is there is asked, else the person; the planner changes nothing until
    /// it has its answer.
    fn ask_for_approval(
        &mut self,
        work: &mut Work,
        planner: AgentId,
        key: Option<HostKey>,
        body: RequestBody,
    ) -> Result<Requested, Refusal> {
        let cause = self.next_in_chain(self.read_by(Some(planner)))?;
        let request = self.new_request(Some(planner), body, None);
        let (id, replaces) = (request.id, request.replaces);
        let asked = self.put_to_answerer(work, planner, request, key, cause);
        self.supersede(work, replaces, id);
        if let Some(cause) = cause {
            self.warn_of_chain(work, planner, cause);
        }
        Ok(Requested { request: id, asked, repeated: false })
    }

    fn new_request(&self, by: Option<AgentId>, body: RequestBody, of: Option<AgentId>) -> Request {
        let open = self.facts.requests.open_by(by, body.kind(), of);
        let replaces = open.map(|open| open.request.id);
        let within = body.within(&self.limits);
        Request { id: self.facts.next_request(), body, within, replaces }
    }

    /// What a request follows from, as a message of the same agent would.
    fn read_by(&self, by: Option<AgentId>) -> Option<Cause> {
        self.facts.agent(by?).turn.as_ref()?.cause
    }

    pub(super) fn put_to_answerer(
        &mut self,
        work: &mut Work,
        planner: AgentId,
        request: Request,
        key: Option<HostKey>,
        cause: Option<Cause>,
    ) -> Asked {
        let there = |id: &AgentId| {
            let agent = self.facts.agent(*id);
            !agent.deleted && !is_gone(agent)
        };
        let answerer = ancestors(&self.facts, planner).find(there);
        if let Some(answerer) = answerer {
            return self.deliver_request(work, Some(planner), answerer, request, key, cause);
        }
        let (id, after, at) = (request.id, request.within, work.stamp.wall);
        let (agent, by) = (planner, Some(planner));
        self.emit(work, Event::RequestRaised { agent, request, by, key, at });
        work.timer(Timer::Request(id), after);
        Asked::Person
    }

    /// It always fits, and wakes (SEND-11).
    fn deliver_request(
        &mut self,
        work: &mut Work,
        by: Option<AgentId>,
        to: AgentId,
        request: Request,
        key: Option<HostKey>,
        cause: Option<Cause>,
    ) -> Asked {
        let (id, kind, within) = (request.id, request.body.kind(), request.within);
        let message = Message {
            id: self.facts.next_message(),
            from: by.map_or(Sender::User, |by| self.as_sender(by, to)),
            to,
            kind: MessageKind::Request(request),
            content: Arc::new(Content::default()),
            schedule: Schedule::NextStep,
            wakes: true,
            at: work.stamp.wall,
            cause,
        };
        let reader = self.facts.agent(to);
        let (name, delivery) = (reader.name.clone(), self.delivery(reader, true));
        let pending = u32::try_from(reader.inbox.len() + 1).unwrap_or(u32::MAX);
        let (budget_left, paused) = (self.limits.bucket, reader.paused);
        let terms = Terms { key, delivery, pending, budget_left, one_of_many: false, paused };
        let receipt = receipt(&message, &terms, name);
        self.emit(work, Event::Accepted { message, terms: Some(terms) });
        let after = match kind {
            Handshake::Shutdown => self.limits.shutdown_unread,
            Handshake::Plan => within,
        };
        work.timer(Timer::Request(id), after);
        Asked::Agent(receipt)
    }

    /// Nobody has to answer the older one any more.
    fn supersede(&mut self, work: &mut Work, older: Option<RequestId>, newer: RequestId) {
        if let Some(older) = older {
            self.close_request(work, older, RequestEnd::Superseded(newer), None);
        }
    }

    /// HAND-3: the one answer, from the one who was asked.
    pub(super) fn respond(
        &mut self,
        work: &mut Work,
        caller: Caller,
        key: Option<HostKey>,
        request: RequestId,
        reply: Reply,
    ) -> Result<Responded, Refusal> {
        let by = self.live_caller(caller)?;
        if let Some(first) = self.first_responded(by, key, request, &reply)? {
            return Ok(first);
        }
        self.admitting()?;
        self.not_closing(by)?;
        reply.check(&self.limits)?;
        let open = self.open_for(by, request)?;
        let (of, to) = (open.request.body.kind(), open.by);
        if of != reply.kind() {
            return Err(other_kind(request, of));
        }
        let ends = by.filter(|_| of == Handshake::Shutdown && reply.approves());
        let answered = key.filter(|_| by.is_some());
        self.close_request(work, request, RequestEnd::Answered(reply), Some((by, answered)));
        if let Some(agent) = ends {
            self.end_call(work, agent, key);
            self.shut_down(work, agent);
        }
        Ok(Responded { request, to, repeated: false })
    }

    fn first_responded(
        &self,
        by: Option<AgentId>,
        key: Option<HostKey>,
        request: RequestId,
        said: &Reply,
    ) -> Result<Option<Responded>, Refusal> {
        let (Some(by), Some(key)) = (by, key) else { return Ok(None) };
        match self.facts.agent(by).kept.get(&key) {
            None => Ok(None),
            Some(Kept::Responded { reply, responded })
                if *reply == said.digest() && responded.request == request =>
            {
                Ok(Some(Responded { repeated: true, ..*responded }))
            }
            Some(_) => Err(reused_key()),
        }
    }

    /// The open request, if it is this one's to answer. To anybody else there is none.
    fn open_for(&self, by: Option<AgentId>, id: RequestId) -> Result<&OpenRequest, Refusal> {
        let open = self.facts.requests.get(id).filter(|open| open.asked == by);
        open.ok_or_else(|| match self.facts.requests.has_ended(id, by) {
            true => already_answered(id),
            false => not_asked(id),
        })
    }

    /// Whoever agrees is stopped before its tool has its answer. That the call did what it was for
    /// is on record all the same, for when the agent is brought back.
    fn end_call(&mut self, work: &mut Work, agent: AgentId, key: Option<HostKey>) {
        let Some(HostKey { turn, step, call, .. }) = key else { return };
        let open = self.facts.agent(agent).turn.as_ref().filter(|open| open.id == turn);
        let last = open.is_some_and(|open| open.step == step.saturating_add(1));
        if last && open.is_some_and(|open| open.in_flight().any(|(place, _)| place == call)) {
            let (outcome, text) = ("done".to_owned(), AGREED.to_owned());
            let record = CallRecord { outcome, text, usage: Usage::default() };
            self.emit(work, Event::CallEnded { agent, turn, step, call, record });
        }
    }

    /// HAND-2: one that is to have a plan approved first changes nothing.
    pub(super) fn may_change(&self, caller: Option<AgentId>) -> Result<(), Refusal> {
        if caller.is_some_and(|id| self.facts.agent(id).read_only) {
            let text = "you may change nothing until a plan of yours is approved, and this would; \
                        ask for approval of what you mean to do, and wait for the answer";
            return Err(Refusal::new(Code::ReadOnly, text));
        }
        Ok(())
    }
}

/// What is on record of the call by which an agent agreed.
const AGREED: &str = "Your answer counts: you come to an end, and are put away.";

fn only_agents_plan() -> Refusal {
    Refusal::new(Code::InvalidArgument, "only an agent has a plan approved; the person needs none")
}

fn already_answered(id: RequestId) -> Refusal {
    let text = format!("{id} has ended: it was answered, or is not asked any more");
    Refusal::new(Code::AlreadyAnswered, text)
}

fn not_asked(id: RequestId) -> Refusal {
    let text = format!("{id} is no request that you are to answer; nothing was done");
    Refusal::new(Code::NotFound, text)
}

fn other_kind(id: RequestId, kind: Handshake) -> Refusal {
    let wanted = match kind {
        Handshake::Shutdown => "asks you to come to an end; answer it as a shutdown",
        Handshake::Plan => "asks you to approve a plan; answer it as a plan",
    };
    Refusal::new(Code::InvalidArgument, format!("{id} {wanted}"))
}
