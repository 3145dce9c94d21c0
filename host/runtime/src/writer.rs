//! Who owns the ledger: a thread, so that nobody else waits for a disk. Whoever wants something of
//! it hands in a job and gets the answer by a oneshot; jobs run in the order they come in, so a
//! read sees every append before it. A ledger that never waits needs no thread and is used in
//! place; a simulated one is a task's, which waits in virtual time.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use switchboard_core::{Event, WallTime};
use switchboard_ledger::{Ledger, LedgerError, Stored};
use tokio::sync::{mpsc, oneshot};

use crate::parts::Pace;
use crate::tools::BoxFuture;

/// Jobs that may wait. Appends come one at a time, so this bounds the reads before one.
const JOBS: usize = 16;

pub(crate) type Work = Box<dyn FnOnce(&mut dyn Ledger) + Send>;

pub(crate) enum Job {
    Work(Work),
    Close(oneshot::Sender<Box<dyn Ledger>>),
}

/// A handle to the ledger, wherever it is; it ends with its last handle, or when it gives the
/// ledger back.
#[derive(Clone)]
pub(crate) enum Writer {
    /// With a thread or a task, which takes the jobs one by one.
    Apart(mpsc::Sender<Job>),
    InPlace(Arc<Mutex<Option<Box<dyn Ledger>>>>),
}

/// A batch as it is stored, or why nobody knows whether it is.
pub(crate) type Appended = Result<Vec<Arc<Stored>>, LedgerError>;

/// What became of a batch that was handed in.
pub(crate) enum Appending {
    /// The ledger is in place.
    Done(Appended),
    /// It is with whoever has the ledger.
    UnderWay(BoxFuture<'static, Appended>),
}

impl Writer {
    /// Within a runtime, if there is a pace.
    pub(crate) fn of(
        ledger: Box<dyn Ledger>,
        pace: Option<Arc<dyn Pace>>,
    ) -> std::io::Result<Self> {
        let (sender, jobs) = mpsc::channel(JOBS);
        if let Some(pace) = pace {
            tokio::spawn(serve_at(pace, ledger, jobs));
        } else if ledger.is_immediate() {
            return Ok(Self::InPlace(Arc::new(Mutex::new(Some(ledger)))));
        } else {
            std::thread::Builder::new()
                .name("switchboard-ledger".to_owned())
                .spawn(move || serve(ledger, jobs))?;
        }
        Ok(Self::Apart(sender))
    }

    /// Whether the ledger is used where it is asked for.
    pub(crate) fn is_in_place(&self) -> bool {
        matches!(self, Self::InPlace(_))
    }

    /// Does this with the ledger.
    pub(crate) async fn with<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut dyn Ledger) -> T + Send + 'static,
    ) -> Result<T, LedgerError> {
        match self {
            Self::InPlace(ledger) => locked(ledger).as_deref_mut().map(work).ok_or_else(closed),
            Self::Apart(jobs) => hand_in(jobs, work).await,
        }
    }

    /// Appends a batch; answers with it as it is stored. Whoever has the ledger has it when this
    /// returns, unless very much is before it; only the answer is to be waited for.
    pub(crate) fn append(&self, at: WallTime, batch: Vec<Event>) -> Appending {
        match self {
            Self::InPlace(ledger) => {
                let mut ledger = locked(ledger);
                let ledger = ledger.as_deref_mut().ok_or_else(closed);
                Appending::Done(ledger.and_then(|ledger| append(ledger, at, batch)))
            }
            Self::Apart(jobs) => {
                let appended = hand_in(jobs, move |ledger| append(ledger, at, batch));
                Appending::UnderWay(Box::pin(async { appended.await? }))
            }
        }
    }

    /// Gives the ledger back once all jobs before are done. Only the first caller gets it.
    pub(crate) async fn close(&self) -> Option<Box<dyn Ledger>> {
        match self {
            Self::InPlace(ledger) => locked(ledger).take(),
            Self::Apart(jobs) => {
                let (reply, answer) = oneshot::channel();
                jobs.send(Job::Close(reply)).await.ok()?;
                answer.await.ok()
            }
        }
    }
}

impl std::fmt::Debug for Writer {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str(match self {
            Self::Apart(_) => "Writer::Apart",
            Self::InPlace(_) => "Writer::InPlace",
        })
    }
}

fn locked(ledger: &Mutex<Option<Box<dyn Ledger>>>) -> MutexGuard<'_, Option<Box<dyn Ledger>>> {
    ledger.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Appends a batch and pairs its events with their places.
pub(crate) fn append(ledger: &mut dyn Ledger, at: WallTime, batch: Vec<Event>) -> Appended {
    let last = ledger.append(at, &batch)?;
    let first = last + 1 - batch.len() as u64;
    let stored = (first..).zip(batch).map(|(seq, event)| Arc::new(Stored { seq, at, event }));
    Ok(stored.collect())
}

/// Puts work into the queue at once, or as soon as there is room; what is returned waits
/// for what it makes.
fn hand_in<T: Send + 'static, Todo: FnOnce(&mut dyn Ledger) -> T + Send + 'static>(
    jobs: &mpsc::Sender<Job>,
    work: Todo,
) -> impl Future<Output = Result<T, LedgerError>> + Send + use<T, Todo> {
    let (reply, answer) = oneshot::channel();
    // One who no longer listens has given the work up; that is nobody's fault.
    let work: Work = Box::new(move |ledger| drop(reply.send(work(ledger))));
    let refused = jobs.try_send(Job::Work(work)).err();
    let jobs = jobs.clone();
    async move {
        if let Some(refused) = refused {
            jobs.send(refused.into_inner()).await.map_err(|_| closed())?;
        }
        answer.await.map_err(|_| closed())
    }
}

fn serve(mut ledger: Box<dyn Ledger>, mut jobs: mpsc::Receiver<Job>) {
    while let Some(job) = jobs.blocking_recv() {
        match job {
            Job::Work(work) => work(ledger.as_mut()),
            Job::Close(reply) => return drop(reply.send(ledger)),
        }
    }
}

/// The same by a task, at a pace that somebody sets.
async fn serve_at(pace: Arc<dyn Pace>, mut ledger: Box<dyn Ledger>, mut jobs: mpsc::Receiver<Job>) {
    while let Some(job) = jobs.recv().await {
        match job {
            Job::Work(work) => {
                pace.next().await;
                work(ledger.as_mut());
            }
            Job::Close(reply) => return drop(reply.send(ledger)),
        }
    }
}

fn closed() -> LedgerError {
    let problem = "it is closed, or its thread has failed".to_owned();
    LedgerError { doing: "using the ledger".to_owned(), problem }
}
