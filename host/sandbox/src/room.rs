//! Who may have an instance: so many calls at once, and of one agent no more than its share.
//!
//! Without shares, whoever asks for most has all the room, and the others wait until they are told
//! that there is none. So the calls of an agent beyond its share wait in a line of its own.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use switchboard_core::AgentId;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, timeout};
use tokio_util::sync::CancellationToken;

use crate::outcome::Ending;
use crate::sandbox::SandboxConfig;

/// An agent has at least so many places at once, and else a part of all: with eight agents of a
/// tree at work (RES-5), half of a large room.
const LEAST: usize = 4;
const PART: usize = 16;

/// Places for calls.
#[derive(Clone, Debug)]
pub(crate) struct Room {
    /// Fewer than the pool has, because a full pool is an error and no wait.
    places: Arc<Semaphore>,
    /// How many of them one agent may have at once.
    share: usize,
    shares: Shares,
    /// How long a call waits, in both lines together.
    patience: Duration,
}

/// The shares of those agents that have calls, running or waiting.
type Shares = Arc<Mutex<BTreeMap<AgentId, Share>>>;

#[derive(Debug)]
struct Share {
    permits: Arc<Semaphore>,
    calls: usize,
}

/// A place, until it is dropped.
#[derive(Debug)]
pub(crate) struct Place {
    _of_all: OwnedSemaphorePermit,
    _of_its_agent: OwnedSemaphorePermit,
    _member: Member,
}

/// A call that needs its agent's share to be there.
#[derive(Debug)]
struct Member {
    shares: Shares,
    agent: AgentId,
}

impl Room {
    pub(crate) fn new(config: &SandboxConfig) -> Self {
        let places = (config.instances as usize * 3 / 4).max(1);
        let share = config.agent_share.map_or((places / PART).max(LEAST), |set| set.get() as usize);
        Self {
            places: Arc::new(Semaphore::new(places)),
            share,
            shares: Shares::default(),
            patience: config.patience,
        }
    }

    /// Waits for a place, holding nothing meanwhile but its agent's own.
    pub(crate) async fn admit(
        &self,
        agent: AgentId,
        stop: &CancellationToken,
    ) -> Result<Place, Ending> {
        if stop.is_cancelled() {
            return Err(Ending::Cancelled);
        }
        let until = Instant::now().checked_add(self.patience);
        let (member, share) = self.member(agent);
        let too_many = Ending::NoShare(self.share);
        let own = acquired(share, until, stop, too_many).await?;
        let of_all = acquired(Arc::clone(&self.places), until, stop, Ending::NoRoom).await?;
        Ok(Place { _of_all: of_all, _of_its_agent: own, _member: member })
    }

    fn member(&self, agent: AgentId) -> (Member, Arc<Semaphore>) {
        let mut shares = lock(&self.shares);
        let share = shares
            .entry(agent)
            .or_insert_with(|| Share { permits: Arc::new(Semaphore::new(self.share)), calls: 0 });
        share.calls += 1;
        let member = Member { shares: Arc::clone(&self.shares), agent };
        (member, Arc::clone(&share.permits))
    }
}

impl Drop for Member {
    fn drop(&mut self) {
        let mut shares = lock(&self.shares);
        let Some(share) = shares.get_mut(&self.agent) else { return };
        share.calls -= 1;
        if share.calls == 0 {
            shares.remove(&self.agent);
        }
    }
}

/// One of these, unless it is `late`, or `stop` comes first.
async fn acquired(
    permits: Arc<Semaphore>,
    until: Option<Instant>,
    stop: &CancellationToken,
    late: Ending,
) -> Result<OwnedSemaphorePermit, Ending> {
    if let Ok(permit) = Arc::clone(&permits).try_acquire_owned() {
        return Ok(permit);
    }
    let left = until.map_or(Duration::MAX, |until| until.saturating_duration_since(Instant::now()));
    tokio::select! {
        biased;
        () = stop.cancelled() => Err(Ending::Cancelled),
        permit = timeout(left, permits.acquire_owned()) => match permit {
            Ok(Ok(permit)) => Ok(permit),
            Ok(Err(_)) | Err(_) => Err(late),
        },
    }
}

fn lock<T>(shares: &Mutex<T>) -> MutexGuard<'_, T> {
    // Nothing in between panics, so nobody leaves it half-done.
    shares.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroU32;
    use std::pin::pin;
    use std::task::{Context, Waker};

    use switchboard_core::{Id, LedgerTag};

    use super::*;

    fn room(instances: u32, agent_share: u32) -> Room {
        let agent_share = NonZeroU32::new(agent_share);
        Room::new(&SandboxConfig { instances, agent_share, ..SandboxConfig::default() })
    }

    fn agent(number: u64) -> AgentId {
        Id::new(LedgerTag::new(1), number)
    }

    fn place(room: &Room, number: u64) -> impl Future<Output = Result<Place, Ending>> {
        let (room, stop) = (room.clone(), CancellationToken::new());
        async move { room.admit(agent(number), &stop).await }
    }

    fn waits<T>(future: std::pin::Pin<&mut impl Future<Output = T>>) -> bool {
        future.poll(&mut Context::from_waker(Waker::noop())).is_pending()
    }

    #[test]
    fn sand_3_the_share_of_an_agent_is_a_sixteenth_of_the_room_or_what_is_set() {
        let shares = [(256, 0), (4_096, 0), (8, 0), (256, 100)];
        assert_eq!(shares.map(|(all, set)| room(all, set).share), [12, 192, 4, 100]);
    }

    #[tokio::test]
    async fn sand_3_an_agent_that_has_its_share_waits_for_its_own_and_another_finds_room() {
        let room = room(8, 2);
        let held = [place(&room, 1).await.unwrap(), place(&room, 1).await.unwrap()];
        let (mut third, mut fourth) = (pin!(place(&room, 1)), pin!(place(&room, 1)));
        assert!(waits(third.as_mut()) && waits(fourth.as_mut()));
        let others = place(&room, 2).await.unwrap();
        drop(others);
        assert!(waits(third.as_mut()), "what another gives back is not for it");
        let [first, _second] = held;
        drop(first);
        let third = third.await;
        assert!(third.is_ok() && waits(fourth), "and in order");
    }

    #[tokio::test(start_paused = true)]
    async fn sand_3_one_that_waits_too_long_for_its_own_is_told_how_many_that_are() {
        let room = room(8, 2);
        let _held = [place(&room, 1).await.unwrap(), place(&room, 1).await.unwrap()];
        let begun = Instant::now();
        assert_eq!(place(&room, 1).await.unwrap_err(), Ending::NoShare(2));
        assert_eq!(begun.elapsed().as_secs(), 5, "the same patience");
    }

    #[tokio::test(start_paused = true)]
    async fn sand_3_both_lines_together_take_no_longer_than_one() {
        let room = room(4, 2);
        let first = place(&room, 1).await.unwrap();
        let _others = [place(&room, 2).await.unwrap(), place(&room, 2).await.unwrap()];
        let (mut second, mut third) = (pin!(place(&room, 1)), pin!(place(&room, 1)));
        assert!(waits(second.as_mut()) && waits(third.as_mut()));
        let begun = Instant::now();
        let leaves = async {
            tokio::time::sleep(Duration::from_secs(3)).await;
            drop(first);
        };
        let (second, third, ()) = tokio::join!(second, third, leaves);
        assert!(second.is_ok(), "it had waited for no more than the room");
        assert_eq!(third.unwrap_err(), Ending::NoRoom);
        assert_eq!(begun.elapsed().as_secs(), 5);
    }

    #[tokio::test]
    async fn int_6_one_that_waits_and_is_stopped_or_forgotten_leaves_its_place_in_the_line() {
        let room = room(4, 1);
        let held = place(&room, 1).await.unwrap();
        let stop = CancellationToken::new();
        let mut stopped = pin!(room.admit(agent(1), &stop));
        assert!(waits(stopped.as_mut()));
        stop.cancel();
        assert_eq!(stopped.await.unwrap_err(), Ending::Cancelled);
        let mut forgotten = Box::pin(place(&room, 1));
        assert!(waits(forgotten.as_mut()));
        drop(forgotten);
        let mut last = pin!(place(&room, 1));
        assert!(waits(last.as_mut()));
        drop(held);
        drop(last.await.unwrap());
        assert!(lock(&room.shares).is_empty(), "a share is kept while there are calls");
        assert_eq!(room.places.available_permits(), 3);
    }
}
