//! The task that owns the machine. It waits for its mailbox and for one job of the writer's, and
//! for nothing else; so nothing it has started can hold it up.
//!
//! Steps gather in a batch while the writer is busy with the one before. What a step promises goes
//! out with its batch: answers, effects, events for those who watch (SEND-12). If the ledger fails
//! or the machine panics, the machine is thrown away and replayed; what nobody was told of did not
//! happen, or is told as uncertain (LED-3).

mod rebuild;

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::sync::Arc;

use switchboard_core::{Answer, Code, Command, Forest, Refusal, Ticket};
use switchboard_ledger::Stored;
use tokio::sync::oneshot;
use tracing::{debug, error, trace, warn};

use crate::batch::Batch;
use crate::caught;
use crate::lanes::{Look, Mailbox, Note};
use crate::parts::FailPoint;
use crate::recovery::{OpenError, Restored};
use crate::residents::{Means, Residents};
use crate::tools::BoxFuture;
use crate::writer::{Appended, Appending};
use rebuild::Rebuilds;

/// The owner of one board's machine.
pub(crate) struct Owner {
    forest: Forest,
    mailbox: Mailbox,
    means: Means,
    residents: Residents,
    waiters: BTreeMap<Ticket, oneshot::Sender<Answer>>,
    until_quiet: Vec<oneshot::Sender<()>>,
    /// Decided since the job in flight began.
    pending: Batch,
    job: Job,
    /// The machine panicked: it decides nothing more, and is rebuilt once its steps are stored.
    torn: bool,
    /// It was quiet when it was looked at last.
    was_quiet: bool,
    /// The place of the last event that was given out.
    heard: u64,
    rebuilds: Rebuilds,
}

/// Notes taken before others get a turn: whoever polls the owner has work of his own.
const NOTES: u32 = 64;

/// What the writer is doing for the owner.
enum Job {
    None,
    Commit(Batch, BoxFuture<'static, Appended>),
    Rebuild(BoxFuture<'static, Result<Restored, OpenError>>),
}

enum Done {
    Committed(Batch, Appended),
    Rebuilt(Box<Result<Restored, OpenError>>),
}

impl Job {
    /// Returns when the job is done; without one, never.
    async fn done(&mut self) -> Done {
        match self {
            Self::None => std::future::pending().await,
            Self::Commit(batch, stored) => {
                let stored = stored.await;
                Done::Committed(std::mem::take(batch), stored)
            }
            Self::Rebuild(restored) => Done::Rebuilt(Box::new(restored.await)),
        }
    }
}

impl Owner {
    pub(crate) fn new(restored: Restored, mailbox: Mailbox, means: Means) -> Self {
        let mut owner = Self {
            forest: restored.forest,
            mailbox,
            residents: Residents::new(means.clone()),
            means,
            waiters: BTreeMap::new(),
            until_quiet: Vec::new(),
            pending: Batch::default(),
            job: Job::None,
            torn: false,
            was_quiet: false,
            heard: 0,
            rebuilds: Rebuilds::default(),
        };
        owner.announce(&restored.news);
        owner.pending.effects = restored.effects;
        owner
    }

    /// Runs until the board is halted, or its ledger is lost for good.
    pub(crate) async fn run(mut self) {
        let mut taken = 0_u32;
        let mut halted = pin!(self.means.halt.clone().cancelled_owned());
        let why = loop {
            if let Err(why) = self.advance() {
                break why;
            }
            let went = tokio::select! {
                biased;
                () = &mut halted => break stopped(),
                done = self.job.done() => self.take_job(done),
                note = self.mailbox.next(self.pending.has_room()) => {
                    self.take(note);
                    taken += 1;
                    Ok(())
                }
            };
            if let Err(why) = went {
                break why;
            }
            if taken == NOTES {
                taken = 0;
                tokio::task::yield_now().await;
            }
        };
        self.close(why).await;
    }

    /// Gives the writer what is pending, or lets it out if there is nothing to store.
    fn advance(&mut self) -> Result<(), Refusal> {
        if !matches!(self.job, Job::None) {
            return Ok(());
        }
        if !self.pending.events.is_empty() {
            return self.commit();
        }
        let batch = std::mem::take(&mut self.pending);
        self.let_out(batch, &[]);
        if self.torn { self.rebuild() } else { Ok(()) }
    }

    fn commit(&mut self) -> Result<(), Refusal> {
        let mut batch = std::mem::take(&mut self.pending);
        let events = std::mem::take(&mut batch.events);
        trace!(events = events.len(), "a batch goes to the ledger");
        match self.means.writer.append(batch.at, events) {
            Appending::Done(stored) => return self.take_job(Done::Committed(batch, stored)),
            Appending::UnderWay(stored) => self.job = Job::Commit(batch, stored),
        }
        Ok(())
    }

    fn take_job(&mut self, done: Done) -> Result<(), Refusal> {
        self.job = Job::None;
        match done {
            Done::Committed(batch, Ok(stored)) => {
                // The disk has its next batch before anybody hears of this one.
                let in_place = self.means.writer.is_in_place();
                let next =
                    if self.pending.events.is_empty() || in_place { Ok(()) } else { self.commit() };
                self.let_out(batch, &stored);
                next
            }
            Done::Committed(batch, Err(error)) => {
                error!(%error, "a batch could not be stored; the ledger is taken up again");
                self.doubt(batch);
                self.rebuild()
            }
            Done::Rebuilt(restored) => self.take_over(*restored),
        }
    }

    /// Tells everybody what is durable now, and has done what it asks for.
    fn let_out(&mut self, batch: Batch, stored: &[Arc<Stored>]) {
        self.reached(FailPoint::Appended, stored);
        self.announce(stored);
        for (ticket, answer) in batch.answers {
            self.answer(ticket, answer);
        }
        batch.findings.into_iter().for_each(|finding| finding());
        self.reached(FailPoint::Answered, stored);
        // What a torn machine wanted is asked for again when it is rebuilt.
        for effect in batch.effects.into_iter().filter(|_| !self.torn) {
            trace!(?effect, "performing");
            self.residents.perform(effect, &self.forest);
        }
        self.reached(FailPoint::Performed, stored);
        self.look_for_quiet();
    }

    fn announce(&mut self, stored: &[Arc<Stored>]) {
        for stored in stored {
            let (seq, event) = (stored.seq, &stored.event);
            debug!(seq, kind = event.kind(), agent = ?event.agent(), "stored");
            self.residents.apply(stored, &self.forest);
            self.heard = seq;
            // Nobody may be watching.
            let _ = self.means.parts.events.send(stored.clone());
        }
    }

    fn answer(&mut self, ticket: Ticket, answer: Answer) {
        if let Answer::Refused(refusal) = &answer {
            debug!(?ticket, %refusal, "refused");
        }
        if let Some(waiter) = self.waiters.remove(&ticket) {
            // One who is gone has withdrawn, or will find its first answer under its key.
            let _ = waiter.send(answer);
        }
    }

    fn reached(&self, point: FailPoint, stored: &[Arc<Stored>]) {
        if self.means.parts.fail_points.is_some() && !stored.is_empty() {
            let kinds: Vec<_> = stored.iter().map(|stored| stored.event.kind()).collect();
            self.means.parts.reached(point, &kinds);
        }
    }

    fn wait_for_quiet(&mut self, waiter: oneshot::Sender<()>) {
        // Those who went away meanwhile would be kept until it is quiet, which may be never.
        self.until_quiet.retain(|earlier| !earlier.is_closed());
        self.until_quiet.push(waiter);
    }

    fn look_for_quiet(&mut self) {
        let stored = self.pending.events.is_empty() && matches!(self.job, Job::None);
        let quiet = self.serves() && stored && self.forest.is_quiet();
        if quiet {
            for waiter in self.until_quiet.drain(..) {
                let _ = waiter.send(());
            }
            if !self.was_quiet {
                self.tidy();
            }
        }
        self.was_quiet = quiet;
    }

    /// Lets the ledger tidy up while there is nothing else to do.
    fn tidy(&self) {
        let writer = self.means.writer.clone();
        self.means.tasks.spawn(async move {
            let tidied = writer.with(|ledger| ledger.checkpoint()).await;
            if let Err(error) = tidied.and_then(|tidied| tidied) {
                warn!(%error, "the ledger could not be tidied up");
            }
        });
    }

    fn serves(&self) -> bool {
        !self.torn && !matches!(self.job, Job::Rebuild(_))
    }

    fn take(&mut self, note: Note) {
        match note {
            Note::Quiet(waiter) => self.wait_for_quiet(waiter),
            Note::Ask(_, _, reply) if !self.serves() => {
                let _ = reply.send(Answer::Refused(unavailable()));
            }
            // Their senders hear from the channel they sent along, or need not hear.
            Note::Tell(_) | Note::Loaded(..) | Note::Look(_) if !self.serves() => (),
            Note::Ask(command, ticket, reply) => {
                if !reply.is_closed() {
                    self.waiters.insert(ticket, reply);
                    self.decide(command);
                }
            }
            Note::Tell(command) => self.tell(command),
            Note::Loaded(agent, incarnation, transcript) => {
                if let Some(published) = self.residents.loaded(agent, incarnation, *transcript) {
                    self.decide(published);
                }
            }
            Note::Look(look) => self.look(look),
        }
    }

    fn tell(&mut self, command: Command) {
        if let Command::Withdraw { ticket } = command {
            self.waiters.remove(&ticket);
        }
        self.decide(command);
    }

    fn decide(&mut self, command: Command) {
        trace!(?command, "deciding");
        let deciding = || {
            let stamp = self.means.parts.clock.stamp();
            (self.forest.step(command, stamp), stamp.wall)
        };
        match catch_unwind(AssertUnwindSafe(deciding)) {
            Ok((step, at)) => self.pending.add(step, at),
            Err(panic) => {
                let words = caught::words(panic.as_ref());
                error!(%words, "the machine panicked and is rebuilt from its ledger");
                self.torn = true;
            }
        }
    }

    fn look(&mut self, look: Look) {
        let looked = catch_unwind(AssertUnwindSafe(|| look(&self.forest)));
        match looked {
            Ok(finding) => self.pending.findings.push(finding),
            Err(_) => error!("somebody panicked while looking at the machine"),
        }
    }

    /// What is being stored is waited for and told; nothing else is begun.
    async fn close(mut self, why: Refusal) {
        self.means.lanes.stop(why.clone());
        self.means.halt.cancel();
        let unread = self.mailbox.close().into_iter().filter_map(|note| match note {
            Note::Ask(_, _, reply) => Some(reply),
            _ => None,
        });
        let refused = |reply: oneshot::Sender<Answer>| {
            let _ = reply.send(Answer::Refused(why.clone()));
        };
        unread.for_each(refused);
        if let Job::Commit(..) = self.job
            && let Done::Committed(batch, stored) = self.job.done().await
        {
            self.settle(batch, stored);
        }
        self.refuse_all(&why);
        self.residents.abandon();
    }

    /// Refuses everybody who still waits. Of what is for many, some may have it already.
    fn refuse_all(&mut self, why: &Refusal) {
        for (ticket, waiter) in std::mem::take(&mut self.waiters) {
            let refusal = if self.is_done_in_part(ticket) { cut_short(why) } else { why.clone() };
            let _ = waiter.send(Answer::Refused(refusal));
        }
    }

    /// Also if the last of them was decided and is not stored.
    fn is_done_in_part(&self, ticket: Ticket) -> bool {
        let of_many = |answer: &Answer| match answer {
            Answer::FannedOut(_) => true,
            Answer::Refused(refusal) => refusal.uncertain,
            _ => false,
        };
        let mut decided = self.pending.answers.iter();
        decided.any(|(whose, answer)| *whose == ticket && of_many(answer))
            || self.forest.is_done_in_part(ticket)
    }

    /// The last batch, of which nothing is performed any more.
    fn settle(&mut self, batch: Batch, stored: Appended) {
        match stored {
            Ok(stored) => {
                self.announce(&stored);
                batch.answers.into_iter().for_each(|(ticket, answer)| self.answer(ticket, answer));
            }
            Err(error) => {
                error!(%error, "the last batch could not be stored");
                // What was decided later was not handed in, so it certainly did not happen.
                let later = std::mem::take(&mut self.pending);
                self.doubt(batch);
                self.pending = later;
            }
        }
    }
}

fn stopped() -> Refusal {
    Refusal::new(Code::Draining, "the host has stopped; ask again when it is up")
}

fn cut_short(why: &Refusal) -> Refusal {
    let text = "the host stopped deciding this while some of those it is for had it and others \
                not; ask again with the same key, or look before you repeat it";
    Refusal::new(why.code, text).uncertain()
}

fn unavailable() -> Refusal {
    let text = "the host is taking its ledger up again; nothing was done. Ask again in a moment";
    Refusal::new(Code::LedgerUnavailable, text)
}
