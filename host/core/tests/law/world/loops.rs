//! The loops of open turns, and what brings agents up and down.

use switchboard_core::{
    Activation, AgentId, Answer, CallRecord, Command, Effect, HostKey, LoopAnswer, StepRecord,
    Ticket, ToolUse, TurnEnd, Usage,
};

use super::{World, call};

impl World {
    /// The loop of the agent's open turn.
    #[track_caller]
    pub(crate) fn activation(&self, agent: AgentId) -> Activation {
        let known = self.forest.agent(agent).unwrap();
        let turn = known.turn.as_ref().expect("a turn is open").id;
        Activation { agent, incarnation: known.incarnation, turn }
    }

    pub(crate) fn at_loop(&mut self, build: impl FnOnce(Ticket) -> Command) -> LoopAnswer {
        let ticket = self.ticket();
        self.act(build(ticket));
        match &self.answers[&ticket] {
            Answer::Loop(answer) => answer.clone(),
            other => panic!("{other:?}"),
        }
    }

    #[track_caller]
    pub(crate) fn claim(&mut self, agent: AgentId) -> LoopAnswer {
        let activation = self.activation(agent);
        self.at_loop(|ticket| Command::Claim { ticket, activation })
    }

    /// Whether the agent's loop goes on from its boundary at once.
    #[track_caller]
    pub(crate) fn goes_on(&mut self, agent: AgentId) -> bool {
        let ticket = self.boundary(agent);
        matches!(self.answers.get(&ticket), Some(Answer::Loop(LoopAnswer::GoOn(_))))
    }

    /// A loop at its boundary, which may have no answer yet (PAUSE-1).
    #[track_caller]
    pub(crate) fn boundary(&mut self, agent: AgentId) -> Ticket {
        let (ticket, activation) = (self.ticket(), self.activation(agent));
        self.act(Command::Claim { ticket, activation });
        ticket
    }

    #[track_caller]
    pub(crate) fn record(&mut self, agent: AgentId, text: &str, calls: Vec<ToolUse>) -> LoopAnswer {
        let activation = self.activation(agent);
        let record = StepRecord { text: text.into(), calls, end: TurnEnd::Completed };
        self.at_loop(|ticket| Command::RecordStep { ticket, activation, record })
    }

    /// One step that asks for a tool and gets its result.
    #[track_caller]
    pub(crate) fn step_once(&mut self, agent: AgentId) {
        self.claim(agent);
        self.record(agent, "thinking", vec![call("look")]);
        self.call_done(agent, 0);
    }

    #[track_caller]
    pub(crate) fn call_done(&mut self, agent: AgentId, place: u32) -> LoopAnswer {
        let activation = self.activation(agent);
        let record =
            CallRecord { outcome: "done".into(), text: "seen".into(), usage: Usage::default() };
        self.at_loop(|ticket| Command::RecordCall { ticket, activation, call: place, record })
    }

    /// Claims, answers without a tool and so ends the turn.
    #[track_caller]
    pub(crate) fn finish(&mut self, agent: AgentId, closing: &str) {
        self.claim(agent);
        assert_eq!(self.record(agent, closing, vec![]), LoopAnswer::TurnOver(TurnEnd::Completed));
    }

    #[track_caller]
    pub(crate) fn end(&mut self, agent: AgentId, end: TurnEnd) -> LoopAnswer {
        let activation = self.activation(agent);
        self.at_loop(|ticket| Command::EndTurn { ticket, activation, end, note: None })
    }

    /// The loop of the agent's open turn stops and leaves it open.
    #[track_caller]
    pub(crate) fn stop_loop(&mut self, agent: AgentId) {
        let activation = self.activation(agent);
        self.act(Command::LoopStopped { activation });
    }

    /// The key of a control call in the agent's open turn.
    #[track_caller]
    pub(crate) fn key(&self, agent: AgentId, nth: u32) -> HostKey {
        HostKey { turn: self.activation(agent).turn, step: 0, call: 0, nth }
    }

    /// Brings the agent up, as was ordered.
    #[track_caller]
    pub(crate) fn publish(&mut self, agent: AgentId) {
        let incarnation = self.ordered(agent);
        self.act(Command::Published { agent, incarnation });
    }

    /// Fails to bring the agent up, as was ordered.
    #[track_caller]
    pub(crate) fn fail(&mut self, agent: AgentId) {
        let incarnation = self.ordered(agent);
        let why = "its model is not known".into();
        self.act(Command::MaterialiseFailed { agent, incarnation, why });
    }

    #[track_caller]
    fn ordered(&mut self, wanted: AgentId) -> switchboard_core::Incarnation {
        let place = self.effects.iter().position(
            |effect| matches!(effect, Effect::Materialise { agent, .. } if *agent == wanted),
        );
        match self.effects.remove(place.expect("it was ordered up")) {
            Some(Effect::Materialise { incarnation, .. }) => incarnation,
            other => panic!("{other:?}"),
        }
    }

    /// The agent is out of memory, as was ordered.
    #[track_caller]
    pub(crate) fn dispose(&mut self, wanted: AgentId) {
        let place = self
            .effects
            .iter()
            .position(|effect| matches!(effect, Effect::Dispose { agent, .. } if *agent == wanted));
        match self.effects.remove(place.expect("it was ordered away")) {
            Some(Effect::Dispose { agent, incarnation }) => {
                self.act(Command::Disposed { agent, incarnation });
            }
            other => panic!("{other:?}"),
        }
    }

    /// The host begins to stop.
    pub(crate) fn drain(&mut self) -> Ticket {
        let ticket = self.ticket();
        self.act(Command::Drain { ticket });
        ticket
    }
}
