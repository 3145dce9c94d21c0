//! The phrases for requests that want one answer, and for how they ended.

use switchboard_core::{Handshake, Notice, Reply, Request, RequestBody, RequestEnd};

/// What is asked for, in words.
pub fn asked(request: &Request) -> String {
    let id = request.id;
    match &request.body {
        RequestBody::Shutdown { reason, .. } => format!("come to an end ({id}): “{reason}”"),
        RequestBody::Plan { plan, .. } => format!("approve a plan ({id}): “{plan}”"),
    }
}

/// How a request of its reader ended.
pub fn closed(notice: &Notice) -> Option<String> {
    let Notice::RequestClosed { request, kind, asked, end, .. } = notice else { return None };
    let who = asked.as_ref().map_or("the person", |(_, name)| name.as_str());
    let what = match kind {
        Handshake::Shutdown => "to come to an end",
        Handshake::Plan => "to approve a plan",
    };
    Some(format!("{request}, for {who} {what}, {}", ended(end)))
}

/// How a request ended.
pub fn ended(end: &RequestEnd) -> String {
    match end {
        RequestEnd::Answered(reply) => answered(reply),
        RequestEnd::Forced => "had no answer in time: put away by force".to_owned(),
        RequestEnd::Unanswered => "had no answer in time: not approved".to_owned(),
        RequestEnd::AlreadySettled => "had nothing to do: put away already".to_owned(),
        RequestEnd::Ended => "was overtaken: it ended otherwise".to_owned(),
        RequestEnd::Superseded(newer) => format!("gave way to {newer}"),
        RequestEnd::Cancelled => "was cancelled by a deletion".to_owned(),
    }
}

fn answered(reply: &Reply) -> String {
    let word = if reply.approves() { "was approved" } else { "was refused" };
    let words = reply.words().map_or_else(String::new, |words| format!(": “{words}”"));
    format!("{word}{words}")
}
