//! What requests leave in the facts (HAND): who asks, who is to answer, and who may change nothing
//! until then.

use super::{Facts, spoken_by};
use crate::event::Terms;
use crate::handshake::{Asked, Handshake, OpenRequest, Request, RequestEnd, Requested, Responded};
use crate::ids::{AgentId, RequestId};
use crate::kept::Kept;
use crate::key::HostKey;
use crate::message::{Message, MessageKind};
use crate::receipt::Receipt;
use crate::time::WallTime;

impl Facts {
    pub(crate) fn next_request(&self) -> RequestId {
        self.requests.next(self.tag)
    }

    /// A request is in the inbox of whoever is to answer it.
    pub(super) fn asked(&mut self, message: &Message, terms: Option<&Terms>) {
        let MessageKind::Request(request) = &message.kind else { return };
        let open = OpenRequest {
            request: request.clone(),
            by: spoken_by(message),
            asked: Some(message.to),
            message: Some(message.id),
            at: message.at,
            claimed: None,
        };
        self.put_request(open);
        let Some((terms, key)) = terms.and_then(|terms| Some((terms, terms.key?))) else { return };
        let receipt = super::receipt(message, terms, self.agent(message.to).name.clone());
        self.keep_requested(spoken_by(message), key, request, Asked::Agent(receipt));
    }

    /// A request that no agent has to read.
    pub(super) fn raised(
        &mut self,
        agent: AgentId,
        request: &Request,
        by: Option<AgentId>,
        key: Option<HostKey>,
        at: WallTime,
    ) {
        let (asked, answer) = match request.body.kind() {
            Handshake::Shutdown => {
                let name = self.agent(agent).name.clone();
                (Some(agent), Asked::Settled(agent, name))
            }
            Handshake::Plan => (None, Asked::Person),
        };
        let request = request.clone();
        let (message, claimed) = (None, None);
        if let Some(key) = key {
            self.keep_requested(by, key, &request, answer);
        }
        self.put_request(OpenRequest { request, by, asked, message, at, claimed });
    }

    fn put_request(&mut self, open: OpenRequest) {
        let plans = open.by.filter(|_| open.request.body.kind() == Handshake::Plan);
        self.requests.put(open);
        if let Some(id) = plans {
            self.mutate(id, |agent| agent.read_only = true);
        }
    }

    fn keep_requested(
        &mut self,
        by: Option<AgentId>,
        key: HostKey,
        request: &Request,
        asked: Asked,
    ) {
        let Some(by) = by else { return };
        let requested = Requested { request: request.id, asked, repeated: false };
        let kept = Kept::Requested { body: request.body.digest(), requested };
        let most = self.receipts;
        self.mutate(by, |agent| agent.kept.keep(key, kept, most));
    }

    /// A request has ended. Of a plan it is told whether its agent may change things now.
    pub(super) fn request_ended(
        &mut self,
        request: RequestId,
        end: &RequestEnd,
        by: Option<AgentId>,
        key: Option<HostKey>,
    ) {
        let most = self.receipts;
        let Some(open) = self.requests.end(request, most) else { return };
        let RequestEnd::Answered(reply) = end else { return };
        let plans = open.by.filter(|_| reply.kind() == Handshake::Plan && reply.approves());
        if let Some(id) = plans {
            self.mutate(id, |agent| agent.read_only = false);
        }
        if let (Some(by), Some(key)) = (by, key) {
            let responded = Responded { request, to: open.by, repeated: false };
            let kept = Kept::Responded { reply: reply.digest(), responded };
            self.mutate(by, |agent| agent.kept.keep(key, kept, most));
        }
    }
}

/// The first answer of a key, given again.
pub(crate) fn again(requested: &Requested) -> Requested {
    let asked = match &requested.asked {
        Asked::Agent(receipt) => Asked::Agent(Receipt { repeated: true, ..receipt.clone() }),
        asked @ (Asked::Person | Asked::Settled(..)) => asked.clone(),
    };
    Requested { request: requested.request, asked, repeated: true }
}
