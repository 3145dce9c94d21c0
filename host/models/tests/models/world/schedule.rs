//! In which order things happen.

use super::Move;

/// A list of choices. When it is used up the first possible thing happens, so the empty list is
/// the undisturbed run, and a failing list shrinks towards it.
#[derive(Debug)]
pub(crate) struct Schedule {
    choices: std::vec::IntoIter<u16>,
}

const ONE_CRASH_IN: u16 = 61;

impl Schedule {
    pub(crate) fn undisturbed() -> Self {
        Self::new(Vec::new())
    }

    pub(crate) fn new(choices: Vec<u16>) -> Self {
        Self { choices: choices.into_iter() }
    }

    pub(super) fn wants_a_crash(&mut self) -> bool {
        self.next() % ONE_CRASH_IN == ONE_CRASH_IN - 1
    }

    pub(super) fn pick(&mut self, possible: &[Move]) -> Move {
        possible[usize::from(self.next()) % possible.len()]
    }

    fn next(&mut self) -> u16 {
        self.choices.next().unwrap_or_default()
    }
}
