//! Calls at the door.

use std::sync::Arc;

use switchboard_core::{
    AgentId, AgentName, Answer, Caller, Closed, Command, Content, Descriptor, Draft, DrainedTrees,
    HostKey, Interruption, Mode, Receipt, Recipient, StartRequest, Started, Target, Ticket, Whom,
};

use super::{Came, World, descriptor};

impl World {
    #[track_caller]
    pub(crate) fn root(&mut self, name: &str) -> AgentId {
        let ticket = self.ticket();
        let (name, descriptor) = (AgentName::new(name).unwrap(), descriptor(name, Mode::Root));
        self.act(Command::Register { ticket, name, descriptor });
        self.settle();
        match &self.answers[&ticket] {
            Answer::Registered(agent) => *agent,
            other => panic!("{other:?}"),
        }
    }

    /// Starts a child that is not up yet; nothing is performed.
    pub(crate) fn start(&mut self, parent: AgentId, kind: &str) -> Came<Started> {
        self.start_keyed(parent, kind, None)
    }

    pub(crate) fn start_keyed(
        &mut self,
        parent: AgentId,
        kind: &str,
        key: Option<HostKey>,
    ) -> Came<Started> {
        let descriptor = descriptor(kind, Mode::Continuable);
        self.start_as(self.caller(parent), descriptor, &format!("be a {kind}"), key)
    }

    pub(crate) fn start_as(
        &mut self,
        caller: Caller,
        descriptor: Arc<Descriptor>,
        prompt: &str,
        key: Option<HostKey>,
    ) -> Came<Started> {
        let kind = descriptor.kind.clone();
        let (descriptor, prompt) = (Some(descriptor), prompt.to_owned());
        let request = StartRequest {
            kind,
            descriptor,
            description: String::new(),
            prompt,
            background: true,
            fork: false,
        };
        self.start_request(caller, request, key)
    }

    pub(crate) fn start_request(
        &mut self,
        caller: Caller,
        request: StartRequest,
        key: Option<HostKey>,
    ) -> Came<Started> {
        let ticket = self.ticket();
        self.act(Command::Start { ticket, caller, key, request });
        self.came(ticket, |answer| match answer {
            Answer::Started(started) => Some(started),
            _ => None,
        })
    }

    /// A fork of the agent, not up yet.
    #[track_caller]
    pub(crate) fn fork(&mut self, of: AgentId) -> AgentId {
        let (kind, prompt) = (String::new(), "go on".to_owned());
        let request = StartRequest {
            kind,
            descriptor: None,
            description: String::new(),
            prompt,
            background: true,
            fork: true,
        };
        self.start_request(self.caller(of), request, None).ok().agent
    }

    /// Starts a child and brings it up; its first turn is open.
    #[track_caller]
    pub(crate) fn child(&mut self, parent: AgentId, kind: &str) -> AgentId {
        let child = self.start(parent, kind).ok().agent;
        self.settle();
        child
    }

    /// A child that has done its first task and is only stored; its parent has read so.
    #[track_caller]
    pub(crate) fn settled_child(&mut self, parent: AgentId, kind: &str) -> AgentId {
        let child = self.child(parent, kind);
        self.finish(child, "done");
        self.settle();
        while self.forest.agent(parent).unwrap().turn.is_some() {
            self.finish(parent, "read");
        }
        child
    }

    /// Brings a stored agent back as the person does, with a message it has read.
    #[track_caller]
    pub(crate) fn bring_back(&mut self, agent: AgentId) {
        let ticket = self.instruct(agent, "come back").parked();
        self.settle();
        self.receipt(ticket).ok();
        self.step_once(agent);
    }

    pub(crate) fn caller(&self, agent: AgentId) -> Caller {
        let incarnation = self.forest.agent(agent).unwrap().incarnation;
        Caller::Agent { agent, incarnation }
    }

    pub(crate) fn send(&mut self, from: AgentId, to: AgentId, words: &str) -> Came<Receipt> {
        let caller = self.caller(from);
        self.send_as(caller, Target::Agent(to), words, None)
    }

    pub(crate) fn say(&mut self, from: AgentId, to: &str, words: &str) -> Came<Receipt> {
        let caller = self.caller(from);
        self.send_as(caller, Target::Spoken(to.into()), words, None)
    }

    pub(crate) fn instruct(&mut self, to: AgentId, words: &str) -> Came<Receipt> {
        self.send_as(Caller::User, Target::Agent(to), words, None)
    }

    pub(crate) fn send_as(
        &mut self,
        caller: Caller,
        to: Target,
        words: &str,
        key: Option<HostKey>,
    ) -> Came<Receipt> {
        let draft = Draft { to, content: Content::text(words) };
        self.send_draft(caller, draft, key)
    }

    pub(crate) fn send_draft(
        &mut self,
        caller: Caller,
        draft: Draft,
        key: Option<HostKey>,
    ) -> Came<Receipt> {
        let ticket = self.ticket();
        let patience = self.limits.parking_guest;
        self.act(Command::Send { ticket, caller, key, draft, patience });
        self.receipt(ticket)
    }

    pub(crate) fn send_to_many(
        &mut self,
        from: AgentId,
        to: Target,
        words: &str,
        key: Option<HostKey>,
    ) -> Came<Vec<Recipient>> {
        let (caller, ticket) = (self.caller(from), self.ticket());
        let draft = Draft { to, content: Content::text(words) };
        let patience = self.limits.parking_guest;
        self.act(Command::Send { ticket, caller, key, draft, patience });
        self.recipients(ticket)
    }

    /// What the send to many under this ticket came to by now.
    pub(crate) fn recipients(&self, ticket: Ticket) -> Came<Vec<Recipient>> {
        self.came(ticket, |answer| match answer {
            Answer::FannedOut(recipients) => Some(recipients),
            _ => None,
        })
    }

    /// What the send under this ticket came to by now.
    pub(crate) fn receipt(&self, ticket: Ticket) -> Came<Receipt> {
        self.came(ticket, |answer| match answer {
            Answer::Accepted(receipt) => Some(receipt),
            _ => None,
        })
    }

    /// The same send as before a crash, with its key.
    pub(crate) fn send_keyed(
        &mut self,
        from: AgentId,
        to: AgentId,
        words: &str,
        key: HostKey,
    ) -> Came<Receipt> {
        self.send_as(self.caller(from), Target::Agent(to), words, Some(key))
    }

    pub(crate) fn interrupt(&mut self, by: AgentId, target: AgentId) -> Came<Interruption> {
        let caller = self.caller(by);
        self.interrupt_as(caller, target)
    }

    pub(crate) fn interrupt_as(&mut self, caller: Caller, target: AgentId) -> Came<Interruption> {
        let ticket = self.ticket();
        self.act(Command::Interrupt {
            ticket,
            caller,
            key: None,
            target: Target::Agent(target),
            turn: None,
            cascade: false,
            reason: None,
        });
        self.interruption(ticket)
    }

    pub(crate) fn interruption(&self, ticket: Ticket) -> Came<Interruption> {
        self.came(ticket, |answer| match answer {
            Answer::Interrupted(interruption) => Some(interruption),
            _ => None,
        })
    }

    pub(crate) fn close(&mut self, caller: Caller, target: AgentId) -> Came<Closed> {
        self.close_keyed(caller, target, None)
    }

    pub(crate) fn close_keyed(
        &mut self,
        caller: Caller,
        target: AgentId,
        key: Option<HostKey>,
    ) -> Came<Closed> {
        let ticket = self.ticket();
        self.act(Command::Close { ticket, caller, key, target: Target::Agent(target) });
        self.came(ticket, |answer| match answer {
            Answer::Closed(closed) => Some(closed),
            _ => None,
        })
    }

    pub(crate) fn delete(&mut self, caller: Caller, target: AgentId) -> Came<Closed> {
        self.delete_at(caller, Target::Agent(target), None)
    }

    pub(crate) fn delete_at(
        &mut self,
        caller: Caller,
        target: Target,
        key: Option<HostKey>,
    ) -> Came<Closed> {
        let ticket = self.ticket();
        self.act(Command::Delete { ticket, caller, key, target });
        self.came(ticket, |answer| match answer {
            Answer::Deleted(closed) => Some(closed),
            _ => None,
        })
    }

    /// The person pauses these, or lets them go on.
    pub(crate) fn pause(&mut self, whom: Whom, paused: bool) -> Came<Vec<AgentId>> {
        let ticket = self.ticket();
        self.act(Command::Pause { ticket, whom, paused });
        self.came(ticket, |answer| match answer {
            Answer::Paused(agents) => Some(agents),
            _ => None,
        })
    }

    pub(crate) fn drain_trees(&mut self, caller: Caller, tops: &[AgentId]) -> Came<DrainedTrees> {
        let ticket = self.ticket();
        self.act(Command::DrainTrees { ticket, caller, targets: tops.to_vec() });
        self.drained(ticket)
    }

    /// What the drain under this ticket came to by now.
    pub(crate) fn drained(&self, ticket: Ticket) -> Came<DrainedTrees> {
        self.came(ticket, |answer| match answer {
            Answer::TreesDrained(drained) => Some(drained),
            _ => None,
        })
    }

    pub(super) fn came<T>(&self, ticket: Ticket, take: impl Fn(Answer) -> Option<T>) -> Came<T> {
        match self.answers.get(&ticket) {
            None => Came::Parked(ticket),
            Some(Answer::Refused(refusal)) => Came::Refused(refusal.clone()),
            Some(answer) => Came::To(take(answer.clone()).expect("the answer suits the call")),
        }
    }
}
