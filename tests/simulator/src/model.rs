//! The models of a history: slow, failing, panicking, silent, and full of ideas.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use switchboard_core::{AgentId, StepRecord, ToolUse, TurnEnd};
use switchboard_runtime::{Answered, Ask, BoxFuture, Driver, DriverError};
use tokio::time::{sleep, timeout};
use tokio_util::sync::CancellationToken;

use crate::deeds::Deeds;
use crate::frames::frames;
use crate::panics::end;
use crate::witness::LastAsk;
use crate::world::Host;

pub(crate) type Reply = Result<Answered, DriverError>;

/// Answers as chance wants it.
pub(crate) struct Model(pub(crate) Arc<Host>);

impl Driver for Model {
    fn answer<'a>(&'a self, ask: Ask, cancel: CancellationToken) -> BoxFuture<'a, Reply> {
        let asking = Asking::of(&self.0, &ask);
        if self.0.world.strikes(self.0.world.plan.rates.model_panics / 4) {
            end();
        }
        Box::pin(async move {
            let _until_it_is_answered = asking;
            self.think(ask, cancel).await
        })
    }
}

impl Model {
    async fn think(&self, mut ask: Ask, cancel: CancellationToken) -> Reply {
        let (world, rates) = (&self.0.world, &self.0.world.plan.rates);
        if world.strikes(rates.model_silent) {
            return self.never(cancel).await;
        }
        if world.chance.strikes(50) {
            let _ = timeout(Duration::from_secs(60), ask.mail.arrived()).await;
        }
        tokio::select! {
            biased;
            () = sleep(world.chance.while_at_work()) => (),
            () = cancel.cancelled() => return say("so far", Vec::new(), TurnEnd::Completed),
        }
        if world.strikes(rates.model_panics) {
            end();
        }
        if world.strikes(rates.model_fails) {
            return Err(DriverError::Failed("as the seed wants it".to_owned()));
        }
        if world.strikes(rates.model_away) {
            let after = world.chance.strikes(300).then(|| world.chance.while_at_work());
            return Err(DriverError::Unavailable { after, why: "as the seed wants it".to_owned() });
        }
        self.decide(&ask)
    }

    fn decide(&self, ask: &Ask) -> Reply {
        let world = &self.0.world;
        let calls = if world.spend() { Deeds::draw(world, ask) } else { Vec::new() };
        let end = match world.chance.below(20) {
            0 => TurnEnd::Refusal,
            1 => TurnEnd::Ceiling,
            _ => TurnEnd::Completed,
        };
        let text = if world.chance.strikes(100) { String::new() } else { world.new_words() };
        say(&text, calls, end)
    }

    /// Answers only once it is told to stop, and sometimes not even then.
    async fn never(&self, cancel: CancellationToken) -> Reply {
        if self.0.world.chance.strikes(300) {
            return std::future::pending().await;
        }
        cancel.cancelled().await;
        sleep(self.0.world.chance.up_to(Duration::from_secs(2))).await;
        say("stopped", Vec::new(), TurnEnd::Completed)
    }
}

/// An answer with these calls.
pub(crate) fn say(text: &str, calls: Vec<(String, String)>, end: TurnEnd) -> Reply {
    let calls = calls.into_iter().map(|(tool, arguments)| ToolUse { tool, arguments }).collect();
    Ok(Answered { record: StepRecord { text: text.into(), calls, end } })
}

/// A question under way. Dropped, it is over.
pub(crate) struct Asking {
    host: Arc<Host>,
    agent: AgentId,
}

impl Asking {
    pub(crate) fn of(host: &Arc<Host>, ask: &Ask) -> Self {
        check_frames(host, ask);
        let Ask { agent, turn, step, .. } = *ask;
        let last = LastAsk { turn, step, transcript: ask.transcript.clone() };
        if !host.is_dead() {
            host.world.witness().asks(agent, last);
        }
        Self { host: host.clone(), agent }
    }
}

impl Drop for Asking {
    fn drop(&mut self) {
        if !self.host.is_dead() {
            self.host.world.witness().asked(self.agent);
        }
    }
}

/// What a model reads was sent, to this agent, in these words, and stands there once.
fn check_frames(host: &Host, ask: &Ask) {
    if host.world.plan.spoils {
        return;
    }
    let (book, mut seen, mut problems) = (host.world.book(), BTreeSet::new(), Vec::new());
    for (id, text) in frames(&ask.transcript) {
        if !seen.insert(id) {
            problems.push(format!("{} reads {id} twice", ask.agent));
        }
        let Some(message) = book.messages.get(&id) else {
            problems.push(format!("{} reads {id}, which nobody sent", ask.agent));
            continue;
        };
        let words = message.content.plain();
        if !book.may_have_read(ask.agent, message.to) || !text.contains(&words) {
            problems.push(format!("{} reads `{text}` for {message:?}", ask.agent));
        }
    }
    drop(book);
    problems.into_iter().for_each(|problem| host.object(problem));
}
