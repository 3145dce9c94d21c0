//! What happens in a turn: claims, answers, calls, interrupts and crashes.

use switchboard_core::{StepRecord, ToolUse};
use switchboard_runtime::Entry;

use super::agent::{Agent, Call, Phase, Turn};
use super::post::frame;
use super::{Move, World};
use crate::asking::answer_now;

/// Tools that speak to other agents. Those of one step run in the order they are written.
const CONTROL: &[&str] = &["send_message", "interrupt_agent", "subagent"];

impl World {
    pub(super) fn moves_of(&self, index: usize) -> Vec<Move> {
        let agent = &self.agents[index];
        let Some(turn) = &agent.turn else {
            return if agent.inbox.due() { vec![Move::Open(index)] } else { Vec::new() };
        };
        match &turn.phase {
            _ if turn.stopping => vec![Move::Stop(index)],
            Phase::Boundary => vec![Move::Claim(index)],
            Phase::Holding if agent.inbox.next_step.is_empty() => Vec::new(),
            Phase::Holding | Phase::Answered(_) => vec![Move::Answer(index)],
            Phase::Calling(calls) => call_moves(index, calls),
        }
    }

    pub(super) fn open(&mut self, index: usize) {
        let turn = Turn { phase: Phase::Boundary, stopping: false, claimed: Vec::new() };
        self.agents[index].turn = Some(turn);
        self.take(index, true);
    }

    pub(super) fn claim(&mut self, index: usize) {
        self.course.read_in_mid_turn += u32::from(!self.agents[index].inbox.next_step.is_empty());
        self.take(index, false);
    }

    fn take(&mut self, index: usize, opening: bool) {
        let agent = &mut self.agents[index];
        let mut claimed = agent.inbox.claim(opening);
        claimed.iter_mut().for_each(|mail| mail.showings += 1);
        if !claimed.is_empty() {
            let frames = claimed.iter().map(|mail| frame(mail, self.messages)).collect();
            agent.transcript.push(Entry::Read(frames));
        }
        let turn = agent.turn.as_mut().expect("a turn claims");
        turn.claimed = claimed;
        turn.phase = Phase::Holding;
        if let Some(answer) = self.asked(index, false) {
            let turn = self.agents[index].turn.as_mut().expect("a turn is asked");
            turn.phase = Phase::Answered(answer);
        }
    }

    /// What the model says now; nothing if it waits for mail.
    fn asked(&self, index: usize, mail_waits: bool) -> Option<StepRecord> {
        let agent = &self.agents[index];
        let model = format!("script:{}", agent.kind);
        answer_now(&self.models, &model, &agent.transcript, mail_waits)
            .map(|answer| answer.unwrap_or_else(|error| panic!("{}: {error}", agent.name)))
    }

    pub(super) fn answer(&mut self, index: usize) {
        let turn = self.agents[index].turn.as_mut().expect("a turn is asked");
        let record = match std::mem::replace(&mut turn.phase, Phase::Boundary) {
            Phase::Answered(record) => record,
            // Asked anew instead of having waited all along: a script keeps nothing between.
            _ => self.asked(index, true).expect("mail waits"),
        };
        let StepRecord { text, calls, .. } = record;
        let agent = &mut self.agents[index];
        agent.transcript.push(Entry::Said { text, calls: calls.clone() });
        if calls.is_empty() {
            agent.turn = None;
            self.rest(index);
            return;
        }
        let call = |wanted| Call { wanted, result: None, recorded: false };
        let turn = agent.turn.as_mut().expect("a turn is asked");
        turn.claimed.clear();
        turn.phase = Phase::Calling(calls.into_iter().map(call).collect());
    }

    /// A child with nothing left to do is put away, and its parent is told.
    fn rest(&mut self, index: usize) {
        let agent = &mut self.agents[index];
        if agent.parent.is_some() && !agent.inbox.due() {
            agent.resident = false;
            self.notice(index);
        }
    }

    pub(super) fn perform(&mut self, index: usize, call: usize) {
        let wanted = self.calls(index)[call].wanted.clone();
        let result = self.call(index, &wanted);
        self.calls(index)[call].result = Some(result);
    }

    fn calls(&mut self, index: usize) -> &mut Vec<Call> {
        let turn = self.agents[index].turn.as_mut().expect("a turn calls");
        let Phase::Calling(calls) = &mut turn.phase else { panic!("no call is under way") };
        calls
    }

    fn call(&mut self, caller: usize, wanted: &ToolUse) -> super::folder::Result {
        let arguments: serde_json::Value = serde_json::from_str(&wanted.arguments).unwrap();
        let text = |key: &str| arguments[key].as_str().expect(key).to_owned();
        match wanted.tool.as_str() {
            "send_message" => {
                let to = self.find(caller, &text("agent_id"));
                self.relay(caller, to, &text("message"));
                Ok(format!("Queued for {}.", self.agents[to].name))
            }
            "interrupt_agent" => Ok(self.interrupt(self.find(caller, &text("agent_id")))),
            "subagent" => Ok(self.start(caller, &text("agent"), &text("prompt"))),
            tool => self.folder.call(tool, &arguments),
        }
    }

    fn find(&self, caller: usize, spoken: &str) -> usize {
        if spoken == "parent" {
            return self.agents[caller].parent.expect("only children write to a parent");
        }
        let named = |agent: &Agent| agent.parent == Some(caller) && agent.name.as_str() == spoken;
        self.agents.iter().position(named).unwrap_or_else(|| panic!("no child is {spoken}"))
    }

    fn start(&mut self, parent: usize, kind: &str, prompt: &str) -> String {
        let earlier = self.agents.iter().filter(|agent| agent.kind == kind).count();
        let name = if earlier == 0 { kind.to_owned() } else { format!("{kind}-{}", earlier + 1) };
        let child = self.agents.len();
        self.agents.push(Agent::new(child, &name, kind, Some(parent)));
        self.prompt(parent, child, prompt);
        format!("Started {name} ({}). It works on its own.", self.agents[child].id)
    }

    fn interrupt(&mut self, target: usize) -> String {
        let agent = &mut self.agents[target];
        let Some(turn) = &mut agent.turn else {
            return format!("{} was idle already; there was nothing to stop.", agent.id);
        };
        turn.stopping = true;
        agent.inbox.park();
        format!("{} was told to stop its turn.", agent.id)
    }

    pub(super) fn record(&mut self, index: usize, call: usize) {
        let calls = self.calls(index);
        calls[call].recorded = true;
        let all = calls.iter().all(|call| call.recorded);
        let tool = calls[call].wanted.tool.clone();
        let result = calls[call].result.clone().expect("only what came is recorded");
        let failed = result.is_err();
        let text = result.unwrap_or_else(|text| text);
        let agent = &mut self.agents[index];
        agent.transcript.push(Entry::Returned { call: call as u32, tool, text, failed });
        if all {
            agent.turn.as_mut().expect("a turn records").phase = Phase::Boundary;
        }
    }

    pub(super) fn stop(&mut self, index: usize) {
        let agent = &mut self.agents[index];
        let turn = agent.turn.take().expect("a turn stops");
        assert!(turn.claimed.is_empty(), "{} loses mail it has read", agent.name);
        if let Phase::Calling(calls) = &turn.phase {
            let cut = |call: &&Call| !call.recorded && call.wanted.tool == "watch_file";
            self.course.watches_cut += u32::from(calls.iter().any(|call| cut(&call)));
            agent.transcript.extend(cancelled(calls));
        }
        agent.transcript.push(Entry::Interrupted);
    }

    /// What was recorded stays. Mail from which no step was made is shown again; a call without
    /// a result is made again, and a control call gets its first answer.
    pub(super) fn crash(&mut self) {
        self.course.crashes += 1;
        for agent in &mut self.agents {
            let Some(turn) = &mut agent.turn else { continue };
            if let Phase::Calling(calls) = &mut turn.phase {
                let reads = |call: &Call| !CONTROL.contains(&call.wanted.tool.as_str());
                let lost = calls.iter_mut().filter(|call| !call.recorded && reads(call));
                lost.for_each(|call| call.result = None);
            }
            if !turn.claimed.is_empty() {
                agent.inbox.put_back(std::mem::take(&mut turn.claimed));
                turn.phase = Phase::Boundary;
            }
        }
    }
}

fn call_moves(index: usize, calls: &[Call]) -> Vec<Move> {
    let mut moves = Vec::new();
    let mut control_waits = false;
    for (place, call) in calls.iter().enumerate() {
        let control = CONTROL.contains(&call.wanted.tool.as_str());
        match &call.result {
            None if control && control_waits => {}
            None => moves.push(Move::Perform(index, place)),
            Some(_) if !call.recorded => moves.push(Move::Record(index, place)),
            Some(_) => {}
        }
        control_waits |= control && call.result.is_none();
    }
    moves
}

fn cancelled(calls: &[Call]) -> impl Iterator<Item = Entry> {
    (0..).zip(calls).filter(|(_, call)| !call.recorded).map(|(place, call)| Entry::Returned {
        call: place,
        tool: call.wanted.tool.clone(),
        text: "the turn was stopped before this came to an end".into(),
        failed: true,
    })
}
