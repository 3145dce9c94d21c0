//! Turns: opening, claiming, recording, ending (DEL-3, TURN).

use super::{Forest, Work};
use crate::agent::{Life, OpenTurn};
use crate::answer::{Claimed, LoopAnswer};
use crate::command::{Activation, CallRecord, StepRecord};
use crate::effect::Effect;
use crate::ending::TurnEnd;
use crate::event::{Claim, Event, Shown};
use crate::ids::{AgentId, MessageId, Nonce};
use crate::inbox::{Item, Selection};
use crate::receipt::{DropReason, Fate};

impl Forest {
    /// Opens turns of a tree while it has places, the longest due first (RES-5).
    pub(super) fn open_turns(&mut self, work: &mut Work, root: AgentId) {
        while !self.desk.draining {
            if self.places_taken(root) >= self.limits.places {
                return;
            }
            if self.let_one_go_on(work, root) {
                continue;
            }
            let places = &self.facts.agent(root).places;
            let Some(&(_, next)) = places.queue.first() else { return };
            // Without what expired it may be due for nothing else, or another for longer.
            if !self.expire(work, next) {
                self.open_turn(work, next);
            }
        }
    }

    fn open_turn(&mut self, work: &mut Work, id: AgentId) {
        let agent = self.facts.agent(id);
        let incarnation = agent.incarnation;
        let turn = self.facts.next_turn();
        let claim = self.claim_of(work, id, &agent.inbox.select_start(&self.limits));
        self.emit(work, Event::TurnOpened { agent: id, incarnation, turn, claim });
        self.time_grace(work, id);
        self.run_turn(work, id);
    }

    /// Has the open turn's loop run in this process.
    pub(super) fn run_turn(&mut self, work: &mut Work, id: AgentId) {
        let agent = self.facts.agent(id);
        let Some(turn) = agent.turn.as_ref().map(|turn| turn.id) else { return };
        if !self.desk.draining && !agent.paused {
            let incarnation = agent.incarnation;
            self.desk.loops.insert(id, turn);
            work.effect(Effect::RunTurn { agent: id, incarnation, turn });
        }
    }

    fn claim_of(&self, work: &Work, id: AgentId, selection: &Selection) -> Claim {
        let inbox = &self.facts.agent(id).inbox;
        let deliveries = |wanted: &MessageId| {
            let item = inbox.items().find(|item| item.message.id == *wanted);
            item.map_or(0, |item| item.deliveries)
        };
        let shown = |wanted: &MessageId| Shown { id: *wanted, delivery: deliveries(wanted) + 1 };
        let bits = work.stamp.entropy;
        Claim {
            messages: selection.ids.iter().map(shown).collect(),
            left: selection.left,
            nonce: Nonce((bits as u64 ^ (bits >> 64) as u64).wrapping_add(id.number())),
            at: work.stamp.wall,
        }
    }

    /// The open turn this loop speaks for, unless the loop is a stale one (ID-2).
    pub(super) fn turn_of(&self, activation: Activation) -> Option<&OpenTurn> {
        let agent = self.facts.get(activation.agent)?;
        let current = agent.incarnation == activation.incarnation;
        agent.turn.as_deref().filter(|turn| current && turn.id == activation.turn)
    }

    /// A step boundary. A turn that is to stop ends here.
    pub(super) fn claim(&mut self, work: &mut Work, activation: Activation) -> LoopAnswer {
        let id = activation.agent;
        let Some(turn) = self.turn_of(activation) else { return LoopAnswer::Stop };
        let (step, fresh) = (turn.step, turn.step == 0 && turn.claimed.is_empty());
        if let Some(end) = self.must_end(id) {
            return self.over(work, id, end, None);
        }
        if self.desk.draining {
            return LoopAnswer::Stop;
        }
        self.expire(work, id);
        let inbox = &self.facts.agent(id).inbox;
        let selection =
            if fresh { inbox.select_start(&self.limits) } else { inbox.select_step(&self.limits) };
        if selection.ids.is_empty() {
            // A turn that lost what it began with has nothing to begin with (TURN-3).
            return match fresh {
                true => self.over(work, id, TurnEnd::Aborted, None),
                false => LoopAnswer::GoOn(Claimed::default()),
            };
        }
        let messages = u32::try_from(selection.ids.len()).unwrap_or(u32::MAX);
        let claim = self.claim_of(work, id, &selection);
        self.emit(work, Event::Claimed { agent: id, turn: activation.turn, step, claim });
        self.time_grace(work, id);
        LoopAnswer::GoOn(Claimed { messages })
    }

    /// Records a model's answer (TURN-1, TURN-2, TURN-5). Completion wins against an interrupt
    /// that was admitted meanwhile; calls asked for after one do not start (INT-4, INT-6).
    pub(super) fn record_step(
        &mut self,
        work: &mut Work,
        activation: Activation,
        record: StepRecord,
    ) -> LoopAnswer {
        let (id, turn) = (activation.agent, activation.turn);
        let Some(open) = self.turn_of(activation) else { return LoopAnswer::Stop };
        if self.desk.draining {
            return LoopAnswer::Stop;
        }
        if let Some(note) = self.too_much(&record) {
            let end = self.must_end(id).unwrap_or(TurnEnd::Error);
            return self.over(work, id, end, Some(note));
        }
        let step = open.step;
        let consumed = open.claimed.iter().map(|item| item.message.id).collect();
        let StepRecord { text, calls, end } = record;
        let finished = calls.is_empty();
        self.emit(work, Event::StepRecorded { agent: id, turn, step, text, calls, consumed });
        if finished {
            return self.over(work, id, end, None);
        }
        if let Some(end) = self.must_end(id) {
            return self.over(work, id, end, None);
        }
        if step.saturating_add(1) >= self.limits.turn_steps {
            let note = format!("the turn has had its {} steps", self.limits.turn_steps);
            return self.over(work, id, TurnEnd::Ceiling, Some(note));
        }
        LoopAnswer::GoOn(Claimed::default())
    }

    /// What an answer has more of than it may.
    fn too_much(&self, record: &StepRecord) -> Option<String> {
        let calls = record.calls.len();
        if calls > self.limits.step_calls {
            let most = self.limits.step_calls;
            return Some(format!("the model asked for {calls} calls at once; {most} are allowed"));
        }
        let asked = record.calls.iter().map(|call| call.tool.len() + call.arguments.len());
        let bytes = record.text.len() + asked.sum::<usize>();
        let most = self.limits.answer_bytes;
        (bytes > most).then(|| format!("the model answered with {bytes} bytes; {most} are allowed"))
    }

    pub(super) fn record_call(
        &mut self,
        work: &mut Work,
        activation: Activation,
        call: u32,
        record: CallRecord,
    ) -> LoopAnswer {
        let (id, turn) = (activation.agent, activation.turn);
        let Some(open) = self.turn_of(activation) else { return LoopAnswer::Stop };
        let in_flight = open.in_flight().any(|(place, _)| place == call);
        let step = open.step.saturating_sub(1);
        if in_flight {
            self.emit(work, Event::CallEnded { agent: id, turn, step, call, record });
        }
        LoopAnswer::GoOn(Claimed::default())
    }

    pub(super) fn end_turn(
        &mut self,
        work: &mut Work,
        activation: Activation,
        end: TurnEnd,
        note: Option<String>,
    ) -> LoopAnswer {
        if self.turn_of(activation).is_none() {
            return LoopAnswer::Stop;
        }
        match self.must_end(activation.agent) {
            Some(end) => self.over(work, activation.agent, end, note),
            // A drain ends no turn: what failed with it is tried again (DRAIN-1).
            None if self.desk.draining => LoopAnswer::Stop,
            None => self.over(work, activation.agent, end, note),
        }
    }

    /// How a turn has to end now, whatever its loop would say.
    pub(super) fn must_end(&self, id: AgentId) -> Option<TurnEnd> {
        let agent = self.facts.agent(id);
        if agent.turn.as_ref().is_some_and(|turn| turn.interrupted) {
            return Some(TurnEnd::Interrupted);
        }
        matches!(agent.life, Life::Closing(_)).then_some(TurnEnd::Aborted)
    }

    pub(super) fn over(
        &mut self,
        work: &mut Work,
        id: AgentId,
        end: TurnEnd,
        note: Option<String>,
    ) -> LoopAnswer {
        self.finish_turn(work, id, end, note);
        LoopAnswer::TurnOver(end)
    }

    /// Ends the open turn: what was claimed without a step is dropped with an interrupt and goes
    /// back otherwise (INT-3, TURN-4).
    pub(super) fn finish_turn(
        &mut self,
        work: &mut Work,
        id: AgentId,
        end: TurnEnd,
        note: Option<String>,
    ) {
        let Some(open) = &self.facts.agent(id).turn else { return };
        let (turn, step) = (open.id, open.step.saturating_sub(1));
        let cut: Vec<u32> = open.in_flight().map(|(place, _)| place).collect();
        let just_asked_for = matches!(
            work.step.events.last(),
            Some(Event::StepRecorded { agent, .. }) if *agent == id
        );
        let never_started = just_asked_for && !cut.is_empty();
        let claimed: Vec<Item> = open.claimed.clone();
        // What the host has to say is true whether or not somebody interrupts: it waits (SET-1).
        let (gone, kept): (Vec<Item>, Vec<Item>) = claimed
            .into_iter()
            .partition(|item| end == TurnEnd::Interrupted && !item.always_fits());
        let (dropped, returned) = (ids_of(&gone), ids_of(&kept));
        self.desk.loops.remove(&id);
        self.desk.waits.forget(id);
        self.emit(
            work,
            Event::TurnEnded {
                agent: id,
                turn,
                end,
                dropped,
                returned,
                cut: cut.clone(),
                never_started,
                note,
            },
        );
        cut.iter().for_each(|call| self.tell_cut_result(work, id, (turn, step, *call)));
        self.tell_fates(work, &gone, Fate::Dropped(DropReason::Interrupted));
        if self.facts.agent(id).deleted {
            self.drop_all(work, id);
        }
        self.drop_poison(work, id);
        self.drop_moot(work, id);
        self.answer_drained(work);
    }

    /// Gives up what was shown as often as it may (FATE-3).
    pub(super) fn drop_poison(&mut self, work: &mut Work, id: AgentId) {
        let most = self.limits.attempts;
        let poison: Vec<Item> = self
            .facts
            .agent(id)
            .inbox
            .items()
            .filter(|item| item.attempts >= most && !item.always_fits())
            .cloned()
            .collect();
        self.drop_mail(work, id, &poison, DropReason::Poison);
    }

    /// Gives up mail that waits, and tells its senders (FATE-2).
    pub(super) fn drop_mail(
        &mut self,
        work: &mut Work,
        id: AgentId,
        items: &[Item],
        reason: DropReason,
    ) {
        if items.is_empty() {
            return;
        }
        let messages = items.iter().map(|item| item.message.id).collect();
        self.emit(work, Event::Dropped { agent: id, messages, reason });
        self.tell_fates(work, items, reason.fate());
    }

    /// The loop is gone, its turn still open: it goes on after the restart (DRAIN-1).
    pub(super) fn loop_stopped(&mut self, work: &mut Work, activation: Activation) {
        let id = activation.agent;
        if let Some(open) = self.turn_of(activation) {
            let messages: Vec<MessageId> =
                open.claimed.iter().map(|item| item.message.id).collect();
            if !messages.is_empty() {
                let (turn, attempt) = (activation.turn, false);
                self.emit(work, Event::ClaimReturned { agent: id, turn, messages, attempt });
            }
        }
        let current = self.turn_of(activation).is_some();
        if self.desk.loops.get(&id) == Some(&activation.turn) {
            self.desk.loops.remove(&id);
            if current && !self.desk.draining {
                // Nothing else would ever go on with it.
                let note = Some("its loop stopped without a reason".to_owned());
                let end = self.must_end(id).unwrap_or(TurnEnd::Error);
                self.finish_turn(work, id, end, note);
            }
        }
        self.answer_drained(work);
    }
}

fn ids_of(items: &[Item]) -> Vec<MessageId> {
    items.iter().map(|item| item.message.id).collect()
}
