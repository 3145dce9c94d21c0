//! What one call of a tool may use (SAND-3).

use std::time::Duration;

/// The bounds of one call. Each may be set for each tool; passing one ends that call with an
/// outcome of its own and touches nothing else.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolLimits {
    /// How long the guest may compute, counted in ticks of about a millisecond.
    pub computing: Duration,
    /// How long the call may last by the wall clock, its waiting in the host included.
    pub wall: Duration,
    /// Bytes of memory, all memories of the call together.
    pub memory: u64,
    /// Elements of tables, all tables of the call together.
    pub table_elements: u64,
    /// Core instances.
    pub instances: usize,
    /// Calls to the control plane.
    pub control_calls: u32,
    /// Other calls to the host.
    pub host_calls: u32,
    /// Bytes of arguments.
    pub arguments: usize,
    /// Bytes of the answer.
    pub output: usize,
    /// Bytes of the answer that a model is shown; the rest is cut, and the cut is marked.
    pub shown: usize,
}

impl Default for ToolLimits {
    fn default() -> Self {
        Self {
            computing: Duration::from_secs(1),
            wall: Duration::from_secs(10),
            memory: 16 << 20,
            table_elements: TABLE_ELEMENTS,
            instances: INSTANCES,
            control_calls: 64,
            host_calls: 4_096,
            arguments: 1 << 20,
            output: 1 << 20,
            shown: 32 << 10,
        }
    }
}

/// A limit that cannot be kept, or that contradicts another.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("limit `{limit}` {problem}")]
pub struct LimitError {
    /// Which one.
    pub limit: &'static str,
    /// What is wrong with it.
    pub problem: String,
}

impl ToolLimits {
    /// Refuses limits that contradict each other, are beyond what the engine was made for, or
    /// under which no call of a component of so many core instances could begin.
    pub(crate) fn check(&self, most_memory: u64, instances: usize) -> Result<(), LimitError> {
        let at_most = |most: u64| format!("must be at most {most} on this host");
        let too_few = |least| format!("must be at least {least} for this component");
        let relations = [
            ("computing", self.computing < TICK, "must be at least 1 ms".to_owned()),
            ("wall", self.wall.is_zero(), "must not be zero".to_owned()),
            ("memory", self.memory < PAGE, "must be at least one page of 65,536 bytes".to_owned()),
            ("memory", self.memory > most_memory, at_most(most_memory)),
            ("table_elements", self.table_elements > TABLE_ELEMENTS, at_most(TABLE_ELEMENTS)),
            ("instances", self.instances < instances, too_few(instances)),
            ("instances", self.instances > INSTANCES, at_most(INSTANCES as u64)),
            ("shown", self.shown > self.output, "must be at most `output`".to_owned()),
        ];
        match relations.into_iter().find(|(_, broken, _)| *broken) {
            Some((limit, _, problem)) => Err(LimitError { limit, problem }),
            None => Ok(()),
        }
    }

    /// Ticks of the epoch the guest may compute.
    pub(crate) fn ticks(&self) -> u64 {
        u64::try_from(self.computing.as_millis()).unwrap_or(u64::MAX)
    }

    /// Bytes one call in either direction may carry from the guest. A guest's own memory is the
    /// bound a well-meant call cannot pass; twice that leaves room for the host's larger records,
    /// and still stops a list that hands over the same bytes again and again.
    pub(crate) fn carried(&self) -> usize {
        usize::try_from(self.memory.saturating_mul(2)).unwrap_or(usize::MAX)
    }
}

/// The length of an epoch.
pub(crate) const TICK: Duration = Duration::from_millis(1);
/// Core instances one component may be made of, its shims included.
pub(crate) const INSTANCES: usize = 8;
/// Elements one table may have.
pub(crate) const TABLE_ELEMENTS: u64 = 10_000;
const PAGE: u64 = 65_536;
