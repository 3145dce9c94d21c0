//! The control plane as tools reach it: the board, spoken to by the agents its host knows.

use std::collections::BTreeMap;
use std::sync::Arc;

use switchboard_core::{
    Answer, Caller, Closed, Command, Content, Descriptor, Draft, HostKey, Interruption, MessageId,
    Receipt, Refusal, Reply, RequestBody, RequestId, Requested, Responded, Roster, RosterQuery,
    Row, StartRequest, Started, Target, TurnId,
};

use crate::fate::MessageStanding;
use crate::lanes::Lane;
use crate::plane::{ControlPlane, Sent, StartDraft};
use crate::recent::{Recent, RecentQuery};
use crate::screen::Screen;
use crate::switchboard::{Switchboard, accepted, closed, deleted, interrupted};
use crate::tools::BoxFuture;

impl ControlPlane for Switchboard {
    fn send(
        &self,
        caller: Caller,
        key: HostKey,
        draft: Draft,
    ) -> BoxFuture<'_, Result<Sent, Refusal>> {
        let (key, patience) = (Some(key), self.parts.limits.parking_guest);
        Box::pin(async move {
            let (content, screen) = Screen::of(draft.content, &self.parts.limits);
            let draft = Draft { content, ..draft };
            let send = |ticket| Command::Send { ticket, caller, key, draft, patience };
            screen.answer(self.call(Lane::Requests, send, sent).await)
        })
    }

    fn interrupt(
        &self,
        caller: Caller,
        key: HostKey,
        target: Target,
        turn: Option<TurnId>,
        cascade: bool,
        reason: Option<String>,
    ) -> BoxFuture<'_, Result<Interruption, Refusal>> {
        let key = Some(key);
        Box::pin(async move {
            let interrupt =
                |ticket| Command::Interrupt { ticket, caller, key, target, turn, cascade, reason };
            self.call(Lane::Control, interrupt, interrupted).await
        })
    }

    fn acknowledge(
        &self,
        caller: Caller,
        key: HostKey,
        message: MessageId,
        note: Option<String>,
    ) -> BoxFuture<'_, Result<Receipt, Refusal>> {
        let key = Some(key);
        Box::pin(async move {
            let acknowledge = |ticket| Command::Acknowledge { ticket, caller, key, message, note };
            self.call(Lane::Requests, acknowledge, accepted).await
        })
    }

    fn request(
        &self,
        caller: Caller,
        key: HostKey,
        to: Target,
        body: RequestBody,
    ) -> BoxFuture<'_, Result<Requested, Refusal>> {
        Box::pin(self.ask_for(caller, Some(key), to, body))
    }

    fn respond(
        &self,
        caller: Caller,
        key: HostKey,
        request: RequestId,
        reply: Reply,
    ) -> BoxFuture<'_, Result<Responded, Refusal>> {
        Box::pin(self.respond_as(caller, Some(key), request, reply))
    }

    fn start(
        &self,
        caller: Caller,
        key: HostKey,
        draft: StartDraft,
    ) -> BoxFuture<'_, Result<Started, Refusal>> {
        let key = Some(key);
        Box::pin(async move {
            let (prompt, screen) = Screen::of(Content::text(draft.prompt), &self.parts.limits);
            let draft = StartDraft { prompt: prompt.plain(), ..draft };
            let request = request(&self.parts.kinds, draft);
            let start = |ticket| Command::Start { ticket, caller, key, request };
            screen.answer(self.call(Lane::Requests, start, started).await)
        })
    }

    fn close(
        &self,
        caller: Caller,
        key: HostKey,
        target: Target,
    ) -> BoxFuture<'_, Result<Closed, Refusal>> {
        let key = Some(key);
        Box::pin(async move {
            let close = |ticket| Command::Close { ticket, caller, key, target };
            self.call(Lane::Control, close, closed).await
        })
    }

    fn delete(
        &self,
        caller: Caller,
        key: HostKey,
        target: Target,
    ) -> BoxFuture<'_, Result<Closed, Refusal>> {
        let key = Some(key);
        Box::pin(async move {
            let delete = |ticket| Command::Delete { ticket, caller, key, target };
            self.call(Lane::Control, delete, deleted).await
        })
    }

    fn message(
        &self,
        caller: Caller,
        id: MessageId,
    ) -> BoxFuture<'_, Result<Option<MessageStanding>, Refusal>> {
        Box::pin(self.message_for(caller, id))
    }

    fn list_agents(
        &self,
        caller: Caller,
        query: RosterQuery,
    ) -> BoxFuture<'_, Result<Roster, Refusal>> {
        Box::pin(async move { self.inspect(move |forest| forest.roster(caller, query)).await? })
    }

    fn get_agent(&self, caller: Caller, target: Target) -> BoxFuture<'_, Result<Row, Refusal>> {
        Box::pin(async move { self.inspect(move |forest| forest.observed(caller, &target)).await? })
    }

    fn recent_messages(
        &self,
        caller: Caller,
        query: RecentQuery,
    ) -> BoxFuture<'_, Result<Recent, Refusal>> {
        Box::pin(self.recent_for(caller, query))
    }
}

/// What the machine is asked for, with what the host knows of the kind. Whether this starter may
/// have it, the machine says: a repeated start gets its first answer, whatever became of the kind.
fn request(kinds: &BTreeMap<String, Arc<Descriptor>>, draft: StartDraft) -> StartRequest {
    let StartDraft { agent: kind, description, prompt, background, fork } = draft;
    let descriptor = kinds.get(&kind).cloned();
    StartRequest { kind, descriptor, description, prompt, background, fork }
}

fn sent(answer: Answer) -> Option<Sent> {
    match answer {
        Answer::Accepted(receipt) => Some(Sent::ToOne(receipt)),
        Answer::FannedOut(recipients) => Some(Sent::ToMany(recipients)),
        _ => None,
    }
}

fn started(answer: Answer) -> Option<Started> {
    match answer {
        Answer::Started(started) => Some(started),
        _ => None,
    }
}
