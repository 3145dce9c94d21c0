//! Requests that want one answer (HAND), as guests and the person make and answer them.

use switchboard_core::{
    AgentId, Caller, Command, Handshake, Id, Reply, RequestBody, RequestId, Target,
};

use super::deeds::{below, deed};
use super::{Call, Does, Letter, Pair};
use crate::checker::world::{World, agent};

/// One below is asked to come to an end (HAND-1).
pub(crate) static END: Letter = deed("ask to end", below, |_, call| {
    let Call { ticket, caller, key, target } = call;
    Command::Request { ticket, caller, key: Some(key), to: Target::Agent(target), body: ending() }
});

/// A plan is to be approved (HAND-2).
pub(crate) static PLAN: Letter = deed(
    "plan",
    |_, id| vec![id],
    |_, call| {
        let Call { ticket, caller, key, target } = call;
        let body =
            RequestBody::Plan { plan: "p".into(), alternatives: Vec::new(), recommendation: None };
        Command::Request { ticket, caller, key: Some(key), to: Target::Agent(target), body }
    },
);

/// A request is answered with yes.
pub(crate) static AGREE: Letter = deed("agree", requests, |world, call| answer(world, call, true));

/// A request is answered with no.
pub(crate) static REFUSE: Letter =
    deed("refuse", requests, |world, call| answer(world, call, false));

/// The person asks an agent to come to an end.
pub(crate) static DISMISS: Letter = Letter {
    name: "dismiss",
    does: Does::Happens {
        choices: |world| world.forest.agents().map(|agent| (0, agent.id.number())).collect(),
        play: |world, (_, whom)| {
            let (ticket, to) = (world.shell.person(), Target::Agent(agent(whom)));
            let (caller, key, body) = (Caller::User, None, ending());
            world.tell(Command::Request { ticket, caller, key, to, body });
        },
    },
};

/// The person judges a plan that it was asked to.
pub(crate) static JUDGE: Letter = Letter {
    name: "judge",
    does: Does::Happens {
        choices: |world| {
            let open = world.forest.requests_for(None).map(|open| open.request.id.number());
            open.flat_map(|number| [(number, 0), (number, 1)]).collect()
        },
        play: |world, (number, yes): Pair| {
            let (ticket, caller, key) = (world.shell.person(), Caller::User, None);
            let (request, reply) = (request(world, number), says(Handshake::Plan, yes == 1));
            world.tell(Command::Respond { ticket, caller, key, request, reply });
        },
    },
};

fn ending() -> RequestBody {
    RequestBody::Shutdown { reason: "done".into(), cleanup: None, grace: None }
}

/// The requests an agent is to answer. Like agents they are told by their numbers.
fn requests(world: &World, id: AgentId) -> Vec<AgentId> {
    let open = world.forest.requests_for(Some(id));
    open.map(|open| agent(open.request.id.number() * KINDS + kind_of(open.request.body.kind())))
        .collect()
}

/// A request is asked for by its number and its kind in one, since when it is asked for again
/// after a crash it may have ended.
const KINDS: u64 = 2;

fn kind_of(kind: Handshake) -> u64 {
    match kind {
        Handshake::Shutdown => 0,
        Handshake::Plan => 1,
    }
}

fn answer(world: &World, call: Call, yes: bool) -> Command {
    let Call { ticket, caller, key, target } = call;
    let (number, kind) = (target.number() / KINDS, target.number() % KINDS);
    let kind = if kind == 0 { Handshake::Shutdown } else { Handshake::Plan };
    let (request, reply) = (request(world, number), says(kind, yes));
    Command::Respond { ticket, caller, key: Some(key), request, reply }
}

fn request(world: &World, number: u64) -> RequestId {
    Id::new(world.tag(), number)
}

fn says(kind: Handshake, approve: bool) -> Reply {
    match kind {
        Handshake::Shutdown => Reply::Shutdown { approve, cleaned_up: false, report: None },
        Handshake::Plan => Reply::Plan { approve, feedback: None },
    }
}
