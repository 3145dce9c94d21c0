//! What a tool is asked to do: data, drawn by a model and done by a guest, so that a call that is
//! run again does the same.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use switchboard_core::{AgentId, Content, MessageId, Millis, RequestId, Target};
use switchboard_runtime::Ask;

use crate::frames::frames;
use crate::world::World;

/// The tool that speaks to the control plane alone.
pub(crate) const TALK: &str = "talk";
/// The tool that only looks.
pub(crate) const LOOK: &str = "look";
/// The tool that may do anything.
pub(crate) const TOUCH: &str = "touch";
/// A tool agents have and no host does.
pub(crate) const GONE: &str = "gone";

/// The kinds of agents that may be started; of the last there can be none.
pub(crate) const KINDS: [&str; 3] = ["worker", "helper", "once"];

/// The arguments of every tool.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Deeds {
    pub(crate) deeds: Vec<Deed>,
}

/// One thing a tool does.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Deed {
    Send(Letter),
    Interrupt {
        to: String,
        cascade: bool,
    },
    Acknowledge(MessageId),
    Start {
        kind: String,
        words: String,
        background: bool,
        fork: bool,
    },
    Close(String),
    Delete(String),
    /// Asks somebody to come to an end.
    Shutdown(String),
    /// Asks for a plan to be approved.
    Plan(String),
    /// Answers a request, which may be nobody's.
    Respond {
        request: RequestId,
        plan: bool,
        approve: bool,
    },
    /// Waits for mail when all of the step are made.
    Await(u64),
    List,
    Get(String),
    Recent(String),
    Standing(MessageId),
    Wait(u64),
    Fail,
    Panic,
    Hang,
}

/// A message as it is handed in.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Letter {
    /// As a model writes it; none is whoever woke it.
    to: Option<String>,
    pub(crate) words: String,
    acknowledge: bool,
    expires_in: Option<Millis>,
    reply_optional: bool,
}

impl Letter {
    pub(crate) fn target(&self) -> Target {
        self.to.clone().map_or(Target::Origin, Target::Spoken)
    }

    pub(crate) fn content(&self) -> Content {
        Content {
            expires_in: self.expires_in,
            acknowledge: self.acknowledge,
            reply_optional: self.reply_optional,
            ..Content::text(self.words.clone())
        }
    }

    /// Words for the parent.
    pub(crate) fn to_parent(words: String) -> Self {
        let (to, expires_in) = (Some("parent".to_owned()), None);
        Self { to, words, acknowledge: false, expires_in, reply_optional: false }
    }

    fn draw(world: &World) -> Self {
        let chance = &world.chance;
        let mut words = world.new_words();
        if chance.strikes(10) {
            words.push_str(&" at great length".repeat(2_000));
        }
        Self {
            to: (!chance.strikes(50)).then(|| address(world)),
            words,
            acknowledge: chance.strikes(150),
            expires_in: chance.strikes(100).then(|| Millis(1 + chance.below(30_000))),
            reply_optional: chance.strikes(150),
        }
    }
}

impl Deeds {
    /// Several calls of one answer: tools with their arguments.
    pub(crate) fn draw(world: &World, ask: &Ask) -> Vec<(String, String)> {
        let calls = world.chance.below(4);
        (0..calls).map(|_| Self::call(world, ask)).collect()
    }

    /// As a model writes it.
    pub(crate) fn text(&self) -> String {
        serde_json::to_string(self).expect("deeds can be written")
    }

    fn call(world: &World, ask: &Ask) -> (String, String) {
        let tool = match world.chance.below(20) {
            0..13 => TALK,
            13..16 => LOOK,
            16..18 => TOUCH,
            18 => GONE,
            _ => "no such tool",
        };
        if world.chance.strikes(10) {
            return (tool.to_owned(), "not JSON".to_owned());
        }
        let count = 1 + world.chance.below(3);
        let deeds = Self { deeds: (0..count).map(|_| Deed::draw(world, ask)).collect() };
        (tool.to_owned(), deeds.text())
    }
}

impl Deed {
    fn draw(world: &World, ask: &Ask) -> Self {
        let chance = &world.chance;
        if world.strikes(world.plan.rates.tool_fails) {
            return match chance.below(3) {
                0 => Self::Fail,
                1 => Self::Panic,
                _ => Self::Hang,
            };
        }
        match chance.below(30) {
            0..13 => Self::Send(Letter::draw(world)),
            13..19 => {
                let kind = (*chance.pick(&KINDS)).to_owned();
                let words = world.new_words();
                let (background, fork) = (!chance.strikes(250), chance.strikes(150));
                Self::Start { kind, words, background, fork }
            }
            19..21 => Self::Interrupt { to: address(world), cascade: chance.strikes(300) },
            21..24 => some_message(world, ask).map_or(Self::List, Self::Acknowledge),
            24 => Self::List,
            25 => Self::Get(address(world)),
            26 => Self::Recent(address(world)),
            27 => some_message(world, ask).map_or(Self::List, Self::Standing),
            28 => Self::rare(world, ask),
            _ => Self::Wait(wait(chance.while_at_work())),
        }
    }
}

impl Deed {
    /// What agents do seldom.
    fn rare(world: &World, ask: &Ask) -> Self {
        let chance = &world.chance;
        match chance.below(10) {
            0 => Self::Close(address(world)),
            1 => Self::Delete(address(world)),
            2..4 => Self::Shutdown(address(world)),
            4..6 => Self::Plan(world.new_words()),
            6..8 => some_request(world, ask.agent).map_or(Self::List, |request| Self::Respond {
                request,
                plan: chance.strikes(500),
                approve: chance.strikes(600),
            }),
            _ => Self::Await(10_000 + chance.below(60_000)),
        }
    }
}

fn wait(length: Duration) -> u64 {
    u64::try_from(length.as_millis()).unwrap_or(0)
}

/// Something to write to: kin, many, nobody, or anybody by id.
fn address(world: &World) -> String {
    const SPOKEN: [&str; 12] = [
        "parent",
        "parent",
        "root",
        "all",
        "worker",
        "helper",
        "worker-2",
        "child:worker",
        "sibling:helper",
        "child:worker*",
        "nobody",
        "user",
    ];
    let place = world.chance.below(24) as usize;
    let spoken = SPOKEN.get(place).map(|spoken| (*spoken).to_owned());
    spoken.or_else(|| Some(anybody(world)?.to_string())).unwrap_or_else(|| "parent".to_owned())
}

/// Any agent there ever was.
pub(crate) fn anybody(world: &World) -> Option<AgentId> {
    let book = world.book();
    (!book.agents.is_empty()).then(|| *world.chance.pick(&book.agents))
}

/// A request that this agent was asked, or seldom any.
fn some_request(world: &World, asked: AgentId) -> Option<RequestId> {
    let book = world.book();
    let any = world.chance.strikes(200);
    let mut fitting = book.requests.iter().rev().filter(|(_, of)| any || *of == Some(asked));
    fitting.next().map(|(request, _)| *request)
}

/// A message the agent has read, or seldom any.
fn some_message(world: &World, ask: &Ask) -> Option<MessageId> {
    let read: Vec<MessageId> = frames(&ask.transcript).map(|(id, _)| id).collect();
    if read.is_empty() || world.chance.strikes(100) {
        let book = world.book();
        let all: Vec<MessageId> = book.messages.keys().copied().collect();
        return (!all.is_empty()).then(|| *world.chance.pick(&all));
    }
    Some(*world.chance.pick(&read))
}
