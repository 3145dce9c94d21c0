//! Turns: opening, claiming, what goes back, ending.

use switchboard_core::{AgentId, Claim, Incarnation, MessageId, TurnEnd, TurnId};

use super::{Mail, Phase, Record, numbers};
use crate::checker::world::{Holds, holds};

impl Record {
    pub(super) fn open(&mut self, id: AgentId, incarnation: Incarnation, turn: TurnId) -> Holds {
        self.current(id, incarnation)?;
        self.not_deleted(id, "begins a turn")?;
        let mark = self.agents[&id].mark;
        let woken = self.to(id).any(|(number, mail)| mail.wakes && number > mark);
        holds(woken, "INT-3", || format!("{turn} opens, and nothing new wakes {id}"))?;
        let newer = turn.number() == self.last_turn + 1;
        self.last_turn = turn.number();
        let known = self.known(id);
        let before = known.turn.replace((turn, false));
        (known.announced, known.mark) = (true, 0);
        let live = known.phase == Phase::Live;
        holds(newer && live && before.is_none(), "TURN-5", || {
            format!("{turn} opens for {id} behind {before:?}")
        })
    }

    pub(super) fn open_turn(&mut self, id: AgentId, turn: TurnId) -> Holds {
        let open = self.known(id).turn;
        holds(open.is_some_and(|(open, _)| open == turn), "TURN-5", || {
            format!("{turn} is recorded of and {open:?} is open")
        })
    }

    /// FATE-3 and DEL-4.
    pub(super) fn claim(&mut self, id: AgentId, claim: &Claim) -> Holds {
        let shown: Vec<u64> = claim.messages.iter().map(|shown| shown.id.number()).collect();
        holds(shown.is_sorted(), "DEL-3", || format!("{shown:?} are shown in this order"))?;
        for showing in &claim.messages {
            let mail = self.mail.get(&showing.id.number()).cloned();
            let mail = mail.filter(|mail| mail.to == id && !mail.claimed);
            holds(mail.is_some(), "FATE-1", || format!("{} is not there to be shown", showing.id))?;
            let mail = mail.expect("it was looked for");
            holds(showing.delivery == mail.shown + 1, "FATE-3", || format!("{showing:?}"))?;
            let passed = self.to(id).find(|(other, earlier)| {
                let waits = !earlier.claimed && !shown.contains(other);
                waits && *other < showing.id.number() && must_come_before(earlier, &mail)
            });
            holds(mail.shown > 0 || passed.is_none(), "DEL-4", || {
                format!("{} is shown before {passed:?}", showing.id)
            })?;
        }
        for id in shown {
            let mail = self.mail.get_mut(&id).expect("it was looked for");
            (mail.shown, mail.claimed) = (mail.shown + 1, true);
        }
        Ok(())
    }

    pub(super) fn put_back(&mut self, id: AgentId, messages: &[MessageId]) -> Holds {
        for message in numbers(messages) {
            let mail = self.mail.get_mut(&message).filter(|mail| mail.claimed && mail.to == id);
            holds(mail.is_some(), "FATE-1", || format!("message {message} was not claimed"))?;
            mail.into_iter().for_each(|mail| mail.claimed = false);
        }
        Ok(())
    }

    pub(super) fn end_turn(
        &mut self,
        id: AgentId,
        turn: TurnId,
        end: TurnEnd,
        dropped: &[MessageId],
        returned: &[MessageId],
    ) -> Holds {
        self.open_turn(id, turn)?;
        holds(dropped.is_empty() || end == TurnEnd::Interrupted, "TURN-4", || {
            format!("{turn} drops {dropped:?} and ends {end}")
        })?;
        let known = self.known(id);
        (known.turn, known.calling) = (None, None);
        self.put_back(id, returned)?;
        numbers(dropped).into_iter().try_for_each(|id| self.end(id))?;
        let left = self.claimed(id);
        holds(left.is_empty(), "FATE-1", || format!("{left:?} are left in no place"))
    }
}

/// DEL-4: what one says to another is read in order, and a report before the notice that its
/// sender is done.
fn must_come_before(earlier: &Mail, later: &Mail) -> bool {
    let lane = !earlier.notice && !later.notice;
    let same_lane = lane && (earlier.from, earlier.schedule) == (later.from, later.schedule);
    same_lane || later.settled.is_some() && earlier.from == later.settled
}
