//! `delegation`: starting an agent.

use std::sync::Arc;

use switchboard_core as core;
use switchboard_runtime::StartDraft;

use super::subagents::known_keys;
use crate::generated::switchboard::plugin::delegation::{Host, Refusal, StartRequest, Started};
use crate::state::CallState;

impl Host for CallState {
    async fn start(&mut self, request: StartRequest) -> wasmtime::Result<Result<Started, Refusal>> {
        let (caller, key) = self.enter_control()?;
        let plane = Arc::clone(&self.plane);
        let StartRequest { agent, description, prompt, background, extra } = request;
        let answer = match known_keys(&extra) {
            Err(refusal) => Err(refusal),
            Ok(()) => {
                let draft = StartDraft { agent, description, prompt, background };
                self.ask(plane.start(caller, key, draft)).await?
            }
        };
        Ok(answer.map(started).map_err(refused))
    }
}

fn started(child: core::Started) -> Started {
    Started {
        agent: child.agent.to_string(),
        name: child.name.into(),
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
