//! The whole story of a ledger: who said what to whom and at which step it was read, interrupts
//! and what they cut, stays in memory, notices after reports, and how every message ended.

use switchboard_core::{AgentId, MessageKind, Notice, Sender};
use switchboard_runtime::Mail;

use crate::show::book::PERSON;
use crate::show::chronicle::{Began, Chronicle, Interrupt, Stay};
use crate::show::letter;
use crate::show::paint::{Paint, Role};
use crate::show::safe;
use crate::show::standing::{standing, word};
use crate::show::summary::summary;
use crate::show::words::{self, BODY};

/// The lines of the story.
pub fn story(chronicle: &Chronicle, paint: Paint) -> Vec<String> {
    let teller = Teller { chronicle, paint };
    let messages = chronicle.messages.values().flat_map(|mail| teller.message(mail));
    let mut lines = Vec::new();
    teller.chapter(&mut lines, "Who said what to whom", messages);
    let interrupts = chronicle.interrupts.iter().flat_map(|interrupt| teller.interrupt(interrupt));
    teller.chapter(&mut lines, "Interrupts", interrupts);
    let stays = chronicle.book.agents().flat_map(|agent| teller.stays(agent));
    teller.chapter(&mut lines, "When each agent was in memory", stays);
    let notices = chronicle.messages.values().filter_map(|mail| teller.notice(mail));
    teller.chapter(&mut lines, "How parents heard that a child was done", notices);
    let numbers = summary(chronicle);
    let numbers = numbers.iter().map(|(what, line)| format!("{} {line}", safe::padded(what, 12)));
    teller.chapter(&mut lines, "In numbers", numbers);
    lines
}

struct Teller<'a> {
    chronicle: &'a Chronicle,
    paint: Paint,
}

impl Teller<'_> {
    fn chapter(&self, to: &mut Vec<String>, head: &str, lines: impl Iterator<Item = String>) {
        let mut lines = lines.peekable();
        if lines.peek().is_none() {
            return;
        }
        if !to.is_empty() {
            to.push(String::new());
        }
        to.push(self.paint.paint(Role::Strong, head));
        to.extend(lines.map(|line| format!("  {line}")));
    }

    /// What was said, and below it where it was read and how it ended.
    fn message(&self, mail: &Mail) -> Vec<String> {
        let at = self.paint.paint(Role::Aside, &mail.message.at.to_string());
        let head = letter::head(&self.chronicle.book, self.paint, &mail.message);
        let showings = mail.showings.iter().map(|showing| letter::showing(self.paint, *showing));
        let stands = match mail.standing.fate() {
            Some(_) => word(mail.standing),
            None => standing(&self.chronicle.book, mail),
        };
        let became = words::list(showings.chain([stands]));
        vec![format!("{at}  {head}"), format!("{:15}└ {became}", "")]
    }

    fn interrupt(&self, interrupt: &Interrupt) -> Vec<String> {
        let book = &self.chronicle.book;
        let by = interrupt.by.map_or(PERSON.to_owned(), |by| book.painted(self.paint, by));
        let answer = &interrupt.answer;
        let all = std::iter::once(&answer.target).chain(&answer.below);
        let stopped = words::list(all.map(|one| words::stopped(book, one)));
        let why = interrupt.reason.as_deref();
        let why = why.map_or(String::new(), |why| format!(" “{}”", safe::line(why, BODY)));
        let mut lines = vec![format!("{}  {by} interrupts: {stopped}{why}", interrupt.at)];
        let calls = match answer.calls_cut.as_slice() {
            [] => "no call was in flight".to_owned(),
            cut => {
                let cut = cut.iter().map(|call| safe::line(call, BODY));
                format!("in flight: {}", words::list(cut))
            }
        };
        let parked = match usize::try_from(answer.parked).unwrap_or(usize::MAX) {
            0 => String::new(),
            some => {
                let messages = words::count(some, "message");
                format!("; {messages} parked until something newer comes")
            }
        };
        lines.push(format!("{:15}└ {calls}{parked}", ""));
        lines
    }

    fn stays(&self, agent: AgentId) -> Vec<String> {
        let label = self.chronicle.book.label(agent);
        let padded = safe::padded(&label, 16);
        let painted = self.paint.paint(self.chronicle.book.role(agent), &padded);
        self.chronicle
            .stays_of(agent)
            .map(|stay| format!("{painted} {}", self.stay(stay)))
            .collect()
    }

    fn stay(&self, stay: &Stay) -> String {
        let began = match stay.began {
            Began::First => "started",
            Began::ColdResume => "brought back after it was put away (a cold resume)",
            Began::Rebuilt => "brought back after a restart or a failure",
        };
        let end = match &stay.end {
            None => "in memory to the last record".to_owned(),
            Some((reason, told)) => {
                let told = told.map_or("nobody was told".to_owned(), |notice| {
                    format!("its parent was told in {notice}")
                });
                format!("put away ({}), {told}", words::end_reason(*reason))
            }
        };
        format!("incarnation {} from {}: {began}; {end}", stay.incarnation, stay.from)
    }

    /// A settlement and the last report the child had sent before it.
    fn notice(&self, mail: &Mail) -> Option<String> {
        let MessageKind::Notice(Notice::Settled { child, reason, .. }) = &mail.message.kind else {
            return None;
        };
        let mut reports = self.chronicle.messages.values().filter(|other| {
            let by_child = matches!(&other.message.from, Sender::Agent { id, .. } if id == child);
            by_child && other.message.to == mail.message.to && other.seq < mail.seq
        });
        let after = match reports.next_back() {
            Some(report) => format!("after its report {}", report.message.id),
            None => "without a report before it".to_owned(),
        };
        let name = self.chronicle.book.painted(self.paint, *child);
        let reason = words::end_reason(*reason);
        Some(format!("{name} is done ({reason}), said in {}, {after}", mail.message.id))
    }
}
