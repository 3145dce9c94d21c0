//! The loop every turn runs in: claim, ask, record, call, record, and again (TURN-1).
//!
//! The loop decides nothing. Each of its steps is handed to the machine, which says whether to go
//! on; what it did is on record before it does the next thing, so that whoever takes the turn up
//! after a crash begins where the record stands.

mod asking;
mod calls;
mod waiting;

use std::sync::{Arc, Mutex, PoisonError};

use switchboard_core::{
    Activation, AgentName, Answer, CancelCause, Command, Descriptor, LoopAnswer, OpenTurn, Ticket,
    TurnEnd,
};
use tokio::sync::watch;
use tracing::debug;

use crate::caught::{Panicked, caught};
use crate::driver::{Ask, MailSignal};
use crate::lanes::{Lane, Lanes, Note};
use crate::parts::Parts;
use crate::plane::ControlPlane;
use crate::reins::Reins;
use crate::tools::ToolSpec;
use crate::transcript::Transcript;

/// A transcript as its agent's loop and the owner share it. The owner writes after each commit,
/// before any answer is given; so one who has an answer finds in it what the answer is about.
pub(crate) type SharedTranscript = Arc<Mutex<Transcript>>;

/// The loop of one open turn.
pub(crate) struct Turn {
    pub(crate) activation: Activation,
    pub(crate) name: AgentName,
    pub(crate) descriptor: Arc<Descriptor>,
    pub(crate) transcript: SharedTranscript,
    pub(crate) mail: watch::Receiver<bool>,
    pub(crate) reins: Arc<Reins>,
    pub(crate) lanes: Lanes,
    pub(crate) parts: Arc<Parts>,
    pub(crate) plane: Arc<dyn ControlPlane>,
}

/// Why a loop stops.
enum Exit {
    /// The turn is over, or whoever takes the ledger up takes it up.
    Over,
    /// The turn stays open for the next host: this one drains (DRAIN-1), or it is not this loop's.
    Left,
    /// Its reins were pulled; what the model had written by then.
    Pulled(CancelCause, Option<String>),
    /// The model could not be asked.
    Failed(String),
}

impl Turn {
    /// Runs the turn from where its record stands until it stops, and says how it did.
    pub(crate) async fn run(self: Arc<Self>, open: OpenTurn) {
        let exit = match caught(Box::pin(self.clone().go_on(open))).await {
            Ok(Ok(never)) => match never {},
            Ok(Err(exit)) => exit,
            Err(Panicked(words)) => {
                tracing::error!(%words, "the loop of a turn panicked");
                Exit::Failed("the host failed while it ran the turn".to_owned())
            }
        };
        self.finish(exit).await;
    }

    async fn go_on(self: Arc<Self>, open: OpenTurn) -> Result<std::convert::Infallible, Exit> {
        let mut step = open.step;
        if let Some(last) = step.checked_sub(1) {
            self.take_up_calls(last, &open).await?;
        }
        loop {
            self.claim().await?;
            let record = self.ask(step).await?;
            let calls = record.calls.clone();
            self.tell(|ticket, activation| Command::RecordStep { ticket, activation, record })
                .await?;
            self.run_calls(step, (0..).zip(calls)).await?;
            step += 1;
        }
    }

    /// Takes what waits. While the host drains nothing new is claimed (DRAIN-1).
    async fn claim(&self) -> Result<(), Exit> {
        self.hold()?;
        self.tell(|ticket, activation| Command::Claim { ticket, activation }).await
    }

    /// Goes on unless the reins are pulled.
    fn hold(&self) -> Result<(), Exit> {
        self.reins.pulled().map_or(Ok(()), |cause| Err(Exit::Pulled(cause, None)))
    }

    fn question(&self, step: u32) -> Ask {
        Ask {
            agent: self.activation.agent,
            name: self.name.clone(),
            turn: self.activation.turn,
            step,
            model: self.descriptor.model.clone(),
            persona: self.descriptor.persona.clone(),
            transcript: self.transcript.lock().unwrap_or_else(PoisonError::into_inner).entries(),
            tools: self.specs(),
            mail: MailSignal::new(self.mail.clone()),
        }
    }

    /// The tools of this agent that the host has.
    fn specs(&self) -> Vec<ToolSpec> {
        self.descriptor.tools.iter().filter_map(|name| self.parts.tools.spec(name)).collect()
    }

    /// Hands the machine what happened, and goes on if it says so.
    async fn tell(&self, command: impl FnOnce(Ticket, Activation) -> Command) -> Result<(), Exit> {
        let command = |ticket| command(ticket, self.activation);
        match self.told(self.lanes.ask(Lane::Control, command).await)? {
            Answer::Loop(LoopAnswer::GoOn(_)) => Ok(()),
            // The ledger is lost, or the host stops: whoever takes it up takes the turn up.
            other => {
                debug!(agent = %self.activation.agent, ?other, "a loop ends without its machine");
                Err(Exit::Over)
            }
        }
    }

    /// An answer, unless it ends the loop.
    fn told(&self, answer: Answer) -> Result<Answer, Exit> {
        match answer {
            Answer::Loop(LoopAnswer::TurnOver(_)) => Err(Exit::Over),
            Answer::Loop(LoopAnswer::Stop) => Err(Exit::Left),
            other => Ok(other),
        }
    }

    /// Tells the machine why the loop stops, if it does not know.
    async fn finish(&self, exit: Exit) {
        let activation = self.activation;
        let (end, note) = match exit {
            Exit::Over => return,
            Exit::Failed(why) => (TurnEnd::Error, Some(why)),
            Exit::Pulled(CancelCause::Interrupted, written) => (TurnEnd::Interrupted, written),
            Exit::Pulled(CancelCause::Closing, written) => (TurnEnd::Aborted, written),
            Exit::Left | Exit::Pulled(CancelCause::Draining | CancelCause::DrainOver, _) => {
                return self.lanes.tell(Note::Tell(Command::LoopStopped { activation })).await;
            }
        };
        // Whatever is answered, this loop is over. In a drain its turn is not (DRAIN-1).
        let ended =
            self.tell(|ticket, activation| Command::EndTurn { ticket, activation, end, note });
        if let Err(Exit::Left) = ended.await {
            self.lanes.tell(Note::Tell(Command::LoopStopped { activation })).await;
        }
    }
}
