//! A refusal of the host becomes a failure whose text says what the model can do about it.

use crate::subagents::Candidate;
use crate::{Failure, delegation, subagents, workspace};

/// What the host knows about trying again; the interfaces say it alike, in types of their own.
struct Refused {
    code: String,
    text: String,
    retry: bool,
    after_ms: Option<u64>,
    uncertain: bool,
}

impl From<Refused> for Failure {
    fn from(refused: Refused) -> Self {
        let Refused { code, mut text, retry, after_ms, uncertain } = refused;
        let mut extra = Vec::new();
        if let Some(ms) = after_ms {
            text += &format!(" Try again in {ms} ms.");
            extra.push(("retry-after-ms".into(), ms.to_string()));
        }
        if uncertain {
            text += " It may have happened all the same: look before doing it again.";
            extra.push(("uncertain".into(), "true".into()));
        }
        Failure { code, text, retry, extra }
    }
}

impl From<subagents::Refusal> for Failure {
    fn from(refusal: subagents::Refusal) -> Self {
        let subagents::Refusal { code, text, retry, retry_after_ms, uncertain, candidates, .. } =
            refusal;
        let text = text + &reachable(&candidates);
        Refused { code, text, retry, after_ms: retry_after_ms, uncertain }.into()
    }
}

impl From<delegation::Refusal> for Failure {
    fn from(refusal: delegation::Refusal) -> Self {
        let delegation::Refusal { code, text, retry, retry_after_ms, uncertain, .. } = refusal;
        Refused { code, text, retry, after_ms: retry_after_ms, uncertain }.into()
    }
}

impl From<workspace::Failure> for Failure {
    fn from(failure: workspace::Failure) -> Self {
        let workspace::Failure { code, text, retry, extra } = failure;
        Failure { code, text, retry, extra }
    }
}

fn reachable(candidates: &[Candidate]) -> String {
    if candidates.is_empty() {
        return String::new();
    }
    let known: Vec<_> =
        candidates.iter().map(|c| format!("`{}` ({})", c.address, c.relation)).collect();
    format!(" You can reach {}.", known.join(", "))
}
