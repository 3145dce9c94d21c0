//! The agents in memory, and what the machine wants done with them. Everything here is spawned;
//! the owner waits for none of it.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use switchboard_core::{
    Activation, AgentId, AgentName, CancelCause, Command, Descriptor, Effect, Forest, Incarnation,
    Millis, Schedule, Timer, TurnId,
};
use switchboard_ledger::Stored;
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tracing::{Instrument, error, info_span, warn};

use crate::lanes::{Lanes, Note};
use crate::lineage::Lineage;
use crate::parts::Parts;
use crate::plane::ControlPlane;
use crate::reins::Reins;
use crate::transcript::{Transcript, readers};
use crate::turn::{SharedTranscript, Turn};
use crate::writer::Writer;

/// What the tasks of agents are made with.
#[derive(Clone)]
pub(crate) struct Means {
    pub(crate) parts: Arc<Parts>,
    pub(crate) lanes: Lanes,
    pub(crate) writer: Writer,
    /// Small tasks: loads, timers, disposals.
    pub(crate) tasks: TaskTracker,
    /// Loops of turns.
    pub(crate) loops: TaskTracker,
    /// Cancelled when the board stops.
    pub(crate) halt: CancellationToken,
    pub(crate) plane: Arc<dyn ControlPlane>,
}

/// The agents in memory or on their way there.
pub(crate) struct Residents {
    means: Means,
    slots: BTreeMap<AgentId, Slot>,
}

struct Slot {
    incarnation: Incarnation,
    name: AgentName,
    descriptor: Arc<Descriptor>,
    memory: Memory,
    mail: watch::Sender<bool>,
    running: Option<Running>,
}

enum Memory {
    /// Its record is being read; this was committed meanwhile.
    Loading(Vec<Arc<Stored>>),
    Ready(SharedTranscript),
}

struct Running {
    turn: TurnId,
    reins: Arc<Reins>,
    task: JoinHandle<()>,
}

impl Residents {
    pub(crate) fn new(means: Means) -> Self {
        Self { means, slots: BTreeMap::new() }
    }

    /// Takes in what was committed, before anybody hears of it.
    pub(crate) fn apply(&mut self, stored: &Arc<Stored>, forest: &Forest) {
        for reader in readers(&stored.event) {
            if let Some(slot) = self.slots.get_mut(&reader) {
                slot.apply(stored);
                slot.signal(mail_waits(forest, reader));
            }
        }
    }

    /// An agent's record was read. It is up, unless this was for an earlier stay.
    pub(crate) fn loaded(
        &mut self,
        agent: AgentId,
        incarnation: Incarnation,
        transcript: Transcript,
    ) -> Option<Command> {
        let slot = self.slots.get_mut(&agent).filter(|slot| slot.incarnation == incarnation)?;
        slot.fill(transcript);
        Some(Command::Published { agent, incarnation })
    }

    /// Does what the machine asks for. Asked twice, it is done once.
    pub(crate) fn perform(&mut self, effect: Effect, forest: &Forest) {
        match effect {
            Effect::Materialise { agent, incarnation } => {
                self.materialise(agent, incarnation, forest);
            }
            Effect::RunTurn { agent, incarnation, turn } => {
                self.run_turn(Activation { agent, incarnation, turn }, forest);
            }
            Effect::CancelTurn { agent, incarnation, turn, cause } => {
                self.cancel(Activation { agent, incarnation, turn }, cause);
            }
            Effect::Dispose { agent, incarnation } => self.dispose(agent, incarnation),
            Effect::SetTimer { timer, after } => self.set_timer(timer, after),
        }
    }

    /// Stops every loop at once and forgets everybody; their turns stay open.
    pub(crate) fn abandon(&mut self) {
        for slot in std::mem::take(&mut self.slots).into_values() {
            slot.running.iter().for_each(|running| running.reins.pull(CancelCause::DrainOver));
        }
    }

    fn materialise(&mut self, agent: AgentId, incarnation: Incarnation, forest: &Forest) {
        let Some(facts) = forest.agent(agent) else {
            return error!(%agent, "an agent without facts is to be brought up");
        };
        if self.slots.get(&agent).is_some_and(|slot| slot.incarnation >= incarnation) {
            return;
        }
        let slot = Slot {
            incarnation,
            name: facts.name.clone(),
            descriptor: facts.descriptor.clone(),
            memory: Memory::Loading(Vec::new()),
            mail: watch::Sender::new(mail_waits(forest, agent)),
            running: None,
        };
        self.slots.insert(agent, slot);
        if let Some(lineage) = Lineage::of(forest, agent) {
            self.means.tasks.spawn(load(self.means.clone(), lineage, incarnation));
        }
    }

    fn run_turn(&mut self, activation: Activation, forest: &Forest) {
        let Activation { agent, incarnation, turn } = activation;
        let open = forest.agent(agent).and_then(|facts| facts.turn.clone());
        let Some(open) = open.filter(|open| open.id == turn) else { return };
        let slot = self.slots.get_mut(&agent).filter(|slot| slot.incarnation == incarnation);
        let Some(slot) = slot else { return };
        if slot.running.as_ref().is_some_and(|running| running.turn == turn) {
            return;
        }
        let Memory::Ready(transcript) = &slot.memory else {
            return error!(%agent, "a turn is to run before its agent is up");
        };
        let reins = Arc::new(Reins::default());
        let run = slot.turn(activation, transcript.clone(), reins.clone(), &self.means).run(*open);
        // No child of where the owner is pushed on from, which may itself be inside of a turn.
        let span = info_span!(parent: None, "turn", %agent, %incarnation, %turn);
        let task = self.means.loops.spawn(run.instrument(span));
        slot.running = Some(Running { turn, reins, task });
    }

    fn cancel(&self, activation: Activation, cause: CancelCause) {
        let slot = self.slots.get(&activation.agent);
        let slot = slot.filter(|slot| slot.incarnation == activation.incarnation);
        let running = slot.and_then(|slot| slot.running.as_ref());
        if let Some(running) = running.filter(|running| running.turn == activation.turn) {
            running.reins.pull(cause);
        }
    }

    fn dispose(&mut self, agent: AgentId, incarnation: Incarnation) {
        let current = self.slots.get(&agent).is_some_and(|slot| slot.incarnation == incarnation);
        let slot = if current { self.slots.remove(&agent) } else { None };
        let lanes = self.means.lanes.clone();
        self.means.tasks.spawn(async move {
            if let Some(running) = slot.and_then(|slot| slot.running) {
                running.reins.pull(CancelCause::Closing);
                // A loop catches its own panics; a task that is gone has let go in any case.
                let _ = running.task.await;
            }
            lanes.tell(Note::Tell(Command::Disposed { agent, incarnation })).await;
        });
    }

    fn set_timer(&self, timer: Timer, after: Millis) {
        let (lanes, halt) = (self.means.lanes.clone(), self.means.halt.clone());
        let after = std::time::Duration::from_millis(after.0);
        self.means.tasks.spawn(async move {
            tokio::select! {
                biased;
                () = halt.cancelled() => (),
                () = tokio::time::sleep(after) => {
                    lanes.tell(Note::Tell(Command::Timer(timer))).await;
                }
            }
        });
    }
}

/// However the owner ends, no loop runs on behind it.
impl Drop for Residents {
    fn drop(&mut self) {
        self.abandon();
    }
}

impl Slot {
    fn apply(&mut self, stored: &Arc<Stored>) {
        match &mut self.memory {
            Memory::Loading(missed) => missed.push(stored.clone()),
            Memory::Ready(transcript) => locked(transcript).apply(stored),
        }
    }

    fn fill(&mut self, mut transcript: Transcript) {
        if let Memory::Loading(missed) = &self.memory {
            missed.iter().for_each(|stored| transcript.apply(stored));
            self.memory = Memory::Ready(Arc::new(Mutex::new(transcript)));
        }
    }

    /// Tells the driver whether mail waits.
    fn signal(&self, waits: bool) {
        self.mail.send_if_modified(|known| std::mem::replace(known, waits) != waits);
    }

    fn turn(
        &self,
        activation: Activation,
        transcript: SharedTranscript,
        reins: Arc<Reins>,
        means: &Means,
    ) -> Arc<Turn> {
        Arc::new(Turn {
            activation,
            name: self.name.clone(),
            descriptor: self.descriptor.clone(),
            transcript,
            mail: self.mail.subscribe(),
            reins,
            lanes: means.lanes.clone(),
            parts: means.parts.clone(),
            plane: means.plane.clone(),
        })
    }
}

/// Whether mail waits that the next step would take, which the inbox has in front. What waits for a
/// turn of its own does not count: a driver that held its answer for it would never see it.
fn mail_waits(forest: &Forest, agent: AgentId) -> bool {
    let next = forest.agent(agent).and_then(|agent| agent.inbox.items().next());
    next.is_some_and(|item| item.message.schedule == Schedule::NextStep)
}

async fn load(means: Means, lineage: Lineage, incarnation: Incarnation) {
    let agent = lineage.agent;
    let read =
        move |ledger: &mut dyn switchboard_ledger::Ledger| Transcript::load(ledger, &lineage);
    let note = match means.writer.with(read).await.and_then(|read| read) {
        Ok(transcript) => Note::Loaded(agent, incarnation, Box::new(transcript)),
        Err(error) => {
            warn!(%agent, %incarnation, %error, "an agent could not be brought up");
            let why = "its record could not be read".to_owned();
            Note::Tell(Command::MaterialiseFailed { agent, incarnation, why })
        }
    };
    means.lanes.tell(note).await;
}

/// A transcript is whole even if somebody panicked beside it: its fold does not.
fn locked(transcript: &Mutex<Transcript>) -> std::sync::MutexGuard<'_, Transcript> {
    transcript.lock().unwrap_or_else(PoisonError::into_inner)
}
