//! Reading what the machine came to.

use switchboard_core::{
    Activity, Agent, AgentId, CancelCause, Claim, Effect, EndReason, Event, Message, MessageKind,
    Notice, RequestBody, RequestEnd, render,
};

use super::World;

impl World {
    pub(crate) fn known(&self, agent: AgentId) -> &Agent {
        self.forest.agent(agent).unwrap()
    }

    pub(crate) fn activity(&self, agent: AgentId) -> Activity {
        self.forest.agent(agent).unwrap().activity()
    }

    /// All messages accepted so far.
    pub(crate) fn messages(&self) -> Vec<Message> {
        let accepted = self.log.iter().filter_map(|event| match event {
            Event::Accepted { message, .. } => Some(message.clone()),
            Event::StartAdmitted { prompt, .. } => Some(prompt.clone()),
            Event::Released { notice, .. } => notice.clone(),
            _ => None,
        });
        accepted.collect()
    }

    /// What waits for the agent, as the words of it, notices as their kind.
    pub(crate) fn waiting(&self, agent: AgentId) -> Vec<String> {
        self.forest.agent(agent).unwrap().inbox.items().map(|item| words(&item.message)).collect()
    }

    /// What the open turn has claimed and made no step from.
    #[track_caller]
    pub(crate) fn claimed(&self, agent: AgentId) -> Vec<String> {
        let turn = self.forest.agent(agent).unwrap().turn.as_ref().expect("a turn is open");
        turn.claimed.iter().map(|item| words(&item.message)).collect()
    }

    /// The agent's claims, oldest first.
    pub(crate) fn claims(&self, of: AgentId) -> Vec<Claim> {
        let claim = |event: &Event| match event {
            Event::TurnOpened { agent, claim, .. } | Event::Claimed { agent, claim, .. } => {
                (*agent == of).then(|| claim.clone())
            }
            _ => None,
        };
        self.log.iter().filter_map(claim).collect()
    }

    /// What the agent's model reads of its latest claim, frame by frame.
    #[track_caller]
    pub(crate) fn frames(&self, agent: AgentId) -> Vec<String> {
        let claim = self.claims(agent).pop().expect("it has claimed something");
        let messages = self.messages();
        let frame = |shown: &switchboard_core::Shown| {
            let message = messages.iter().find(|message| message.id == shown.id).unwrap();
            render(message, *shown, &claim, &self.known(agent).descriptor)
        };
        claim.messages.iter().map(frame).collect()
    }

    /// Who was ordered away, in order.
    pub(crate) fn disposals(&self) -> Vec<AgentId> {
        let disposal = |effect: &Effect| match effect {
            Effect::Dispose { agent, .. } => Some(*agent),
            _ => None,
        };
        self.effects.iter().filter_map(disposal).collect()
    }

    /// Who was ordered up, in order.
    pub(crate) fn orders(&self) -> Vec<AgentId> {
        let order = |effect: &Effect| match effect {
            Effect::Materialise { agent, .. } => Some(*agent),
            _ => None,
        };
        self.effects.iter().filter_map(order).collect()
    }

    pub(crate) fn cancels(&self) -> Vec<(AgentId, CancelCause)> {
        let cancel = |effect: &Effect| match effect {
            Effect::CancelTurn { agent, cause, .. } => Some((*agent, *cause)),
            _ => None,
        };
        self.effects.iter().filter_map(cancel).collect()
    }

    pub(crate) fn count(&self, kind: &str) -> usize {
        self.log.iter().filter(|event| event.kind() == kind).count()
    }
}

/// The notices so far of stays that ended: whose, why, and with which closing text.
pub(crate) fn notices_of_rest(world: &World) -> Vec<(AgentId, EndReason, Option<String>)> {
    let told = world.messages().into_iter().filter_map(|message| match message.kind {
        MessageKind::Notice(Notice::Settled { child, reason, closing, .. }) => {
            Some((child, reason, closing.map(|words| words.to_string())))
        }
        _ => None,
    });
    told.collect()
}

/// A message in short, for comparing.
pub(crate) fn words(message: &Message) -> String {
    match &message.kind {
        MessageKind::Notice(notice) => match notice {
            Notice::Settled { reason, .. } => format!("<settled {reason}>"),
            Notice::Fates { ended } => format!("<fates {}>", ended.len()),
            Notice::ChildInterrupted { .. } => "<interrupted>".into(),
            Notice::StartFailed { .. } => "<start failed>".into(),
            Notice::RequestClosed { end, .. } => format!("<request {}>", ended(end)),
            Notice::LongChain { cause, .. } => format!("<long chain {}>", cause.hop),
            Notice::Acknowledged { .. } => "<acknowledged>".into(),
            Notice::Unacknowledged { messages, .. } => {
                format!("<unacknowledged {}>", messages.len())
            }
        },
        MessageKind::Request(request) => match &request.body {
            RequestBody::Shutdown { reason, .. } => format!("<end: {reason}>"),
            RequestBody::Plan { plan, .. } => format!("<plan: {plan}>"),
        },
        _ => message.content.plain(),
    }
}

fn ended(end: &RequestEnd) -> &'static str {
    match end {
        RequestEnd::Answered(reply) if reply.approves() => "approved",
        RequestEnd::Answered(_) => "refused",
        RequestEnd::Forced => "forced",
        RequestEnd::Unanswered => "unanswered",
        RequestEnd::AlreadySettled => "already settled",
        RequestEnd::Ended => "ended",
        RequestEnd::Superseded(_) => "superseded",
        RequestEnd::Cancelled => "cancelled",
    }
}
