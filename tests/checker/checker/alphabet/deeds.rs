//! What guests call for.

use switchboard_core::{
    AgentId, Command, Content, Draft, Life, Millis, Mode, StartRequest, Target,
};

use super::{Call, Deed, Does, Letter, asking};
use crate::checker::shell::TASK;
use crate::checker::world::{TICK, World};

/// A message to the parent or a child.
pub(crate) static SEND: Letter = deed("send", kin, |world, call| message(world, call, "m", |_| ()));

/// One to the parent alone: a report.
pub(crate) static REPORT: Letter =
    deed("report", parent, |world, call| message(world, call, "r", |_| ()));

/// One to a child alone.
pub(crate) static ASK: Letter =
    deed("ask", children, |world, call| message(world, call, "a", |_| ()));

/// One that needs no answer (FATE-6).
pub(crate) static REMARK: Letter = deed("remark", kin, |world, call| {
    message(world, call, "q", |content| content.reply_optional = true)
});

/// One that may wait for half a tick of the clock (FATE-5).
pub(crate) static HURRY: Letter = deed("hurry", kin, |world, call| {
    message(world, call, "h", |content| content.expires_in = Some(Millis(TICK / 2)))
});

/// One that is to be acknowledged (FATE-4).
pub(crate) static DEMAND: Letter = deed("demand", kin, |world, call| {
    message(world, call, "d", |content| content.acknowledge = true)
});

/// The oldest that is owed is acknowledged.
pub(crate) static ACKNOWLEDGE: Letter = deed(
    "acknowledge",
    |world, id| world.known(id).owes.first().map(|owed| owed.to).into_iter().collect(),
    |world, Call { ticket, caller, key, .. }| {
        // Asked again after a crash it is owed no more; the key has the first answer.
        let known = world.known(agent_of(caller)).owes.first().map(|owed| owed.message);
        let message = known.unwrap_or_else(|| switchboard_core::Id::new(world.tag(), 1));
        Command::Acknowledge { ticket, caller, key: Some(key), message, note: None }
    },
);

/// The turn of one below is stopped.
pub(crate) static INTERRUPT: Letter = deed("interrupt", below, |_, call| interrupt(call, false));

/// The turns of one below and of all below that are stopped.
pub(crate) static CASCADE: Letter = deed("cascade", below, |_, call| interrupt(call, true));

/// A child is started.
pub(crate) static START: Letter = deed("start", |_, id| vec![id], |_, call| start(call, true));

/// A child is started in the foreground: what it comes to is the result (START-1).
pub(crate) static RUN: Letter = deed(TASK, |_, id| vec![id], |_, call| start(call, false));

/// One below is closed.
pub(crate) static PUT_BY: Letter =
    deed("close below", below, |_, Call { ticket, caller, target, .. }| Command::Close {
        ticket,
        caller,
        key: None,
        target: Target::Agent(target),
    });

/// One below is gone for good (DELETE-1).
pub(crate) static DELETE: Letter =
    deed("delete below", below, |_, Call { ticket, caller, key, target }| {
        let (key, target) = (Some(key), Target::Agent(target));
        Command::Delete { ticket, caller, key, target }
    });

static ALL: &[&Letter] = &[
    &SEND,
    &REPORT,
    &ASK,
    &REMARK,
    &HURRY,
    &DEMAND,
    &ACKNOWLEDGE,
    &INTERRUPT,
    &CASCADE,
    &START,
    &RUN,
    &PUT_BY,
    &DELETE,
    &asking::END,
    &asking::PLAN,
    &asking::AGREE,
    &asking::REFUSE,
];

/// The deed a tool is for; none if it speaks to nobody.
pub(crate) fn named(tool: &str) -> Option<&'static Deed> {
    let letter = ALL.iter().find(|letter| letter.name == tool)?;
    match &letter.does {
        Does::Deed(deed) => Some(deed),
        Does::Happens { .. } => None,
    }
}

pub(super) const fn deed(
    name: &'static str,
    targets: fn(&World, AgentId) -> Vec<AgentId>,
    command: fn(&World, Call) -> Command,
) -> Letter {
    Letter { name, does: Does::Deed(Deed { targets, command }) }
}

fn message(world: &World, call: Call, words: &str, but: fn(&mut Content)) -> Command {
    let Call { ticket, caller, key, target } = call;
    let mut content = Content::text(words);
    but(&mut content);
    let draft = Draft { to: Target::Agent(target), content };
    let patience = world.limits().parking_guest;
    Command::Send { ticket, caller, key: Some(key), draft, patience }
}

fn start(call: Call, background: bool) -> Command {
    let Call { ticket, caller, key, .. } = call;
    let request = StartRequest {
        kind: "w".into(),
        descriptor: Some(World::descriptor(Mode::Continuable)),
        description: String::new(),
        prompt: "p".into(),
        background,
        fork: false,
    };
    Command::Start { ticket, caller, key: Some(key), request }
}

fn interrupt(call: Call, cascade: bool) -> Command {
    let Call { ticket, caller, key, target } = call;
    let target = Target::Agent(target);
    Command::Interrupt { ticket, caller, key: Some(key), target, turn: None, cascade, reason: None }
}

fn agent_of(caller: switchboard_core::Caller) -> AgentId {
    match caller {
        switchboard_core::Caller::Agent { agent, .. } => agent,
        switchboard_core::Caller::User => unreachable!("guests are agents'"),
    }
}

fn parent(world: &World, id: AgentId) -> Vec<AgentId> {
    world.known(id).parent.into_iter().collect()
}

fn children(world: &World, id: AgentId) -> Vec<AgentId> {
    world.known(id).children.clone()
}

fn kin(world: &World, id: AgentId) -> Vec<AgentId> {
    parent(world, id).into_iter().chain(children(world, id)).collect()
}

pub(super) fn below(world: &World, id: AgentId) -> Vec<AgentId> {
    let agents = world.forest.agents().filter(|agent| agent.life != Life::Withdrawn);
    let mut found = vec![id];
    for agent in agents {
        if agent.parent.is_some_and(|parent| found.contains(&parent)) {
            found.push(agent.id);
        }
    }
    found.split_off(1)
}
