//! The frames of a transcript, as a model could tell them apart.

use switchboard_core::MessageId;
use switchboard_runtime::Entry;

/// Every frame with the id in its head, oldest first. One without an id is none.
pub(crate) fn frames(transcript: &[Entry]) -> impl Iterator<Item = (MessageId, &str)> {
    let read = transcript.iter().flat_map(|entry| match entry {
        Entry::Read(frames) => frames.as_slice(),
        Entry::Said { .. } | Entry::Returned { .. } | Entry::Interrupted => &[],
    });
    read.filter_map(|frame| Some((head(frame)?, &**frame)))
}

/// `[message msg_7k2m9-3 from ...`: the second word.
fn head(frame: &str) -> Option<MessageId> {
    frame.split_whitespace().nth(1)?.trim_end_matches(':').parse().ok()
}
