//! Requests that want one answer, as agents and the person make and answer them.

use switchboard_core::{
    AgentId, Answer, Asked, Caller, Command, HostKey, MessageKind, Millis, Notice, Reply,
    RequestBody, RequestEnd, RequestId, Requested, Responded, Target, Ticket, Timer,
};

use super::{Came, World};

pub(crate) fn shutdown(reason: &str) -> RequestBody {
    RequestBody::Shutdown { reason: reason.into(), cleanup: None, grace: None }
}

pub(crate) fn plan(plan: &str) -> RequestBody {
    RequestBody::Plan { plan: plan.into(), alternatives: vec![], recommendation: None }
}

pub(crate) fn ends(approve: bool) -> Reply {
    Reply::Shutdown { approve, cleaned_up: approve, report: Some("in order".into()) }
}

pub(crate) fn judges(approve: bool) -> Reply {
    Reply::Plan { approve, feedback: Some("as it stands".into()) }
}

impl World {
    pub(crate) fn request(
        &mut self,
        caller: Caller,
        to: AgentId,
        body: RequestBody,
        key: Option<HostKey>,
    ) -> Came<Requested> {
        let ticket = self.ticket();
        self.act(Command::Request { ticket, caller, key, to: Target::Agent(to), body });
        self.requested(ticket)
    }

    fn requested(&self, ticket: Ticket) -> Came<Requested> {
        self.came(ticket, |answer| match answer {
            Answer::Requested(requested) => Some(requested),
            _ => None,
        })
    }

    /// An agent asks another to come to an end.
    pub(crate) fn ask_to_end(&mut self, by: AgentId, target: AgentId) -> Came<Requested> {
        let caller = self.caller(by);
        self.request(caller, target, shutdown("the work is done"), None)
    }

    /// An agent asks for approval; whoever it names, the machine knows whom to ask.
    pub(crate) fn propose(&mut self, by: AgentId, words: &str) -> Came<Requested> {
        let caller = self.caller(by);
        self.request(caller, by, plan(words), None)
    }

    pub(crate) fn respond(
        &mut self,
        caller: Caller,
        request: RequestId,
        reply: Reply,
        key: Option<HostKey>,
    ) -> Came<Responded> {
        let ticket = self.ticket();
        self.act(Command::Respond { ticket, caller, key, request, reply });
        self.came(ticket, |answer| match answer {
            Answer::Responded(responded) => Some(responded),
            _ => None,
        })
    }

    pub(crate) fn answer(
        &mut self,
        by: AgentId,
        request: RequestId,
        reply: Reply,
    ) -> Came<Responded> {
        let caller = self.caller(by);
        self.respond(caller, request, reply, None)
    }

    /// How requests of this agent ended, as it was told.
    pub(crate) fn told(&self, agent: AgentId) -> Vec<RequestEnd> {
        let end = |kind: MessageKind| match kind {
            MessageKind::Notice(Notice::RequestClosed { end, .. }) => Some(end),
            _ => None,
        };
        let its = self.messages().into_iter().filter(|message| message.to == agent);
        its.filter_map(|message| end(message.kind)).collect()
    }

    /// Lets the timers of a request come, until there is none.
    pub(crate) fn run_out(&mut self, request: RequestId) {
        let this = |timer: &Timer| *timer == Timer::Request(request);
        while self.timers().iter().any(|(timer, _)| this(timer)) {
            self.fire(this);
        }
    }

    /// After how long the timers of a request come.
    pub(crate) fn deadlines(&self, request: RequestId) -> Vec<Millis> {
        let this = |(timer, _): &(Timer, Millis)| *timer == Timer::Request(request);
        self.timers().into_iter().filter(this).map(|(_, after)| after).collect()
    }
}

/// Who is to answer.
pub(crate) fn answerer(requested: &Requested) -> Option<AgentId> {
    match &requested.asked {
        Asked::Agent(receipt) => Some(receipt.to),
        Asked::Person | Asked::Settled(..) => None,
    }
}
