//! Requests that want one answer (HAND): asking, answering, and what happens when nobody does.

use std::sync::Arc;

use super::send::{is_gone, may_speak, reused_key};
use super::{Forest, Work};
use crate::agent::{Kept, Life};
use crate::command::{Caller, Timer};
use crate::event::{ClosingCause, Event, Terms};
use crate::facts::{again, receipt};
use crate::handshake::{
    Asked, Handshake, OpenRequest, Reply, Request, RequestBody, RequestEnd, Requested, Responded,
};
use crate::ids::{AgentId, RequestId};
use crate::inbox::Item;
use crate::key::HostKey;
use crate::kinship::{Verb, ancestors};
use crate::message::{Cause, Content, Message, MessageKind, Notice, Schedule, Sender, Target};
use crate::receipt::DropReason;
use crate::refusal::{Code, Refusal};
use crate::time::Millis;

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
        self.not_closing(by)?;
        body.check(&self.limits)?;
        match body.kind() {
            Handshake::Shutdown => {
                let target = self.resolve(by, Verb::Shutdown, to)?;
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

    fn put_to_answerer(
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
        let budget_left = self.limits.bucket;
        let terms = Terms { key, delivery, pending, budget_left, one_of_many: false };
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
                if reply == said && responded.request == request =>
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

    /// Puts an agent away that agreed to it, or did not answer. As after a close its mail is marked:
    /// an end that the next unread message undoes would be none.
    fn shut_down(&mut self, work: &mut Work, id: AgentId) {
        let mark = Some(self.facts.last_message);
        self.begin_closing(work, id, ClosingCause::ShutDown, mark);
    }

    /// Ends a request, gives up its message where nobody has read it, and tells whoever asked:
    /// exactly once, since it ends once.
    fn close_request(
        &mut self,
        work: &mut Work,
        id: RequestId,
        end: RequestEnd,
        answered: Option<(Option<AgentId>, Option<HostKey>)>,
    ) {
        let Some(open) = self.facts.requests.get(id).cloned() else { return };
        let OpenRequest { request, by: asker, asked, .. } = open;
        let (kind, digest) = (request.body.kind(), request.body.digest());
        let agent = match kind {
            Handshake::Shutdown => asked,
            Handshake::Plan => asker,
        };
        let Some(agent) = agent else { return };
        let (by, key) = answered.unwrap_or_default();
        let closed = Event::RequestClosed { agent, request: id, end: end.clone(), digest, by, key };
        self.emit(work, closed);
        if let Some(asked) = asked {
            self.drop_moot(work, asked);
        }
        let Some(asker) = asker.filter(|id| !self.facts.agent(*id).is_gone()) else {
            return;
        };
        let asked = asked.map(|id| (id, self.facts.agent(id).name.clone()));
        self.tell_asker(
            work,
            asker,
            Notice::RequestClosed { request: id, kind, digest, asked, end },
        );
    }

    /// A planner came to rest while it waited, so its answer brings it back; but no clock brings
    /// back one whom somebody put away.
    fn tell_asker(&mut self, work: &mut Work, asker: AgentId, notice: Notice) {
        let Notice::RequestClosed { kind, end, .. } = &notice else { return };
        let agent = self.facts.agent(asker);
        let brings_back = match end {
            RequestEnd::Superseded(_) => return self.notify_quietly(work, asker, notice),
            RequestEnd::Answered(_) => *kind == Handshake::Plan,
            RequestEnd::Unanswered => agent.life == Life::Absent && !agent.inbox.is_marked(),
            RequestEnd::Forced
            | RequestEnd::AlreadySettled
            | RequestEnd::Ended
            | RequestEnd::Cancelled => false,
        };
        if !brings_back {
            return self.notify(work, asker, notice);
        }
        let message = self.host_message(work, asker, notice, Schedule::NextStep, true);
        self.emit(work, Event::Accepted { message, terms: None });
    }

    /// Gives up requests in an inbox that are answered, or asked of another by now.
    pub(super) fn drop_moot(&mut self, work: &mut Work, id: AgentId) {
        let moot = |item: &&Item| match &item.message.kind {
            MessageKind::Request(request) => {
                !self.facts.requests.is_asked_by(request.id, item.message.id)
            }
            MessageKind::Relay
            | MessageKind::Prompt
            | MessageKind::Instruction
            | MessageKind::Notice(_) => false,
        };
        let moot: Vec<Item> = self.facts.agent(id).inbox.items().filter(moot).cloned().collect();
        self.drop_mail(work, id, &moot, DropReason::Moot);
    }

    /// What is asked of one that goes away: it has come to an end otherwise, and its children's
    /// plans go to the next above (HAND-2).
    pub(super) fn pass_on_requests(&mut self, work: &mut Work, gone: AgentId) {
        let asked: Vec<OpenRequest> = self.facts.requests.asked_of(Some(gone)).cloned().collect();
        for OpenRequest { request, by, .. } in asked {
            match (request.body.kind(), by) {
                (Handshake::Plan, Some(planner)) => {
                    let cause = self.facts.agent(planner).cause;
                    self.put_to_answerer(work, planner, request, None, cause);
                    self.drop_moot(work, gone);
                }
                (Handshake::Shutdown | Handshake::Plan, _) => {
                    self.close_request(work, request.id, RequestEnd::Ended, None);
                }
            }
        }
    }

    /// Whoever is deleted asks nothing any more and answers nothing (DELETE-1).
    pub(super) fn cancel_requests(&mut self, work: &mut Work, deleted: AgentId) {
        let open: Vec<RequestId> = self.facts.requests.concerning(deleted).collect();
        for id in open {
            self.close_request(work, id, RequestEnd::Cancelled, None);
        }
    }

    /// A claim shows these: the grace of one that is to come to an end begins.
    pub(super) fn time_grace(&mut self, work: &mut Work, id: AgentId) {
        let now = work.stamp.wall;
        let read = |open: &&OpenRequest| {
            open.request.body.kind() == Handshake::Shutdown && open.claimed == Some(now)
        };
        for open in self.facts.requests.asked_of(Some(id)).filter(read) {
            work.timer(Timer::Request(open.request.id), open.request.within);
        }
    }

    /// Sets the timer of a request for when it is due.
    pub(super) fn time_request(&self, work: &mut Work, open: &OpenRequest) {
        let left = open.due(&self.limits).0.saturating_sub(work.stamp.wall.0);
        work.timer(Timer::Request(open.request.id), Millis(left));
    }

    /// The default answer (HAND-3). The wall clock may have jumped since the timer was set, and
    /// what was read since has its grace, so it is set again if it came too early.
    pub(super) fn request_due(&mut self, work: &mut Work, id: RequestId) {
        let Some(open) = self.facts.requests.get(id).filter(|_| !self.desk.draining) else {
            return;
        };
        if open.due(&self.limits) > work.stamp.wall {
            return self.time_request(work, open);
        }
        match (open.request.body.kind(), open.asked) {
            (Handshake::Shutdown, Some(asked)) => {
                self.close_request(work, id, RequestEnd::Forced, None);
                self.shut_down(work, asked);
            }
            (Handshake::Shutdown | Handshake::Plan, _) => {
                self.close_request(work, id, RequestEnd::Unanswered, None);
            }
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
