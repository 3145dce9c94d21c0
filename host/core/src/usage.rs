//! What a tool call used.

use serde::{Deserialize, Serialize};

use crate::time::Micros;

/// What one tool call used, as its host measured it (SAND-3). One that did not run has waited, at
/// most.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Usage {
    /// It waited for room.
    #[serde(rename = "queued_us")]
    pub queued: Micros,
    /// Its instance was made.
    #[serde(rename = "instantiating_us")]
    pub instantiating: Micros,
    /// The tool ran, its waiting for a turn to compute included.
    #[serde(rename = "guest_us")]
    pub guest: Micros,
    /// It waited for what it had asked the host for.
    #[serde(rename = "host_us")]
    pub host: Micros,
    /// How often it asked the host for something.
    pub host_calls: u32,
    /// The most memory it had, in bytes.
    pub peak_memory: u64,
    /// Bytes of its arguments.
    pub bytes_in: u64,
    /// Bytes of its answer, before anything was cut from it.
    pub bytes_out: u64,
}

impl Usage {
    /// From when it had room to its end.
    pub fn ran(&self) -> Micros {
        self.instantiating + self.guest + self.host
    }
}

/// The usage of two calls together: all is added but the memory, of which the greater counts.
impl std::ops::Add for Usage {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self {
            queued: self.queued + other.queued,
            instantiating: self.instantiating + other.instantiating,
            guest: self.guest + other.guest,
            host: self.host + other.host,
            host_calls: self.host_calls.saturating_add(other.host_calls),
            peak_memory: self.peak_memory.max(other.peak_memory),
            bytes_in: self.bytes_in.saturating_add(other.bytes_in),
            bytes_out: self.bytes_out.saturating_add(other.bytes_out),
        }
    }
}
