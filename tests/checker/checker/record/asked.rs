//! Requests that want one answer (HAND): each ends once, by whoever was asked, and is told once.

use std::collections::{BTreeMap, BTreeSet};

use switchboard_core::{
    AgentId, ClosingCause, Handshake, Notice, Reply, Request, RequestEnd, RequestId,
};

use super::Record;
use crate::checker::world::{Holds, holds};

/// A request without an end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Asked {
    kind: Handshake,
    /// Who asks; none is the person.
    by: Option<AgentId>,
    /// Who is to answer; none is the person.
    of: Option<AgentId>,
}

/// All requests, as the events have them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Requests {
    open: BTreeMap<u64, Asked>,
    last: u64,
    /// Those that have ended and whose end is to be told, until the command is decided.
    untold: BTreeMap<u64, AgentId>,
    /// Those who are to be put away, until the command is decided.
    ending: BTreeSet<AgentId>,
}

impl Requests {
    /// Nobody tells one that is deleted how its requests end.
    pub(super) fn forget(&mut self, deleted: AgentId) {
        self.untold.retain(|_, asker| *asker != deleted);
    }
}

impl Record {
    /// A request is asked, or of another than before.
    pub(super) fn asked(
        &mut self,
        request: &Request,
        by: Option<AgentId>,
        of: Option<AgentId>,
    ) -> Holds {
        let (number, kind) = (request.id.number(), request.body.kind());
        match self.requests.open.get(&number) {
            Some(open) => {
                let same = (open.kind, open.by) == (Handshake::Plan, by) && kind == Handshake::Plan;
                holds(same, "HAND-2", || format!("{} was {open:?}", request.id))?;
            }
            None => {
                let newer = number == self.requests.last + 1;
                holds(newer, "HAND-3", || format!("{} has ended or is none", request.id))?;
                self.requests.last = number;
            }
        }
        if let (Handshake::Plan, Some(planner)) = (kind, by) {
            self.known(planner).read_only = true;
        }
        self.requests.open.insert(number, Asked { kind, by, of });
        Ok(())
    }

    /// A request has its end.
    pub(super) fn answered(
        &mut self,
        request: RequestId,
        end: &RequestEnd,
        by: Option<AgentId>,
    ) -> Holds {
        let open = self.requests.open.remove(&request.number());
        holds(open.is_some(), "HAND-3", || format!("{request} ends and is not open"))?;
        let open = open.expect("it was looked for");
        if let Some(asker) = open.by.filter(|id| !self.agents[id].deleted) {
            self.requests.untold.insert(request.number(), asker);
        }
        match end {
            RequestEnd::Answered(reply) => self.says(request, open, reply, by),
            RequestEnd::Forced => {
                self.requests.ending.extend(open.of);
                holds(open.kind == Handshake::Shutdown, "HAND-1", || format!("{request} is forced"))
            }
            RequestEnd::Unanswered
            | RequestEnd::AlreadySettled
            | RequestEnd::Ended
            | RequestEnd::Superseded(_)
            | RequestEnd::Cancelled => Ok(()),
        }
    }

    fn says(
        &mut self,
        request: RequestId,
        open: Asked,
        reply: &Reply,
        by: Option<AgentId>,
    ) -> Holds {
        holds(open.of == by && open.kind == reply.kind(), "HAND-3", || {
            format!("{request} is {open:?} and {by:?} answers {reply:?}")
        })?;
        match (reply, open.by) {
            (Reply::Shutdown { approve: true, .. }, _) => self.requests.ending.extend(by),
            (Reply::Plan { approve: true, .. }, Some(planner)) => {
                self.known(planner).read_only = false;
            }
            _ => (),
        }
        Ok(())
    }

    /// Whoever asked is told how it ended.
    pub(super) fn end_told(&mut self, to: AgentId, notice: &Notice) -> Holds {
        let Notice::RequestClosed { request, .. } = notice else { return Ok(()) };
        let due = self.requests.untold.remove(&request.number()) == Some(to);
        holds(due, "HAND-3", || format!("{to} is told of {request} once too often"))
    }

    /// HAND-1: one is put away for a request if it agreed or did not answer, and only then.
    pub(super) fn shuts_down(&mut self, top: AgentId, cause: ClosingCause) -> Holds {
        let due = self.requests.ending.remove(&top);
        let fits = due == (cause == ClosingCause::ShutDown);
        holds(fits, "HAND-1", || format!("{top} is put away: {cause:?}"))
    }

    /// HAND-2: one that is to have its plan approved first stops, starts and ends nobody.
    pub(super) fn may_change(&self, by: Option<AgentId>, what: &str) -> Holds {
        let read_only = by.is_some_and(|id| self.agents[&id].read_only);
        holds(!read_only, "HAND-2", || format!("{by:?} may change nothing and {what}"))
    }

    /// What ended is told, and who agreed is put away, in the same breath.
    pub(super) fn requests_are_done(&self) -> Holds {
        let Requests { untold, ending, .. } = &self.requests;
        holds(untold.is_empty(), "HAND-3", || format!("{untold:?} ended and are told to nobody"))?;
        holds(ending.is_empty(), "HAND-1", || format!("{ending:?} are to be put away"))
    }

    /// The machine has those open that the events say are.
    pub(super) fn same_requests(&self, forest: &switchboard_core::Forest) -> Holds {
        let mut open = forest.requests();
        let same = self.requests.open.iter().all(|(number, asked)| {
            let next = open.next().map(|it| (it.request.id.number(), it.by, it.asked));
            next == Some((*number, asked.by, asked.of))
        });
        holds(same && open.next().is_none(), "HAND-3", || {
            format!("{:?} are open, and others in the machine", self.requests.open)
        })
    }
}
