//! What the engine turned out to be able to do here.

use std::fmt;

/// What `switchboard doctor` says of the sandbox.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EngineReport {
    /// The line of wasmtime it is built with.
    pub wasmtime: &'static str,
    /// Where instances get their memory.
    pub allocation: Allocation,
    /// How many tools may have an instance at once.
    pub instances: u32,
    /// The most memory any tool may be given, in bytes.
    pub most_memory: u64,
    /// Bytes of stack a guest may use.
    pub stack: usize,
    /// The name of the thread that counts computing time.
    pub ticker: String,
}

/// Where instances get their memory, the fastest first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Allocation {
    /// From slots made at start; after a call only the pages it wrote are cleaned.
    PooledAndScanned,
    /// From slots made at start.
    Pooled {
        /// Why it is no better.
        reasons: Vec<String>,
    },
    /// From the operating system, at each call.
    OnDemand {
        /// Why it is no better.
        reasons: Vec<String>,
    },
}

impl fmt::Display for Allocation {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::PooledAndScanned => out.write_str("pool with page scan"),
            Self::Pooled { reasons } => write!(out, "pool ({})", reasons.join("; ")),
            Self::OnDemand { reasons } => write!(out, "on demand ({})", reasons.join("; ")),
        }
    }
}
