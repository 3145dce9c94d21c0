//! Stopping a turn (INT): admission and the request to stop are one transition.

use super::send::reused_key;
use super::{Forest, Work};
use crate::agent::{Agent, Life};
use crate::command::{Caller, Interruption, Stop, Stopped};
use crate::effect::{CancelCause, Effect};
use crate::ending::TurnEnd;
use crate::event::Event;
use crate::ids::{AgentId, TurnId};
use crate::kept::Kept;
use crate::key::HostKey;
use crate::kinship::Verb;
use crate::message::{Notice, Target};
use crate::receipt::DropReason;
use crate::refusal::{Code, Refusal};

/// What somebody wants stopped.
pub(super) struct Wish {
    pub(super) caller: Caller,
    pub(super) key: Option<HostKey>,
    pub(super) target: Target,
    pub(super) turn: Option<TurnId>,
    pub(super) cascade: bool,
    pub(super) reason: Option<String>,
}

impl Forest {
    pub(super) fn interrupt(
        &mut self,
        work: &mut Work,
        wish: Wish,
    ) -> Result<Interruption, Refusal> {
        let by = self.live_caller(wish.caller)?;
        if let Some(first) = self.first_interruption(by, wish.key)? {
            return Ok(first);
        }
        self.admitting()?;
        self.not_closing(by)?;
        self.may_change(by)?;
        short_reason(wish.reason.as_deref())?;
        let target = self.resolve(by, Verb::Interrupt, &wish.target)?;
        let answer = self.interruption(target, &wish);
        let mark = self.facts.last_message;
        let event = Event::InterruptAdmitted {
            by,
            key: wish.key.filter(|_| by.is_some()),
            answer: answer.clone(),
            mark,
            reason: wish.reason,
        };
        let newly: Vec<AgentId> = self.newly_cancelled(&answer);
        self.emit(work, event);
        for agent in newly {
            self.cancel_interrupted(work, agent);
            self.tell_parent(work, agent, by);
        }
        if answer.target.stop == Stop::NotStarted {
            self.withdraw_start(work, target, DropReason::Interrupted);
        }
        Ok(answer)
    }

    fn first_interruption(
        &self,
        by: Option<AgentId>,
        key: Option<HostKey>,
    ) -> Result<Option<Interruption>, Refusal> {
        let (Some(by), Some(key)) = (by, key) else { return Ok(None) };
        match self.facts.agent(by).kept.get(&key) {
            None => Ok(None),
            Some(Kept::Interruption(answer)) => Ok(Some(answer.clone())),
            Some(_) => Err(reused_key()),
        }
    }

    pub(super) fn not_closing(&self, caller: Option<AgentId>) -> Result<(), Refusal> {
        let closing =
            caller.is_some_and(|id| matches!(self.facts.agent(id).life, Life::Closing(_)));
        if closing {
            return Err(Refusal::new(
                Code::ActivationClosing,
                "you are being put away and can do nothing to others any more",
            ));
        }
        Ok(())
    }

    /// What is about to happen, by looking (INT-4).
    fn interruption(&self, target: AgentId, wish: &Wish) -> Interruption {
        let agent = self.facts.agent(target);
        let stop = stop_of(agent, wish.turn);
        let running: Vec<AgentId> = self
            .facts
            .descendants(target)
            .into_iter()
            .filter(|below| self.facts.agent(*below).turn.is_some())
            .collect();
        let stopped = |below: &AgentId| Stopped {
            agent: *below,
            stop: stop_of(self.facts.agent(*below), None),
        };
        let below: Vec<Stopped> =
            if wish.cascade { running.iter().map(stopped).collect() } else { Vec::new() };
        let still_running = if wish.cascade { Vec::new() } else { running };
        let cancelling = matches!(stop, Stop::Cancelling(_));
        let in_flight = agent.turn.iter().filter(|_| cancelling);
        Interruption {
            target: Stopped { agent: target, stop },
            below,
            still_running,
            calls_cut: in_flight
                .flat_map(|turn| turn.in_flight().map(|(_, call)| call.tool.clone()))
                .collect(),
            parked: if cancelling { count(agent.inbox.len()) } else { agent.inbox.parked() },
        }
    }

    /// Those whose turn nobody had interrupted before.
    fn newly_cancelled(&self, answer: &Interruption) -> Vec<AgentId> {
        std::iter::once(&answer.target)
            .chain(&answer.below)
            .filter(|stopped| matches!(stopped.stop, Stop::Cancelling(_)))
            .map(|stopped| stopped.agent)
            .filter(|id| self.facts.agent(*id).turn.as_ref().is_some_and(|turn| !turn.interrupted))
            .collect()
    }

    fn cancel_interrupted(&mut self, work: &mut Work, id: AgentId) {
        self.cancel_turn(work, id, CancelCause::Interrupted, TurnEnd::Interrupted);
    }

    /// Tells the loop to stop. A turn no loop runs in this process ends here.
    pub(super) fn cancel_turn(
        &mut self,
        work: &mut Work,
        id: AgentId,
        cause: CancelCause,
        end: TurnEnd,
    ) {
        let agent = self.facts.agent(id);
        let Some(turn) = agent.turn.as_ref().map(|turn| turn.id) else { return };
        if self.desk.loops.get(&id) == Some(&turn) {
            let incarnation = agent.incarnation;
            work.effect(Effect::CancelTurn { agent: id, incarnation, turn, cause });
        } else {
            self.finish_turn(work, id, end, None);
        }
    }

    /// INT-7: a parent that did not do it is told once, without being woken.
    fn tell_parent(&mut self, work: &mut Work, id: AgentId, by: Option<AgentId>) {
        let agent = self.facts.agent(id);
        let Some(parent) = agent.parent.filter(|parent| Some(*parent) != by) else { return };
        let notice = Notice::ChildInterrupted { child: id, name: agent.name.clone() };
        self.notify_quietly(work, parent, notice);
    }
}

/// The most characters of a reason.
const REASON_CHARS: usize = 1_000;

fn short_reason(reason: Option<&str>) -> Result<(), Refusal> {
    let chars = reason.map_or(0, |reason| reason.chars().count());
    if chars > REASON_CHARS {
        let text = format!("the reason has {chars} characters; {REASON_CHARS} are allowed");
        return Err(Refusal::new(Code::MessageTooLarge, text));
    }
    Ok(())
}

fn stop_of(agent: &Agent, expected: Option<TurnId>) -> Stop {
    match (agent.life, &agent.turn) {
        (Life::Starting { first: true }, _) => Stop::NotStarted,
        (Life::Closing(_) | Life::Absent | Life::Withdrawn, _) => Stop::AlreadyFinished,
        (Life::Starting { first: false } | Life::Resident { .. }, None) => Stop::AlreadyIdle,
        (_, Some(turn)) if expected.is_some_and(|expected| expected != turn.id) => {
            Stop::TurnMoved(turn.id)
        }
        (_, Some(turn)) => Stop::Cancelling(turn.id),
    }
}

fn count(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}
