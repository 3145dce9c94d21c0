//! From what the control plane answers to WIT values.

use serde_json::json;
use switchboard_core::{
    Asked, Delivery, Interruption, Receipt, Recipient, Refusal, Requested, Responded, Stop, Stopped,
};
use switchboard_runtime::Sent;

use crate::generated::switchboard::plugin::subagents as wit;

pub(super) fn sent(sent: Sent) -> wit::Answer {
    match sent {
        Sent::ToOne(accepted) => wit::Answer::Accepted(receipt(accepted)),
        Sent::ToMany(all) => wit::Answer::FannedOut(all.into_iter().map(recipient).collect()),
    }
}

pub(super) fn acknowledged(told: Receipt) -> wit::Answer {
    wit::Answer::Accepted(receipt(told))
}

/// A request that an agent is asked has a receipt; of any other it is said where it stands.
pub(super) fn requested(requested: Requested) -> wit::Answer {
    let Requested { request, asked, repeated } = requested;
    match asked {
        Asked::Agent(accepted) => {
            let request = Some(request.to_string());
            wit::Answer::Accepted(wit::Receipt { request, ..receipt(accepted) })
        }
        Asked::Person => {
            let json = json!({ "request_id": request, "to": "user", "repeated": repeated });
            other("person-asked", &json)
        }
        Asked::Settled(agent, name) => {
            let json = json!({
                "request_id": request, "to": agent, "name": name.as_str(), "repeated": repeated,
            });
            other("already-settled", &json)
        }
    }
}

pub(super) fn responded(responded: Responded) -> wit::Answer {
    let Responded { request, to, repeated } = responded;
    let to = to.map_or("user".to_owned(), |id| id.to_string());
    other("answered", &json!({ "request_id": request, "to": to, "repeated": repeated }))
}

fn other(kind: &str, json: &serde_json::Value) -> wit::Answer {
    wit::Answer::Other(wit::Data { kind: kind.to_owned(), json: json.to_string() })
}

fn recipient(recipient: Recipient) -> wit::Recipient {
    wit::Recipient {
        to: recipient.to.to_string(),
        name: recipient.name.as_str().to_owned(),
        outcome: match recipient.outcome {
            Ok(accepted) => wit::Outcome::Accepted(receipt(accepted)),
            Err(refusal) => wit::Outcome::Refused(refused(refusal)),
        },
    }
}

fn receipt(receipt: Receipt) -> wit::Receipt {
    wit::Receipt {
        message: receipt.message.to_string(),
        to: receipt.to.to_string(),
        name: receipt.name.as_str().to_owned(),
        delivery: match receipt.delivery {
            Delivery::Delivered => wit::Delivery::Delivered,
            Delivery::Queued => wit::Delivery::Queued,
        },
        accepted_at_ms: receipt.at.0,
        pending: receipt.pending,
        budget_left: receipt.budget_left,
        request: None,
        repeated: receipt.repeated,
        extra: receipt
            .paused
            .then(|| ("paused".to_owned(), "true".to_owned()))
            .into_iter()
            .collect(),
    }
}

pub(super) fn interrupted(interruption: Interruption) -> wit::Answer {
    wit::Answer::Interrupted(wit::Interruption {
        target: stopped(interruption.target),
        below: interruption.below.into_iter().map(stopped).collect(),
        still_running: interruption.still_running.iter().map(ToString::to_string).collect(),
        calls_cut: interruption.calls_cut,
        parked: interruption.parked,
        extra: vec![],
    })
}

fn stopped(stopped: Stopped) -> wit::Stopped {
    wit::Stopped {
        agent: stopped.agent.to_string(),
        outcome: match stopped.stop {
            Stop::Cancelling(turn) => wit::Stop::Cancelling(turn.to_string()),
            Stop::AlreadyIdle => wit::Stop::AlreadyIdle,
            Stop::AlreadyFinished => wit::Stop::AlreadyFinished,
            Stop::TurnMoved(turn) => wit::Stop::TurnMoved(turn.to_string()),
            Stop::NotStarted => wit::Stop::NotStarted,
        },
    }
}

pub(super) fn refused(refusal: Refusal) -> wit::Refusal {
    let candidates = refusal
        .candidates
        .into_iter()
        .map(|known| wit::Candidate { address: known.address, relation: known.relation });
    wit::Refusal {
        code: refusal.code.to_string(),
        text: refusal.text,
        retry: refusal.code.retry(),
        retry_after_ms: refusal.retry_after.map(|wait| wait.0),
        uncertain: refusal.uncertain,
        candidates: candidates.collect(),
        extra: vec![],
    }
}
