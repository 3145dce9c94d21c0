//! Asking what became of a message, by its id (FATE-1). The machine knows of those that have not
//! ended; the others are on record.

use switchboard_core::{
    Agent, AgentId, Caller, Code, Forest, Item, Message, MessageId, Refusal, Sender, WallTime,
};
use switchboard_ledger::{Ledger, LedgerError};
use tokio::time::timeout;

use crate::mail::{Mailbag, Standing};
use crate::switchboard::Switchboard;

/// What became of a message so far, as whoever may ask is told (FATE-1). Its words are not in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MessageStanding {
    /// The message.
    pub message: MessageId,
    /// Who sent it.
    pub from: Sender,
    /// Whose inbox it came into.
    pub to: AgentId,
    /// When it was accepted.
    pub at: WallTime,
    /// Where it stands.
    pub standing: Standing,
}

impl MessageStanding {
    fn new(message: &Message, standing: Standing) -> Self {
        let Message { id, from, to, at, .. } = message;
        Self { message: *id, from: from.clone(), to: *to, at: *at, standing }
    }

    /// Whether this agent sent it or got it.
    fn concerns(&self, agent: AgentId) -> bool {
        let sent = matches!(&self.from, Sender::Agent { id, .. } if *id == agent);
        sent || self.to == agent
    }
}

impl Switchboard {
    /// What became of a message (FATE-1), whoever sent it and however often the host was started
    /// since; none if the ledger has no such message. What has ended is read from the ledger.
    ///
    /// # Errors
    /// As for [`Switchboard::inspect`]; `ledger-unavailable` if it is not found and a record cannot
    /// be read, or the search takes longer than `deadlines.reading`.
    pub async fn message(&self, id: MessageId) -> Result<Option<MessageStanding>, Refusal> {
        self.message_for(Caller::User, id).await
    }

    /// The same for one who may ask for its own alone: to anybody else there is no such message.
    pub(crate) async fn message_for(
        &self,
        caller: Caller,
        id: MessageId,
    ) -> Result<Option<MessageStanding>, Refusal> {
        let look = move |forest: &Forest| {
            let asking = forest.live_caller(caller)?;
            // An id of another ledger, or one that was never given, names nothing here (ID-4).
            if !forest.has_given(id) {
                return Ok::<_, Refusal>((asking, None, Vec::new()));
            }
            let open = forest.agents().find_map(|agent| while_open(agent, id));
            let rest = if open.is_some() { Vec::new() } else { all(forest) };
            Ok((asking, open, rest))
        };
        let (asking, open, agents) = self.inspect(look).await??;
        let found = match open {
            Some(open) => Some(open),
            None => self.ended_in_time(agents, id).await?,
        };
        Ok(found.filter(|found| asking.is_none_or(|agent| found.concerns(agent))))
    }

    async fn ended_in_time(
        &self,
        agents: Vec<AgentId>,
        id: MessageId,
    ) -> Result<Option<MessageStanding>, Refusal> {
        let found = timeout(self.parts.deadlines.reading, self.ended(agents, id)).await;
        found.unwrap_or_else(|_| {
            let text = "looking through the records takes too long; ask again when less is done";
            Err(Refusal::new(Code::LedgerUnavailable, text))
        })
    }

    /// No column says whose inbox a message came into, so the agents' records are looked through.
    /// Each is a job of its own: what is to be stored meanwhile waits for one of them at most. One
    /// that cannot be read matters only if the message is in none of the others.
    async fn ended(
        &self,
        agents: Vec<AgentId>,
        id: MessageId,
    ) -> Result<Option<MessageStanding>, Refusal> {
        let mut unread = None;
        for agent in agents {
            match self.read(move |ledger| look_up(ledger, agent, id)).await {
                Ok(Some(found)) => return Ok(Some(found)),
                Ok(None) => (),
                Err(refusal) => unread = unread.or(Some(refusal)),
            }
        }
        unread.map_or(Ok(None), Err)
    }
}

fn all(forest: &Forest) -> Vec<AgentId> {
    forest.agents().map(|agent| agent.id).collect()
}

/// The message, if it waits for this agent or its turn has it.
fn while_open(agent: &Agent, id: MessageId) -> Option<MessageStanding> {
    let this = |item: &&Item| item.message.id == id;
    let waiting = agent.inbox.items().find(this).map(|item| {
        let standing = Standing::Waiting { shown: item.deliveries, attempts: item.attempts };
        MessageStanding::new(&item.message, standing)
    });
    waiting.or_else(|| {
        let turn = agent.turn.as_ref()?;
        let item = turn.claimed.iter().find(this)?;
        let (turn, delivery, attempts) = (turn.id, item.deliveries, item.attempts);
        Some(MessageStanding::new(&item.message, Standing::Claimed { turn, delivery, attempts }))
    })
}

/// The message, if the records of this agent say that it was accepted.
fn look_up(
    ledger: &mut dyn Ledger,
    agent: AgentId,
    id: MessageId,
) -> Result<Option<MessageStanding>, LedgerError> {
    let mut mailbag = Mailbag::default();
    ledger.agent_events(agent, &mut |stored| mailbag.take(&stored))?;
    // What a parent is told of its child's end is stored with the child (SET-2).
    let reader = mailbag.get(id).map(|mail| mail.message.to).filter(|reader| *reader != agent);
    if let Some(reader) = reader {
        ledger.agent_events(reader, &mut |stored| mailbag.take(&stored))?;
    }
    Ok(mailbag.get(id).map(|mail| MessageStanding::new(&mail.message, mail.standing)))
}
