//! Children in the foreground: what one comes to is told by the call that started it, or, if that
//! was cut, by a notice (START-1).

use switchboard_core::{AgentId, Descriptor, HostKey, Mode, TurnId};

use super::Record;
use crate::checker::world::{Holds, holds};

/// What is owed of a child in the foreground.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Task {
    /// The call that started it.
    key: HostKey,
    /// It has ended, and not for nothing.
    over: bool,
    /// What it came to is on record at its parent, or said to it.
    told: bool,
}

impl Task {
    pub(super) fn of(descriptor: &Descriptor, key: Option<HostKey>) -> Option<Self> {
        let one_shot = descriptor.mode == Mode::OneShot;
        key.filter(|_| one_shot).map(|key| Self { key, over: false, told: false })
    }
}

impl Record {
    /// Whether the call that started a child still waits for what it comes to.
    pub(super) fn is_awaited(&self, child: AgentId) -> bool {
        let known = &self.agents[&child];
        let (Some(task), Some(parent)) = (known.task, known.parent) else { return false };
        let parent = &self.agents[&parent];
        let goes_on = parent.turn == Some((task.key.turn, false));
        goes_on && parent.calling == Some(task.key.step)
    }

    /// A child is out of memory.
    pub(super) fn task_over(&mut self, child: AgentId) {
        let known = self.known(child);
        let announced = known.announced;
        known.task.iter_mut().for_each(|task| task.over = announced);
    }

    /// What a child came to is said to its parent.
    pub(super) fn task_told(&mut self, child: AgentId) -> Holds {
        let Some(task) = &mut self.known(child).task else { return Ok(()) };
        let once = !std::mem::replace(&mut task.told, true);
        holds(once, "START-1", || format!("what {child} came to is told twice"))
    }

    /// A call has its result: what the child it started came to, if it has.
    pub(super) fn call_ended(&mut self, id: AgentId, turn: TurnId, step: u32) -> Holds {
        self.known(id).calling = None;
        let started = |task: Task| task.over && (task.key.turn, task.key.step) == (turn, step);
        let children = self.agents.iter().filter(|(_, known)| known.parent == Some(id));
        let child = children.filter(|(_, known)| known.task.is_some_and(started));
        let child = child.map(|(child, _)| *child).next();
        child.map_or(Ok(()), |child| self.task_told(child))
    }

    /// Nothing a child came to is lost: it is told, or the call it is the result of goes on.
    pub(super) fn tasks_are_told(&self) -> Holds {
        for (id, known) in &self.agents {
            let Some(task) = known.task.filter(|task| task.over && !task.told) else { continue };
            let parent = &self.agents[&known.parent.expect("a root is no task")];
            let turn = parent.turn.is_some_and(|(turn, _)| turn == task.key.turn);
            let goes_on = turn && parent.calling == Some(task.key.step);
            let nobody = parent.deleted || known.deleted;
            holds(goes_on || nobody, "START-1", || format!("what {id} came to is told to nobody"))?;
        }
        Ok(())
    }
}
