//! What a call used, told to operators once, however it ends: with a result, with a panic of the
//! host, or because nobody waits for it any more.

use std::sync::Arc;
use std::time::Instant;

use switchboard_core::Usage;
use switchboard_runtime::{ToolCall, ToolResult};

use crate::catalog::Tool;
use crate::state::Tally;

/// The account of one call.
pub(super) struct Account<'a> {
    tool: &'a Tool,
    call: &'a ToolCall,
    pub(super) tally: Arc<Tally>,
    asked: Instant,
    admitted: Option<Instant>,
    /// When the guest ended, and how many bytes it answered with.
    ended: Option<(Instant, u64)>,
    is_told: bool,
}

/// What stands in the place of the outcome of a call that has none.
const DROPPED: &str = "dropped";

impl<'a> Account<'a> {
    pub(super) fn open(tool: &'a Tool, call: &'a ToolCall) -> Self {
        Self {
            tool,
            call,
            tally: Arc::default(),
            asked: Instant::now(),
            admitted: None,
            ended: None,
            is_told: false,
        }
    }

    /// It has room.
    pub(super) fn admitted(&mut self) {
        self.admitted = Some(Instant::now());
    }

    /// The guest has ended.
    pub(super) fn ended(&mut self, bytes_out: u64) {
        self.ended = Some((Instant::now(), bytes_out));
    }

    /// The result with what was used for it.
    pub(super) fn close(mut self, result: ToolResult) -> ToolResult {
        let usage = self.usage();
        self.tell(result.outcome.as_str(), usage);
        ToolResult { usage, ..result }
    }

    fn usage(&self) -> Usage {
        let (ended, bytes_out) = self.ended.unwrap_or_else(|| (Instant::now(), 0));
        let Some(admitted) = self.admitted else {
            return Usage { queued: (ended - self.asked).into(), ..Usage::default() };
        };
        Usage {
            queued: (admitted - self.asked).into(),
            bytes_in: self.call.arguments.len() as u64,
            bytes_out,
            ..self.tally.usage(ended - admitted)
        }
    }

    /// As numbers a subscriber can add up.
    fn tell(&mut self, outcome: &str, usage: Usage) {
        self.is_told = true;
        let (of, step, place) = (self.call.activation, self.call.step, self.call.call);
        let Usage { queued, instantiating, guest, host, .. } = usage;
        tracing::debug!(
            target: "switchboard::usage", tool = self.tool.spec.name, agent = %of.agent,
            turn = %of.turn, step, call = place, outcome, queued_us = queued.0,
            instantiating_us = instantiating.0, guest_us = guest.0, host_us = host.0,
            host_calls = usage.host_calls, peak_memory = usage.peak_memory,
            bytes_in = usage.bytes_in, bytes_out = usage.bytes_out, "used"
        );
    }
}

impl Drop for Account<'_> {
    fn drop(&mut self) {
        if !self.is_told {
            self.tell(DROPPED, self.usage());
        }
    }
}
