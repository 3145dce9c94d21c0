//! What the host has under way: who is in memory, which loops run, which timers are set. It is the
//! shell of `host/runtime` as the machine meets it, without its threads.

use std::collections::{BTreeMap, BTreeSet};

use switchboard_core::{
    Activation, AgentId, Answer, CancelCause, Code, Effect, Forest, Incarnation, Life, LoopAnswer,
    Ticket, Timer, ToolUse, TurnId, WaitFor,
};

/// One stay of one agent.
pub(crate) type Stay = (AgentId, Incarnation);

/// The tool that starts a child in the foreground.
pub(crate) const TASK: &str = "task";
/// The tool that waits for mail.
pub(crate) const LISTEN: &str = "listen";
/// Whoever waits for the drain.
pub(crate) const DRAINING: Ticket = Ticket(90_000);
/// The person's calls have this and the next.
pub(crate) const PERSON: u64 = 100_000;
/// Nobody waits for the answers to guests of stays that are over.
pub(crate) const STALE: Ticket = Ticket(200_000);

/// Where bringing an agent into memory stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Memory {
    Loading,
    Failed,
    Up,
}

/// An agent in memory or on its way there.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Slot {
    pub(crate) incarnation: Incarnation,
    pub(crate) memory: Memory,
}

/// What a loop has asked the machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Asked {
    Claim,
    Step,
    Call,
    Wait(WaitFor),
    Result,
    End,
}

/// Where a loop is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum At {
    /// About to claim.
    Boundary,
    /// Its model is thinking.
    Asking,
    /// About to make the call of its step, or to make it again.
    Calling,
    /// The guest of its call is done, and the result is still to come (TOOL-3).
    Standing(WaitFor),
    /// Its call has an answer that is not on record.
    Called,
    /// It has asked the machine and has no answer.
    Waiting(Asked),
    /// It was told to go, and leaves its turn open.
    Left,
}

/// The loop of one open turn.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Loop {
    pub(crate) turn: TurnId,
    /// The step its call belongs to, or that comes next.
    pub(crate) step: u32,
    pub(crate) call: Option<ToolUse>,
    pub(crate) at: At,
    /// Its reins were cut, and why.
    pub(crate) cut: Option<CancelCause>,
    /// Its reins were drawn softly (DRAIN-1).
    pub(crate) drained: bool,
}

/// A batch that is being stored: nobody has heard of it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Held {
    pub(crate) answers: Vec<(Ticket, Told)>,
    pub(crate) effects: Vec<Effect>,
}

/// As much of an answer as its reader acts on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Told {
    GoOn,
    Over,
    Stop,
    Draining,
    /// A child in the foreground: what it comes to is the result of the call.
    Started(AgentId),
    Else,
}

impl From<&Answer> for Told {
    fn from(answer: &Answer) -> Self {
        match answer {
            Answer::Loop(LoopAnswer::GoOn(_)) => Self::GoOn,
            Answer::Loop(LoopAnswer::TurnOver(_)) => Self::Over,
            Answer::Loop(LoopAnswer::Stop) => Self::Stop,
            Answer::Refused(refusal) if refusal.code == Code::Draining => Self::Draining,
            Answer::Started(started) => Self::Started(started.agent),
            _ => Self::Else,
        }
    }
}

/// How far a drain is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Drain {
    Asked,
    Done,
}

/// One host process.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Shell {
    pub(crate) slots: BTreeMap<AgentId, Slot>,
    pub(crate) loops: BTreeMap<Stay, Loop>,
    /// Disposals that were ordered and not reported.
    pub(crate) leaving: BTreeSet<Stay>,
    /// Timers that are set, with the time on the clock before which they do not come.
    pub(crate) timers: BTreeSet<(Timer, u64)>,
    /// The person's calls that have no answer.
    pub(crate) waiting: BTreeSet<Ticket>,
    pub(crate) drain: Option<Drain>,
    pub(crate) held: Option<Held>,
    /// How many turns went on when it started, if those were more than there are places: what had
    /// waited works again until it waits anew (RES-5).
    pub(crate) restored: usize,
}

impl Shell {
    /// The ticket of a loop's calls: it makes one at a time.
    pub(crate) fn ticket((agent, incarnation): Stay) -> Ticket {
        Ticket(agent.number() * 100 + u64::from(incarnation.0))
    }

    /// A ticket of the person that nobody waits under.
    pub(crate) fn person(&mut self) -> Ticket {
        let mut free = (PERSON..).map(Ticket).filter(|ticket| !self.waiting.contains(ticket));
        let ticket = free.next().expect("tickets are endless");
        self.waiting.insert(ticket);
        ticket
    }

    pub(crate) fn activation(&self, stay: Stay) -> Activation {
        let (agent, incarnation) = stay;
        Activation { agent, incarnation, turn: self.loops[&stay].turn }
    }

    /// Does what the machine asks for, as `host/runtime` does it.
    pub(crate) fn perform(&mut self, effect: &Effect, forest: &Forest, now: u64) {
        match *effect {
            Effect::Materialise { agent, incarnation } => {
                let newer = self.slots.get(&agent).is_some_and(|it| it.incarnation >= incarnation);
                if !newer {
                    self.slots.insert(agent, Slot { incarnation, memory: Memory::Loading });
                }
            }
            Effect::RunTurn { agent, incarnation, turn } => {
                self.run_turn((agent, incarnation), turn, forest);
            }
            Effect::CancelTurn { agent, incarnation, turn, cause } => {
                let running = self.loops.get_mut(&(agent, incarnation));
                if let Some(running) = running.filter(|running| running.turn == turn) {
                    running.pull(cause);
                }
            }
            Effect::Dispose { agent, incarnation } => {
                if self.slots.get(&agent).is_some_and(|slot| slot.incarnation == incarnation) {
                    self.slots.remove(&agent);
                }
                let running = self.loops.get_mut(&(agent, incarnation));
                running.into_iter().for_each(|running| running.pull(CancelCause::Closing));
                self.leaving.insert((agent, incarnation));
            }
            Effect::SetTimer { timer, after } => {
                let timed = matches!(timer, Timer::Expiry(_) | Timer::Request(_));
                self.timers.insert((timer, if timed { now + after.0 } else { 0 }));
            }
        }
    }

    fn run_turn(&mut self, stay: Stay, turn: TurnId, forest: &Forest) {
        let open = forest.agent(stay.0).and_then(|agent| agent.turn.as_ref());
        let Some(open) = open.filter(|open| open.id == turn) else { return };
        let slot = self.slots.get(&stay.0);
        let up = slot.is_some_and(|it| it.incarnation == stay.1 && it.memory == Memory::Up);
        if !up || self.loops.get(&stay).is_some_and(|running| running.turn == turn) {
            return;
        }
        let call = open.in_flight().next().map(|(_, call)| call.clone());
        let (step, at) = match call {
            Some(_) => (open.step - 1, At::Calling),
            None => (open.step, At::Boundary),
        };
        self.loops.insert(stay, Loop { turn, step, call, at, cut: None, drained: false });
    }

    /// Gives an answer to whoever waits for it. Nobody may: it withdrew.
    ///
    /// # Errors
    /// It is answered without having asked.
    pub(crate) fn answer(&mut self, ticket: Ticket, told: Told) -> Result<(), String> {
        self.forget(ticket);
        match ticket {
            DRAINING => self.drain = Some(Drain::Done),
            STALE => {}
            Ticket(PERSON..) if self.waiting.remove(&ticket) => {}
            Ticket(PERSON..) => return Err(format!("{ticket:?} is answered once more")),
            Ticket(_) => {
                let stay = self.loops.keys().copied().find(|stay| Self::ticket(*stay) == ticket);
                let Some(stay) = stay else { return Ok(()) };
                if self.loops.get_mut(&stay).expect("it was found").hear(told)? {
                    self.loops.remove(&stay);
                }
            }
        }
        Ok(())
    }
}

impl Loop {
    fn pull(&mut self, cause: CancelCause) {
        match cause {
            CancelCause::Draining => self.drained = true,
            _ => self.cut = self.cut.or(Some(cause)),
        }
    }

    /// Whether what its call starts is a child in the foreground.
    fn is_in_front(&self) -> bool {
        self.call.as_ref().is_some_and(|call| call.tool == TASK)
    }

    /// What it waits for, as far as the machine knows.
    pub(crate) fn waits_for(&self) -> Option<WaitFor> {
        match self.at {
            At::Waiting(Asked::Wait(on)) => Some(on),
            _ => None,
        }
    }

    /// Takes an answer. The loop is over if it says so.
    fn hear(&mut self, told: Told) -> Result<bool, String> {
        let At::Waiting(asked) = self.at else {
            return Err(format!("a loop at {:?} is answered", self.at));
        };
        self.at = match (asked, told) {
            (Asked::Call, Told::Draining) | (_, Told::Stop) => At::Left,
            (Asked::Call, Told::Started(child)) if self.is_in_front() => {
                At::Standing(WaitFor::Child(child))
            }
            (Asked::Call, _) => At::Called,
            (Asked::End, _) | (_, Told::Over) => return Ok(true),
            // Its reins are looked at first.
            (Asked::Wait(on), _) if self.cut.is_some() => At::Standing(on),
            (Asked::Wait(_), _) => At::Called,
            (Asked::Claim, _) => At::Asking,
            (Asked::Step, _) => At::Calling,
            (Asked::Result, _) => {
                self.step += 1;
                self.call = None;
                At::Boundary
            }
        };
        Ok(asked == Asked::End)
    }
}

impl Shell {
    /// Nobody waits under this ticket any more.
    pub(crate) fn forget(&mut self, ticket: Ticket) {
        let its = |timer: Timer| timer == Timer::Parking(ticket) || timer == Timer::Waiting(ticket);
        self.timers.retain(|(timer, _)| !its(*timer));
    }

    /// Takes out the timers that are for nothing any more, so that states meet. The laws look
    /// whether such a timer would indeed do nothing.
    pub(crate) fn forget_idle(&mut self, forest: &Forest) {
        self.timers.retain(|(timer, _)| !is_idle(*timer, forest));
    }
}

/// Whether a timer was for something that is over for good.
pub(crate) fn is_idle(timer: Timer, forest: &Forest) -> bool {
    let of = |id: AgentId| forest.agent(id).expect("timers are set for agents there are");
    match timer {
        Timer::Rebuild(id, stay) => of(id).incarnation != stay || of(id).is_up(),
        Timer::Publication(id, stay) => {
            let coming =
                matches!(of(id).life, Life::Starting { .. } | Life::Resident { published: false });
            of(id).incarnation != stay || !coming
        }
        Timer::PutAway(id, stay) => {
            of(id).incarnation != stay || !of(id).is_live() || !of(id).is_parked()
        }
        Timer::Disposal(id, stay) => {
            of(id).incarnation != stay || !matches!(of(id).life, Life::Closing(_))
        }
        Timer::Request(id) => forest.requests().all(|open| open.request.id != id),
        Timer::Parking(_) | Timer::Expiry(_) | Timer::Waiting(_) | Timer::Drain => false,
    }
}
