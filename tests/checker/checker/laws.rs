//! What must hold: of each command, in each state, and wherever nothing is under way any more.

use switchboard_core::{
    Activity, Agent, Answer, Caller, Code, Command, Effect, Event, Forest, Incarnation, Life,
    LoopAnswer, Step, Timer,
};

use super::alphabet::INEVITABLE;
use super::record::Phase;
use super::shell::{Asked, At, Memory, is_idle};
use super::world::{Holds, World, agent, holds};

mod asked;
mod waiting;

/// The laws of one command that the machine decided.
///
/// # Errors
/// The first that is broken.
pub(crate) fn step(world: &World, before: &Forest, command: &Command, step: &Step) -> Holds {
    if is_stale(world, before, command) {
        let obeyed = !step.events.is_empty() || *before != world.forest;
        holds(!obeyed, "ID-2", || format!("{command:?} of a stay that is over is obeyed"))?;
        for (_, answer) in &step.answers {
            holds(is_refusal(answer), "ID-2", || format!("{command:?} is answered {answer:?}"))?;
        }
    }
    asked::in_time(world, before, step)?;
    waiting::places(world, command, step)
}

/// Whether a command speaks for a stay that is over, as the events say. What the machine did with
/// it is not in the record yet.
fn is_stale(world: &World, before: &Forest, command: &Command) -> bool {
    let record = &world.record;
    let over = |agent, incarnation: Incarnation| {
        let known = &record.agents[&agent];
        known.incarnation != incarnation || known.phase == Phase::Gone
    };
    match command {
        Command::Send { caller: Caller::Agent { agent, incarnation }, .. }
        | Command::Acknowledge { caller: Caller::Agent { agent, incarnation }, .. }
        | Command::Interrupt { caller: Caller::Agent { agent, incarnation }, .. }
        | Command::Start { caller: Caller::Agent { agent, incarnation }, .. }
        | Command::Close { caller: Caller::Agent { agent, incarnation }, .. }
        | Command::Delete { caller: Caller::Agent { agent, incarnation }, .. }
        | Command::Request { caller: Caller::Agent { agent, incarnation }, .. }
        | Command::Respond { caller: Caller::Agent { agent, incarnation }, .. }
        | Command::Published { agent, incarnation }
        | Command::MaterialiseFailed { agent, incarnation, .. }
        | Command::Disposed { agent, incarnation } => over(*agent, *incarnation),
        Command::Claim { activation, .. }
        | Command::RecordStep { activation, .. }
        | Command::RecordCall { activation, .. }
        | Command::Wait { activation, .. }
        | Command::EndTurn { activation, .. } => {
            let open = record.agents[&activation.agent].turn.map(|(turn, _)| turn);
            over(activation.agent, activation.incarnation) || open != Some(activation.turn)
        }
        Command::Timer(timer) => is_idle(*timer, before),
        _ => false,
    }
}

fn is_refusal(answer: &Answer) -> bool {
    match answer {
        Answer::Refused(refusal) => refusal.code == Code::Unauthorized,
        answer => *answer == Answer::Loop(LoopAnswer::Stop),
    }
}

/// The laws of one state.
///
/// # Errors
/// The first that is broken.
pub(crate) fn state(world: &World) -> Holds {
    if let Some(broken) = &world.broken {
        return Err(broken.clone());
    }
    ends(world)?;
    crash(world)?;
    names(world)?;
    let stored = world.shell.held.is_none();
    if stored && world.shell.drain.is_none() {
        for agent in world.forest.agents() {
            wakes(world, agent)?;
            rests(world, agent)?;
            tries(world, agent)?;
        }
        under_way(world)?;
        waits_for_deleted(world)?;
        asked::timed(world)?;
        waiting::room(world)?;
        waiting::circles(world)?;
        waiting::company(world)?;
    } else if stored {
        drained(world)?;
    }
    if !INEVITABLE.iter().any(|letter| !letter.choices(world).is_empty()) {
        quiet(world)?;
    }
    Ok(())
}

/// More stays than anybody has in a world that comes to an end.
const STAYS: u32 = 20;

/// Nothing goes round and round: what may happen is counted, so all of it comes to an end.
fn ends(world: &World) -> Holds {
    let endless = world.forest.agents().find(|agent| agent.incarnation.0 > STAYS);
    holds(endless.is_none(), "an end", || {
        format!("{:?} comes and goes for ever", endless.map(|agent| agent.id))
    })
}

/// ID-5: a name means one among those of one parent, and was never another's unless that never
/// came to be.
fn names(world: &World) -> Holds {
    let agents: Vec<&Agent> = world.forest.agents().filter(came_to_be).collect();
    for (place, one) in agents.iter().enumerate() {
        let beside = agents[..place].iter().filter(|other| other.parent == one.parent);
        for other in beside {
            let apart = one.deleted || other.deleted || one.name.stem() != other.name.stem();
            holds(apart && one.name != other.name, "ID-5", || {
                format!("{} and {} are both {}", other.id, one.id, one.name)
            })?;
        }
    }
    Ok(())
}

fn came_to_be(agent: &&Agent) -> bool {
    agent.life != Life::Withdrawn
}

/// DELETE-1: nobody waits to say something to one that is deleted.
fn waits_for_deleted(world: &World) -> Holds {
    for (stay, running) in &world.shell.loops {
        // No other calls wait to be answered.
        let sends = running.call.as_ref().filter(|_| running.at == At::Waiting(Asked::Call));
        let to = sends.and_then(|call| call.arguments.parse().ok()).map(agent);
        let gone = to.is_some_and(|to| world.known(to).deleted);
        holds(!gone, "DELETE-1", || format!("{} waits for {to:?}, deleted", stay.0))?;
    }
    Ok(())
}

/// LED-4: the successor of a host that is killed now orders what facts alone say is to be done.
fn crash(world: &World) -> Holds {
    let (started, step) = world.crashed();
    let timer = |effect: &&Effect| matches!(effect, Effect::SetTimer { .. });
    let ordered: Vec<&Effect> = step.effects.iter().filter(|effect| !timer(effect)).collect();
    let outstanding = started.outstanding();
    let same = ordered.len() == outstanding.len();
    let same = same && outstanding.iter().all(|effect| ordered.contains(&effect));
    holds(same, "LED-4", || {
        format!("a crash orders {ordered:?}, and {outstanding:?} are outstanding")
    })
}

/// DEL-5: whoever is due has a turn, or waits for a place, or is on its way into memory.
fn wakes(world: &World, agent: &Agent) -> Holds {
    let due = agent.inbox.due_since().is_some() && agent.turn.is_none();
    let lost = || format!("{} is due and nothing comes of it", agent.id);
    if due && agent.is_up() {
        let works = waiting::at_work(world).count();
        return holds(works >= world.limits().places, "DEL-5", lost);
    }
    let again = Timer::Rebuild(agent.id, agent.incarnation);
    let waits = || below_closing(world, agent) || is_set(world, again);
    holds(!due || agent.life != Life::Absent || waits(), "DEL-5", lost)
}

/// DRAIN-1: whoever waited when the drain began has an answer, and nobody waits any more.
fn drained(world: &World) -> Holds {
    let calls = world.shell.loops.values().filter(|running| running.at == At::Waiting(Asked::Call));
    let waits = calls.count() + world.shell.waiting.len();
    holds(waits == 0, "DRAIN-1", || format!("{waits} wait in a host that drains"))
}

/// RES-2: whoever cannot be brought back so many times is given up, and the count begins anew.
fn tries(world: &World, agent: &Agent) -> Holds {
    let (tries, most) = (agent.failed_rebuilds, world.limits().rebuilds);
    holds(tries < most, "RES-2", || format!("{} failed to come back {tries} times", agent.id))
}

/// RES-3: nobody who has come to rest stays in memory.
fn rests(world: &World, agent: &Agent) -> Holds {
    let idle = agent.parent.is_some() && agent.is_up() && agent.activity() == Activity::Idle;
    let below = world.forest.agents().filter(|other| other.parent == Some(agent.id));
    let busy = below.filter(|child| keeps_waiting(world, child)).count() > 0;
    let waiting = agent.is_live() && agent.turn.is_none() && agent.inbox.due_since().is_none();
    let waiting = waiting && busy;
    holds(!idle || waiting, "RES-3", || format!("{} rests and stays", agent.id))?;
    let said = agent.activity() == Activity::Waiting;
    holds(said == waiting, "RES-3", || format!("{} waits for nobody, or does not", agent.id))
}

/// Whether a child keeps those above it waiting, told from all that is below it (RES-3).
fn keeps_waiting(world: &World, child: &Agent) -> bool {
    let below = world.forest.agents().filter(|other| other.parent == Some(child.id));
    let busy = below.filter(|other| keeps_waiting(world, other)).count() > 0;
    match child.life {
        Life::Starting { .. } | Life::Closing(_) => true,
        Life::Resident { .. } => busy || !child.is_parked(),
        Life::Absent => busy || child.inbox.due_since().is_some(),
        Life::Withdrawn => false,
    }
}

/// LED-4: what live handling has left to do is what facts say is to be done, but for what failed
/// and is tried again later.
fn under_way(world: &World) -> Holds {
    let shell = &world.shell;
    for effect in world.forest.outstanding() {
        let done = match effect {
            Effect::Materialise { agent, incarnation } => {
                let loading = shell.slots.get(&agent).is_some_and(|slot| {
                    slot.incarnation == incarnation && slot.memory == Memory::Loading
                });
                loading || is_set(world, Timer::Rebuild(agent, incarnation))
            }
            Effect::RunTurn { agent, incarnation, turn } => {
                let running = shell.loops.get(&(agent, incarnation));
                running.is_some_and(|running| running.turn == turn)
            }
            Effect::CancelTurn { agent, incarnation, .. } => {
                let running = shell.loops.get(&(agent, incarnation));
                running.is_some_and(|running| running.cut.is_some())
            }
            Effect::Dispose { agent, incarnation } => shell.leaving.contains(&(agent, incarnation)),
            Effect::SetTimer { .. } => true,
        };
        holds(done, "LED-4", || format!("{effect:?} is outstanding and nobody is at it"))?;
    }
    for agent in world.forest.agents() {
        let running = shell.loops.get(&(agent.id, agent.incarnation));
        let goes_on = running.is_some_and(|running| running.cut.is_none());
        let closing = matches!(agent.life, Life::Closing(_));
        holds(!closing || !goes_on, "RES-4", || format!("{} is not told to stop", agent.id))?;
        let slot = shell.slots.get(&agent.id);
        let here = slot
            .is_some_and(|slot| slot.incarnation == agent.incarnation && slot.memory == Memory::Up);
        holds(here || !agent.is_up(), "RES-1", || format!("{} is up and not there", agent.id))?;
    }
    let running = shell.loops.keys().filter(|stay| is_current(world, **stay)).count();
    holds(running <= held(world), "TURN-5", || "loops run without a turn".into())
}

fn is_current(world: &World, (agent, incarnation): super::shell::Stay) -> bool {
    let known = world.known(agent);
    let here = matches!(known.life, Life::Resident { .. } | Life::Closing(_));
    here && known.incarnation == incarnation
}

/// Nothing comes by itself any more: then everything that was asked for is done.
fn quiet(world: &World) -> Holds {
    let shell = &world.shell;
    let stuck = |what: String| holds(false, "quiet", || what);
    if !world.forest.is_quiet() {
        return stuck("the machine waits for something that never comes".into());
    }
    if let Some(ticket) = shell.waiting.first() {
        return stuck(format!("{ticket:?} is never answered"));
    }
    if shell.drain.is_some() || !shell.loops.is_empty() || !shell.leaving.is_empty() {
        return stuck(format!("the shell is left with {shell:?}"));
    }
    for agent in world.forest.agents() {
        let moves = matches!(agent.life, Life::Starting { .. } | Life::Closing(_));
        if moves || agent.turn.is_some() || agent.inbox.due_since().is_some() {
            return stuck(format!("{} is left as it is", agent.id));
        }
    }
    Ok(())
}

/// How many turns are open; all agents of a world are one tree.
fn held(world: &World) -> usize {
    world.forest.agents().filter(|agent| agent.turn.is_some()).count()
}

fn is_set(world: &World, timer: Timer) -> bool {
    world.shell.timers.iter().any(|(set, _)| *set == timer)
}

fn below_closing(world: &World, agent: &Agent) -> bool {
    let above = |agent: &&Agent| agent.parent.map(|id| world.known(id));
    let mut above = std::iter::successors(Some(agent), above).skip(1);
    above.any(|agent| matches!(agent.life, Life::Closing(_)))
}

/// Whether some event of a step is like this.
pub(crate) fn any(step: &Step, like: impl Fn(&Event) -> bool) -> bool {
    step.events.iter().any(like)
}
