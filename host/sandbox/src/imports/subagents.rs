//! `subagents`: an envelope becomes a request to the control plane, its answer a WIT value.

mod answer;
mod request;

use std::sync::Arc;

use switchboard_core::{Millis, Requested, WaitFor};
use switchboard_runtime::Later;

use crate::generated::switchboard::plugin::subagents::{Answer, Envelope, Host, Refusal};
use crate::state::CallState;
use request::Request;
pub(super) use request::{NAME_CHARS, known_keys, parsed, short, spoken};

/// How long an answer is waited for. A request has a deadline of its own, which comes before.
const LONGEST: Millis = Millis::minutes(24 * 60);

impl Host for CallState {
    async fn send_message(
        &mut self,
        envelope: Envelope,
    ) -> wasmtime::Result<Result<Answer, Refusal>> {
        let (caller, key) = self.enter_control().await?;
        let plane = Arc::clone(&self.plane);
        let answer = match request::read(envelope, &self.held.kinds) {
            Err(refusal) => Err(refusal),
            Ok(Request::Send(draft)) => {
                self.ask(plane.send(caller, key, draft)).await?.map(answer::sent)
            }
            Ok(Request::Acknowledge { message, note }) => {
                let asked = plane.acknowledge(caller, key, message, note);
                self.ask(asked).await?.map(answer::acknowledged)
            }
            Ok(Request::Ask(to, body)) => {
                let asked = self.ask(plane.request(caller, key, to, body)).await?;
                if let Ok(Requested { request, .. }) = &asked {
                    let (on, patience) = (WaitFor::Answer(*request), Some(LONGEST));
                    self.issue(request.to_string(), Later { on, patience });
                }
                asked.map(answer::requested)
            }
            Ok(Request::Respond(request, reply)) => {
                self.ask(plane.respond(caller, key, request, reply)).await?.map(answer::responded)
            }
            Ok(Request::Interrupt { target, turn, cascade, reason }) => {
                let asked = plane.interrupt(caller, key, target, turn, cascade, reason);
                self.ask(asked).await?.map(answer::interrupted)
            }
        };
        Ok(answer.map_err(answer::refused))
    }
}
