//! What the guest answered, as the model reads it.

use serde::de::IgnoredAny;
use switchboard_runtime::{Outcome, ToolResult};

use super::supervise::Ended;
use super::{Fault, ended};
use crate::generated::exports::switchboard::plugin::tool::{
    Attachment, Block, Failure, Output, Reply,
};
use crate::limits::ToolLimits;
use crate::outcome::Ending;

/// What `tool.call` returns.
pub(super) type Answer = Result<Reply, Failure>;

/// The result of a call that has ended.
pub(super) fn result(end: Ended, limits: &ToolLimits) -> ToolResult {
    match end {
        Ended::Answered(answer) => answered(answer, limits).unwrap_or_else(ended),
        Ended::Faulted(Fault { error, stage }) => ended(Ending::of(&error, stage)),
        Ended::Stopped { ending, uncertain: false } => ended(ending),
        Ended::Stopped { ending, uncertain: true } => ToolResult::plain(
            ending.outcome(),
            format!(
                "{ending}. It had asked the host for something, which may have been done all the \
                 same: look before doing it again"
            ),
        ),
    }
}

fn answered(answer: Answer, limits: &ToolLimits) -> Result<ToolResult, Ending> {
    let (outcome, text) = match answer {
        Ok(Reply::Now(output)) => (Outcome::Done, output_text(output)?),
        Ok(Reply::Later(_)) => {
            return Err(Ending::InvalidData("it answered with a ticket this host never gave"));
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
