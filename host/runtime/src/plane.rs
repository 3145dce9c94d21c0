//! The seam tools speak through: what a running tool may ask of the host.

use switchboard_core::{
    Caller, Closed, Draft, HostKey, Interruption, MessageId, Receipt, Recipient, Refusal, Reply,
    RequestBody, RequestId, Requested, Responded, Roster, RosterQuery, Row, Started, Target,
    TurnId,
};

use crate::fate::MessageStanding;
use crate::recent::{Recent, RecentQuery};
use crate::tools::BoxFuture;

/// A start as a tool hands it in; the host knows what the kind stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StartDraft {
    /// Which kind of agent.
    pub agent: String,
    /// What the child is for, in a line.
    pub description: String,
    /// Its first message.
    pub prompt: String,
    /// Whether the starter goes on meanwhile. In the foreground it is a one-shot child.
    pub background: bool,
    /// Whether it goes on from what its starter knows, as another of its kind (START-3).
    pub fork: bool,
}

/// What became of a message that was handed in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Sent {
    /// It was for one agent.
    ToOne(Receipt),
    /// It was for many; each has an outcome of its own (SEND-15).
    ToMany(Vec<Recipient>),
}

/// The control plane, as a tool's imports see it. Every call says who speaks, which the host
/// knows. One that changes something carries a key, so that a repeated call gets its first answer
/// (TURN-3). A future that is dropped withdraws what it has not yet done.
pub trait ControlPlane: Send + Sync + 'static {
    /// Hands in a message; answers once it is durable.
    fn send(
        &self,
        caller: Caller,
        key: HostKey,
        draft: Draft,
    ) -> BoxFuture<'_, Result<Sent, Refusal>>;

    /// Has a turn stopped: the target's, if it is `turn` or none is named.
    fn interrupt(
        &self,
        caller: Caller,
        key: HostKey,
        target: Target,
        turn: Option<TurnId>,
        cascade: bool,
        reason: Option<String>,
    ) -> BoxFuture<'_, Result<Interruption, Refusal>>;

    /// Acknowledges a message that the caller has read and that asks for it (FATE-4).
    fn acknowledge(
        &self,
        caller: Caller,
        key: HostKey,
        message: MessageId,
        note: Option<String>,
    ) -> BoxFuture<'_, Result<Receipt, Refusal>>;

    /// Asks an agent to come to an end, or for a plan to be approved (HAND). What is said to it
    /// comes as a message.
    fn request(
        &self,
        caller: Caller,
        key: HostKey,
        to: Target,
        body: RequestBody,
    ) -> BoxFuture<'_, Result<Requested, Refusal>>;

    /// Answers a request that the caller is asked (HAND-3).
    fn respond(
        &self,
        caller: Caller,
        key: HostKey,
        request: RequestId,
        reply: Reply,
    ) -> BoxFuture<'_, Result<Responded, Refusal>>;

    /// Starts a child.
    fn start(
        &self,
        caller: Caller,
        key: HostKey,
        draft: StartDraft,
    ) -> BoxFuture<'_, Result<Started, Refusal>>;

    /// Puts an agent away, with all below it (CLOSE-1).
    fn close(
        &self,
        caller: Caller,
        key: HostKey,
        target: Target,
    ) -> BoxFuture<'_, Result<Closed, Refusal>>;

    /// Has an agent gone for good, with all below it (DELETE-1).
    fn delete(
        &self,
        caller: Caller,
        key: HostKey,
        target: Target,
    ) -> BoxFuture<'_, Result<Closed, Refusal>>;

    /// What became of a message the caller sent or got (FATE-1); none if it did neither, as if
    /// there were no such message.
    fn message(
        &self,
        caller: Caller,
        id: MessageId,
    ) -> BoxFuture<'_, Result<Option<MessageStanding>, Refusal>>;

    /// A page of those the caller may observe (OBS-1).
    fn list_agents(
        &self,
        caller: Caller,
        query: RosterQuery,
    ) -> BoxFuture<'_, Result<Roster, Refusal>>;

    /// One agent the caller may observe.
    fn get_agent(&self, caller: Caller, target: Target) -> BoxFuture<'_, Result<Row, Refusal>>;

    /// What an agent the caller may observe has read and said last, whether or not it is in memory.
    fn recent_messages(
        &self,
        caller: Caller,
        query: RecentQuery,
    ) -> BoxFuture<'_, Result<Recent, Refusal>>;
}
