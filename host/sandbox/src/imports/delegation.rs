//! `delegation`: starting agents, and ending them.

use std::sync::Arc;

use switchboard_core as core;
use switchboard_runtime::{Later, StartDraft};

use super::subagents::{NAME_CHARS, known_keys, short, spoken};
use crate::generated::switchboard::plugin::delegation::{
    Candidate, Closed, ForkRequest, Host, Refusal, StartRequest, Started,
};
use crate::state::CallState;

impl Host for CallState {
    async fn start(&mut self, request: StartRequest) -> wasmtime::Result<Result<Started, Refusal>> {
        self.begin(request, false).await
    }

    async fn fork(&mut self, request: ForkRequest) -> wasmtime::Result<Result<Started, Refusal>> {
        let ForkRequest { description, prompt, background, extra } = request;
        let agent = String::new();
        self.begin(StartRequest { agent, description, prompt, background, extra }, true).await
    }

    async fn close(&mut self, target: String) -> wasmtime::Result<Result<Closed, Refusal>> {
        let (caller, key) = self.enter_control().await?;
        let plane = Arc::clone(&self.plane);
        let answer = match spoken(target) {
            Err(refusal) => Err(refusal),
            Ok(target) => self.ask(plane.close(caller, key, target)).await?,
        };
        Ok(answer.map(closed).map_err(refused))
    }

    async fn delete(&mut self, target: String) -> wasmtime::Result<Result<Closed, Refusal>> {
        let (caller, key) = self.enter_control().await?;
        let plane = Arc::clone(&self.plane);
        let answer = match spoken(target) {
            Err(refusal) => Err(refusal),
            Ok(target) => self.ask(plane.delete(caller, key, target)).await?,
        };
        Ok(answer.map(closed).map_err(refused))
    }
}

impl CallState {
    async fn begin(
        &mut self,
        request: StartRequest,
        fork: bool,
    ) -> wasmtime::Result<Result<Started, Refusal>> {
        let (caller, key) = self.enter_control().await?;
        let plane = Arc::clone(&self.plane);
        let background = request.background;
        let answer = match read(request, fork) {
            Err(refusal) => Err(refusal),
            Ok(draft) => self.ask(plane.start(caller, key, draft)).await?,
        };
        let ticket = |child: &core::Started| {
            let on = core::WaitFor::Child(child.agent);
            (!background).then(|| self.issue(child.agent.to_string(), Later { on, patience: None }))
        };
        let answer = answer.map(|child| {
            let ticket = ticket(&child);
            started(child, ticket)
        });
        Ok(answer.map_err(refused))
    }
}

fn closed(closed: core::Closed) -> Closed {
    Closed {
        agent: closed.agent.to_string(),
        name: closed.name.as_str().to_owned(),
        was: closed.was.to_string(),
        below: closed.below,
        repeated: closed.repeated,
        extra: vec![],
    }
}

/// Characters of a description, which is stored with the child.
const DESCRIPTION_CHARS: usize = 1_000;

fn read(request: StartRequest, fork: bool) -> Result<StartDraft, core::Refusal> {
    let StartRequest { agent, description, prompt, background, extra } = request;
    known_keys(&extra)?;
    short("a kind of agent", &agent, NAME_CHARS)?;
    short("a description", &description, DESCRIPTION_CHARS)?;
    Ok(StartDraft { agent, description, prompt, background, fork })
}

fn started(child: core::Started, ticket: Option<String>) -> Started {
    Started {
        agent: child.agent.to_string(),
        name: child.name.as_str().to_owned(),
        ticket,
        repeated: child.repeated,
        extra: vec![],
    }
}

fn refused(refusal: core::Refusal) -> Refusal {
    let candidates = refusal.candidates.into_iter();
    let candidates = candidates
        .map(|known| Candidate { address: known.address, relation: known.relation })
        .collect();
    Refusal {
        code: refusal.code.to_string(),
        text: refusal.text,
        retry: refusal.code.retry(),
        retry_after_ms: refusal.retry_after.map(|wait| wait.0),
        uncertain: refusal.uncertain,
        candidates,
        extra: vec![],
    }
}
