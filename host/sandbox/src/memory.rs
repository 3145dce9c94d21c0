//! How much a call may allocate inside the sandbox.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use wasmtime::{ResourceLimiter, Result};

use crate::engine;
use crate::limits::ToolLimits;
use crate::outcome::Ending;
use crate::state::Tally;

/// Counts all memories and tables of a call together. Passing a limit ends the call: a guest that
/// is merely told so aborts, and the reason would look like a crash.
#[derive(Debug)]
pub(crate) struct Meter {
    bytes: u64,
    most_bytes: u64,
    elements: u64,
    most_elements: u64,
    instances: usize,
    tally: Arc<Tally>,
}

impl Meter {
    pub(crate) fn new(limits: &ToolLimits, tally: Arc<Tally>) -> Self {
        Self {
            bytes: 0,
            most_bytes: limits.memory,
            elements: 0,
            most_elements: limits.table_elements,
            instances: limits.instances,
            tally,
        }
    }
}

/// What is used after a growth. A growth that then fails for another reason stays counted, which
/// errs on the safe side.
fn grown(used: u64, current: usize, desired: usize) -> u64 {
    used.saturating_add(desired.saturating_sub(current) as u64)
}

/// Whether it is the guest's own declaration that is passed, which it may well try.
fn beyond_its_own(desired: usize, maximum: Option<usize>, limit: u64) -> bool {
    maximum.is_some_and(|own| desired > own && (own as u64) < limit)
}

impl ResourceLimiter for Meter {
    fn memory_growing(
        &mut self,
        current: usize,
        desired: usize,
        maximum: Option<usize>,
    ) -> Result<bool> {
        if beyond_its_own(desired, maximum, self.most_bytes) {
            return Ok(false);
        }
        let bytes = grown(self.bytes, current, desired);
        if bytes > self.most_bytes {
            return Err(Ending::OutOfMemory(self.most_bytes).into());
        }
        self.bytes = bytes;
        self.tally.peak_memory.fetch_max(bytes, Ordering::Relaxed);
        Ok(true)
    }

    fn table_growing(
        &mut self,
        current: usize,
        desired: usize,
        maximum: Option<usize>,
    ) -> Result<bool> {
        if beyond_its_own(desired, maximum, self.most_elements) {
            return Ok(false);
        }
        let elements = grown(self.elements, current, desired);
        if elements > self.most_elements {
            return Err(Ending::TooManyElements(self.most_elements).into());
        }
        self.elements = elements;
        Ok(true)
    }

    fn instances(&self) -> usize {
        self.instances
    }

    fn tables(&self) -> usize {
        engine::TABLES as usize
    }

    fn memories(&self) -> usize {
        engine::MEMORIES as usize
    }
}
