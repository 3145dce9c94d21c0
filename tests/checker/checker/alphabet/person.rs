//! What the person does, and guests of stays that are over try.

use switchboard_core::{
    AgentId, Caller, Command, Content, Draft, Incarnation, Life, Target, Ticket,
};

use super::{Does, Letter, Pair};
use crate::checker::shell::STALE;
use crate::checker::world::{World, agent};

/// The person says something to an agent.
pub(crate) static INSTRUCT: Letter = letter("instruct", anybody, |world, (_, whom)| {
    let ticket = world.shell.person();
    let draft = Draft { to: Target::Agent(agent(whom)), content: Content::text("i") };
    let patience = world.limits().parking_host;
    world.tell(Command::Send { ticket, caller: Caller::User, key: None, draft, patience });
});

/// The person stops a turn.
pub(crate) static HALT: Letter = letter("halt", anybody, |world, (_, whom)| {
    let ticket = world.shell.person();
    world.tell(halt(ticket, whom, false));
});

/// The person stops a turn and all below.
pub(crate) static HALT_ALL: Letter = letter("halt all", anybody, |world, (_, whom)| {
    let ticket = world.shell.person();
    world.tell(halt(ticket, whom, true));
});

/// The person closes an agent.
pub(crate) static CLOSE: Letter = letter("close", anybody, |world, (_, whom)| {
    let ticket = world.shell.person();
    let target = Target::Agent(agent(whom));
    world.tell(Command::Close { ticket, caller: Caller::User, key: None, target });
});

/// The person deletes an agent.
pub(crate) static DELETE: Letter = letter("delete", anybody, |world, (_, whom)| {
    let ticket = world.shell.person();
    let target = Target::Agent(agent(whom));
    world.tell(Command::Delete { ticket, caller: Caller::User, key: None, target });
});

/// A guest of a stay that is over still speaks, to its parent or its first child.
pub(crate) static GHOST: Letter = letter("ghost", ghosts, |world, (who, incarnation)| {
    let id = agent(who);
    let known = world.known(id);
    let to = known.parent.or(known.children.first().copied()).unwrap_or(id);
    let incarnation = Incarnation(u32::try_from(incarnation).expect("stays are few"));
    let caller = Caller::Agent { agent: id, incarnation };
    let draft = Draft { to: Target::Agent(to), content: Content::text("g") };
    let patience = world.limits().parking_guest;
    world.tell(Command::Send { ticket: STALE, caller, key: None, draft, patience });
});

const fn letter(
    name: &'static str,
    choices: fn(&World) -> Vec<Pair>,
    play: fn(&mut World, Pair),
) -> Letter {
    Letter { name, does: Does::Happens { choices, play } }
}

fn halt(ticket: Ticket, whom: u64, cascade: bool) -> Command {
    let target = Target::Agent(agent(whom));
    let (caller, key, turn, reason) = (Caller::User, None, None, None);
    Command::Interrupt { ticket, caller, key, target, turn, cascade, reason }
}

fn anybody(world: &World) -> Vec<Pair> {
    let here = world.forest.agents().filter(|agent| agent.life != Life::Withdrawn);
    here.map(|agent| (0, agent.id.number())).collect()
}

fn ghosts(world: &World) -> Vec<Pair> {
    let ghost = |id: AgentId| {
        let agent = world.known(id);
        let gone = matches!(agent.life, Life::Absent | Life::Withdrawn);
        let last = u64::from(agent.incarnation.0);
        let over = if gone { last } else { last - 1 };
        (over > 0).then_some((id.number(), over))
    };
    world.forest.agents().filter_map(|agent| ghost(agent.id)).collect()
}
