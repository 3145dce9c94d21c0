//! `observation`: looking at agents.

use std::sync::Arc;

use switchboard_core::{
    Code, IdError, MessageKind, Refusal, RosterQuery, Row, Scope, Sender, Target,
};
use switchboard_runtime::{Recent, RecentMessage, RecentQuery, What};

use super::subagents::{NAME_CHARS, known_keys, short};
use crate::generated::switchboard::plugin::observation as wit;
use crate::state::CallState;

impl wit::Host for CallState {
    async fn list_agents(
        &mut self,
        query: wit::Query,
    ) -> wasmtime::Result<Result<wit::Page, wit::Refusal>> {
        let caller = self.enter_look().await?;
        let plane = Arc::clone(&self.plane);
        let answer = match roster_query(query) {
            Err(refusal) => Err(refusal),
            Ok(query) => self.look(plane.list_agents(caller, query)).await?,
        };
        let page = answer.map(|roster| wit::Page {
            rows: roster.rows.into_iter().map(row).collect(),
            next: roster.next.map(|agent| agent.to_string()),
            extra: vec![],
        });
        Ok(page.map_err(refused))
    }

    async fn get_agent(
        &mut self,
        target: String,
    ) -> wasmtime::Result<Result<wit::Row, wit::Refusal>> {
        let caller = self.enter_look().await?;
        let plane = Arc::clone(&self.plane);
        let answer = match spoken(target) {
            Err(refusal) => Err(refusal),
            Ok(target) => self.look(plane.get_agent(caller, target)).await?,
        };
        Ok(answer.map(row).map_err(refused))
    }

    async fn recent_messages(
        &mut self,
        request: wit::Request,
    ) -> wasmtime::Result<Result<wit::Recent, wit::Refusal>> {
        let caller = self.enter_look().await?;
        let plane = Arc::clone(&self.plane);
        let answer = match recent_query(request) {
            Err(refusal) => Err(refusal),
            Ok(query) => self.look(plane.recent_messages(caller, query)).await?,
        };
        Ok(answer.map(recent).map_err(refused))
    }
}

fn roster_query(query: wit::Query) -> Result<RosterQuery, Refusal> {
    let wit::Query { scope, limit, cursor, extra } = query;
    known_keys(&extra)?;
    short("a scope", &scope, NAME_CHARS)?;
    let scope = match scope.as_str() {
        "children" => Scope::Children,
        "descendants" => Scope::Descendants,
        "reachable" => Scope::Reachable,
        other => {
            let text = format!("`{other}` is no scope: it is children, descendants or reachable");
            return Err(Refusal::new(Code::InvalidArgument, text));
        }
    };
    let foreign = |_: IdError| "this cursor is none that was given out; leave it out".to_owned();
    let after = at(cursor, |text| text.parse().map_err(foreign))?;
    Ok(RosterQuery { scope, limit, after })
}

fn recent_query(request: wit::Request) -> Result<RecentQuery, Refusal> {
    let wit::Request { target, limit, max_chars, cursor, extra } = request;
    known_keys(&extra)?;
    let before = at(cursor, str::parse)?;
    Ok(RecentQuery { target: spoken(target)?, limit, max_chars, before })
}

fn spoken(address: String) -> Result<Target, Refusal> {
    short("an address", &address, NAME_CHARS)?;
    Ok(Target::Spoken(address))
}

/// Where a cursor says to go on.
fn at<Place>(
    cursor: Option<String>,
    read: impl Fn(&str) -> Result<Place, String>,
) -> Result<Option<Place>, Refusal> {
    let Some(cursor) = cursor else { return Ok(None) };
    short("a cursor", &cursor, NAME_CHARS)?;
    read(&cursor).map(Some).map_err(|text| Refusal::new(Code::InvalidArgument, text))
}

fn row(row: Row) -> wit::Row {
    wit::Row {
        agent: row.agent.to_string(),
        name: row.name.to_string(),
        relationship: row.relationship.to_string(),
        depth: row.depth,
        description: row.description.to_string(),
        activity: row.activity.to_string(),
        pending: row.pending,
        obligations: row.obligations,
        messages: row.messages,
        last_summary: row.last_words.map(|words| words.to_string()),
        can: row.may.iter().map(ToString::to_string).collect(),
        extra: vec![],
    }
}

fn recent(recent: Recent) -> wit::Recent {
    wit::Recent {
        agent: recent.agent.to_string(),
        name: recent.name.to_string(),
        messages: recent.messages.into_iter().map(message).collect(),
        older: recent.older.map(|place| place.to_string()),
        unreadable: recent.unreadable,
        extra: vec![],
    }
}

fn message(shown: RecentMessage) -> wit::Message {
    let RecentMessage { what, at, text, chars } = shown;
    let blank = wit::Message {
        kind: String::new(),
        message: None,
        sender: None,
        at_ms: at.0,
        text,
        chars,
        calls: vec![],
        extra: vec![],
    };
    match what {
        What::Read { message, of: Some((from, kind)) } => wit::Message {
            kind: kind_word(&kind).to_owned(),
            message: Some(message.to_string()),
            sender: Some(sender(from)),
            ..blank
        },
        What::Read { message, of: None } => wit::Message {
            kind: UNREADABLE.to_owned(),
            message: Some(message.to_string()),
            ..blank
        },
        What::Wrote { calls } => {
            let call = |(tool, outcome)| wit::ToolCall { tool, outcome };
            let calls = calls.into_iter().map(call).collect();
            wit::Message { kind: "wrote".to_owned(), calls, ..blank }
        }
        What::Interrupted => wit::Message { kind: "interrupted".to_owned(), ..blank },
        What::Unreadable => wit::Message { kind: UNREADABLE.to_owned(), ..blank },
    }
}

const UNREADABLE: &str = "unreadable";

fn kind_word(kind: &MessageKind) -> &'static str {
    match kind {
        MessageKind::Relay => "message",
        MessageKind::Prompt => "task",
        MessageKind::Instruction => "instruction",
        MessageKind::Request(_) => "request",
        MessageKind::Notice(_) => "notice",
    }
}

fn sender(from: Sender) -> wit::Sender {
    let named = |name: &str| wit::Sender { agent: None, name: name.to_owned(), relationship: None };
    match from {
        Sender::Agent { id, name, relationship } => wit::Sender {
            agent: Some(id.to_string()),
            relationship: Some(relationship.to_string()),
            ..named(name.as_str())
        },
        Sender::User => named("user"),
        Sender::Host => named("host"),
    }
}

fn refused(refusal: Refusal) -> wit::Refusal {
    let candidate = |known: switchboard_core::Candidate| wit::Candidate {
        address: known.address,
        relation: known.relation,
    };
    wit::Refusal {
        code: refusal.code.to_string(),
        text: refusal.text,
        retry: refusal.code.retry(),
        retry_after_ms: refusal.retry_after.map(|wait| wait.0),
        uncertain: refusal.uncertain,
        candidates: refusal.candidates.into_iter().map(candidate).collect(),
        extra: vec![],
    }
}
