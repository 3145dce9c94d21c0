//! What is read of requests and of how they ended (HAND).

use std::fmt::Write as _;

use crate::handshake::{Handshake, Reply, Request, RequestBody, RequestEnd};
use crate::notice::Notice;
use crate::time::{Millis, WallTime};

/// What whoever is to answer reads: what is asked, how to answer, and until when.
pub(super) fn asked(
    text: &mut String,
    request: &Request,
    until: WallTime,
    again: bool,
    quote: impl Fn(&mut String, &str),
) {
    let Request { id, within, replaces, .. } = request;
    words(text, request, quote);
    let (kind, consequence) = match request.body.kind() {
        Handshake::Shutdown => (
            "shutdown",
            "If you approve, you are put away with all below you as soon as the answer is stored; \
             if you refuse, you go on. Without an answer by then you are put away all the same.",
        ),
        Handshake::Plan => (
            "plan",
            "Until you approve it, its agent changes nothing. It gets its answer once and from you \
             alone; without one by then it is told no.",
        ),
    };
    let _ = writeln!(
        text,
        "Answer within {}, by {}, with the tool you have for {kind} responses: request_id \
         {id}, approve true or false. {consequence}",
        span(*within),
        until.date_and_time()
    );
    if again && request.body.kind() == Handshake::Shutdown {
        text.push_str("You were shown this before, and the time runs since then.\n");
    }
    if let Some(older) = replaces {
        let _ = writeln!(text, "It takes the place of {older}, which needs no answer any more.");
    }
}

/// What is asked, without how to answer.
pub(super) fn words(text: &mut String, request: &Request, quote: impl Fn(&mut String, &str)) {
    let id = request.id;
    match &request.body {
        RequestBody::Shutdown { reason, cleanup, .. } => {
            let _ = writeln!(text, "You are asked to come to an end ({id}). The reason given:");
            quote(text, reason);
            if let Some(cleanup) = cleanup {
                text.push_str("To be put in order before:\n");
                quote(text, cleanup);
            }
        }
        RequestBody::Plan { plan, alternatives, recommendation } => {
            let digest = request.body.digest();
            let _ = writeln!(text, "You are asked to approve a plan ({id}, digest {digest}):");
            quote(text, plan);
            for alternative in alternatives {
                text.push_str("Or else:\n");
                quote(text, alternative);
            }
            if let Some(recommendation) = recommendation {
                text.push_str("What its agent would choose:\n");
                quote(text, recommendation);
            }
        }
    }
}

/// What whoever asked reads when it has ended.
pub(super) fn closed(text: &mut String, notice: &Notice, quote: impl Fn(&mut String, &str)) {
    let Notice::RequestClosed { request, digest, asked, end, .. } = notice else { return };
    let who = match asked {
        Some((id, name)) => format!("{name} ({id})"),
        None => "the person".to_owned(),
    };
    let _ = match end {
        RequestEnd::Answered(Reply::Shutdown { approve: true, cleaned_up, .. }) => {
            let order = if *cleaned_up { "has" } else { "has not" };
            writeln!(
                text,
                "{who} agrees to come to an end ({request}) and is put away. It says that it \
                 {order} put everything in order."
            )
        }
        RequestEnd::Answered(Reply::Shutdown { approve: false, .. }) => {
            writeln!(text, "{who} does not agree to come to an end ({request}) and goes on.")
        }
        RequestEnd::Answered(Reply::Plan { approve: true, .. }) => writeln!(
            text,
            "Your plan ({request}, digest {digest}) is approved by {who}: carry it out. You may \
             change things again."
        ),
        RequestEnd::Answered(Reply::Plan { approve: false, .. }) => writeln!(
            text,
            "Your plan ({request}, digest {digest}) is not approved by {who}. You still may change \
             nothing: ask again with a better one."
        ),
        RequestEnd::Forced => writeln!(
            text,
            "{who} did not answer the request to come to an end ({request}) in time and is put \
             away by force."
        ),
        RequestEnd::Unanswered => writeln!(
            text,
            "Nobody answered your request to have a plan approved ({request}, digest {digest}) in \
             time. That is a no: you still may change nothing. Ask again if it is still wanted."
        ),
        RequestEnd::AlreadySettled => writeln!(
            text,
            "{who} was put away already when it was asked to come to an end ({request}). Nothing \
             was done."
        ),
        RequestEnd::Ended => writeln!(
            text,
            "{who} came to an end otherwise before it answered the request to ({request})."
        ),
        RequestEnd::Cancelled => {
            writeln!(text, "{who} is deleted; your request {request} has no answer any more.")
        }
        RequestEnd::Superseded(newer) => writeln!(
            text,
            "Your request {request} needs no answer any more: {newer} has taken its place."
        ),
    };
    if let RequestEnd::Answered(reply) = end
        && let Some(said) = reply.words()
    {
        quote(text, said);
    }
}

fn span(time: Millis) -> String {
    match time.0 {
        0..1_000 => time.to_string(),
        1_000..120_000 => format!("{} s", time.0 / 1_000),
        _ => format!("{} min", time.0 / 60_000),
    }
}
