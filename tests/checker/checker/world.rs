//! A world: the machine, its shell, what is stored, and what may still happen.

use std::hash::{Hash, Hasher};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use switchboard_core::{
    Agent, AgentId, AgentName, Command, Descriptor, Event, Forest, Id, LedgerTag, Limits, Mode,
    Monotonic, ReachPolicy, Stamp, Step, WallTime,
};

use super::laws;
use super::record::Record;
use super::shell::{Held, Shell, Told};

const TAG: u32 = 7;
/// How long a tick of the clock is, in milliseconds.
pub(crate) const TICK: u64 = 10_000;

/// A law that does not hold.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Broken {
    /// Its clause.
    pub(crate) law: &'static str,
    /// What was seen.
    pub(crate) what: String,
}

/// What a law comes to.
pub(crate) type Holds = Result<(), Broken>;

/// Says that a law is broken unless its condition holds.
pub(crate) fn holds(condition: bool, law: &'static str, what: impl FnOnce() -> String) -> Holds {
    if condition { Ok(()) } else { Err(Broken { law, what: what() }) }
}

/// One state.
#[derive(Clone, Debug)]
pub(crate) struct World {
    pub(crate) forest: Forest,
    pub(crate) shell: Shell,
    /// What the stored events alone say.
    pub(crate) record: Record,
    /// How often each letter of the alphabet may still come.
    pub(crate) left: Vec<u8>,
    /// Ticks since the beginning.
    pub(crate) clock: u64,
    pub(crate) broken: Option<Broken>,
    /// What replay of all events gives. They went through `apply` alone, one after the other.
    replayed: Forest,
    /// While a batch is being stored: what there was before it.
    stored: Option<Box<(Forest, Record)>>,
    limits: Limits,
    /// What the last move told the machine, and what came of it.
    pub(crate) told: Vec<(Command, Step)>,
}

impl PartialEq for World {
    fn eq(&self, other: &Self) -> bool {
        self.forest == other.forest
            && self.shell == other.shell
            && self.record == other.record
            && (&self.left, self.clock) == (&other.left, other.clock)
            && self.broken == other.broken
    }
}

impl Hash for World {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.forest.hash(state);
        self.shell.hash(state);
        self.record.hash(state);
        (&self.left, self.clock, &self.broken).hash(state);
    }
}

/// The agent with this number.
pub(crate) fn agent(number: u64) -> AgentId {
    Id::new(LedgerTag::new(TAG), number)
}

impl World {
    /// An empty world.
    pub(crate) fn new(limits: Limits) -> Self {
        let tag = LedgerTag::new(TAG);
        let (forest, opened) = Forest::open(tag, limits.clone(), ReachPolicy::Direct);
        let mut replayed = Forest::replaying(limits.clone(), ReachPolicy::Direct);
        replayed.apply(&opened).expect("the first event fits");
        Self {
            forest,
            shell: Shell::default(),
            record: Record::default(),
            left: Vec::new(),
            clock: 0,
            broken: None,
            replayed,
            stored: None,
            limits,
            told: Vec::new(),
        }
    }

    pub(crate) fn limits(&self) -> &Limits {
        &self.limits
    }

    pub(crate) fn tag(&self) -> LedgerTag {
        LedgerTag::new(TAG)
    }

    /// An agent there is.
    pub(crate) fn known(&self, id: AgentId) -> &Agent {
        self.forest.agent(id).expect("the agents of a world were admitted")
    }

    /// What an agent of this world is: it may start others like itself.
    pub(crate) fn descriptor(mode: Mode) -> Arc<Descriptor> {
        Arc::new(Descriptor { starts: vec!["w".into()], ..Descriptor::new("w", mode, "m") })
    }

    /// The root's name; children are `w`, `w-2`, ...
    pub(crate) fn root_name() -> AgentName {
        AgentName::new("r").expect("it is a name")
    }

    fn stamp(&self) -> Stamp {
        let now = self.clock * TICK;
        Stamp { wall: WallTime(now), now: Monotonic(now), entropy: 0 }
    }

    /// Tells the machine something, and looks whether what came of it is lawful. Nobody else hears
    /// of it before it is stored.
    pub(crate) fn tell(&mut self, command: Command) {
        if self.broken.is_some() {
            return;
        }
        let before = self.forest.clone();
        let stamp = self.stamp();
        let deciding = || self.forest.step(command.clone(), stamp);
        let Ok(step) = catch_unwind(AssertUnwindSafe(deciding)) else {
            let what = format!("it panicked at {command:?}");
            self.broken = Some(Broken { law: "no panic", what });
            return;
        };
        let lawful = laws::step(self, &before, &command, &step)
            .and_then(|()| self.take(&before, &step.events));
        let answers = step.answers.iter().map(|(ticket, answer)| (*ticket, Told::from(answer)));
        let fresh = Held { answers: answers.collect(), effects: step.effects.clone() };
        match &mut self.shell.held {
            Some(held) => {
                held.answers.extend(fresh.answers);
                held.effects.extend(fresh.effects);
            }
            None => self.let_out(fresh),
        }
        self.told.push((command, step));
        self.broken = self.broken.take().or(lawful.err());
    }

    fn take(&mut self, before: &Forest, events: &[Event]) -> Holds {
        for event in events {
            let fits = self.replayed.apply(event);
            holds(fits.is_ok(), "LED-2", || format!("{fits:?}: {event:?}"))?;
            self.record.take(event, before)?;
        }
        let same = self.replayed.same_facts(&self.forest);
        holds(same, "LED-2", || "replay gives other facts".into())?;
        self.record.told()?;
        self.record.agrees(&self.forest)
    }

    /// What is decided from now on is being stored until the next commit.
    pub(crate) fn hold(&mut self) {
        self.stored = Some(Box::new((self.replayed.clone(), self.record.clone())));
        self.shell.held = Some(Held::default());
    }

    /// What was being stored is: everybody hears of it, and what it asks for is done.
    pub(crate) fn commit(&mut self) {
        if let Some(held) = self.shell.held.take() {
            self.stored = None;
            self.let_out(held);
        }
    }

    fn let_out(&mut self, held: Held) {
        for (ticket, told) in held.answers {
            if let Err(what) = self.shell.answer(ticket, told) {
                self.broken = Some(Broken { law: "SEND-12", what });
            }
        }
        for effect in &held.effects {
            self.shell.perform(effect, &self.forest, self.clock * TICK);
        }
        self.shell.forget_idle(&self.forest);
    }

    /// The host is killed and started again on what was stored.
    pub(crate) fn crash(&mut self) {
        self.shell = Shell::default();
        if let Some(stored) = self.stored.take() {
            (self.replayed, self.record) = *stored;
        }
        self.forest = self.replayed.clone();
        self.tell(Command::HostStarted);
        let open = self.forest.agents().filter(|agent| agent.turn.is_some()).count();
        self.shell.restored = if open > self.limits.places { open } else { 0 };
    }

    /// A host that was killed and started again now, and what that asked for.
    pub(crate) fn crashed(&self) -> (Forest, Step) {
        let stored = self.stored.as_ref().map_or(&self.replayed, |stored| &stored.0);
        let mut started = stored.clone();
        let step = started.step(Command::HostStarted, self.stamp());
        (started, step)
    }
}
