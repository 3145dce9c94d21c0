//! Facts and messages made of whatever bytes the fuzzer has: well-formed each, and in any order.
//!
//! Numbers are small and names few, so that what is made refers to something now and then.

use std::sync::Arc;

use arbitrary::{Result, Unstructured};
use switchboard_core::{
    Afterwards, AgentName, Attachment, Block, CallRecord, Cause, Claim, ClosingCause, Content,
    Delivery, Descriptor, DropReason, EndReason, Event, Fate, HostKey, Id, Incarnation,
    Interruption, Kind, LedgerTag, Message, MessageKind, Millis, Mode, Nonce, Notice, Relationship,
    ReportTool, Schedule, Sender, Shown, Stop, Stopped, Terms, ToolUse, TurnEnd, Usage, WallTime,
};

use crate::asked;

/// The ledger nearly all ids are of.
pub const TAG: u32 = 7;

/// The first fact of a ledger with this tag.
pub fn opened() -> Event {
    Event::ForestOpened { format: switchboard_core::FORMAT, tag: LedgerTag::new(TAG) }
}

/// Any fact.
pub fn event(bytes: &mut Unstructured<'_>) -> Result<Event> {
    let agent = id(bytes)?;
    let turn = id(bytes)?;
    let incarnation = Incarnation(number(bytes)?);
    Ok(match bytes.int_in_range(0..=22)? {
        0 => opened(),
        1 => Event::HostStarted,
        2 => {
            let descriptor = descriptor(bytes)?;
            Event::AgentRegistered { agent, name: name(bytes)?, descriptor }
        }
        3 | 4 => Event::StartAdmitted {
            agent,
            parent: id(bytes)?,
            name: name(bytes)?,
            descriptor: descriptor(bytes)?,
            prompt: Message { to: agent, ..message(bytes)? },
            key: optional(bytes, key)?,
            seed: optional(bytes, id)?,
        },
        5 => Event::StartWithdrawn { agent, reason: drop_reason(bytes)? },
        6 => Event::ResumeOrdered { agent, incarnation },
        7 => Event::Published { agent, incarnation },
        8 => Event::ResumeFailed { agent, incarnation, why: bytes.arbitrary()? },
        9 => Event::Accepted { message: message(bytes)?, terms: optional(bytes, terms)? },
        10 => Event::TurnOpened { agent, incarnation, turn, claim: claim(bytes)? },
        11 => Event::Claimed { agent, turn, step: number(bytes)?, claim: claim(bytes)? },
        12 => Event::ClaimReturned {
            agent,
            turn,
            messages: some(bytes, id)?,
            attempt: bytes.arbitrary()?,
        },
        13 => Event::StepRecorded {
            agent,
            turn,
            step: number(bytes)?,
            text: Arc::from(bytes.arbitrary::<&str>()?),
            calls: some(bytes, tool_use)?,
            consumed: some(bytes, id)?,
        },
        14 => Event::CallEnded {
            agent,
            turn,
            step: number(bytes)?,
            call: number(bytes)?,
            record: call_record(bytes)?,
        },
        15 => Event::TurnEnded {
            agent,
            turn,
            end: turn_end(bytes)?,
            dropped: some(bytes, id)?,
            returned: some(bytes, id)?,
            cut: some(bytes, number)?,
            never_started: bytes.arbitrary()?,
            note: bytes.arbitrary()?,
        },
        16 => Event::InterruptAdmitted {
            by: optional(bytes, id)?,
            key: optional(bytes, key)?,
            answer: interruption(bytes)?,
            mark: mark(bytes)?,
            reason: bytes.arbitrary()?,
        },
        17 => Event::Closing {
            agent,
            subtree: some(bytes, id)?,
            cause: closing_cause(bytes)?,
            mark: optional(bytes, mark)?,
            by: optional(bytes, id)?,
            key: None,
        },
        20 => asked::event(bytes)?,
        21 => Event::Paused { agent, agents: some(bytes, id)? },
        22 => Event::Resumed { agent, agents: some(bytes, id)? },
        19 => Event::Deleted { agent, by: optional(bytes, id)?, key: None },
        _ => match bytes.arbitrary()? {
            true => {
                Event::Dropped { agent, messages: some(bytes, id)?, reason: drop_reason(bytes)? }
            }
            false => Event::Released {
                agent,
                incarnation,
                reason: end_reason(bytes)?,
                notice: optional(bytes, message)?,
                abandoned: bytes.arbitrary()?,
            },
        },
    })
}

/// Any message.
pub fn message(bytes: &mut Unstructured<'_>) -> Result<Message> {
    Ok(Message {
        id: id(bytes)?,
        from: sender(bytes)?,
        to: id(bytes)?,
        kind: match bytes.int_in_range(0..=4)? {
            0 => MessageKind::Relay,
            1 => MessageKind::Prompt,
            2 => MessageKind::Instruction,
            4 => MessageKind::Request(asked::request(bytes)?),
            _ => MessageKind::Notice(notice(bytes)?),
        },
        content: Arc::new(content(bytes)?),
        schedule: *bytes.choose(&[Schedule::NextStep, Schedule::NextTurn])?,
        wakes: bytes.arbitrary()?,
        at: WallTime(bytes.arbitrary()?),
        cause: optional(bytes, cause)?,
    })
}

fn cause(bytes: &mut Unstructured<'_>) -> Result<Cause> {
    Ok(Cause { chain: id(bytes)?, hop: number(bytes)? })
}

/// Any content.
pub fn content(bytes: &mut Unstructured<'_>) -> Result<Content> {
    let attachment = |bytes: &mut Unstructured<'_>| {
        Ok(Attachment { handle: bytes.arbitrary()?, media_type: bytes.arbitrary()? })
    };
    let block = |bytes: &mut Unstructured<'_>| {
        Ok(match bytes.int_in_range(0..=3)? {
            0 => Block::Data { kind: bytes.arbitrary()?, json: bytes.arbitrary()? },
            1 => Block::Image(attachment(bytes)?),
            2 => Block::Attached(attachment(bytes)?),
            _ => Block::Text(bytes.arbitrary()?),
        })
    };
    let (reply_to, summary) = (optional(bytes, id)?, bytes.arbitrary()?);
    let expires_in = optional(bytes, |bytes| Ok(Millis(bytes.arbitrary()?)))?;
    let (acknowledge, reply_optional) = (bytes.arbitrary()?, bytes.arbitrary()?);
    let blocks = some(bytes, block)?;
    Ok(Content { blocks, summary, reply_to, expires_in, acknowledge, reply_optional })
}

/// Any descriptor.
pub fn descriptor(bytes: &mut Unstructured<'_>) -> Result<Arc<Descriptor>> {
    let report = |bytes: &mut Unstructured<'_>| {
        Ok(ReportTool { tool: bytes.arbitrary()?, example: bytes.arbitrary()? })
    };
    let mode = *bytes.choose(&[Mode::Root, Mode::Continuable, Mode::OneShot])?;
    let nothing = Descriptor::new(bytes.arbitrary::<&str>()?, mode, "script:none");
    let (reports, plan_required) = (optional(bytes, report)?, bytes.arbitrary()?);
    Ok(Arc::new(Descriptor { reports, plan_required, ..nothing }))
}

/// Any claim.
pub fn claim(bytes: &mut Unstructured<'_>) -> Result<Claim> {
    let shown =
        |bytes: &mut Unstructured<'_>| Ok(Shown { id: id(bytes)?, delivery: number(bytes)? });
    Ok(Claim {
        messages: some(bytes, shown)?,
        left: bytes.arbitrary()?,
        nonce: Nonce(bytes.arbitrary()?),
        at: WallTime(bytes.arbitrary()?),
    })
}

fn notice(bytes: &mut Unstructured<'_>) -> Result<Notice> {
    use Afterwards::{Deleted, OneShot, Stored};
    let (child, name_of) = (id(bytes)?, name(bytes)?);
    let ended = |bytes: &mut Unstructured<'_>| Ok((id(bytes)?, name(bytes)?, fate(bytes)?));
    Ok(match bytes.int_in_range(0..=7)? {
        0 => Notice::Settled {
            child,
            name: name_of,
            reason: end_reason(bytes)?,
            closing: bytes.arbitrary::<Option<&str>>()?.map(Arc::from),
            unacknowledged: number(bytes)?,
            afterwards: *bytes.choose(&[Stored, OneShot, Deleted])?,
        },
        1 => Notice::Fates { ended: some(bytes, ended)? },
        2 => Notice::ChildInterrupted { child, name: name_of },
        3 => Notice::Acknowledged {
            message: id(bytes)?,
            by: child,
            name: name_of,
            note: bytes.arbitrary::<Option<&str>>()?.map(Arc::from),
        },
        7 => asked::notice(bytes)?,
        5 => Notice::LongChain { cause: cause(bytes)?, most: number(bytes)? },
        4 => Notice::Unacknowledged { by: child, name: name_of, messages: some(bytes, id)? },
        _ => {
            Notice::StartFailed { child, name: name_of, why: Arc::from(bytes.arbitrary::<&str>()?) }
        }
    })
}

fn sender(bytes: &mut Unstructured<'_>) -> Result<Sender> {
    const KIN: &[Relationship] =
        &[Relationship::Parent, Relationship::Child, Relationship::Sibling, Relationship::None];
    Ok(match bytes.int_in_range(0..=3)? {
        0 => Sender::User,
        1 => Sender::Host,
        _ => {
            let relationship = *bytes.choose(KIN)?;
            Sender::Agent { id: id(bytes)?, name: name(bytes)?, relationship }
        }
    })
}

fn interruption(bytes: &mut Unstructured<'_>) -> Result<Interruption> {
    let stopped = |bytes: &mut Unstructured<'_>| {
        let stop = match bytes.int_in_range(0..=4)? {
            0 => Stop::AlreadyIdle,
            1 => Stop::AlreadyFinished,
            2 => Stop::TurnMoved(id(bytes)?),
            3 => Stop::NotStarted,
            _ => Stop::Cancelling(id(bytes)?),
        };
        Ok(Stopped { agent: id(bytes)?, stop })
    };
    Ok(Interruption {
        target: stopped(bytes)?,
        below: some(bytes, stopped)?,
        still_running: some(bytes, id)?,
        calls_cut: Vec::new(),
        parked: number(bytes)?,
    })
}

fn tool_use(bytes: &mut Unstructured<'_>) -> Result<ToolUse> {
    Ok(ToolUse { tool: bytes.arbitrary()?, arguments: bytes.arbitrary()? })
}

fn call_record(bytes: &mut Unstructured<'_>) -> Result<CallRecord> {
    let usage = Usage { peak_memory: bytes.arbitrary()?, ..Usage::default() };
    Ok(CallRecord { outcome: bytes.arbitrary()?, text: bytes.arbitrary()?, usage })
}

fn terms(bytes: &mut Unstructured<'_>) -> Result<Terms> {
    Ok(Terms {
        key: optional(bytes, key)?,
        delivery: *bytes.choose(&[Delivery::Delivered, Delivery::Queued])?,
        pending: number(bytes)?,
        budget_left: number(bytes)?,
        one_of_many: bytes.arbitrary()?,
        paused: bytes.arbitrary()?,
    })
}

pub(crate) fn key(bytes: &mut Unstructured<'_>) -> Result<HostKey> {
    let turn = id(bytes)?;
    Ok(HostKey { turn, step: number(bytes)?, call: number(bytes)?, nth: number(bytes)? })
}

fn fate(bytes: &mut Unstructured<'_>) -> Result<Fate> {
    Ok(match bytes.int_in_range(0..=2)? {
        0 => Fate::Consumed,
        1 => Fate::Expired,
        _ => Fate::Dropped(drop_reason(bytes)?),
    })
}

fn drop_reason(bytes: &mut Unstructured<'_>) -> Result<DropReason> {
    use DropReason::{Deleted, Interrupted, Moot, Poison, StartFailed};
    Ok(*bytes.choose(&[Interrupted, StartFailed, Poison, Deleted, Moot])?)
}

fn end_reason(bytes: &mut Unstructured<'_>) -> Result<EndReason> {
    use EndReason::{Aborted, Ceiling, Completed, Error, Refusal};
    Ok(*bytes.choose(&[Completed, Ceiling, Refusal, Error, Aborted])?)
}

fn turn_end(bytes: &mut Unstructured<'_>) -> Result<TurnEnd> {
    use TurnEnd::{Aborted, Ceiling, Completed, Error, Interrupted, Refusal};
    Ok(*bytes.choose(&[Completed, Ceiling, Refusal, Error, Interrupted, Aborted])?)
}

fn closing_cause(bytes: &mut Unstructured<'_>) -> Result<ClosingCause> {
    use ClosingCause::{Closed, Deleted, Drained, Lost, PutAway, Settled, ShutDown};
    Ok(*bytes.choose(&[Settled, Closed, PutAway, Lost, Deleted, ShutDown, Drained])?)
}

/// An agent's name: one of a few.
pub(crate) fn name(bytes: &mut Unstructured<'_>) -> Result<AgentName> {
    const NAMES: &[&str] = &["lead", "reviewer", "reviewer-2", "a-name-longer-than-fits-in-a-word"];
    Ok(AgentName::new(bytes.choose(NAMES)?).expect("these are names"))
}

/// An id: mostly a small number of this ledger, sometimes anything that can be read. An agent's is
/// never absurd: places would be kept for thousands, for which a fuzzer has no time.
pub(crate) fn id<K: Kind>(bytes: &mut Unstructured<'_>) -> Result<Id<K>> {
    let (tag, number) = match bytes.arbitrary::<u8>()? {
        0 => (bytes.arbitrary()?, bytes.arbitrary()?),
        1 => (TAG, bytes.arbitrary()?),
        small => (TAG, u64::from(small % 8).max(1)),
    };
    let number = if K::PREFIX == "agt_" { number % 64 } else { number };
    let any = Id::<K>::new(LedgerTag::new(tag), number);
    Ok(any.to_string().parse().unwrap_or(Id::new(LedgerTag::new(TAG), 1)))
}

fn mark(bytes: &mut Unstructured<'_>) -> Result<u64> {
    Ok(u64::from(number(bytes)?))
}

/// A count: mostly a small one.
fn number(bytes: &mut Unstructured<'_>) -> Result<u32> {
    Ok(match bytes.int_in_range(0..=15_u8)? {
        0 => bytes.arbitrary()?,
        small => u32::from(small / 4),
    })
}

pub(crate) fn optional<'a, T>(
    bytes: &mut Unstructured<'a>,
    make: impl FnOnce(&mut Unstructured<'a>) -> Result<T>,
) -> Result<Option<T>> {
    bytes.arbitrary::<bool>()?.then(|| make(bytes)).transpose()
}

pub(crate) fn some<'a, T>(
    bytes: &mut Unstructured<'a>,
    mut make: impl FnMut(&mut Unstructured<'a>) -> Result<T>,
) -> Result<Vec<T>> {
    (0..bytes.int_in_range(0..=3)?).map(|_| make(bytes)).collect()
}
