//! From what a guest hands in to what the control plane understands. What the host does not have
//! yet is refused in words, never ignored.

use std::str::FromStr;

use switchboard_core::{
    Attachment, Block, Code, Content, Draft, IdError, MessageId, Millis, Refusal, Relation, Reply,
    RequestBody, RequestId, Target, TurnId,
};

use crate::generated::switchboard::plugin::subagents as wit;
use crate::grants::BodyKind;

/// What an envelope asks for.
pub(super) enum Request {
    /// Handing a message over.
    Send(Draft),
    /// Saying that a message was read.
    Acknowledge { message: MessageId, note: Option<String> },
    /// Asking for what wants one answer.
    Ask(Target, RequestBody),
    /// The answer to that.
    Respond(RequestId, Reply),
    /// Stopping a turn.
    Interrupt { target: Target, turn: Option<TurnId>, cascade: bool, reason: Option<String> },
}

/// Reads an envelope. Whether its kind is granted comes first: what a tool may not do, it does
/// not learn more about (SAND-2).
pub(super) fn read(envelope: wit::Envelope, granted: &[BodyKind]) -> Result<Request, Refusal> {
    let wit::Envelope { to, body, key, extra } = envelope;
    check_granted(&body, granted)?;
    known_keys(&extra)?;
    absent("key", key.is_some())?;
    let to = target(to)?;
    match body {
        wit::Body::Content(said) => Ok(Request::Send(Draft { to, content: content(said)? })),
        wit::Body::Interrupt(wit::Interrupt { turn, cascade, reason }) => {
            Ok(Request::Interrupt { target: to, turn: id(turn)?, cascade, reason })
        }
        wit::Body::ShutdownRequest(wit::ShutdownRequest { reason, cleanup, grace_ms }) => {
            let grace = grace_ms.map(Millis);
            Ok(Request::Ask(to, RequestBody::Shutdown { reason, cleanup, grace }))
        }
        // Who is to look at a plan, and whom an answer is for, the host knows.
        wit::Body::PlanRequest(wit::PlanRequest { plan, alternatives, recommendation }) => {
            Ok(Request::Ask(to, RequestBody::Plan { plan, alternatives, recommendation }))
        }
        wit::Body::ShutdownResponse(said) => {
            let wit::ShutdownResponse { request, approve, cleaned_up, report } = said;
            let reply = Reply::Shutdown { approve, cleaned_up, report: words(report)? };
            Ok(Request::Respond(parsed(&request)?, reply))
        }
        wit::Body::PlanResponse(wit::PlanResponse { request, approve, feedback }) => {
            let reply = Reply::Plan { approve, feedback: words(feedback)? };
            Ok(Request::Respond(parsed(&request)?, reply))
        }
        // Whom it is for, the message says.
        wit::Body::Acknowledge(wit::Acknowledgement { message, note }) => {
            short("a note", note.as_deref().unwrap_or_default(), NOTE_CHARS)?;
            Ok(Request::Acknowledge { message: parsed(&message)?, note })
        }
        wit::Body::Other(data) => Err(not_yet(&data.kind)),
    }
}

fn check_granted(body: &wit::Body, granted: &[BodyKind]) -> Result<(), Refusal> {
    let kind = kind(body);
    if kind.is_some_and(|kind| granted.contains(&kind)) {
        return Ok(());
    }
    let granted: Vec<_> = granted.iter().map(|kind| kind.as_str()).collect();
    Err(Refusal::new(
        Code::NotGranted,
        format!(
            "this tool may not send `{}`; it is granted {}",
            kind.map_or("other", BodyKind::as_str),
            if granted.is_empty() { "nothing".to_owned() } else { granted.join(", ") }
        ),
    ))
}

/// The kind a grant names; a kind this host has never heard of cannot be granted.
fn kind(body: &wit::Body) -> Option<BodyKind> {
    Some(match body {
        wit::Body::Content(_) => BodyKind::Content,
        wit::Body::Interrupt(_) => BodyKind::Interrupt,
        wit::Body::ShutdownRequest(_) => BodyKind::ShutdownRequest,
        wit::Body::ShutdownResponse(_) => BodyKind::ShutdownResponse,
        wit::Body::PlanRequest(_) => BodyKind::PlanRequest,
        wit::Body::PlanResponse(_) => BodyKind::PlanResponse,
        wit::Body::Acknowledge(_) => BodyKind::Acknowledge,
        wit::Body::Other(_) => return None,
    })
}

fn target(to: wit::Target) -> Result<Target, Refusal> {
    Ok(match to {
        wit::Target::Agent(text) => Target::Agent(parsed(&text)?),
        wit::Target::Member(wit::Member { role, name }) => {
            short("a name", name.as_deref().unwrap_or_default(), NAME_CHARS)?;
            Target::Member(relation(role), name)
        }
        wit::Target::Spoken(address) => spoken(address)?,
        wit::Target::Everyone => Target::Everyone,
        wit::Target::Origin => Target::Origin,
    })
}

/// An address as a model writes it.
pub(in crate::imports) fn spoken(address: String) -> Result<Target, Refusal> {
    short("an address", &address, NAME_CHARS)?;
    Ok(Target::Spoken(address))
}

fn relation(role: wit::Relation) -> Relation {
    match role {
        wit::Relation::Parent => Relation::Parent,
        wit::Relation::Child => Relation::Child,
        wit::Relation::Sibling => Relation::Sibling,
    }
}

fn content(said: wit::Content) -> Result<Content, Refusal> {
    let wit::Content { blocks, summary, reply_to, after, expires_in_ms, acknowledge, urgency } =
        said;
    absent("after", after.is_some())?;
    Ok(Content {
        blocks: blocks.into_iter().map(block).collect(),
        summary,
        reply_to: id(reply_to)?,
        expires_in: expires_in_ms.map(Millis),
        acknowledge,
        reply_optional: matches!(urgency, wit::Urgency::ReplyOptional),
    })
}

fn block(block: wit::Block) -> Block {
    match block {
        wit::Block::Text(words) => Block::Text(words),
        wit::Block::Data(wit::Data { kind, json }) => Block::Data { kind, json },
        wit::Block::Image(kept) => Block::Image(attachment(kept)),
        wit::Block::Attached(kept) => Block::Attached(attachment(kept)),
    }
}

fn attachment(kept: wit::Attachment) -> Attachment {
    Attachment { handle: kept.handle, media_type: kept.media_type }
}

/// An unknown key may change what the rest means, so it is not skipped.
pub(in crate::imports) fn known_keys(extra: &[(String, String)]) -> Result<(), Refusal> {
    match extra.first() {
        None => Ok(()),
        Some((key, _)) => {
            short("a key", key, NAME_CHARS)?;
            Err(Refusal::new(
                Code::InvalidArgument,
                format!("this host does not know `{key}` in `extra`; leave it out"),
            ))
        }
    }
}

/// Characters of a note to an acknowledgement: a line, no message.
const NOTE_CHARS: usize = 1_000;

/// Characters of what is said to a request; how many of them a message may have, the machine knows.
const REPLY_CHARS: usize = 65_536;

/// Characters of what names something.
pub(in crate::imports) const NAME_CHARS: usize = 256;

/// Whether a text that SEND-4 says nothing of is as short as it may be. Else the machine, for which
/// everybody waits, would go through all of it, and keep it.
pub(in crate::imports) fn short(what: &str, text: &str, most: usize) -> Result<(), Refusal> {
    let chars = text.chars().count();
    if chars <= most {
        return Ok(());
    }
    let text = format!("{what} has at most {most} characters, and this has {chars}");
    Err(Refusal::new(Code::InvalidArgument, text))
}

/// What is said besides yes or no, if anything is.
fn words(said: Option<String>) -> Result<Option<String>, Refusal> {
    short("what is said to a request", said.as_deref().unwrap_or_default(), REPLY_CHARS)?;
    Ok(said.filter(|words| !words.trim().is_empty()))
}

fn absent(field: &str, present: bool) -> Result<(), Refusal> {
    if present { Err(not_yet(field)) } else { Ok(()) }
}

fn not_yet(what: &str) -> Refusal {
    Refusal::new(
        Code::InvalidArgument,
        format!("this host does not have `{what}` yet; do without it"),
    )
}

fn id<T: FromStr<Err = IdError>>(text: Option<String>) -> Result<Option<T>, Refusal> {
    text.as_deref().map(parsed).transpose()
}

pub(in crate::imports) fn parsed<T: FromStr<Err = IdError>>(text: &str) -> Result<T, Refusal> {
    short("an id", text, NAME_CHARS)?;
    text.parse().map_err(|error: IdError| Refusal::new(Code::InvalidArgument, error.to_string()))
}
