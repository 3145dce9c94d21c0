//! What becomes of open requests (HAND): they end once, go to another when who is asked goes away,
//! and have an answer of the host's when nobody gives one.

use super::{Forest, Work};
use crate::agent::Life;
use crate::command::Timer;
use crate::event::{ClosingCause, Event};
use crate::handshake::{Handshake, OpenRequest, RequestEnd};
use crate::ids::{AgentId, RequestId};
use crate::inbox::Item;
use crate::key::HostKey;
use crate::message::{MessageKind, Schedule};
use crate::notice::Notice;
use crate::receipt::DropReason;
use crate::time::Millis;

impl Forest {
    /// Ends a request, gives up its message where nobody has read it, and tells whoever asked:
    /// exactly once, since it ends once.
    pub(super) fn close_request(
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
        self.end_shutdowns(work, gone);
        for OpenRequest { request, by, .. } in self.asked_for(gone, Handshake::Plan) {
            let Some(planner) = by else { continue };
            let cause = self.facts.agent(planner).cause;
            self.put_to_answerer(work, planner, request, None, cause);
            self.drop_moot(work, gone);
        }
    }

    /// One that is not in memory any more need not come to an end.
    pub(super) fn end_shutdowns(&mut self, work: &mut Work, gone: AgentId) {
        for open in self.asked_for(gone, Handshake::Shutdown) {
            self.close_request(work, open.request.id, RequestEnd::Ended, None);
        }
    }

    fn asked_for(&self, who: AgentId, kind: Handshake) -> Vec<OpenRequest> {
        let asked = self.facts.requests.asked_of(Some(who));
        asked.filter(|open| open.request.body.kind() == kind).cloned().collect()
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

    /// Puts an agent away that agreed to it, or did not answer. As after a close its mail is
    /// marked: an end that the next unread message undoes would be none.
    pub(super) fn shut_down(&mut self, work: &mut Work, id: AgentId) {
        let mark = Some(self.facts.last_message);
        self.begin_closing(work, id, ClosingCause::ShutDown, mark);
    }
}
