//! A control plane that keeps what it is asked and answers as it is told.

use std::collections::VecDeque;
use std::future::pending;
use std::sync::Mutex;

use switchboard_core::{
    Activity, AgentId, AgentName, Asked as Answerer, Caller, Closed, Code, Delivery, Draft,
    HostKey, Interruption, LedgerTag, MessageId, MessageKind, Receipt, Refusal, Relationship,
    Reply, RequestBody, RequestId, Requested, Responded, Roster, RosterQuery, Row, Sender, Started,
    Stop, Stopped, Target, TurnId, Verb, WallTime,
};
use switchboard_runtime::{
    BoxFuture, ControlPlane, MessageStanding, Recent, RecentMessage, RecentQuery, Sent, StartDraft,
    What,
};
use tokio::sync::Notify;

/// What a tool asked for.
#[derive(Debug, PartialEq)]
pub(crate) enum Asked {
    Send(Caller, HostKey, Draft),
    Interrupt(Caller, HostKey, Target, bool),
    Start(Caller, HostKey, StartDraft),
    Close(Caller, HostKey, Target),
    Delete(Caller, HostKey, Target),
    Acknowledge(Caller, HostKey, MessageId, Option<String>),
    Request(Caller, HostKey, Target, RequestBody),
    Respond(Caller, HostKey, RequestId, Reply),
    List(Caller, RosterQuery),
    Get(Caller, Target),
    Recent(Caller, RecentQuery),
}

/// How it answers next; by default it agrees.
pub(crate) enum Next {
    Refuse(Refusal),
    /// It never answers.
    Hang,
    /// It answers when `Plane::go` is notified.
    Wait,
    Panic,
}

#[derive(Default)]
pub(crate) struct Plane {
    asked: Mutex<Vec<Asked>>,
    next: Mutex<VecDeque<Next>>,
    /// Something was asked.
    pub(crate) reached: Notify,
    /// Lets a waiting answer go.
    pub(crate) go: Notify,
}

impl Plane {
    pub(crate) fn next(self, next: Next) -> Self {
        self.next.lock().unwrap().push_back(next);
        self
    }

    pub(crate) fn asked(&self) -> Vec<Asked> {
        std::mem::take(&mut *self.asked.lock().unwrap())
    }

    async fn take(&self, asked: Asked) -> Result<(), Refusal> {
        self.asked.lock().unwrap().push(asked);
        let next = self.next.lock().unwrap().pop_front();
        self.reached.notify_one();
        match next {
            None => Ok(()),
            Some(Next::Refuse(refusal)) => Err(refusal),
            Some(Next::Hang) => pending().await,
            Some(Next::Wait) => {
                self.go.notified().await;
                Ok(())
            }
            Some(Next::Panic) => panic!("as the test wants it"),
        }
    }
}

pub(crate) fn refusal(code: Code) -> Refusal {
    Refusal::new(code, "as the test wants it")
}

pub(crate) fn agent() -> AgentId {
    AgentId::new(LedgerTag::new(7), 1)
}

pub(crate) fn request() -> RequestId {
    RequestId::new(LedgerTag::new(7), 4)
}

fn receipt() -> Receipt {
    Receipt {
        message: MessageId::new(LedgerTag::new(7), 1),
        to: agent(),
        name: AgentName::new("lead").unwrap(),
        delivery: Delivery::Delivered,
        at: WallTime(0),
        pending: 1,
        budget_left: 2,
        repeated: false,
        paused: false,
    }
}

fn closed() -> Closed {
    let name = AgentName::new("reviewer").unwrap();
    Closed { agent: agent(), name, was: Activity::Running, below: 0, repeated: false }
}

impl ControlPlane for Plane {
    fn send(
        &self,
        caller: Caller,
        key: HostKey,
        draft: Draft,
    ) -> BoxFuture<'_, Result<Sent, Refusal>> {
        Box::pin(async move {
            self.take(Asked::Send(caller, key, draft)).await?;
            Ok(Sent::ToOne(receipt()))
        })
    }

    fn interrupt(
        &self,
        caller: Caller,
        key: HostKey,
        target: Target,
        _turn: Option<TurnId>,
        cascade: bool,
        _reason: Option<String>,
    ) -> BoxFuture<'_, Result<Interruption, Refusal>> {
        Box::pin(async move {
            self.take(Asked::Interrupt(caller, key, target, cascade)).await?;
            Ok(Interruption {
                target: Stopped { agent: agent(), stop: Stop::AlreadyIdle },
                below: vec![],
                still_running: vec![],
                calls_cut: vec![],
                parked: 0,
            })
        })
    }

    fn acknowledge(
        &self,
        caller: Caller,
        key: HostKey,
        message: MessageId,
        note: Option<String>,
    ) -> BoxFuture<'_, Result<Receipt, Refusal>> {
        Box::pin(async move {
            self.take(Asked::Acknowledge(caller, key, message, note)).await?;
            Ok(receipt())
        })
    }

    fn close(
        &self,
        caller: Caller,
        key: HostKey,
        target: Target,
    ) -> BoxFuture<'_, Result<Closed, Refusal>> {
        Box::pin(async move {
            self.take(Asked::Close(caller, key, target)).await?;
            Ok(closed())
        })
    }

    fn delete(
        &self,
        caller: Caller,
        key: HostKey,
        target: Target,
    ) -> BoxFuture<'_, Result<Closed, Refusal>> {
        Box::pin(async move {
            self.take(Asked::Delete(caller, key, target)).await?;
            Ok(closed())
        })
    }

    /// A plan goes to the person; one of two that are to come to an end is put away already.
    fn request(
        &self,
        caller: Caller,
        key: HostKey,
        to: Target,
        body: RequestBody,
    ) -> BoxFuture<'_, Result<Requested, Refusal>> {
        Box::pin(async move {
            let away = to == Target::Spoken("away".to_owned());
            let asked = match &body {
                RequestBody::Plan { .. } => Answerer::Person,
                RequestBody::Shutdown { .. } if away => {
                    Answerer::Settled(agent(), AgentName::new("away").unwrap())
                }
                RequestBody::Shutdown { .. } => Answerer::Agent(receipt()),
            };
            self.take(Asked::Request(caller, key, to, body)).await?;
            Ok(Requested { request: request(), asked, repeated: false })
        })
    }

    fn respond(
        &self,
        caller: Caller,
        key: HostKey,
        request: RequestId,
        reply: Reply,
    ) -> BoxFuture<'_, Result<Responded, Refusal>> {
        Box::pin(async move {
            self.take(Asked::Respond(caller, key, request, reply)).await?;
            Ok(Responded { request, to: None, repeated: false })
        })
    }

    fn start(
        &self,
        caller: Caller,
        key: HostKey,
        draft: StartDraft,
    ) -> BoxFuture<'_, Result<Started, Refusal>> {
        Box::pin(async move {
            self.take(Asked::Start(caller, key, draft)).await?;
            let name = AgentName::new("reviewer").unwrap();
            Ok(Started { agent: agent(), name, repeated: false })
        })
    }

    /// No import asks for this yet.
    fn message(
        &self,
        _caller: Caller,
        _id: MessageId,
    ) -> BoxFuture<'_, Result<Option<MessageStanding>, Refusal>> {
        Box::pin(async { Ok(None) })
    }

    fn list_agents(
        &self,
        caller: Caller,
        query: RosterQuery,
    ) -> BoxFuture<'_, Result<Roster, Refusal>> {
        Box::pin(async move {
            self.take(Asked::List(caller, query)).await?;
            Ok(Roster { rows: vec![row()], next: Some(agent()) })
        })
    }

    fn get_agent(&self, caller: Caller, target: Target) -> BoxFuture<'_, Result<Row, Refusal>> {
        Box::pin(async move {
            self.take(Asked::Get(caller, target)).await?;
            Ok(row())
        })
    }

    fn recent_messages(
        &self,
        caller: Caller,
        query: RecentQuery,
    ) -> BoxFuture<'_, Result<Recent, Refusal>> {
        Box::pin(async move {
            self.take(Asked::Recent(caller, query)).await?;
            Ok(recent())
        })
    }
}

/// What the plane shows of an agent.
fn row() -> Row {
    Row {
        agent: agent(),
        name: name(),
        relationship: Relationship::Child,
        depth: 1,
        description: "Reviews".into(),
        activity: Activity::Parked,
        pending: 2,
        obligations: 1,
        messages: 3,
        last_words: Some("I read it.".into()),
        may: vec![Verb::Send, Verb::Observe],
    }
}

/// One of everything that stands in a record.
fn recent() -> Recent {
    let message = MessageId::new(LedgerTag::new(7), 1);
    let lead = Sender::Agent { id: agent(), name: name(), relationship: Relationship::Parent };
    let calls = vec![("look".to_owned(), Some("done".to_owned())), ("send".to_owned(), None)];
    let what = [
        What::Read { message, of: Some((lead, MessageKind::Prompt)) },
        What::Read { message, of: Some((Sender::User, MessageKind::Instruction)) },
        What::Read { message, of: None },
        What::Wrote { calls },
        What::Interrupted,
        What::Unreadable,
    ];
    let shown = |what| RecentMessage { what, at: WallTime(5), text: "Words".to_owned(), chars: 9 };
    Recent {
        agent: agent(),
        name: name(),
        messages: what.into_iter().map(shown).collect(),
        older: Some("12.3".parse().unwrap()),
        unreadable: 1,
    }
}

fn name() -> AgentName {
    AgentName::new("reviewer").unwrap()
}
