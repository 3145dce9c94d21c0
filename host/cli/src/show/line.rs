//! One event, one line: when, who, what.

use switchboard_core::{
    AgentId, Claim, ClosingCause, Delivery, Event, Handshake, Interruption, Message, Terms,
    ToolUse, TurnEnd,
};
use switchboard_ledger::Stored;

use crate::show::book::{Book, HOST, PERSON, kind};
use crate::show::paint::{Paint, Role};
use crate::show::words::{self, BODY, NOTE};
use crate::show::{requests, safe};

/// Columns for who acts.
const WHO: usize = 14;

/// The line for an event. The book must have learnt it already.
pub fn line(book: &Book, paint: Paint, stored: &Stored) -> String {
    let teller = Teller { book, paint };
    let time = paint.paint(Role::Aside, &stored.at.to_string());
    let (who, role) = teller.who(&stored.event);
    let who = paint.paint(role, &safe::padded(&who, WHO));
    format!("{time}  {who} {}", teller.what(&stored.event))
}

struct Teller<'a> {
    book: &'a Book,
    paint: Paint,
}

impl Teller<'_> {
    /// Who acts: the sender of a message, else whose life it is.
    fn who(&self, event: &Event) -> (String, Role) {
        let agent = match event {
            Event::Accepted { message, .. } => match &message.from {
                switchboard_core::Sender::Agent { id, .. } => Some(*id),
                sender => return (self.book.sender(sender), Role::Strong),
            },
            Event::InterruptAdmitted { by: None, .. } | Event::RequestRaised { by: None, .. } => {
                return (PERSON.to_owned(), Role::Strong);
            }
            Event::InterruptAdmitted { by, .. } | Event::RequestRaised { by, .. } => *by,
            other => other.agent(),
        };
        match agent {
            Some(agent) => (self.book.label(agent), self.book.role(agent)),
            None => (HOST.to_owned(), Role::Strong),
        }
    }

    fn what(&self, event: &Event) -> String {
        match event {
            Event::ForestOpened { format, tag } => {
                self.aside(&format!("ledger {tag} begins, format {format}"))
            }
            Event::HostStarted => self.aside("a host took the ledger up"),
            Event::AgentRegistered { descriptor, .. } => {
                format!("is a root; its model is {}", safe::line(&descriptor.model, BODY))
            }
            Event::StartAdmitted { parent, prompt, .. } => {
                format!("started by {}: {}", self.book.label(*parent), self.body(prompt))
            }
            Event::StartWithdrawn { reason, .. } => {
                self.warning(&format!("will not start; task {}", words::dropped(*reason)))
            }
            Event::ResumeOrdered { incarnation, .. } => {
                format!("is brought back, incarnation {incarnation}")
            }
            Event::Published { incarnation, .. } => {
                self.aside(&format!("is up, incarnation {incarnation}"))
            }
            Event::ResumeFailed { why, .. } => {
                self.bad(&format!("could not be brought up: {}", safe::line(why, BODY)))
            }
            Event::Accepted { message, terms } => self.accepted(message, terms.as_ref()),
            Event::TurnOpened { turn, claim, .. } => format!("{turn} begins{}", self.with(claim)),
            Event::Claimed { turn, step, claim, .. } => {
                self.strong(&format!("step {step} of {turn} steered{}", self.with(claim)))
            }
            Event::ClaimReturned { messages, .. } => {
                self.warning(&format!("puts {} back into its inbox", words::list(messages)))
            }
            Event::StepRecorded { step, text, calls, .. } => said(*step, text, calls),
            Event::CallEnded { agent, call, record, .. } => {
                let tool = safe::line(self.book.tool(*agent, *call), BODY);
                let took = words::duration(record.usage.ran().0);
                let outcome = self.outcome(&record.outcome);
                format!("← {tool} {outcome} in {took}: {}", self.quoted(&record.text))
            }
            Event::TurnEnded { .. } => self.turn_ended(event),
            Event::InterruptAdmitted { answer, reason, .. } => {
                self.interrupted(answer, reason.as_deref())
            }
            Event::RequestRaised { agent, request, .. } => {
                let of = match request.body.kind() {
                    Handshake::Shutdown => self.book.label(*agent),
                    Handshake::Plan => PERSON.to_owned(),
                };
                self.strong(&format!(
                    "asks {of} to {}",
                    safe::line(&requests::asked(request), BODY)
                ))
            }
            Event::RequestClosed { request, end, .. } => {
                self.strong(&format!("{request} {}", safe::line(&requests::ended(end), BODY)))
            }
            Event::Dropped { messages, reason, .. } => {
                let why = words::dropped(*reason);
                self.warning(&format!("{} dropped ({why})", words::list(messages)))
            }
            Event::Closing { subtree, cause, by, .. } => {
                let below = subtree.iter().skip(1).map(|agent| self.book.label(*agent));
                let below = words::list(below);
                let with = if below.is_empty() { below } else { format!(", with {below}") };
                self.aside(&format!("is put away: {}{}{with}", closing(*cause), self.by(*by)))
            }
            Event::Paused { agents, .. } => {
                self.strong(&format!("paused: {}", self.labels(agents)))
            }
            Event::Resumed { agents, .. } => {
                self.strong(&format!("goes on: {}", self.labels(agents)))
            }
            Event::Deleted { by, .. } => {
                self.warning(&format!("is deleted{}, with all below it", self.by(*by)))
            }
            Event::Released { incarnation, reason, notice, abandoned, .. } => {
                let told = notice.as_ref().map_or(String::new(), |notice| {
                    format!("; {} told in {}", self.book.label(notice.to), notice.id)
                });
                let given_up = if *abandoned { ", given up on" } else { "" };
                let reason = words::end_reason(*reason);
                format!("incarnation {incarnation} is over{given_up}: {reason}{told}")
            }
        }
    }

    fn labels(&self, agents: &[AgentId]) -> String {
        words::list(agents.iter().map(|agent| self.book.label(*agent)))
    }

    fn by(&self, agent: Option<AgentId>) -> String {
        agent.map_or(String::new(), |agent| format!(" by {}", self.book.label(agent)))
    }

    fn accepted(&self, message: &Message, terms: Option<&Terms>) -> String {
        let to = self.book.painted(self.paint, message.to);
        let how = match terms.map(|terms| terms.delivery) {
            Some(Delivery::Delivered) => "starts a turn",
            Some(Delivery::Queued) | None => words::schedule(message),
        };
        let aside = self.aside(&format!("({}, {how})", message.id));
        format!("→ {to} {}: {} {aside}", kind(&message.kind), self.body(message))
    }

    fn with(&self, claim: &Claim) -> String {
        if claim.messages.is_empty() {
            return String::new();
        }
        let left =
            if claim.left > 0 { format!("; {} more wait", claim.left) } else { String::new() };
        format!(" with {}{left}", words::shown(self.book, &claim.messages))
    }

    fn turn_ended(&self, event: &Event) -> String {
        let Event::TurnEnded { turn, end, dropped, returned, cut, never_started, note, agent } =
            event
        else {
            return String::new();
        };
        let mut text = format!("{turn} {}", words::turn_end(*end));
        for (what, ids) in [("dropped", dropped), ("put back into the inbox", returned)] {
            if !ids.is_empty() {
                text.push_str(&format!("; {what} {}", words::list(ids)));
            }
        }
        if !cut.is_empty() {
            let tools = cut.iter().map(|call| safe::line(self.book.tool(*agent, *call), BODY));
            let what = if *never_started { "never started" } else { "cut" };
            text.push_str(&format!("; {what} {}", words::list(tools)));
        }
        if let Some(note) = note {
            text.push_str(&format!(": {}", safe::line(note, NOTE)));
        }
        self.paint.paint(end_role(*end), &text)
    }

    fn interrupted(&self, answer: &Interruption, reason: Option<&str>) -> String {
        let all = std::iter::once(&answer.target).chain(&answer.below);
        let stopped = words::list(all.map(|one| words::stopped(self.book, one)));
        let mut text = format!("interrupts: {stopped}");
        if !answer.calls_cut.is_empty() {
            let calls = answer.calls_cut.iter().map(|call| safe::line(call, BODY));
            text.push_str(&format!("; in flight: {}", words::list(calls)));
        }
        if !answer.still_running.is_empty() {
            let running = answer.still_running.iter().map(|agent| self.book.label(*agent));
            text.push_str(&format!("; {} keep running", words::list(running)));
        }
        if let Some(reason) = reason {
            text.push_str(&format!(" “{}”", safe::line(reason, BODY)));
        }
        self.warning(&text)
    }

    fn body(&self, message: &Message) -> String {
        words::body(message, BODY)
    }

    fn quoted(&self, text: &str) -> String {
        self.aside(&format!("“{}”", safe::line(text, BODY)))
    }

    fn outcome(&self, outcome: &str) -> String {
        let role = if outcome == "done" { Role::Good } else { Role::Bad };
        self.paint.paint(role, &safe::line(outcome, BODY))
    }

    fn aside(&self, text: &str) -> String {
        self.paint.paint(Role::Aside, text)
    }

    fn strong(&self, text: &str) -> String {
        self.paint.paint(Role::Strong, text)
    }

    fn warning(&self, text: &str) -> String {
        self.paint.paint(Role::Warning, text)
    }

    fn bad(&self, text: &str) -> String {
        self.paint.paint(Role::Bad, text)
    }
}

fn said(step: u32, text: &str, calls: &[ToolUse]) -> String {
    let mut parts = Vec::new();
    if !text.trim().is_empty() {
        parts.push(format!("“{}”", safe::line(text, BODY)));
    }
    parts.extend(calls.iter().map(|call| format!("calls {}", words::call(call))));
    format!("step {step}: {}", parts.join(" · "))
}

fn closing(cause: ClosingCause) -> &'static str {
    match cause {
        ClosingCause::Settled => "settled",
        ClosingCause::Closed => "closed",
        ClosingCause::PutAway => "parked for long",
        ClosingCause::Lost => "could not be brought back",
        ClosingCause::Deleted => "deleted",
        ClosingCause::Drained => "drained",
        ClosingCause::ShutDown => "was asked to",
    }
}

fn end_role(end: TurnEnd) -> Role {
    match end {
        TurnEnd::Completed => Role::Good,
        TurnEnd::Ceiling | TurnEnd::Interrupted | TurnEnd::Aborted => Role::Warning,
        TurnEnd::Refusal | TurnEnd::Error => Role::Bad,
    }
}
