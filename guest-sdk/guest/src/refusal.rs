//! A refusal of the host becomes a failure whose text says what the model can do about it.

use crate::{Failure, delegation, observation, subagents, workspace};

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
        let known = candidates.iter().map(|one| (&*one.address, &*one.relation));
        let text = with(text, "reach", known);
        Refused { code, text, retry, after_ms: retry_after_ms, uncertain }.into()
    }
}

impl From<observation::Refusal> for Failure {
    fn from(refusal: observation::Refusal) -> Self {
        let observation::Refusal {
            code, text, retry, retry_after_ms, uncertain, candidates, ..
        } = refusal;
        let known = candidates.iter().map(|one| (&*one.address, &*one.relation));
        let text = with(text, "look at", known);
        Refused { code, text, retry, after_ms: retry_after_ms, uncertain }.into()
    }
}

impl From<delegation::Refusal> for Failure {
    fn from(refusal: delegation::Refusal) -> Self {
        let delegation::Refusal {
            code, text, retry, retry_after_ms, uncertain, candidates, ..
        } = refusal;
        let known = candidates.iter().map(|one| (&*one.address, &*one.relation));
        let text = with(text, "name", known);
        Refused { code, text, retry, after_ms: retry_after_ms, uncertain }.into()
    }
}

impl From<workspace::Failure> for Failure {
    fn from(failure: workspace::Failure) -> Self {
        let workspace::Failure { code, text, retry, extra } = failure;
        Failure { code, text, retry, extra }
    }
}

/// The text, with the addresses that would have worked.
fn with<'a>(
    mut text: String,
    verb: &str,
    candidates: impl Iterator<Item = (&'a str, &'a str)>,
) -> String {
    let known: Vec<_> =
        candidates.map(|(address, relation)| format!("`{address}` ({relation})")).collect();
    if known.is_empty() {
        return text;
    }
    if !text.ends_with('.') {
        text.push('.');
    }
    text + &format!(" You can {verb} {}.", known.join(", "))
}
