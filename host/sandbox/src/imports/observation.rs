//! `observation`: looking at agents.

use std::sync::Arc;

use switchboard_core::{
    Code, DropReason, IdError, MessageKind, Millis, Refusal, RosterQuery, Row, Scope, Sender,
    WaitFor,
};
use switchboard_runtime::{
    Later, MessageStanding, Recent, RecentMessage, RecentQuery, Standing, What,
};

use super::subagents::{NAME_CHARS, known_keys, parsed, short, spoken};
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

    async fn message_status(
        &mut self,
        message: String,
    ) -> wasmtime::Result<Result<wit::MessageState, wit::Refusal>> {
        let caller = self.enter_look().await?;
        let plane = Arc::clone(&self.plane);
        let answer = match parsed(&message) {
            Err(refusal) => Err(refusal),
            Ok(id) => match self.look(plane.message(caller, id)).await? {
                Ok(found) => found.ok_or_else(|| no_message(&message)),
                Err(refusal) => Err(refusal),
            },
        };
        Ok(answer.map(state).map_err(refused))
    }

    async fn wait(
        &mut self,
        deadline_ms: Option<u64>,
    ) -> wasmtime::Result<Result<String, wit::Refusal>> {
        self.enter_look().await?;
        let later = deadline(deadline_ms)
            .map(|patience| Later { on: WaitFor::Mail, patience: Some(patience) });
        Ok(later.map(|later| self.issue(MAIL, later)).map_err(refused))
    }
}

/// The ticket for mail.
const MAIL: &str = "mail";

/// How long a wait may be, and is unless it is said (OBS-3).
const SHORTEST: Millis = Millis::seconds(10);
const LONGEST: Millis = Millis::minutes(60);
const USUAL: Millis = Millis::seconds(30);

fn deadline(wanted: Option<u64>) -> Result<Millis, Refusal> {
    let wanted = wanted.map_or(USUAL, Millis);
    if (SHORTEST..=LONGEST).contains(&wanted) {
        return Ok(wanted);
    }
    let text =
        format!("a wait takes {} to {} milliseconds, not {}", SHORTEST.0, LONGEST.0, wanted.0);
    Err(Refusal::new(Code::InvalidArgument, text))
}

/// One that is somebody else's is not there (REACH-4).
fn no_message(id: &str) -> Refusal {
    let text = format!("{id} is no message that you sent or got");
    Refusal::new(Code::NotFound, text)
}

fn state(found: MessageStanding) -> wit::MessageState {
    let (standing, reason, shown, turn) = match found.standing {
        Standing::Waiting { shown, .. } => ("waiting", None, Some(shown), None),
        Standing::Claimed { turn, delivery, .. } => ("claimed", None, Some(delivery), Some(turn)),
        Standing::Consumed { turn, .. } => ("consumed", None, None, Some(turn)),
        Standing::Dropped { reason: DropReason::Expired, .. } => ("expired", None, None, None),
        Standing::Dropped { reason, .. } => ("dropped", Some(reason.as_str()), None, None),
    };
    wit::MessageState {
        message: found.message.to_string(),
        sender: sender(found.from),
        to: found.to.to_string(),
        accepted_at_ms: found.at.0,
        standing: standing.to_owned(),
        reason: reason.map(str::to_owned),
        shown,
        turn: turn.map(|turn| turn.to_string()),
        extra: vec![],
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
