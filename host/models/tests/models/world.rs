//! A small world for a crew: agents with inboxes and turns, tools that do what the real ones do,
//! and a scheduler that may do anything next that could happen next. It has no runtime, so that
//! what a test sees is the scripts' doing, and it can be in a thousand orders in a second.

mod agent;
mod folder;
mod post;
mod schedule;
mod turn;

pub(crate) use folder::Folder;
pub(crate) use schedule::Schedule;

use switchboard_models::Models;

use agent::Agent;

/// Somebody said something to somebody: sender, reader, words.
pub(crate) type Sent = (String, String, String);

/// What is left when nothing can happen any more.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Outcome {
    /// Every accepted message and every notice, sorted.
    pub(crate) sent: Vec<Sent>,
    /// The last words of the root.
    pub(crate) report: String,
}

/// How a run went, beyond its outcome.
#[derive(Clone, Debug, Default)]
pub(crate) struct Course {
    pub(crate) crashes: u32,
    pub(crate) watches_cut: u32,
    pub(crate) cold_resumes: u32,
    pub(crate) read_in_mid_turn: u32,
}

pub(crate) struct World {
    folder: Folder,
    models: Models,
    agents: Vec<Agent>,
    sent: Vec<Sent>,
    course: Course,
    messages: u64,
}

/// What may happen next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Move {
    /// An idle agent with mail begins a turn.
    Open(usize),
    /// An agent between two steps takes its mail.
    Claim(usize),
    /// A model answers.
    Answer(usize),
    /// A call does what it does.
    Perform(usize, usize),
    /// The result of a call is recorded.
    Record(usize, usize),
    /// A turn that is to stop stops.
    Stop(usize),
    /// The host dies and comes back.
    Crash,
}

/// Far more moves than any story needs; a run that makes them is going in circles.
const MOST_MOVES: usize = 3_000;
const MOST_CRASHES: u32 = 4;

impl World {
    pub(crate) fn new(models: Models, folder: Folder) -> Self {
        Self {
            folder,
            models,
            agents: vec![Agent::root("lead")],
            sent: Vec::new(),
            course: Course::default(),
            messages: 0,
        }
    }

    /// Lets everything happen, in the order the schedule wants, until nothing can.
    pub(crate) fn play(mut self, input: &str, mut schedule: Schedule) -> (Outcome, Course) {
        self.instruct(input);
        for _ in 0..MOST_MOVES {
            let possible = self.possible();
            if possible.is_empty() {
                return self.end();
            }
            let crash = self.course.crashes < MOST_CRASHES && schedule.wants_a_crash();
            let next = if crash { Move::Crash } else { schedule.pick(&possible) };
            self.make(next);
        }
        panic!("it does not end: {:#?}", self.sent);
    }

    fn possible(&self) -> Vec<Move> {
        (0..self.agents.len()).flat_map(|index| self.moves_of(index)).collect()
    }

    fn make(&mut self, next: Move) {
        match next {
            Move::Open(agent) => self.open(agent),
            Move::Claim(agent) => self.claim(agent),
            Move::Answer(agent) => self.answer(agent),
            Move::Perform(agent, call) => self.perform(agent, call),
            Move::Record(agent, call) => self.record(agent, call),
            Move::Stop(agent) => self.stop(agent),
            Move::Crash => self.crash(),
        }
    }

    fn end(self) -> (Outcome, Course) {
        for agent in &self.agents {
            assert!(agent.turn.is_none(), "{} is stuck in its turn", agent.name);
            assert!(agent.inbox.is_empty(), "{} has unread mail", agent.name);
        }
        let mut sent = self.sent;
        sent.sort();
        let report = self.agents[0].last_words().to_owned();
        (Outcome { sent, report }, self.course)
    }
}
