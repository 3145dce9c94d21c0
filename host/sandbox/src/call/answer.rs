//! What the guest answered, as the model reads it.

use std::sync::atomic::Ordering;

use serde::de::IgnoredAny;
use switchboard_runtime::{Outcome, ToolResult};

use super::Fault;
use super::supervise::Ended;
use crate::generated::exports::switchboard::plugin::tool::{
    Attachment, Block, Failure, Output, Reply,
};
use crate::limits::ToolLimits;
use crate::outcome::Ending;
use crate::state::Tally;

/// What `tool.call` returns.
pub(super) type Answer = Result<Reply, Failure>;

/// The result of a call that has ended.
pub(super) fn result(end: Ended, limits: &ToolLimits, tally: &Tally) -> ToolResult {
    let carried_out = tally.carried_out.load(Ordering::Relaxed);
    match end {
        Ended::Answered(answer) => answered(answer, limits, tally)
            .unwrap_or_else(|ending| unanswered(&ending, "", carried_out)),
        Ended::Faulted(Fault { error, stage }) => {
            unanswered(&Ending::of(&error, stage), "", carried_out)
        }
        Ended::Stopped { ending, uncertain: false } => unanswered(&ending, "", carried_out),
        Ended::Stopped { ending, uncertain: true } => unanswered(&ending, UNCERTAIN, carried_out),
    }
}

/// Bytes of text the guest answered with, whatever becomes of them.
pub(super) fn bytes(end: &Ended) -> u64 {
    let Ended::Answered(answer) = end else { return 0 };
    let bytes = match answer {
        Ok(Reply::Now(Output { blocks, structured, .. })) => {
            let blocks: usize = blocks.iter().map(block_bytes).sum();
            blocks + structured.as_ref().map_or(0, String::len)
        }
        Ok(Reply::Later(_)) => 0,
        Err(failure) => failure.text.len(),
    };
    bytes as u64
}

fn block_bytes(block: &Block) -> usize {
    match block {
        Block::Text(words) => words.len(),
        Block::Image(attached) | Block::Attached(attached) => attached.handle.len(),
    }
}

/// Said of a control call that was dropped before its answer came.
pub(super) const UNCERTAIN: &str = ". It had asked the host for something, which may have been \
                                    done all the same: look before doing it again";

/// The result of a call that has no answer. The guest can no longer say what it had done, so the
/// host does: a model that is not told would do it again.
pub(super) fn unanswered(ending: &Ending, also: &str, carried_out: u32) -> ToolResult {
    let text = match carried_out {
        0 => format!("{ending}{also}"),
        1 => format!(
            "{ending}{also}. Before that, 1 of its requests to other agents was carried out: look \
             before repeating it."
        ),
        more => format!(
            "{ending}{also}. Before that, {more} of its requests to other agents were carried out: \
             look before repeating them."
        ),
    };
    ToolResult::plain(ending.outcome(), text)
}

fn answered(answer: Answer, limits: &ToolLimits, tally: &Tally) -> Result<ToolResult, Ending> {
    let (outcome, text) = match answer {
        Ok(Reply::Now(output)) => (Outcome::Done, output_text(output)?),
        Ok(Reply::Later(ticket)) => {
            let never = Ending::InvalidData("it answered with a ticket that this call never got");
            return tally.ticket(&ticket).map(ToolResult::waiting).ok_or(never);
        }
        Err(failure) => (Outcome::Failed, failure_text(failure)),
    };
    let (bytes, most) = (text.len(), limits.output);
    if bytes > most {
        return Err(Ending::OutputTooLarge { bytes, most });
    }
    Ok(ToolResult::plain(outcome, shown(text, limits.shown)))
}

/// The words of it; the structured value only if there are none, because it says the same.
fn output_text(output: Output) -> Result<String, Ending> {
    let Output { blocks, structured, .. } = output;
    if let Some(json) = &structured
        && serde_json::from_str::<IgnoredAny>(json).is_err()
    {
        return Err(Ending::InvalidData("its structured answer is not JSON"));
    }
    if blocks.is_empty() {
        return Ok(structured.unwrap_or_default());
    }
    Ok(blocks.into_iter().map(block_text).collect::<Vec<_>>().join("\n"))
}

fn block_text(block: Block) -> String {
    match block {
        Block::Text(words) => words,
        Block::Image(Attachment { handle, media_type })
        | Block::Attached(Attachment { handle, media_type }) => format!("[{media_type}: {handle}]"),
    }
}

fn failure_text(failure: Failure) -> String {
    let Failure { code, text, retry, .. } = failure;
    let advice = if retry { " (trying again may help)" } else { "" };
    format!("{code}: {text}{advice}")
}

/// As much of it as a model is shown (SAND-3). A cut is marked, with how much there was.
fn shown(mut text: String, most: usize) -> String {
    let bytes = text.len();
    if bytes > most {
        text.truncate(text.floor_char_boundary(most));
        let kept = text.len();
        text.push_str(&format!("\n[cut: these are the first {kept} of {bytes} bytes]"));
    }
    text
}
