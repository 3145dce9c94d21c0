//! What must be done in the world: the machine asks, the shell performs.

use crate::command::Timer;
use crate::ids::{AgentId, Incarnation, TurnId};
use crate::time::Millis;

/// Something to do outside. Each is answered by a command, or by nothing if it needs none.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Effect {
    /// Bring the agent into memory; answer `Published` or `MaterialiseFailed`.
    Materialise {
        /// Whom.
        agent: AgentId,
        /// Which stay this is.
        incarnation: Incarnation,
    },
    /// Run the loop of this open turn, from where its record stands, until it is told to stop.
    RunTurn {
        /// Whose.
        agent: AgentId,
        /// Which stay.
        incarnation: Incarnation,
        /// Which turn.
        turn: TurnId,
    },
    /// Tell the loop of this turn to stop, and its guests with it.
    CancelTurn {
        /// Whose.
        agent: AgentId,
        /// Which stay.
        incarnation: Incarnation,
        /// Which turn.
        turn: TurnId,
        /// Why.
        cause: CancelCause,
    },
    /// Put the agent away: its loop ended, its memory given back; answer `Disposed`.
    Dispose {
        /// Whom.
        agent: AgentId,
        /// Which stay.
        incarnation: Incarnation,
    },
    /// Answer with this timer's command after so long.
    SetTimer {
        /// Which.
        timer: Timer,
        /// After how long.
        after: Millis,
    },
}

/// Why a turn's loop is told to stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CancelCause {
    /// Somebody interrupted the turn: end it as `interrupted`.
    Interrupted,
    /// The agent is being put away: end it as `aborted`.
    Closing,
    /// The host drains: stop at the next boundary and leave the turn open.
    Draining,
    /// The drain's time is up: stop now and leave the turn open.
    DrainOver,
}
