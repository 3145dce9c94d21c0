//! Messages and notices between agents, shown as the real host shows them.

use std::sync::Arc;

use switchboard_core::{
    Claim, Content, Descriptor, EndReason, LedgerTag, Message, MessageId, MessageKind, Mode, Nonce,
    Notice, Relationship, ReportTool, Schedule, Sender, Shown, WallTime, render,
};

use super::agent::{Agent, Mail};
use super::{Sent, World};

impl World {
    /// The person speaks to the root.
    pub(super) fn instruct(&mut self, input: &str) {
        self.accept(0, Sender::User, MessageKind::Instruction, input, Schedule::NextTurn);
    }

    pub(super) fn prompt(&mut self, parent: usize, child: usize, prompt: &str) {
        let from = self.sender(parent, Relationship::Parent);
        self.accept(child, from, MessageKind::Prompt, prompt, Schedule::NextTurn);
        self.note(parent, child, prompt);
    }

    pub(super) fn relay(&mut self, from: usize, to: usize, words: &str) {
        let down = self.agents[to].parent == Some(from);
        let kinship = if down { Relationship::Parent } else { Relationship::Child };
        let sender = self.sender(from, kinship);
        if !self.agents[to].resident {
            self.agents[to].resident = true;
            self.course.cold_resumes += 1;
        }
        self.accept(to, sender, MessageKind::Relay, words, Schedule::NextStep);
        self.note(from, to, words);
    }

    /// The host tells a parent that its child has come to rest: at the next step of a turn that
    /// runs, or with a turn of its own.
    pub(super) fn notice(&mut self, child: usize) {
        let Some(parent) = self.agents[child].parent else { return };
        let settled = &self.agents[child];
        let closing = settled.last_words().to_owned();
        let notice = Notice::Settled {
            child: settled.id,
            name: settled.name.clone(),
            reason: EndReason::Completed,
            closing: Some(closing.as_str().into()),
            unacknowledged: 0,
            afterwards: Default::default(),
        };
        let busy = self.agents[parent].turn.is_some();
        let schedule = if busy { Schedule::NextStep } else { Schedule::NextTurn };
        self.accept(parent, Sender::Host, MessageKind::Notice(notice), "", schedule);
        self.note(child, parent, &format!("at rest: {closing}"));
    }

    fn sender(&self, index: usize, relationship: Relationship) -> Sender {
        let Agent { id, name, .. } = &self.agents[index];
        Sender::Agent { id: *id, name: name.clone(), relationship }
    }

    fn note(&mut self, from: usize, to: usize, words: &str) {
        let name = |index: usize| self.agents[index].name.to_string();
        let sent: Sent = (name(from), name(to), words.to_owned());
        self.sent.push(sent);
    }

    fn accept(&mut self, to: usize, from: Sender, kind: MessageKind, words: &str, at: Schedule) {
        self.messages += 1;
        let message = Message {
            id: MessageId::new(LedgerTag::new(7), self.messages),
            from,
            to: self.agents[to].id,
            kind,
            content: Arc::new(Content::text(words)),
            schedule: at,
            wakes: true,
            at: WallTime::default(),
            cause: None,
        };
        let mail = Mail { message, showings: 0 };
        match at {
            Schedule::NextStep => self.agents[to].inbox.next_step.push_back(mail),
            Schedule::NextTurn => self.agents[to].inbox.next_turn.push_back(mail),
        }
    }
}

/// The frame of one claimed message.
pub(super) fn frame(mail: &Mail, nonce: u64) -> Arc<str> {
    let shown = Shown { id: mail.message.id, delivery: mail.showings };
    let nonce = Nonce(nonce);
    let claim = Claim { messages: vec![shown], left: 0, nonce, at: WallTime::default() };
    render(&mail.message, shown, &claim, &reader()).into()
}

/// Any agent that can report; its first message tells it how.
fn reader() -> Descriptor {
    let example = r#"{"agent_id":"{parent}","message":"what you found or did"}"#.to_owned();
    let reports = Some(ReportTool { tool: "send_message".into(), example });
    Descriptor { reports, ..Descriptor::new("reviewer", Mode::Continuable, "") }
}
