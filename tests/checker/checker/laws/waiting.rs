//! Waiting in the middle of a turn: places, circles, and that nobody waits for nobody (RES-5,
//! HAND-4, OBS-3).

use switchboard_core::{Agent, AgentId, Answer, Command, Event, Life, Step, WaitFor};

use super::any;
use crate::checker::shell::Loop;
use crate::checker::world::{Holds, World, holds};

/// The open turns that are not known to wait: each holds a place (RES-5).
pub(crate) fn at_work(world: &World) -> impl Iterator<Item = &Agent> {
    let open = world.forest.agents().filter(|agent| agent.turn.is_some());
    open.filter(|agent| waiting(world, agent).is_none())
}

/// What an agent's open turn waits for.
fn waiting(world: &World, agent: &Agent) -> Option<WaitFor> {
    its_loop(world, agent)?.waits_for()
}

fn its_loop<'a>(world: &'a World, agent: &Agent) -> Option<&'a Loop> {
    let turn = agent.turn.as_ref()?.id;
    let running = world.shell.loops.get(&(agent.id, agent.incarnation));
    running.filter(|running| running.turn == turn)
}

/// RES-5: nobody begins a turn or goes on behind a wait unless there is a place. One that has what
/// it asks for at once has not given its place back.
pub(crate) fn places(world: &World, command: &Command, step: &Step) -> Holds {
    let own = match command {
        Command::Wait { ticket, .. } => Some(*ticket),
        _ => None,
    };
    let goes_on = |(ticket, answer): &&(switchboard_core::Ticket, Answer)| {
        Some(*ticket) != own && matches!(answer, Answer::Waited(_))
    };
    let went_on = step.answers.iter().filter(goes_on).count();
    let has_own = step.answers.iter().any(|(ticket, _)| Some(*ticket) == own);
    let opened = any(step, |event| matches!(event, Event::TurnOpened { .. }));
    if world.shell.held.is_some() || !opened && went_on == 0 {
        return Ok(());
    }
    let works = at_work(world).count() + went_on + usize::from(has_own);
    holds(works <= world.limits().places, "RES-5", || {
        format!("{works} are at work behind {command:?}")
    })
}

/// RES-5: there are more at work than places only where a host that started again went on with
/// turns that had waited, or turns that are to end have left their waits for that.
pub(crate) fn room(world: &World) -> Holds {
    let ends = |agent: &&Agent| {
        let cut = agent.turn.as_ref().is_some_and(|turn| turn.interrupted);
        cut || matches!(agent.life, Life::Closing(_))
    };
    let works = at_work(world).filter(|agent| !ends(agent)).count();
    let most = world.limits().places.max(world.shell.restored);
    holds(works <= most, "RES-5", || format!("{works} are at work in {most} places"))
}

/// HAND-4: following who waits for whom leads to somebody who does not wait.
pub(crate) fn circles(world: &World) -> Holds {
    let awaited = |agent: &Agent| -> Option<AgentId> {
        match waiting(world, agent)? {
            WaitFor::Mail => None,
            WaitFor::Child(child) => Some(child),
            WaitFor::Answer(request) => {
                world.forest.requests().find(|open| open.request.id == request)?.asked
            }
        }
    };
    for agent in world.forest.agents() {
        let next = |id: &AgentId| awaited(world.known(*id));
        let line = std::iter::successors(awaited(agent), next);
        let length = line.take(world.forest.agents().count() + 1).count();
        let ends = length <= world.forest.agents().count();
        holds(ends, "HAND-4", || format!("{} waits in a circle", agent.id))?;
    }
    Ok(())
}

/// OBS-3: whoever waits for mail waits for somebody who is at work, or on the way in or out.
pub(crate) fn company(world: &World) -> Holds {
    let listens = |agent: &&Agent| waiting(world, agent) == Some(WaitFor::Mail);
    let Some(listener) = world.forest.agents().find(listens) else { return Ok(()) };
    let moves = |agent: &Agent| {
        let up = matches!(agent.life, Life::Resident { published: true });
        let still = up || matches!(agent.life, Life::Absent | Life::Withdrawn);
        !still || agent.turn.is_none() && agent.inbox.due_since().is_some()
    };
    let somebody = at_work(world).next().is_some() || world.forest.agents().any(moves);
    holds(somebody, "OBS-3", || format!("{} waits, and nobody is at work", listener.id))
}
