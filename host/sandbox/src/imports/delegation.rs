//! `delegation`: starting an agent.

use std::sync::Arc;

use switchboard_core as core;
use switchboard_runtime::StartDraft;

use super::subagents::{NAME_CHARS, known_keys, short};
use crate::generated::switchboard::plugin::delegation::{Host, Refusal, StartRequest, Started};
use crate::state::CallState;

impl Host for CallState {
    async fn start(&mut self, request: StartRequest) -> wasmtime::Result<Result<Started, Refusal>> {
        let (caller, key) = self.enter_control().await?;
        let plane = Arc::clone(&self.plane);
        let answer = match read(request) {
            Err(refusal) => Err(refusal),
            Ok(draft) => self.ask(plane.start(caller, key, draft)).await?,
        };
        Ok(answer.map(started).map_err(refused))
    }
}

/// Characters of a description, which is stored with the child.
const DESCRIPTION_CHARS: usize = 1_000;

fn read(request: StartRequest) -> Result<StartDraft, core::Refusal> {
    let StartRequest { agent, description, prompt, background, extra } = request;
    known_keys(&extra)?;
    short("a kind of agent", &agent, NAME_CHARS)?;
    short("a description", &description, DESCRIPTION_CHARS)?;
    Ok(StartDraft { agent, description, prompt, background })
}

fn started(child: core::Started) -> Started {
    Started {
        agent: child.agent.to_string(),
        name: child.name.as_str().to_owned(),
        repeated: child.repeated,
        extra: vec![],
    }
}

/// Candidates are people to write to instead; a start has none.
fn refused(refusal: core::Refusal) -> Refusal {
    Refusal {
        code: refusal.code.to_string(),
        text: refusal.text,
        retry: refusal.code.retry(),
        retry_after_ms: refusal.retry_after.map(|wait| wait.0),
        uncertain: refusal.uncertain,
        extra: vec![],
    }
}
