//! A host that is started on facts, whatever they are.

use std::collections::VecDeque;

use switchboard_core::{
    Activation, Command, Effect, Event, Forest, Limits, Monotonic, ReachPolicy, Stamp, StepRecord,
    Ticket, TurnEnd, WallTime,
};

/// Commands a host that is let alone gives at most; a forest that wants more of them never rests.
const MOST: usize = 2_000;

/// Replays these facts, starts a host on them, and performs what it orders until nothing is left,
/// each failing as `fails` says. Nothing of it may panic, and what is stored in the end gives the
/// same facts as what was lived through (LED-2).
pub fn restart(facts: &[Event], mut fails: impl FnMut() -> bool) {
    let mut forest = replayed(facts);
    forest.outstanding();
    let mut stored = facts.to_vec();
    let mut due = VecDeque::from([Command::HostStarted]);
    for moment in 0..MOST {
        let Some(command) = due.pop_front() else { break };
        let now = Monotonic(moment as u64);
        let step = forest.step(command, Stamp { wall: WallTime(1), now, entropy: 1 });
        due.extend(step.effects.into_iter().filter_map(|effect| done(effect, fails())));
        stored.extend(step.events);
        assert!(due.len() < MOST, "it orders more and more");
    }
    let end = Stamp { wall: WallTime(2), now: Monotonic(MOST as u64), entropy: 2 };
    stored.extend(forest.step(Command::Drain { ticket: Ticket(1) }, end).events);
    forest.is_quiet();
    assert!(forest.same_facts(&replayed(&stored)), "a replay gives other facts: {stored:#?}");
}

/// What the machine is told of an effect that was performed, or could not be.
fn done(effect: Effect, failed: bool) -> Option<Command> {
    let why = String::from("as the fuzzer wants it");
    match effect {
        Effect::Materialise { agent, incarnation } if failed => {
            Some(Command::MaterialiseFailed { agent, incarnation, why })
        }
        Effect::Materialise { agent, incarnation } => {
            Some(Command::Published { agent, incarnation })
        }
        Effect::RunTurn { agent, incarnation, turn } => {
            let activation = Activation { agent, incarnation, turn };
            let end = if failed { TurnEnd::Error } else { TurnEnd::Completed };
            let record = StepRecord { text: "done".into(), calls: Vec::new(), end };
            Some(Command::RecordStep { ticket: Ticket(0), activation, record })
        }
        Effect::Dispose { agent, incarnation } => Some(Command::Disposed { agent, incarnation }),
        Effect::SetTimer { timer, .. } if failed => Some(Command::Timer(timer)),
        Effect::SetTimer { .. } | Effect::CancelTurn { .. } => None,
    }
}

fn replayed(facts: &[Event]) -> Forest {
    let mut forest = Forest::replaying(Limits::default(), ReachPolicy::Tree);
    for fact in facts {
        // One that does not fit is reported and left out.
        let _ = forest.apply(fact);
    }
    forest
}
