//! The host program of a history: it brings roots, instructs, interrupts, closes, looks, and is
//! impatient.

use std::sync::Arc;
use std::time::Duration;

use switchboard_core::{AgentId, Content, Descriptor, MessageId, Mode, ReportTool, Whom};
use switchboard_runtime::{Sent, Switchboard};
use tokio::time::{sleep, timeout};

use crate::deeds::{GONE, KINDS, LOOK, TALK, TOUCH, anybody};
use crate::guests::attempt;
use crate::world::Host;

/// One of those who speak as the person.
pub(crate) struct Person {
    pub(crate) host: Arc<Host>,
    pub(crate) board: Switchboard,
}

/// An agent of this kind, which may start all kinds.
pub(crate) fn descriptor(kind: &str, mode: Mode) -> Descriptor {
    let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
    let example = r#"{"deeds":[{"send":{"to":"{parent}"}}]}"#.to_owned();
    Descriptor {
        tools: names(&[TALK, LOOK, TOUCH, GONE]),
        starts: names(&KINDS),
        reports: Some(ReportTool { tool: TALK.to_owned(), example }),
        ..Descriptor::new(kind, mode, "simulated")
    }
}

/// Attempts at bringing a root while the ledger fails.
const ATTEMPTS: u64 = 20;

impl Person {
    /// Brings every root, as a host program does at each start.
    pub(crate) async fn bring_roots(&self) {
        for number in 0..self.host.world.plan.roots {
            self.bring_root(&format!("root{number}")).await;
        }
    }

    /// In a storm nobody meddles: every root is told to begin.
    pub(crate) async fn let_it_begin(&self) {
        let roots = self.host.world.book().agents.clone();
        for root in roots {
            self.instruct(root).await;
        }
    }

    async fn bring_root(&self, name: &str) {
        for _ in 0..ATTEMPTS {
            let register = self.board.register(name, descriptor("root", Mode::Root));
            match self.host.in_time("a registration", register).await {
                Some(Ok(agent)) => return self.check_registered(agent),
                Some(Err(refusal)) => self.host.world.witness().count_refusal(&refusal),
                None => return,
            }
            sleep(Duration::from_secs(1)).await;
        }
    }

    fn check_registered(&self, agent: AgentId) {
        if !self.host.world.book().agents.contains(&agent) {
            self.host.object(format!("SEND-12: {agent} is registered and not stored"));
        }
    }

    /// Does as much as the plan says, with pauses.
    pub(crate) async fn live(self) {
        for _ in 0..self.host.world.plan.deeds {
            sleep(self.host.world.chance.while_at_work()).await;
            if let Some(agent) = anybody(&self.host.world) {
                self.act(agent).await;
            }
        }
    }

    async fn act(&self, agent: AgentId) {
        match self.host.world.chance.below(23) {
            0..11 => self.instruct(agent).await,
            11 => self.instruct_in_a_hurry(agent).await,
            12..14 => self.interrupt(agent).await,
            14..16 => self.close(agent).await,
            19 => self.settle("a deletion", self.board.delete(agent)).await,
            16..18 => self.look_for_a_message().await,
            20..22 => self.pause(agent).await,
            22 => self.settle("a drain of a tree", self.board.drain_trees(vec![agent])).await,
            18 => {
                let read = self.board.transcript(agent);
                self.settle("a transcript", read).await;
            }
            _ => {
                let looked = self.board.inspect(|forest| forest.agents().count());
                self.settle("a look", looked).await;
            }
        }
    }

    /// Waits for an answer of which nothing more is to be checked.
    async fn settle<T>(
        &self,
        what: &str,
        asked: impl Future<Output = Result<T, switchboard_core::Refusal>>,
    ) {
        if let Some(Err(refusal)) = self.host.in_time(what, asked).await {
            self.host.world.witness().count_refusal(&refusal);
        }
    }

    async fn instruct(&self, agent: AgentId) {
        let words = self.host.world.new_words();
        let nth = attempt(&self.host, &words);
        let instruct = self.board.instruct(agent, Content::text(words.clone()));
        let Some(answer) = self.host.in_time("an instruction", instruct).await else { return };
        let (world, answer) = (&self.host.world, answer.map(Sent::ToOne));
        world.witness().sent((&words, nth), &answer, &world.book());
    }

    /// Goes away before there may be an answer (SEND-13).
    async fn instruct_in_a_hurry(&self, agent: AgentId) {
        let words = self.host.world.new_words();
        attempt(&self.host, &words);
        let patience = self.host.world.chance.up_to(Duration::from_millis(50));
        let _ = timeout(patience, self.board.instruct(agent, Content::text(words))).await;
    }

    async fn interrupt(&self, agent: AgentId) {
        let cascade = self.host.world.chance.strikes(500);
        let interrupt = self.board.interrupt(agent, None, cascade, None);
        let Some(answer) = self.host.in_time("an interrupt", interrupt).await else { return };
        self.host.world.witness().interrupted(&answer, &self.host.world.book());
    }

    async fn close(&self, agent: AgentId) {
        self.settle("a close", self.board.close(agent)).await;
    }

    /// PAUSE-1: for a while, unless the host is gone before.
    async fn pause(&self, agent: AgentId) {
        let whom = match self.host.world.chance.below(3) {
            0 => Whom::Agent(agent),
            1 => Whom::Tree(agent),
            _ => Whom::All,
        };
        self.settle("a pause", self.board.pause(whom)).await;
        sleep(self.host.world.chance.while_at_work()).await;
        self.settle("letting go on", self.board.resume(whom)).await;
    }

    /// FATE-1: whatever was accepted can be asked for.
    async fn look_for_a_message(&self) {
        let Some(message) = self.some_message() else { return };
        let asked = self.host.in_time("a question", self.board.message(message)).await;
        match asked {
            Some(Ok(None)) if !self.host.world.plan.spoils => {
                self.host.object(format!("FATE-1: {message} is stored and not found"));
            }
            Some(Err(refusal)) => self.host.world.witness().count_refusal(&refusal),
            Some(Ok(_)) | None => (),
        }
    }

    fn some_message(&self) -> Option<MessageId> {
        let book = self.host.world.book();
        let all: Vec<MessageId> = book.messages.keys().copied().collect();
        (!all.is_empty()).then(|| *self.host.world.chance.pick(&all))
    }
}
