//! The loops of open turns, as `host/runtime` runs them: each answer is waited for, and the reins
//! may be cut at any moment but are seen at another.

use switchboard_core::{
    AgentId, CallRecord, Caller, CancelCause, Command, HostKey, Incarnation, StepRecord, ToolUse,
    TurnEnd, Usage, WaitFor,
};

use super::{Call, Does, Letter, Pair, deeds};
use crate::checker::shell::{Asked, At, LISTEN, Loop, Shell, Stay};
use crate::checker::world::{World, agent};

/// A loop takes what waits.
pub(crate) static CLAIM: Letter = letter(
    "claim",
    |world| at(world, At::Boundary),
    |world, pair| {
        let (ticket, activation) = turn(world, pair, Asked::Claim);
        world.tell(Command::Claim { ticket, activation });
    },
);

/// Its model answers without a tool: the turn is over.
pub(crate) static FINISH: Letter = letter(
    "finish",
    |world| at(world, At::Asking),
    |world, pair| {
        record(world, pair, Vec::new());
    },
);

/// A guest makes its control call.
pub(crate) static CALL: Letter = letter(
    "call",
    |world| at(world, At::Calling),
    |world, pair| {
        let stay = stay(pair);
        let running = &world.shell.loops[&stay];
        let used = running.call.clone().expect("a loop that calls has a call");
        let Some(deed) = deeds::named(&used.tool) else {
            let listens = used.tool == LISTEN;
            let next = if listens { At::Standing(WaitFor::Mail) } else { At::Called };
            return with(world, stay, |running| running.at = next);
        };
        let number = used.arguments.parse().expect("arguments are a number");
        let (agent_id, incarnation) = stay;
        let call = Call {
            ticket: Shell::ticket(stay),
            caller: Caller::Agent { agent: agent_id, incarnation },
            key: HostKey { turn: running.turn, step: running.step, call: 0, nth: 0 },
            target: agent(number),
        };
        let command = (deed.command)(world, call);
        with(world, stay, |running| running.at = At::Waiting(Asked::Call));
        world.tell(command);
    },
);

/// The guest of its call is done, and what the result waits for is asked for (TOOL-3).
pub(crate) static WAIT: Letter = letter(
    "wait",
    |world| loops(world, |running| matches!(running.at, At::Standing(_)) && running.cut.is_none()),
    |world, pair| {
        let At::Standing(on) = world.shell.loops[&stay(pair)].at else { return };
        let (ticket, activation) = turn(world, pair, Asked::Wait(on));
        let patience = world.limits().foreground;
        world.tell(Command::Wait { ticket, activation, on, patience });
    },
);

/// Its result is recorded.
pub(crate) static RESULT: Letter = letter(
    "result",
    |world| at(world, At::Called),
    |world, pair| {
        let (ticket, activation) = turn(world, pair, Asked::Result);
        let record =
            CallRecord { outcome: "done".into(), text: String::new(), usage: Usage::default() };
        world.tell(Command::RecordCall { ticket, activation, call: 0, record });
    },
);

/// A loop that was told to go, or to drain, leaves its turn open.
pub(crate) static LEAVE: Letter = letter(
    "leave",
    |world| {
        loops(world, |running| {
            let between = matches!(running.at, At::Boundary | At::Asking | At::Calling);
            running.at == At::Left || running.drained && between
        })
    },
    |world, pair| {
        let activation = world.shell.activation(stay(pair));
        world.shell.loops.remove(&stay(pair));
        world.tell(Command::LoopStopped { activation });
    },
);

/// A loop whose reins are cut sees it: its guest lets go, and the turn ends.
pub(crate) static STOP: Letter = letter(
    "stop",
    |world| {
        loops(world, |running| {
            let holds = |asked| !matches!(asked, Asked::Call | Asked::Wait(_));
            let waits = matches!(running.at, At::Waiting(asked) if holds(asked));
            running.cut.is_some() && !waits && running.at != At::Left
        })
    },
    |world, pair| {
        let stay = stay(pair);
        if let At::Waiting(Asked::Call | Asked::Wait(_)) = world.shell.loops[&stay].at {
            let ticket = Shell::ticket(stay);
            with(world, stay, |running| running.at = At::Called);
            world.tell(Command::Withdraw { ticket });
            world.shell.forget(ticket);
        }
        let end = match world.shell.loops[&stay].cut {
            Some(CancelCause::Interrupted) => TurnEnd::Interrupted,
            Some(CancelCause::Closing) => TurnEnd::Aborted,
            _ => return with(world, stay, |running| running.at = At::Left),
        };
        let (ticket, activation) = turn(world, pair, Asked::End);
        world.tell(Command::EndTurn { ticket, activation, end, note: None });
    },
);

/// A model cannot be asked: the turn fails.
pub(crate) static FAIL: Letter = letter(
    "fail",
    |world| at(world, At::Asking),
    |world, pair| {
        let (ticket, activation) = turn(world, pair, Asked::End);
        world.tell(Command::EndTurn { ticket, activation, end: TurnEnd::Error, note: None });
    },
);

/// A model asks for a tool that speaks to nobody.
pub(crate) static WORK: Letter = letter(
    "work",
    |world| at(world, At::Asking),
    |world, pair| {
        record(world, pair, vec![ToolUse { tool: "work".into(), arguments: "0".into() }]);
    },
);

/// A model asks to wait for mail.
pub(crate) static LISTEN_FOR: Letter = letter(
    LISTEN,
    |world| at(world, At::Asking),
    |world, pair| {
        record(world, pair, vec![ToolUse { tool: LISTEN.into(), arguments: "0".into() }]);
    },
);

const fn letter(
    name: &'static str,
    choices: fn(&World) -> Vec<Pair>,
    play: fn(&mut World, Pair),
) -> Letter {
    Letter { name, does: Does::Happens { choices, play } }
}

/// The agents whose model thinks.
pub(crate) fn asking(world: &World) -> impl Iterator<Item = AgentId> {
    let asking = world.shell.loops.iter().filter(|(_, running)| running.at == At::Asking);
    let current = |stay: &Stay| world.known(stay.0).incarnation == stay.1;
    asking.map(|(stay, _)| *stay).filter(current).map(|stay| stay.0)
}

/// The model of an agent asks for a tool.
pub(crate) fn ask_for(world: &mut World, tool: &str, (who, whom): Pair) {
    let incarnation = world.known(agent(who)).incarnation;
    let call = ToolUse { tool: tool.into(), arguments: whom.to_string() };
    record(world, (who, incarnation.0.into()), vec![call]);
}

fn record(world: &mut World, pair: Pair, calls: Vec<ToolUse>) {
    with(world, stay(pair), |running| running.call = calls.first().cloned());
    let (ticket, activation) = turn(world, pair, Asked::Step);
    let record = StepRecord { text: "t".into(), calls, end: TurnEnd::Completed };
    world.tell(Command::RecordStep { ticket, activation, record });
}

/// The loop asks something: its ticket, and which turn it speaks for.
fn turn(
    world: &mut World,
    pair: Pair,
    asked: Asked,
) -> (switchboard_core::Ticket, switchboard_core::Activation) {
    let stay = stay(pair);
    with(world, stay, |running| running.at = At::Waiting(asked));
    (Shell::ticket(stay), world.shell.activation(stay))
}

fn with(world: &mut World, stay: Stay, change: impl FnOnce(&mut Loop)) {
    change(world.shell.loops.get_mut(&stay).expect("the loop that was chosen runs"));
}

fn stay((number, incarnation): Pair) -> Stay {
    (agent(number), Incarnation(u32::try_from(incarnation).expect("stays are few")))
}

fn at(world: &World, place: At) -> Vec<Pair> {
    loops(world, |running| running.at == place)
}

fn loops(world: &World, which: impl Fn(&Loop) -> bool) -> Vec<Pair> {
    let chosen = world.shell.loops.iter().filter(|(_, running)| which(running));
    chosen.map(|((id, incarnation), _)| (id.number(), incarnation.0.into())).collect()
}
