//! What holds for requests that want one answer (HAND-3).

use std::collections::{BTreeMap, BTreeSet};

use switchboard_core::{AgentId, Event, Handshake, MessageKind, Request, RequestEnd, RequestId};
use switchboard_ledger::Stored;

use super::Check;

/// A request ends at most once, behind its asking, and is answered by whoever was asked last.
#[derive(Default)]
pub(super) struct Answers {
    /// Who is to answer those that are open; none is the person.
    open: BTreeMap<RequestId, Option<AgentId>>,
    ended: BTreeSet<RequestId>,
}

impl Answers {
    fn ask(&mut self, seq: u64, id: RequestId, of: Option<AgentId>, found: &mut Vec<String>) {
        if self.ended.contains(&id) {
            found.push(format!("record {seq}: {id} is asked again behind its end"));
        }
        self.open.insert(id, of);
    }
}

impl Check for Answers {
    fn promise(&self) -> &'static str {
        "a request ends once, and is answered by whoever was asked"
    }

    fn see(&mut self, stored: &Stored, found: &mut Vec<String>) {
        let seq = stored.seq;
        match &stored.event {
            Event::Accepted { message, .. } => {
                if let MessageKind::Request(request) = &message.kind {
                    self.ask(seq, request.id, Some(message.to), found);
                }
            }
            Event::RequestRaised { agent, request, .. } => {
                self.ask(seq, request.id, answerer(request, *agent), found);
            }
            Event::RequestClosed { request, end, by, .. } => {
                let asked = self.open.remove(request);
                match (asked, end) {
                    (None, _) => found.push(format!("record {seq}: {request} ends unasked")),
                    (Some(asked), RequestEnd::Answered(_)) if asked != *by => {
                        found.push(format!("record {seq}: {request} is answered by another"));
                    }
                    (Some(_), _) => {}
                }
                self.ended.insert(*request);
            }
            _ => {}
        }
    }
}

/// Who is to answer what no agent has to read.
fn answerer(request: &Request, agent: AgentId) -> Option<AgentId> {
    match request.body.kind() {
        Handshake::Shutdown => Some(agent),
        Handshake::Plan => None,
    }
}
