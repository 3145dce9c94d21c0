//! What is handed in, and what is to be expected of each of it.

use std::collections::{BTreeMap, BTreeSet};

use switchboard_core::{
    AgentId, Answer, Caller, Code, Command, Content, Draft, Event, HostKey, Id, LedgerTag, Life,
    MessageId, Millis, ReachPolicy, Receipt, Sender, Target, Ticket, TurnId,
};

use super::{Asked, Story};

impl Story {
    fn target(&self, choice: u8) -> Target {
        let spoken = |words: &str| Target::Spoken(words.into());
        match choice % 20 {
            0..=2 => spoken("all"),
            3 | 4 => spoken("sibling:all"),
            5 => spoken("child:all"),
            6 => spoken("w*"),
            7 => spoken("child:w*"),
            8 => spoken("*er-[23]"),
            9 => Target::Everyone,
            10 | 11 => Target::Origin,
            12 | 13 => spoken("parent"),
            14 => spoken("worker"),
            _ => Target::Agent(self.pick(choice / 20)),
        }
    }

    fn content(&self, words: String, more: u8) -> Content {
        Content {
            expires_in: [None, None, Some(Millis(500)), Some(Millis(5_000))][usize::from(more % 4)],
            acknowledge: more / 4 % 2 == 1,
            reply_optional: more / 8 % 4 == 1,
            ..Content::text(words)
        }
    }

    pub(super) fn send(&mut self, by: Option<AgentId>, other: u8, more: u8) {
        self.world.pass(Millis(400));
        self.keys += 1;
        let nth = self.keys;
        let turn = by.and_then(|by| self.world.known(by).turn.as_ref().map(|turn| turn.id));
        let none: TurnId = Id::new(LedgerTag::new(7), 999);
        let key = (more / 32 % 2 == 1).then(|| HostKey {
            turn: turn.unwrap_or(none),
            step: 0,
            call: 0,
            nth,
        });
        let content = self.content(format!("m{nth}"), more);
        let to = match self.target(other) {
            Target::Agent(id) if Some(id) == by => Target::Everyone,
            to => to,
        };
        self.hand_in(by, key, to, content);
    }

    /// A known key again, with the same or with another body.
    pub(super) fn repeat(&mut self, one: u8, more: u8) {
        let keyed: Vec<&Asked> =
            self.asked.iter().filter(|asked| asked.key.is_some() && asked.by.is_some()).collect();
        let Some(first) = keyed.get(usize::from(one) % keyed.len().max(1)) else { return };
        let Asked { by, key, to, content, .. } = (*first).clone();
        let content = if more.is_multiple_of(5) {
            Content { reply_optional: !content.reply_optional, ..content }
        } else {
            content
        };
        self.hand_in(by, key, to, content);
    }

    fn hand_in(&mut self, by: Option<AgentId>, key: Option<HostKey>, to: Target, content: Content) {
        let caller = by.map_or(Caller::User, |by| self.world.caller(by));
        let expected = self.expected(by, &to);
        let ticket = self.world.ticket();
        let first = by.zip(key).and_then(|pair| self.check.keys.get(&pair).cloned());
        let (host, withdrawn) = (self.hosts, None);
        let (target, body) = (to.clone(), content.clone());
        let asked = Asked { ticket, by, key, to: target, content: body, host, withdrawn };
        let draft = Draft { to: to.clone(), content: content.clone() };
        let patience = Millis(8_000);
        self.world.act(Command::Send { ticket, caller, key, draft, patience });
        self.asked.push(asked);
        let answer = self.world.answers.get(&ticket).cloned();
        if let Some((body, _)) = &first {
            let same = *body == content;
            match &answer {
                Some(Answer::Refused(refusal)) if refusal.code == Code::Unauthorized => {}
                // To many, of whom some have it and some would have to wait for the restart.
                Some(Answer::Refused(refusal)) if refusal.code == Code::Draining => {
                    assert!(self.draining && same);
                }
                Some(Answer::Refused(refusal)) => {
                    assert!(!same, "a known key with its body is refused: {refusal:?}");
                    assert_eq!(refusal.code, Code::InvalidArgument, "another body");
                }
                _ => assert!(same, "a known key with another body is taken: {answer:?}"),
            }
        }
        if let (Some(Answer::FannedOut(all)), Some(expected)) = (&answer, expected) {
            let got: BTreeSet<AgentId> = all.iter().map(|one| one.to).collect();
            assert_eq!(got.len(), all.len(), "each once");
            let had: BTreeSet<AgentId> = first.iter().flat_map(|(_, to)| to.clone()).collect();
            let wanted: BTreeSet<AgentId> = expected.union(&had).copied().collect();
            assert_eq!(got, wanted, "it goes to whom it is for: {to:?}");
        }
    }

    /// Whom a send to many is for, by looking at the records.
    fn expected(&self, by: Option<AgentId>, to: &Target) -> Option<BTreeSet<AgentId>> {
        let by = by?;
        let me = self.world.known(by);
        let here = |id: &AgentId| {
            let other = self.world.known(*id);
            other.life != Life::Withdrawn && !other.deleted && *id != by
        };
        let all = || self.world.forest.agents().map(|agent| agent.id).filter(here);
        let sibling =
            |id: &AgentId| self.world.known(*id).parent == me.parent && me.parent.is_some();
        let child = |id: &AgentId| self.world.known(*id).parent == Some(by);
        let family = self.reach != ReachPolicy::Direct;
        let tree = self.reach == ReachPolicy::Tree;
        let may =
            |id: &AgentId| child(id) || me.parent == Some(*id) || family && sibling(id) || tree;
        let worker = |id: &AgentId| self.world.known(*id).name.as_str().starts_with('w');
        Some(match to {
            Target::Everyone => all().filter(may).collect(),
            Target::Spoken(words) => match words.as_str() {
                "all" => all().filter(may).collect(),
                "sibling:all" => all().filter(|id| sibling(id) && may(id)).collect(),
                "child:all" => all().filter(child).collect(),
                "w*" => all().filter(|id| may(id) && worker(id)).collect(),
                "child:w*" => all().filter(|id| child(id) && worker(id)).collect(),
                _ => return None,
            },
            _ => return None,
        })
    }

    pub(super) fn acknowledge(&mut self, one: u8, other: u8, more: u8) {
        let owing: Vec<AgentId> = self
            .world
            .forest
            .agents()
            .filter(|agent| !agent.owes.is_empty())
            .map(|agent| agent.id)
            .collect();
        let agent = *owing.get(usize::from(one) % owing.len().max(1)).unwrap_or(&self.pick(one));
        let owes = &self.world.known(agent).owes;
        let owed = owes.get(usize::from(other) % owes.len().max(1)).map(|owed| owed.message);
        let any = self.world.messages();
        let any = any[usize::from(other) % any.len()].id;
        let message = owed.filter(|_| !more.is_multiple_of(4)).unwrap_or(any);
        let is_owed = self.world.known(agent).owes.iter().any(|owed| owed.message == message);
        let (ticket, caller) = (self.world.ticket(), self.world.caller(agent));
        let note = more.is_multiple_of(3).then(|| "seen".to_owned());
        self.world.act(Command::Acknowledge { ticket, caller, key: None, message, note });
        match &self.world.answers[&ticket] {
            Answer::Accepted(_) => assert!(is_owed, "what is not owed is not acknowledged"),
            Answer::Refused(_) => {}
            other => panic!("{other:?}"),
        }
    }

    pub(super) fn withdraw(&mut self, one: u8) {
        let waiting: Vec<usize> = (0..self.asked.len())
            .filter(|place| {
                let asked = &self.asked[*place];
                let answered = self.world.answers.contains_key(&asked.ticket);
                asked.host == self.hosts && !answered && asked.withdrawn.is_none()
            })
            .collect();
        let Some(&place) = waiting.get(usize::from(one) % waiting.len().max(1)) else { return };
        let ticket = self.asked[place].ticket;
        self.world.act(Command::Withdraw { ticket });
        self.asked[place].withdrawn = Some(self.world.log.len());
    }

    /// Each send has at most one message at each target, none after it was withdrawn, and one
    /// pair's are accepted in the order in which they were handed in (SEND-14, DEL-4).
    pub(super) fn attempts(&self) {
        let mut newest: BTreeMap<(Option<AgentId>, AgentId), MessageId> = BTreeMap::new();
        for asked in &self.asked {
            for receipt in self.receipts(asked.ticket) {
                let message = &self.check.messages[&receipt.message];
                assert_eq!(message.to, receipt.to);
                assert_eq!(*message.content, asked.content, "its own words");
                let by = match &message.from {
                    Sender::Agent { id, .. } => Some(*id),
                    _ => None,
                };
                assert_eq!(by, asked.by, "its own sender");
                if !receipt.repeated {
                    let before = newest.insert((asked.by, receipt.to), receipt.message);
                    assert!(before < Some(receipt.message), "{:?} came too early", asked.ticket);
                }
            }
            if let (Some(at), None) = (asked.withdrawn, asked.key) {
                let its = |event: &Event| match event {
                    Event::Accepted { message, .. } => *message.content == asked.content,
                    _ => false,
                };
                assert!(!self.world.log[at..].iter().any(its), "{:?} was withdrawn", asked.ticket);
            }
        }
    }

    fn receipts(&self, ticket: Ticket) -> Vec<Receipt> {
        match self.world.answers.get(&ticket) {
            Some(Answer::Accepted(receipt)) => vec![receipt.clone()],
            Some(Answer::FannedOut(all)) => {
                all.iter().filter_map(|one| one.outcome.clone().ok()).collect()
            }
            _ => vec![],
        }
    }
}
