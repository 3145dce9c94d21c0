//! Requests that want one answer (HAND), as agents and the person make and answer them.

use switchboard_core::{
    AgentId, Answer, Caller, Command, Forest, HostKey, OpenRequest, Refusal, Reply, RequestBody,
    RequestId, Requested, Responded, Target,
};

use crate::lanes::Lane;
use crate::screen::Screen;
use crate::switchboard::Switchboard;

impl Switchboard {
    /// Asks an agent to come to an end (HAND-1): `body` is a shutdown. How that ends is an
    /// event, `request-closed`; without an answer in time the agent is put away by force.
    ///
    /// # Errors
    /// `unreachable` if there is no such agent; `invalid-argument` for a request that says nothing.
    pub async fn ask(&self, agent: AgentId, body: RequestBody) -> Result<Requested, Refusal> {
        self.ask_for(Caller::User, None, Target::Agent(agent), body).await
    }

    /// The requests that the person is to answer, oldest first: plans of roots, and of those above
    /// whom nobody is left (HAND-2).
    ///
    /// # Errors
    /// As for [`Switchboard::inspect`].
    pub async fn requests(&self) -> Result<Vec<OpenRequest>, Refusal> {
        self.inspect(|forest: &Forest| forest.requests_for(None).cloned().collect()).await
    }

    /// Answers a request as the person. It counts once (HAND-3).
    ///
    /// # Errors
    /// `not-found` for one that the person is not asked; `already-answered`.
    pub async fn respond(&self, request: RequestId, reply: Reply) -> Result<Responded, Refusal> {
        self.respond_as(Caller::User, None, request, reply).await
    }

    pub(crate) async fn ask_for(
        &self,
        caller: Caller,
        key: Option<HostKey>,
        to: Target,
        body: RequestBody,
    ) -> Result<Requested, Refusal> {
        let (body, screen) = Screen::of_ask(body, &self.parts.limits);
        let request = |ticket| Command::Request { ticket, caller, key, to, body };
        screen.answer(self.call(Lane::Control, request, requested).await)
    }

    pub(crate) async fn respond_as(
        &self,
        caller: Caller,
        key: Option<HostKey>,
        request: RequestId,
        reply: Reply,
    ) -> Result<Responded, Refusal> {
        let respond = |ticket| Command::Respond { ticket, caller, key, request, reply };
        self.call(Lane::Control, respond, responded).await
    }
}

fn requested(answer: Answer) -> Option<Requested> {
    match answer {
        Answer::Requested(requested) => Some(requested),
        _ => None,
    }
}

fn responded(answer: Answer) -> Option<Responded> {
    match answer {
        Answer::Responded(responded) => Some(responded),
        _ => None,
    }
}
