//! The owner's mailbox: two bounded lanes, and the wait for an answer. Whoever puts a note into one
//! pushes the owner on where he can.
//!
//! What relieves the machine (records of loops, withdrawals, interrupts, timers) has a lane of its
//! own that is read first, so that requests which fill theirs cannot hold it up.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use switchboard_core::{AgentId, Answer, Code, Command, Forest, Incarnation, Refusal, Ticket};
use tokio::runtime::Handle;
use tokio::sync::{mpsc, oneshot};
use tokio_util::task::TaskTracker;

use crate::baton::{Baton, POLLS};
use crate::transcript::Transcript;

/// Notes a lane holds before those who write wait.
const LANE: usize = 1_024;

/// What the owner is told.
pub(crate) enum Note {
    /// A command whose answer is waited for.
    Ask(Command, Ticket, oneshot::Sender<Answer>),
    /// A command nobody waits for.
    Tell(Command),
    /// An agent's record was read; it is now in memory.
    Loaded(AgentId, Incarnation, Box<Transcript>),
    /// Somebody wants to look.
    Look(Look),
    /// Somebody waits until nothing runs.
    Quiet(oneshot::Sender<()>),
}

/// Looks at the machine now; what it returns hands the finding over, once that is durable.
pub(crate) type Look = Box<dyn FnOnce(&Forest) -> Finding + Send>;

/// Hands a finding over.
pub(crate) type Finding = Box<dyn FnOnce() + Send>;

/// Which lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lane {
    Control,
    Requests,
}

/// The writing ends.
#[derive(Clone)]
pub(crate) struct Lanes {
    control: mpsc::Sender<Note>,
    requests: mpsc::Sender<Note>,
    /// Of an owner that is pushed on by those who ask.
    owner: Option<Arc<Baton>>,
    tickets: Arc<AtomicU64>,
    stopped: Arc<OnceLock<Refusal>>,
    tasks: TaskTracker,
    runtime: Handle,
}

/// The reading ends.
pub(crate) struct Mailbox {
    control: mpsc::Receiver<Note>,
    requests: mpsc::Receiver<Note>,
}

impl Mailbox {
    /// The next note. Without `room` for more work, only one that relieves.
    pub(crate) async fn next(&mut self, room: bool) -> Note {
        tokio::select! {
            biased;
            Some(note) = self.control.recv() => note,
            Some(note) = self.requests.recv(), if room => note,
            else => std::future::pending().await,
        }
    }
}

impl Mailbox {
    /// Takes no more notes, and gives those that were not read.
    pub(crate) fn close(&mut self) -> Vec<Note> {
        let lanes = [&mut self.control, &mut self.requests];
        let rest = lanes.into_iter().flat_map(|lane| {
            lane.close();
            std::iter::from_fn(|| lane.try_recv().ok())
        });
        rest.collect()
    }
}

impl Lanes {
    /// Both ends. Those who write push the owner on if they get its baton. Small tasks the writing
    /// ends need are tracked in `tasks`.
    pub(crate) fn new(
        tasks: TaskTracker,
        runtime: Handle,
        owner: Option<Arc<Baton>>,
    ) -> (Self, Mailbox) {
        let (control, from_control) = mpsc::channel(LANE);
        let (requests, from_requests) = mpsc::channel(LANE);
        let (tickets, stopped) = (Arc::default(), Arc::default());
        let lanes = Self { control, requests, owner, tickets, stopped, tasks, runtime };
        (lanes, Mailbox { control: from_control, requests: from_requests })
    }

    /// Hands in a command and waits for its answer. Dropped, it withdraws the command (SEND-13).
    pub(crate) async fn ask(&self, lane: Lane, command: impl FnOnce(Ticket) -> Command) -> Answer {
        let ticket = Ticket(self.tickets.fetch_add(1, Ordering::Relaxed));
        let (reply, answer) = oneshot::channel();
        let note = Note::Ask(command(ticket), ticket, reply);
        if self.hand_in(self.lane(lane), note).await.is_err() {
            return Answer::Refused(self.why_stopped());
        }
        let mut waiting = Waiting { lanes: self, ticket, answer };
        let answered = (&mut waiting.answer).await;
        // An owner that ends as it should answers everybody first.
        answered.unwrap_or_else(|_| Answer::Refused(self.why_stopped().uncertain()))
    }

    /// Puts a note into a lane, and pushes the owner on if nobody is at it.
    async fn hand_in(
        &self,
        lane: &mpsc::Sender<Note>,
        note: Note,
    ) -> Result<(), mpsc::error::SendError<Note>> {
        let held = self.owner.as_ref().and_then(Baton::take);
        let Some(held) = held else { return lane.send(note).await };
        if let Err(refused) = lane.try_send(note) {
            drop(held);
            return lane.send(refused.into_inner()).await;
        }
        let _for_what_it_spawns = self.runtime.enter();
        held.push(POLLS);
        Ok(())
    }

    /// Hands in something nobody waits for. A board that has stopped needs none of it.
    pub(crate) async fn tell(&self, note: Note) {
        let _ = self.hand_in(&self.control, note).await;
    }

    /// Hands in a note that carries its own way back, and waits for that.
    pub(crate) async fn wait<T>(
        &self,
        note: Note,
        answer: oneshot::Receiver<T>,
    ) -> Result<T, Refusal> {
        self.hand_in(&self.requests, note).await.map_err(|_| self.why_stopped())?;
        answer.await.map_err(|_| self.why_stopped())
    }

    /// Why nothing is answered any more. The first reason stays.
    pub(crate) fn stop(&self, why: Refusal) {
        let _ = self.stopped.set(why);
    }

    fn why_stopped(&self) -> Refusal {
        // The owner went without a word.
        let lost = || {
            let text = "the host failed while this was under way, so it may have happened or not; \
                        look before you repeat it";
            Refusal::new(Code::Internal, text)
        };
        self.stopped.get().cloned().unwrap_or_else(lost)
    }

    fn lane(&self, lane: Lane) -> &mpsc::Sender<Note> {
        match lane {
            Lane::Control => &self.control,
            Lane::Requests => &self.requests,
        }
    }

    fn withdraw(&self, ticket: Ticket) {
        let note = Note::Tell(Command::Withdraw { ticket });
        if let Err(mpsc::error::TrySendError::Full(note)) = self.control.try_send(note) {
            let lanes = self.clone();
            self.tasks.spawn_on(async move { lanes.tell(note).await }, &self.runtime);
        }
    }
}

impl std::fmt::Debug for Lanes {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("Lanes").field("stopped", &self.stopped).finish_non_exhaustive()
    }
}

/// One who waits for an answer, and withdraws when dropped before it came.
struct Waiting<'a> {
    lanes: &'a Lanes,
    ticket: Ticket,
    answer: oneshot::Receiver<Answer>,
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        if self.answer.is_terminated() {
            return;
        }
        // Closed first: a command still in its lane is then not even begun.
        self.answer.close();
        self.lanes.withdraw(self.ticket);
    }
}
