//! How many instructions the machine takes for what it does most: counted, not timed, so that a
//! busy computer gives the same answer as a quiet one. `scripts/instructions` runs each case
//! under callgrind, which counts inside `measured` only, and compares with what was committed.

#[path = "machine/families.rs"]
mod families;

use std::hint::black_box;
use std::sync::Arc;

use families::Bench;
use switchboard_core::{
    AgentId, Caller, Claim, Content, Descriptor, Event, Forest, Incarnation, LedgerTag, Limits,
    Message, MessageId, MessageKind, Mode, Nonce, ReachPolicy, Relationship, RosterQuery, Schedule,
    Scope, Sender, Shown, WallTime, render,
};

fn main() {
    let done = match std::env::args().nth(1).as_deref() {
        Some("send-10") => sends(10),
        Some("send-10000") => sends(10_000),
        Some("roster-100") => rosters(100),
        Some("roster-10000") => rosters(10_000),
        Some("frame") => frames(),
        // What `cargo bench` says, which runs everything: here that is nothing.
        _ => return,
    };
    println!("{done}");
}

/// Callgrind knows it by its name.
#[inline(never)]
fn measured<Made>(work: impl FnOnce() -> Made) -> Made {
    black_box(work())
}

/// As many sends in a small forest as in a large one.
fn sends(agents: usize) -> usize {
    const SENDS: usize = 9_000;
    let mut bench = Bench::new();
    let families = bench.families(agents);
    let mut done = 0;
    while done < SENDS {
        bench.now += 10_000;
        for (parent, children) in &families {
            for child in children {
                let send = bench.send(*parent, *child);
                let step = measured(|| bench.decide(send));
                families::check(&step);
                bench.step_once(*child);
                done += 1;
            }
        }
    }
    done
}

/// The first page an agent gets of so many siblings.
fn rosters(siblings: usize) -> usize {
    const ROSTERS: usize = 100;
    let tag = LedgerTag::new(1);
    let (mut forest, _) = Forest::open(tag, Limits::default(), ReachPolicy::Family);
    let descriptor = Arc::new(Descriptor::new("lead", Mode::Root, "none"));
    for number in 1..=siblings + 1 {
        let name = format!("root{number}").try_into().expect("a good name");
        let (agent, descriptor) = (AgentId::new(tag, number as u64), descriptor.clone());
        let registered = Event::AgentRegistered { agent, name, descriptor };
        forest.apply(&registered).expect("it fits");
    }
    let incarnation = Incarnation::default().next();
    let caller = Caller::Agent { agent: AgentId::new(tag, 1), incarnation };
    let query = RosterQuery { scope: Scope::Reachable, limit: None, after: None };
    for _ in 0..ROSTERS {
        let page = measured(|| forest.roster(caller, query)).expect("it is live");
        assert!(page.rows.len() == 20 && page.next.is_some(), "a full page: {page:?}");
    }
    ROSTERS
}

fn frames() -> usize {
    const FRAMES: usize = 1_000;
    let tag = LedgerTag::new(1);
    let from = Sender::Agent {
        id: AgentId::new(tag, 1),
        name: "reviewer".to_owned().try_into().expect("a good name"),
        relationship: Relationship::Child,
    };
    let message = Message {
        id: MessageId::new(tag, 1),
        from,
        to: AgentId::new(tag, 2),
        kind: MessageKind::Relay,
        content: Arc::new(Content::text("x".repeat(200))),
        schedule: Schedule::NextStep,
        wakes: true,
        at: WallTime(1_790_000_000_000),
        cause: None,
    };
    let shown = Shown { id: message.id, delivery: 1 };
    let claim = Claim { messages: vec![shown], left: 1, nonce: Nonce(7), at: message.at };
    let reader = Descriptor::new("worker", Mode::Continuable, "none");
    for _ in 0..FRAMES {
        measured(|| render(&message, shown, &claim, &reader));
    }
    FRAMES
}
