//! Looking at agents (OBS): who they are is the machine's to say, what they have read and said is
//! on record. Nobody is woken for it or brought into memory, and nothing is stored.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::RangeInclusive;

use switchboard_core::{AgentId, Caller, Code, Event, Forest, Message, MessageId, Refusal};
use switchboard_ledger::{Ledger, LedgerError};
use tokio::time::timeout;

use crate::recent::{Fold, Place, Recent, RecentMessage, RecentQuery};
use crate::switchboard::Switchboard;

impl Switchboard {
    pub(crate) async fn recent_for(
        &self,
        caller: Caller,
        query: RecentQuery,
    ) -> Result<Recent, Refusal> {
        let RecentQuery { target, limit, max_chars, before } = query;
        let most = within("messages", 1..=Recent::MOST, limit.unwrap_or(Recent::USUAL))?;
        let chars = Recent::LEAST_CHARS..=Recent::MOST_CHARS;
        let chars = within("characters", chars, max_chars.unwrap_or(Recent::USUAL_CHARS))?;
        let look = move |forest: &Forest| {
            let row = forest.observed(caller, &target)?;
            let children = forest.agent(row.agent).map(|agent| agent.ever_children());
            Ok::<_, Refusal>((row.agent, row.name, children.unwrap_or_default()))
        };
        let (agent, name, children) = self.inspect(look).await??;
        let fold = Fold::new(agent, most, chars, before);
        let read = async {
            let (mut kept, unreadable) =
                self.read(move |ledger| fold_record(ledger, agent, fold)).await?;
            let more = kept.len() > most && kept.pop_first().is_some();
            let older = kept.first_key_value().map(|(place, _)| *place).filter(|_| more);
            let mut messages: Vec<RecentMessage> = kept.into_values().collect();
            self.find_missing(agent, children, &mut messages, chars).await?;
            Ok(Recent { agent, name, messages, older, unreadable })
        };
        timeout(self.parts.deadlines.reading, read).await.unwrap_or_else(|_| {
            let text = "reading its record takes too long; ask again when less is done";
            Err(Refusal::new(Code::LedgerUnavailable, text))
        })
    }

    /// Looks through the records of the children for what the page shows of them. Each is a job of
    /// its own: what is to be stored meanwhile waits for one of them at most.
    async fn find_missing(
        &self,
        reader: AgentId,
        children: Vec<AgentId>,
        messages: &mut [RecentMessage],
        chars: usize,
    ) -> Result<(), Refusal> {
        let mut missing: BTreeSet<MessageId> =
            messages.iter().filter_map(RecentMessage::missing).collect();
        for child in children {
            if missing.is_empty() {
                break;
            }
            let wanted = missing.clone();
            let read = move |ledger: &mut dyn Ledger| notices(ledger, child, reader, &wanted);
            for notice in self.read(read).await? {
                missing.remove(&notice.id);
                let shown = messages.iter_mut().filter(|shown| shown.missing() == Some(notice.id));
                shown.for_each(|shown| shown.fill_in(&notice, chars));
            }
        }
        Ok(())
    }
}

type Kept = BTreeMap<Place, RecentMessage>;

fn fold_record(
    ledger: &mut dyn Ledger,
    agent: AgentId,
    mut fold: Fold,
) -> Result<(Kept, u32), LedgerError> {
    let unreadable = ledger.agent_events(agent, &mut |stored| fold.take(&stored))?;
    let count = u32::try_from(unreadable.len()).unwrap_or(u32::MAX);
    Ok((fold.finish(&unreadable), count))
}

/// What the host told `reader` of a child's end, as far as it is wanted.
fn notices(
    ledger: &mut dyn Ledger,
    child: AgentId,
    reader: AgentId,
    wanted: &BTreeSet<MessageId>,
) -> Result<Vec<Message>, LedgerError> {
    let mut found = Vec::new();
    ledger.agent_events(child, &mut |stored| {
        if let Event::Released { notice: Some(notice), .. } = stored.event
            && notice.to == reader
            && wanted.contains(&notice.id)
        {
            found.push(notice);
        }
    })?;
    Ok(found)
}

fn within(what: &str, range: RangeInclusive<u32>, asked: u32) -> Result<usize, Refusal> {
    if range.contains(&asked) {
        return Ok(asked as usize);
    }
    let (least, most) = range.into_inner();
    let text = format!("{least} to {most} {what} can be asked for, and not {asked}");
    Err(Refusal::new(Code::InvalidArgument, text))
}
