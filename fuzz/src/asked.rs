//! Requests that want one answer, made of bytes.

use arbitrary::{Result, Unstructured};
use switchboard_core::{Event, Handshake, Millis, Notice, Reply, Request, RequestBody, RequestEnd};

use crate::made::{id, key, name, optional, some};

/// Any request.
pub fn request(bytes: &mut Unstructured<'_>) -> Result<Request> {
    let (request, body) = (id(bytes)?, body(bytes)?);
    let (within, replaces) = (Millis(bytes.arbitrary()?), optional(bytes, id)?);
    Ok(Request { id: request, body, within, replaces })
}

fn body(bytes: &mut Unstructured<'_>) -> Result<RequestBody> {
    Ok(match bytes.arbitrary()? {
        true => RequestBody::Shutdown {
            reason: bytes.arbitrary()?,
            cleanup: bytes.arbitrary()?,
            grace: optional(bytes, |bytes| Ok(Millis(bytes.arbitrary()?)))?,
        },
        false => RequestBody::Plan {
            plan: bytes.arbitrary()?,
            alternatives: some(bytes, |bytes| bytes.arbitrary())?,
            recommendation: bytes.arbitrary()?,
        },
    })
}

fn end(bytes: &mut Unstructured<'_>) -> Result<RequestEnd> {
    Ok(match bytes.int_in_range(0..=7)? {
        0 => RequestEnd::Forced,
        1 => RequestEnd::Unanswered,
        2 => RequestEnd::AlreadySettled,
        3 => RequestEnd::Ended,
        4 => RequestEnd::Cancelled,
        5 => RequestEnd::Superseded(id(bytes)?),
        6 => RequestEnd::Answered(Reply::Plan {
            approve: bytes.arbitrary()?,
            feedback: bytes.arbitrary()?,
        }),
        _ => RequestEnd::Answered(Reply::Shutdown {
            approve: bytes.arbitrary()?,
            cleaned_up: bytes.arbitrary()?,
            report: bytes.arbitrary()?,
        }),
    })
}

/// Any fact about a request.
pub fn event(bytes: &mut Unstructured<'_>) -> Result<Event> {
    let (agent, request) = (id(bytes)?, request(bytes)?);
    let (by, key) = (optional(bytes, id)?, optional(bytes, key)?);
    Ok(match bytes.arbitrary()? {
        true => {
            let at = switchboard_core::WallTime(bytes.arbitrary()?);
            Event::RequestRaised { agent, request, by, key, at }
        }
        false => {
            let (digest, end) = (request.body.digest(), end(bytes)?);
            Event::RequestClosed { agent, request: request.id, end, digest, by, key }
        }
    })
}

/// Any word of the host about one.
pub fn notice(bytes: &mut Unstructured<'_>) -> Result<Notice> {
    let (request, end) = (request(bytes)?, end(bytes)?);
    let kind = *bytes.choose(&[Handshake::Shutdown, Handshake::Plan])?;
    let asked = optional(bytes, |bytes| Ok((id(bytes)?, name(bytes)?)))?;
    let digest = request.body.digest();
    Ok(Notice::RequestClosed { request: request.id, kind, digest, asked, end })
}
