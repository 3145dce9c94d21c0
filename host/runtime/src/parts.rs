//! What a board is made of, and the deadlines the shell keeps.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use switchboard_core::{Descriptor, Limits, ReachPolicy};
use switchboard_ledger::Stored;
use tokio::sync::broadcast;

use crate::clock::{Clock, SystemClock};
use crate::driver::Driver;
use crate::tools::{BoxFuture, ToolHost};

/// What a board is made of. [`Parts::new`] has sensible values for all but the two that make it
/// somebody's own; the fields are there to be changed before [`Switchboard::open`].
///
/// [`Switchboard::open`]: crate::Switchboard::open
pub struct Parts {
    /// Asks the models.
    pub driver: Arc<dyn Driver>,
    /// Runs the tools.
    pub tools: Arc<dyn ToolHost>,
    /// The kinds of agents that may be started, by the name their starters use.
    pub kinds: BTreeMap<String, Arc<Descriptor>>,
    /// The bounds of the machine (LIM).
    pub limits: Limits,
    /// Who may reach whom (REACH-2).
    pub reach: ReachPolicy,
    /// Time and chance.
    pub clock: Arc<dyn Clock>,
    /// The bounds of what the shell waits for.
    pub deadlines: Deadlines,
    /// Places at which a crash test stops the process; none costs nothing.
    pub fail_points: Option<Arc<dyn FailPoints>>,
    /// Has the ledger served by a task of the runtime and at this pace, for a simulation: a thread
    /// knows no virtual time, and nobody can say in which order it is heard. None is a thread.
    pub pace: Option<Arc<dyn Pace>>,
    pub(crate) events: broadcast::Sender<Arc<Stored>>,
}

/// Events a watcher may be behind before it loses the oldest.
const WATCHED: usize = 4_096;

impl Parts {
    /// These two, no kinds to start, the default limits, direct reach, and the system's clock.
    pub fn new(driver: Arc<dyn Driver>, tools: Arc<dyn ToolHost>) -> Self {
        Self {
            driver,
            tools,
            kinds: BTreeMap::new(),
            limits: Limits::default(),
            reach: ReachPolicy::default(),
            clock: Arc::new(SystemClock::new()),
            deadlines: Deadlines::default(),
            fail_points: None,
            pace: None,
            events: broadcast::Sender::new(WATCHED),
        }
    }

    /// As [`Switchboard::watch`], from the very first event on: that the host started.
    ///
    /// [`Switchboard::watch`]: crate::Switchboard::watch
    pub fn watch(&self) -> broadcast::Receiver<Arc<Stored>> {
        self.events.subscribe()
    }

    pub(crate) fn reached(&self, point: FailPoint, kinds: &[&'static str]) {
        if let Some(points) = &self.fail_points {
            points.reached(point, kinds);
        }
    }
}

impl fmt::Debug for Parts {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Parts")
            .field("kinds", &self.kinds)
            .field("limits", &self.limits)
            .field("reach", &self.reach)
            .field("deadlines", &self.deadlines)
            .finish_non_exhaustive()
    }
}

/// How long the shell waits for what it does not control (START-4). Running out is a stop reason
/// that is recorded, never silence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Deadlines {
    /// One model call with all attempts at it; then the turn ends as `error`.
    pub model_call: Duration,
    /// One tool call; then its result is `timed-out`.
    pub tool_call: Duration,
    /// How long a driver or a tool that was told to stop may take to do so (SAND-4); then it is
    /// dropped where it stands.
    pub letting_go: Duration,
    /// Looking through the ledger for a message that has ended (FATE-1), or for what an agent has
    /// read and said last (OBS-1).
    pub reading: Duration,
    /// The wait before the second attempt to open a ledger again; doubled for each further one.
    pub reopening: Duration,
}

impl Default for Deadlines {
    fn default() -> Self {
        Self {
            model_call: Duration::from_secs(15 * 60),
            tool_call: Duration::from_secs(10 * 60),
            letting_go: Duration::from_secs(1),
            reading: Duration::from_secs(10),
            reopening: Duration::from_millis(100),
        }
    }
}

/// A place in the life of a batch at which a host may die and must lose nothing it promised.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum FailPoint {
    /// The batch is durable; nobody has heard of it.
    Appended,
    /// Those who waited have their answers; no effect was performed.
    Answered,
    /// Its effects were performed.
    Performed,
}

/// Is told when a batch comes by a [`FailPoint`], with the kinds of its events, and may end the
/// process there. It runs while the machine is held, on the task of whoever asked for something: it
/// must not block, and everybody waits for it.
pub trait FailPoints: Send + Sync + 'static {
    /// A batch of such events has come this far.
    fn reached(&self, point: FailPoint, kinds: &[&'static str]);
}

/// How long a ledger takes for what it is asked, where a simulation decides that.
pub trait Pace: Send + Sync + 'static {
    /// Returns when the next job is done.
    fn next(&self) -> BoxFuture<'_, ()>;
}
