//! Requests have their time: no less, and no more (HAND-1, HAND-3).

use switchboard_core::{Event, Forest, RequestEnd, Step, Timer};

use crate::checker::world::{Holds, TICK, World, holds};

/// What ends for want of an answer was due by then.
pub(crate) fn in_time(world: &World, before: &Forest, step: &Step) -> Holds {
    let now = world.clock * TICK;
    for event in &step.events {
        let Event::RequestClosed { request, end, .. } = event else { continue };
        if !matches!(end, RequestEnd::Forced | RequestEnd::Unanswered) {
            continue;
        }
        let open = before.requests().find(|open| open.request.id == *request);
        let due = open.is_some_and(|open| open.due(world.limits()).0 <= now);
        holds(due, "HAND-3", || format!("{request} is {end:?} and was not due"))?;
    }
    Ok(())
}

/// Each open request has a timer that comes by when it is due, or at once if that is over.
pub(crate) fn timed(world: &World) -> Holds {
    for open in world.forest.requests() {
        let timer = Timer::Request(open.request.id);
        let due = open.due(world.limits()).0.max(world.clock * TICK);
        let comes = world.shell.timers.iter().any(|(set, at)| *set == timer && *at <= due);
        holds(comes, "HAND-3", || format!("nobody looks after {}", open.request.id))?;
    }
    Ok(())
}
