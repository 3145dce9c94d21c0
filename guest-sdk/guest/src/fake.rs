//! Hosts for tests: they answer what the test says and remember what they were asked.
//!
//! ```
//! use switchboard_guest::subagents::{Content, Envelope, Target};
//! use switchboard_guest::{Subagents, fake};
//!
//! let host = fake::Subagents::answering([fake::accepted("agt_2", "reviewer")]);
//! let envelope = Envelope::new(Target::spoken("reviewer"), Content::text("Hello"));
//! assert!(host.send_message(&envelope).is_ok());
//! assert_eq!(host.asked(), [envelope]);
//! ```

use std::cell::RefCell;
use std::collections::VecDeque;
use std::fmt::Debug;

use crate::subagents::{Answer, Delivery, Envelope, Receipt, Refusal};
use crate::{delegation, observation, workspace};

/// A host with the answers that it will give, in their order.
#[derive(Debug)]
pub struct Host<Q, A> {
    asked: RefCell<Vec<Q>>,
    answers: RefCell<VecDeque<A>>,
}

/// A host that takes envelopes.
pub type Subagents = Host<Envelope, Result<Answer, Refusal>>;
/// A host that starts and ends agents.
pub type Delegation = Host<Order, Result<Done, delegation::Refusal>>;
/// A host that shows agents.
pub type Observation = Host<Inquiry, Result<Shown, observation::Refusal>>;
/// A host that shows a folder.
pub type Workspace = Host<Look, Result<Seen, workspace::Failure>>;

macro_rules! expect {
    ($answer:expr, $answers:ident::$kind:ident) => {
        $answer.map(|seen| match seen {
            $answers::$kind(seen) => seen,
            other => panic!("the test answers {other:?} to another question"),
        })
    };
}

impl<Q: Clone + Debug, A> Host<Q, A> {
    /// Gives these answers, one for each question.
    pub fn answering(answers: impl IntoIterator<Item = A>) -> Self {
        Self { asked: RefCell::default(), answers: RefCell::new(answers.into_iter().collect()) }
    }

    /// What it was asked so far.
    pub fn asked(&self) -> Vec<Q> {
        self.asked.borrow().clone()
    }

    fn answer(&self, question: Q) -> A {
        let answer = self.answers.borrow_mut().pop_front();
        let answer = answer.unwrap_or_else(|| panic!("no answer is left for {question:?}"));
        self.asked.borrow_mut().push(question);
        answer
    }
}

impl crate::Subagents for Subagents {
    fn send_message(&self, envelope: &Envelope) -> Result<Answer, Refusal> {
        self.answer(envelope.clone())
    }
}

impl crate::Delegation for Delegation {
    fn start(
        &self,
        request: &delegation::StartRequest,
    ) -> Result<delegation::Started, delegation::Refusal> {
        expect!(self.answer(Order::Start(request.clone())), Done::Started)
    }

    fn fork(
        &self,
        request: &delegation::ForkRequest,
    ) -> Result<delegation::Started, delegation::Refusal> {
        expect!(self.answer(Order::Fork(request.clone())), Done::Started)
    }

    fn close(&self, target: &str) -> Result<delegation::Closed, delegation::Refusal> {
        expect!(self.answer(Order::Close(target.into())), Done::Closed)
    }

    fn delete(&self, target: &str) -> Result<delegation::Closed, delegation::Refusal> {
        expect!(self.answer(Order::Delete(target.into())), Done::Closed)
    }
}

/// What is to be done to agents.
#[derive(Debug, Clone, PartialEq)]
pub enum Order {
    /// [`Delegation::start`](crate::Delegation::start)
    Start(delegation::StartRequest),
    /// [`Delegation::fork`](crate::Delegation::fork)
    Fork(delegation::ForkRequest),
    /// [`Delegation::close`](crate::Delegation::close)
    Close(String),
    /// [`Delegation::delete`](crate::Delegation::delete)
    Delete(String),
}

/// What was done to agents; it must be of the kind that was asked for.
#[derive(Debug, Clone, PartialEq)]
pub enum Done {
    /// One is started.
    Started(delegation::Started),
    /// One is put away, or gone for good.
    Closed(delegation::Closed),
}

/// A question about agents.
#[derive(Debug, Clone, PartialEq)]
pub enum Inquiry {
    /// [`Observation::list_agents`](crate::Observation::list_agents)
    ListAgents(observation::Query),
    /// [`Observation::get_agent`](crate::Observation::get_agent)
    GetAgent(String),
    /// [`Observation::recent_messages`](crate::Observation::recent_messages)
    RecentMessages(observation::Request),
    /// [`Observation::message_status`](crate::Observation::message_status)
    MessageStatus(String),
    /// [`Observation::wait`](crate::Observation::wait)
    Wait(Option<u64>),
}

/// What is shown of agents; it must be of the kind that was asked for.
#[derive(Debug, Clone, PartialEq)]
pub enum Shown {
    /// A page of a list.
    Page(observation::Page),
    /// One agent.
    Row(observation::Row),
    /// What an agent has read and written last.
    Recent(observation::Recent),
    /// What became of a message.
    State(observation::MessageState),
    /// A ticket.
    Ticket(String),
}

/// A question to a workspace.
#[derive(Debug, Clone, PartialEq)]
#[allow(missing_docs, reason = "the fields are the parameters of the function")]
pub enum Look {
    /// [`Workspace::list`](crate::Workspace::list)
    List { path: String, recursive: bool, limit: u32 },
    /// [`Workspace::read`](crate::Workspace::read)
    Read { path: String, first_line: u32, lines: u32 },
    /// [`Workspace::search`](crate::Workspace::search)
    Search(workspace::SearchRequest),
    /// [`Workspace::watch`](crate::Workspace::watch)
    Watch { path: String, deadline_ms: u32 },
}

/// An answer of a workspace; it must be of the kind that was asked for.
#[derive(Debug, Clone, PartialEq)]
pub enum Seen {
    /// What is in a folder.
    Listing(workspace::Listing),
    /// Lines of a file.
    Text(workspace::Text),
    /// Where a pattern was found.
    Findings(workspace::Findings),
    /// What became of a file.
    Change(workspace::Change),
}

impl crate::Observation for Observation {
    fn list_agents(
        &self,
        query: &observation::Query,
    ) -> Result<observation::Page, observation::Refusal> {
        expect!(self.answer(Inquiry::ListAgents(query.clone())), Shown::Page)
    }

    fn get_agent(&self, target: &str) -> Result<observation::Row, observation::Refusal> {
        expect!(self.answer(Inquiry::GetAgent(target.into())), Shown::Row)
    }

    fn recent_messages(
        &self,
        request: &observation::Request,
    ) -> Result<observation::Recent, observation::Refusal> {
        expect!(self.answer(Inquiry::RecentMessages(request.clone())), Shown::Recent)
    }

    fn message_status(
        &self,
        message: &str,
    ) -> Result<observation::MessageState, observation::Refusal> {
        expect!(self.answer(Inquiry::MessageStatus(message.into())), Shown::State)
    }

    fn wait(&self, deadline_ms: Option<u64>) -> Result<String, observation::Refusal> {
        expect!(self.answer(Inquiry::Wait(deadline_ms)), Shown::Ticket)
    }
}

impl crate::Workspace for Workspace {
    fn list(
        &self,
        path: &str,
        recursive: bool,
        limit: u32,
    ) -> Result<workspace::Listing, workspace::Failure> {
        expect!(self.answer(Look::List { path: path.into(), recursive, limit }), Seen::Listing)
    }

    fn read(
        &self,
        path: &str,
        first_line: u32,
        lines: u32,
    ) -> Result<workspace::Text, workspace::Failure> {
        expect!(self.answer(Look::Read { path: path.into(), first_line, lines }), Seen::Text)
    }

    fn search(
        &self,
        request: &workspace::SearchRequest,
    ) -> Result<workspace::Findings, workspace::Failure> {
        expect!(self.answer(Look::Search(request.clone())), Seen::Findings)
    }

    fn watch(&self, path: &str, deadline_ms: u32) -> Result<workspace::Change, workspace::Failure> {
        expect!(self.answer(Look::Watch { path: path.into(), deadline_ms }), Seen::Change)
    }
}

/// An envelope was delivered to this agent.
pub fn accepted(agent: &str, name: &str) -> Result<Answer, Refusal> {
    Ok(Answer::Accepted(receipt(agent, name)))
}

/// The receipt for an envelope that was delivered to this agent.
pub fn receipt(agent: &str, name: &str) -> Receipt {
    Receipt {
        message: "msg_1".into(),
        to: agent.into(),
        name: name.into(),
        delivery: Delivery::Delivered,
        accepted_at_ms: 0,
        pending: 1,
        budget_left: 2,
        request: None,
        repeated: false,
        extra: Vec::new(),
    }
}

/// A refusal without candidates.
pub fn refusal(code: &str, text: &str) -> Refusal {
    Refusal {
        code: code.into(),
        text: text.into(),
        retry: false,
        retry_after_ms: None,
        uncertain: false,
        candidates: Vec::new(),
        extra: Vec::new(),
    }
}
