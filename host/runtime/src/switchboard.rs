//! The embedding API: what a host program holds in its hand.

use std::sync::Arc;

use switchboard_core::{
    AgentId, AgentName, Answer, Caller, Closed, Code, Command, Content, Descriptor, Draft,
    DrainedTrees, Forest, Interruption, Receipt, Refusal, Target, Ticket, TurnId, Whom,
};
use switchboard_ledger::{Ledger, LedgerError, Stored};
use tokio::runtime::Handle;
use tokio::sync::{broadcast, oneshot};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tracing::{Instrument, error, info_span};

use crate::baton::Baton;
use crate::caught::Panicked;
use crate::driver::Entry;
use crate::lanes::{Finding, Lane, Lanes, Note};
use crate::lineage::Lineage;
use crate::owner::Owner;
use crate::parts::Parts;
use crate::recovery::{OpenError, Recovery, restore};
use crate::residents::Means;
use crate::tools::BoxFuture;
use crate::transcript::Transcript;
use crate::writer::Writer;

/// A running forest: a cheap handle, of which every clone is the same board.
///
/// The methods here speak as the person (ID-6); tools speak through
/// [`ControlPlane`](crate::ControlPlane), as the agents they run for. Every refusal has a stable
/// code and says what to do next; one that is marked uncertain may have happened.
///
/// A board runs until [`Switchboard::stop`]; dropping the handles does not stop it.
#[derive(Clone)]
pub struct Switchboard {
    pub(crate) lanes: Lanes,
    pub(crate) parts: Arc<Parts>,
    writer: Writer,
    tasks: TaskTracker,
    loops: TaskTracker,
    halt: CancellationToken,
}

impl Switchboard {
    /// Takes up what the ledger holds, or begins a new forest on an empty one, and goes on with
    /// whatever was under way (LED-4). Reads the whole ledger before it returns.
    ///
    /// # Errors
    /// See [`OpenError`]; nothing runs then.
    ///
    /// # Panics
    /// Outside of a tokio runtime.
    pub fn open(
        mut ledger: Box<dyn Ledger>,
        mut parts: Parts,
    ) -> Result<(Self, Recovery), OpenError> {
        parts.limits = parts.limits.checked()?;
        let parts = Arc::new(parts);
        let restored = restore(ledger.as_mut(), &parts, None)?;
        let recovery = restored.recovery.clone();
        let writer = Writer::of(ledger, parts.pace.clone())
            .map_err(|error| OpenError::Thread(error.to_string()))?;
        let (tasks, loops) = (TaskTracker::new(), TaskTracker::new());
        let baton = Arc::new(Baton::default());
        // A disk wants large batches, and they come about while nobody pushes the owner.
        let pushed = writer.is_in_place().then(|| baton.clone());
        let (lanes, mailbox) = Lanes::new(tasks.clone(), Handle::current(), pushed);
        let halt = CancellationToken::new();
        let board = Self { lanes, parts, writer, tasks, loops, halt };
        let owner = Owner::new(restored, mailbox, board.means());
        // What the owner logs is no part of the request of whoever pushes it on.
        let run = owner.run().instrument(info_span!(parent: None, "owner"));
        board.tasks.spawn(board.clone().kept_up(baton, Box::pin(run)));
        Ok((board, recovery))
    }

    /// Carries the owner until it ends. Should it panic, everybody is told that the host is down.
    async fn kept_up(self, baton: Arc<Baton>, owner: BoxFuture<'static, ()>) {
        if let Err(Panicked(words)) = baton.carry(owner).await {
            error!(words, "the owner of the machine panicked; the host stops");
            let text = "the host failed and has stopped; its log says why. Start it again: it goes \
                        on where it was";
            self.lanes.stop(Refusal::new(Code::Internal, text));
            self.halt.cancel();
        }
    }

    /// Brings a root, or finds the one of this name as it is: a host program does this at every
    /// start.
    ///
    /// # Errors
    /// `invalid-argument` for what is no name; otherwise what the machine refuses.
    pub async fn register(
        &self,
        name: &str,
        descriptor: impl Into<Arc<Descriptor>>,
    ) -> Result<AgentId, Refusal> {
        let name = AgentName::new(name)
            .map_err(|error| Refusal::new(Code::InvalidArgument, error.to_string()))?;
        let descriptor = descriptor.into();
        let register = |ticket| Command::Register { ticket, name, descriptor };
        self.call(Lane::Requests, register, |answer| match answer {
            Answer::Registered(agent) => Some(agent),
            _ => None,
        })
        .await
    }

    /// Hands an agent what the person says; answers once it is durable, not once it is done. An
    /// agent that is put away is brought back first, for which this waits at most
    /// `limits.parking_host` (SEND-13). Dropped before that, nothing is accepted.
    ///
    /// # Errors
    /// A refusal of the SEND list.
    pub async fn instruct(&self, agent: AgentId, content: Content) -> Result<Receipt, Refusal> {
        let draft = Draft { to: Target::Agent(agent), content };
        let patience = self.parts.limits.parking_host;
        let (caller, key) = (Caller::User, None);
        let send = |ticket| Command::Send { ticket, caller, key, draft, patience };
        self.call(Lane::Requests, send, accepted).await
    }

    /// Has an agent's turn stopped: the current one, or only `turn` if it is that; with `cascade`
    /// also the turns of all below it. Answers when the stop is on record, not when all is still
    /// (INT-2).
    ///
    /// # Errors
    /// `unreachable` if there is no such agent.
    pub async fn interrupt(
        &self,
        agent: AgentId,
        turn: Option<TurnId>,
        cascade: bool,
        reason: Option<String>,
    ) -> Result<Interruption, Refusal> {
        let (caller, key, target) = (Caller::User, None, Target::Agent(agent));
        let interrupt =
            |ticket| Command::Interrupt { ticket, caller, key, target, turn, cascade, reason };
        self.call(Lane::Control, interrupt, interrupted).await
    }

    /// Puts an agent away with all below it. It stays resumable (CLOSE-1).
    ///
    /// # Errors
    /// `unreachable` if there is no such agent, `deleted` if it is gone for good.
    pub async fn close(&self, agent: AgentId) -> Result<Closed, Refusal> {
        let (caller, key, target) = (Caller::User, None, Target::Agent(agent));
        let close = |ticket| Command::Close { ticket, caller, key, target };
        self.call(Lane::Control, close, closed).await
    }

    /// Has an agent gone for good, with all below it (DELETE-1): nobody can write to it from now
    /// on, and nothing brings it back. Its record is kept.
    ///
    /// # Errors
    /// `unreachable` if there is no such agent.
    pub async fn delete(&self, agent: AgentId) -> Result<Closed, Refusal> {
        let (caller, key, target) = (Caller::User, None, Target::Agent(agent));
        let delete = |ticket| Command::Delete { ticket, caller, key, target };
        self.call(Lane::Control, delete, deleted).await
    }

    /// Has agents take nothing up until they are resumed, also after a restart (PAUSE-1). Answers
    /// with those that were not paused before.
    ///
    /// # Errors
    /// `unreachable` if there is no such agent, `deleted` if it is gone for good.
    pub async fn pause(&self, whom: Whom) -> Result<Vec<AgentId>, Refusal> {
        let pause = |ticket| Command::Pause { ticket, whom, paused: true };
        self.call(Lane::Control, pause, paused).await
    }

    /// Lets paused agents go on (PAUSE-1). Answers with those that were paused.
    ///
    /// # Errors
    /// As for [`Switchboard::pause`].
    pub async fn resume(&self, whom: Whom) -> Result<Vec<AgentId>, Refusal> {
        let resume = |ticket| Command::Pause { ticket, whom, paused: false };
        self.call(Lane::Control, resume, paused).await
    }

    /// Puts exact trees away for a while (DRAIN-1): returns when nobody of them is in memory. Those
    /// with something to do go on then.
    ///
    /// # Errors
    /// `unreachable` if one of them is not there, and nothing is done; `draining`, marked
    /// uncertain, if the host stops meanwhile.
    pub async fn drain_trees(&self, tops: Vec<AgentId>) -> Result<DrainedTrees, Refusal> {
        let caller = Caller::User;
        let drain = |ticket| Command::DrainTrees { ticket, caller, targets: tops };
        self.call(Lane::Control, drain, |answer| match answer {
            Answer::TreesDrained(drained) => Some(drained),
            _ => None,
        })
        .await
    }

    /// What is committed from now on, in order, each event once it is durable. One who falls
    /// 4,096 events behind loses the oldest and is told so. To miss nothing from the start on,
    /// watch the [`Parts`] before they are handed in.
    pub fn watch(&self) -> broadcast::Receiver<Arc<Stored>> {
        self.parts.watch()
    }

    /// Returns when no agent runs, is due, or is on its way in or out; at once if that is so now.
    ///
    /// # Errors
    /// Why the board stopped before that.
    pub async fn until_quiet(&self) -> Result<(), Refusal> {
        let (reply, quiet) = oneshot::channel();
        self.lanes.wait(Note::Quiet(reply), quiet).await
    }

    /// Looks at the machine. What is returned was durable before this answers, so it may be told
    /// to anybody. `look` runs while the machine is held, on the task of whoever asks: it must not
    /// block, and everybody waits for it.
    ///
    /// # Errors
    /// The board has stopped, or lost its ledger before what was seen was durable.
    pub async fn inspect<T: Send + 'static>(
        &self,
        look: impl FnOnce(&Forest) -> T + Send + 'static,
    ) -> Result<T, Refusal> {
        let (reply, found) = oneshot::channel();
        let look = move |forest: &Forest| -> Finding {
            let seen = look(forest);
            Box::new(move || drop(reply.send(seen)))
        };
        self.lanes.wait(Note::Look(Box::new(look)), found).await
    }

    /// The last thing an agent wrote to end a turn in its present or latest stay, if there is one.
    ///
    /// # Errors
    /// As for [`Switchboard::inspect`].
    pub async fn closing_text(&self, agent: AgentId) -> Result<Option<Arc<str>>, Refusal> {
        self.inspect(move |forest| forest.agent(agent)?.residency.closing.clone()).await
    }

    /// Everything an agent has read, said and got back, oldest first, also of one that is put
    /// away; read from the ledger. It is empty for an agent that is not there.
    ///
    /// # Errors
    /// As for [`Switchboard::inspect`]; `ledger-unavailable` if its record cannot be read.
    pub async fn transcript(&self, agent: AgentId) -> Result<Vec<Entry>, Refusal> {
        let lineage = self.inspect(move |forest| Lineage::of(forest, agent)).await?;
        let Some(lineage) = lineage else { return Ok(Vec::new()) };
        let load = move |ledger: &mut dyn Ledger| Transcript::load(ledger, &lineage);
        Ok(self.read(load).await?.entries())
    }

    /// A document the ledger keeps, such as what a run was started with.
    ///
    /// # Errors
    /// `ledger-unavailable` if it cannot be read.
    pub async fn document(&self, name: impl Into<String>) -> Result<Option<String>, Refusal> {
        let name = name.into();
        self.read(move |ledger| ledger.document(&name)).await
    }

    /// Gets ready to stop (DRAIN-1): nothing new is accepted or begun, calls in flight finish, at
    /// most for `limits.drain`; turns stay open. Returns when no loop runs any more; what is left
    /// is [`Switchboard::stop`].
    ///
    /// # Errors
    /// Why the board stopped before that.
    pub async fn drain(&self) -> Result<(), Refusal> {
        let drain = |ticket| Command::Drain { ticket };
        self.call(Lane::Control, drain, |answer| (answer == Answer::Drained).then_some(())).await
    }

    /// Stops at once: loops and tools are cut where they are, their turns stay open, and whoever
    /// waits is refused. What is on record is gone on with at the next start, as after a crash;
    /// [`Switchboard::drain`] first is the gentle way. Returns when every task has ended, with the
    /// ledger; only the first to ask gets it. A driver or a tool that waited for this would wait
    /// for itself.
    pub async fn stop(&self) -> Option<Box<dyn Ledger>> {
        self.halt.cancel();
        for running in [&self.tasks, &self.loops] {
            running.close();
            running.wait().await;
        }
        self.writer.close().await
    }

    pub(crate) async fn call<T>(
        &self,
        lane: Lane,
        command: impl FnOnce(Ticket) -> Command,
        pick: impl FnOnce(Answer) -> Option<T>,
    ) -> Result<T, Refusal> {
        match self.lanes.ask(lane, command).await {
            Answer::Refused(refusal) => Err(refusal),
            answer => pick(answer).ok_or_else(|| {
                let text = "the host answered something else than was asked";
                Refusal::new(Code::Internal, text).uncertain()
            }),
        }
    }

    pub(crate) async fn read<T: Send + 'static>(
        &self,
        read: impl FnOnce(&mut dyn Ledger) -> Result<T, LedgerError> + Send + 'static,
    ) -> Result<T, Refusal> {
        let read = self.writer.with(read).await.and_then(|read| read);
        read.map_err(|error| {
            tracing::warn!(%error, "the ledger could not be read");
            Refusal::new(Code::LedgerUnavailable, "the ledger could not be read; ask again")
        })
    }

    fn means(&self) -> Means {
        Means {
            parts: self.parts.clone(),
            lanes: self.lanes.clone(),
            writer: self.writer.clone(),
            tasks: self.tasks.clone(),
            loops: self.loops.clone(),
            halt: self.halt.clone(),
            plane: Arc::new(self.clone()),
        }
    }
}

impl std::fmt::Debug for Switchboard {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("Switchboard").field("lanes", &self.lanes).finish_non_exhaustive()
    }
}

pub(crate) fn accepted(answer: Answer) -> Option<Receipt> {
    match answer {
        Answer::Accepted(receipt) => Some(receipt),
        _ => None,
    }
}

fn paused(answer: Answer) -> Option<Vec<AgentId>> {
    match answer {
        Answer::Paused(agents) => Some(agents),
        _ => None,
    }
}

pub(crate) fn closed(answer: Answer) -> Option<Closed> {
    match answer {
        Answer::Closed(closed) => Some(closed),
        _ => None,
    }
}

pub(crate) fn deleted(answer: Answer) -> Option<Closed> {
    match answer {
        Answer::Deleted(closed) => Some(closed),
        _ => None,
    }
}

pub(crate) fn interrupted(answer: Answer) -> Option<Interruption> {
    match answer {
        Answer::Interrupted(interruption) => Some(interruption),
        _ => None,
    }
}
