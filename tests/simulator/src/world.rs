//! What all hosts of a history share, and one host.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use switchboard_ledger::Memory;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::book::Book;
use crate::chance::Chance;
use crate::plan::Plan;
use crate::witness::Witness;

/// The world of a history. It outlives its hosts.
#[derive(Debug)]
pub(crate) struct World {
    pub(crate) chance: Chance,
    pub(crate) plan: Plan,
    /// What the disk holds.
    pub(crate) disk: Memory,
    book: Mutex<Book>,
    witness: Mutex<Witness>,
    energy: AtomicU64,
    words: AtomicU64,
    calm: AtomicBool,
    /// The wall clock when the present host started, in milliseconds since 1970.
    wall: AtomicU64,
}

/// Nobody waits longer than this: a parked call 30 s, and the slowest ledger not much more.
const LONGEST: Duration = Duration::from_secs(180);

/// Some day.
const BEGINNING: u64 = 1_900_000_000_000;

impl World {
    pub(crate) fn new(chance: Chance, plan: Plan) -> Self {
        Self {
            chance,
            disk: Memory::new(),
            book: Mutex::default(),
            witness: Mutex::default(),
            energy: AtomicU64::new(plan.energy),
            words: AtomicU64::new(0),
            calm: AtomicBool::new(false),
            wall: AtomicU64::new(BEGINNING),
            plan,
        }
    }

    pub(crate) fn book(&self) -> MutexGuard<'_, Book> {
        // A simulated panic under the lock leaves it whole: nothing panics half-way.
        self.book.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn witness(&self) -> MutexGuard<'_, Witness> {
        self.witness.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Words nobody else says.
    pub(crate) fn new_words(&self) -> String {
        format!("w{}", self.words.fetch_add(1, Ordering::Relaxed))
    }

    /// Whether a model may begin something more.
    pub(crate) fn spend(&self) -> bool {
        let less = |left: u64| left.checked_sub(1);
        self.energy.fetch_update(Ordering::Relaxed, Ordering::Relaxed, less).is_ok()
    }

    /// From now on nothing goes wrong and nothing is begun, so that all comes to rest.
    pub(crate) fn calm_down(&self) {
        self.calm.store(true, Ordering::Relaxed);
        self.energy.store(0, Ordering::Relaxed);
    }

    /// Whether this fault happens now.
    pub(crate) fn strikes(&self, per_mille: u64) -> bool {
        !self.calm.load(Ordering::Relaxed) && self.chance.strikes(per_mille)
    }

    pub(crate) fn wall(&self) -> u64 {
        self.wall.load(Ordering::Relaxed)
    }

    /// The present host has lived so long; until the next one some time passes, and the wall clock
    /// may have been set.
    pub(crate) fn pass(&self, lived: Duration) {
        let gap = self.chance.while_at_work() * [1, 1, 1, 500][self.chance.below(4) as usize];
        let lived = u64::try_from((lived + gap).as_millis()).unwrap_or(0);
        let back = if self.strikes(50) { self.chance.below(3_600_000) } else { 0 };
        self.wall.store(self.wall() + lived - back.min(lived), Ordering::Relaxed);
    }
}

/// One host process.
#[derive(Debug)]
pub(crate) struct Host {
    pub(crate) world: Arc<World>,
    started: Instant,
    death: CancellationToken,
}

impl Host {
    /// A host that starts now.
    pub(crate) fn new(world: Arc<World>) -> Self {
        world.witness().host_starts();
        Self { world, started: Instant::now(), death: CancellationToken::new() }
    }

    /// How long it has lived.
    pub(crate) fn age(&self) -> Duration {
        self.started.elapsed()
    }

    /// Ends it where it stands. What its tasks do until they are dropped reaches nobody.
    pub(crate) fn die(&self) {
        self.death.cancel();
    }

    pub(crate) fn is_dead(&self) -> bool {
        self.death.is_cancelled()
    }

    pub(crate) async fn until_dead(&self) {
        self.death.cancelled().await;
    }

    /// What is answered, within the longest time anything may take. None is what a dead host says,
    /// which reaches nobody, and one that never answers.
    pub(crate) async fn in_time<T>(
        &self,
        what: &str,
        waited: impl Future<Output = T>,
    ) -> Option<T> {
        let answer = tokio::time::timeout(LONGEST, waited).await;
        if answer.is_err() {
            self.object(format!("{what} is not answered within {LONGEST:?}"));
        }
        answer.ok().filter(|_| !self.is_dead())
    }

    /// Notes what is not as it should be, unless nobody is there any more to see it.
    pub(crate) fn object(&self, problem: impl Into<String>) {
        if !self.is_dead() {
            let problem = format!("{} (host {:?} old)", problem.into(), self.age());
            self.world.witness().object(problem);
        }
    }
}
