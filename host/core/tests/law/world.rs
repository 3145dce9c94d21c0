//! A small shell for the machine: it performs effects when told to, and after every command
//! checks that replaying what was stored gives the same facts (LED-2).

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use switchboard_core::{
    Answer, Command, Descriptor, Effect, Event, Forest, LedgerTag, Limits, Millis, Mode, Monotonic,
    ReachPolicy, Refusal, Stamp, Step, Ticket, Timer, ToolUse, WallTime,
};

mod asks;
mod calls;
mod loops;
mod look;

pub(crate) use asks::{answerer, ends, judges, plan, shutdown};
pub(crate) use look::{notices_of_rest, words};

#[derive(Debug)]
pub(crate) struct World {
    pub(crate) forest: Forest,
    pub(crate) log: Vec<Event>,
    pub(crate) effects: VecDeque<Effect>,
    pub(crate) answers: BTreeMap<Ticket, Answer>,
    /// How long the log was after each command: a crash can only come there.
    pub(crate) batches: Vec<usize>,
    shadow: Forest,
    limits: Limits,
    reach: ReachPolicy,
    pub(crate) now: u64,
    tickets: u64,
}

/// What a call came to.
#[derive(Debug)]
pub(crate) enum Came<T> {
    To(T),
    Refused(Refusal),
    /// It is parked under this ticket.
    Parked(Ticket),
}

impl<T: std::fmt::Debug> Came<T> {
    #[track_caller]
    pub(crate) fn ok(self) -> T {
        match self {
            Self::To(value) => value,
            other => panic!("expected an acceptance, got {other:?}"),
        }
    }

    #[track_caller]
    pub(crate) fn refused(self) -> Refusal {
        match self {
            Self::Refused(refusal) => refusal,
            other => panic!("expected a refusal, got {other:?}"),
        }
    }

    #[track_caller]
    pub(crate) fn parked(self) -> Ticket {
        match self {
            Self::Parked(ticket) => ticket,
            other => panic!("expected it to wait, got {other:?}"),
        }
    }
}

/// The kinds every agent of these tests may start.
const KINDS: &str = "Reviewer a above all b below deep doomed fine first four helper low middle \
                     more msg_00007 one other painter parent quick reader reviewer slow stuck \
                     tester three top two worker writer";

pub(crate) fn descriptor(kind: &str, mode: Mode) -> Arc<Descriptor> {
    let long = "k".repeat(64);
    let starts = KINDS.split_whitespace().chain([&*long]).map(str::to_owned).collect();
    Arc::new(Descriptor { starts, ..Descriptor::new(kind, mode, "script:none") })
}

pub(crate) fn call(tool: &str) -> ToolUse {
    ToolUse { tool: tool.into(), arguments: "{}".into() }
}

impl World {
    pub(crate) fn new() -> Self {
        Self::with(Limits::default(), ReachPolicy::Direct)
    }

    pub(crate) fn with(limits: Limits, reach: ReachPolicy) -> Self {
        let limits = limits.checked().unwrap();
        let (forest, opened) = Forest::open(LedgerTag::new(7), limits.clone(), reach);
        let mut shadow = Forest::replaying(limits.clone(), reach);
        shadow.apply(&opened).unwrap();
        Self {
            forest,
            log: vec![opened],
            effects: VecDeque::new(),
            answers: BTreeMap::new(),
            batches: vec![1],
            shadow,
            limits,
            reach,
            now: 1_000,
            tickets: 0,
        }
    }

    pub(crate) fn ticket(&mut self) -> Ticket {
        self.tickets += 1;
        Ticket(self.tickets)
    }

    pub(crate) fn pass(&mut self, time: Millis) {
        self.now += time.0;
    }

    /// Decides a command, stores what follows and keeps what is to be done.
    #[track_caller]
    pub(crate) fn act(&mut self, command: Command) -> Step {
        let stamp = Stamp {
            wall: WallTime(1_700_000_000_000 + self.now),
            now: Monotonic(self.now),
            entropy: u128::from(self.now) << 64 | u128::from(self.tickets),
        };
        let step = self.forest.step(command, stamp);
        for event in &step.events {
            let text = serde_json::to_string(event).unwrap();
            let read: Event = serde_json::from_str(&text).unwrap();
            assert_eq!(read, *event, "an event reads back as it was written: {text}");
            assert_eq!(
                serde_json::from_str::<serde_json::Value>(&text).unwrap()["event"],
                event.kind()
            );
            self.shadow.apply(&read).unwrap();
        }
        assert!(self.forest.same_facts(&self.shadow), "replay gives the same facts (LED-2)");
        self.log.extend(step.events.iter().cloned());
        self.batches.push(self.log.len());
        self.effects.extend(step.effects.iter().cloned());
        for (ticket, answer) in &step.answers {
            let twice = self.answers.insert(*ticket, answer.clone());
            assert!(twice.is_none(), "a ticket is answered once: {twice:?}, then {answer:?}");
        }
        step
    }

    /// Stores a fact no command leads to yet.
    pub(crate) fn plant(&mut self, event: Event) {
        self.forest.apply(&event).unwrap();
        self.shadow.apply(&event).unwrap();
        self.log.push(event);
        self.batches.push(self.log.len());
    }

    /// Another host on the first so many facts of this one.
    pub(crate) fn upto(&self, facts: usize) -> Self {
        let mut world = Self::with(self.limits.clone(), self.reach);
        for event in &self.log[1..facts] {
            world.plant(event.clone());
        }
        world.tickets = self.tickets;
        world.now = self.now;
        world
    }

    /// The host is killed and started again on what was stored.
    pub(crate) fn crash(&mut self) {
        let mut forest = Forest::replaying(self.limits.clone(), self.reach);
        for event in &self.log {
            forest.apply(event).unwrap();
        }
        assert!(forest.same_facts(&self.forest));
        self.forest = forest;
        self.effects.clear();
        let step = self.act(Command::HostStarted);
        let mut ordered: Vec<String> = step
            .effects
            .iter()
            .filter(|effect| !matches!(effect, Effect::SetTimer { .. }))
            .map(|effect| format!("{effect:?}"))
            .collect();
        let mut outstanding: Vec<String> =
            self.forest.outstanding().iter().map(|effect| format!("{effect:?}")).collect();
        ordered.sort();
        outstanding.sort();
        assert_eq!(ordered, outstanding, "recovery performs what is outstanding (LED-4)");
    }

    /// Performs what needs no model: brings agents up and puts them away, until nothing is left.
    pub(crate) fn settle(&mut self) {
        let mut kept = VecDeque::new();
        while let Some(effect) = self.effects.pop_front() {
            match effect {
                Effect::Materialise { agent, incarnation } => {
                    self.act(Command::Published { agent, incarnation });
                }
                Effect::Dispose { agent, incarnation } => {
                    self.act(Command::Disposed { agent, incarnation });
                }
                other => kept.push_back(other),
            }
        }
        self.effects = kept;
    }

    /// The timers that are set and not yet taken.
    pub(crate) fn timers(&self) -> Vec<(Timer, Millis)> {
        let timer = |effect: &Effect| match effect {
            Effect::SetTimer { timer, after } => Some((*timer, *after)),
            _ => None,
        };
        self.effects.iter().filter_map(timer).collect()
    }

    /// Lets the first timer that fits come.
    #[track_caller]
    pub(crate) fn fire(&mut self, fits: impl Fn(&Timer) -> bool) {
        let (timer, after) =
            self.timers().into_iter().find(|(timer, _)| fits(timer)).expect("such a timer is set");
        let this = Effect::SetTimer { timer, after };
        let place = self.effects.iter().position(|effect| *effect == this);
        self.effects.remove(place.expect("it is among the effects"));
        self.pass(after);
        self.act(Command::Timer(timer));
    }
}
