//! What the store of one call holds: who speaks, through what, and how much is used up.

use std::future::Future;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use switchboard_core::{Caller, Code, HostKey, Refusal, Usage};
use switchboard_runtime::{ControlPlane, Later, ToolCall};
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

use crate::clocked::{Clocked, Computed};
use crate::grants::BodyKind;
use crate::lane::Lane;
use crate::limits::{TICK, ToolLimits};
use crate::memory::Meter;
use crate::outcome::Ending;
use crate::threads::Threads;
use crate::workspace::Folder;

/// The grants of a tool, made ready for use.
#[derive(Debug, Default)]
pub(crate) struct Held {
    pub(crate) kinds: Vec<BodyKind>,
    pub(crate) folder: Option<Arc<Folder>>,
}

/// What outlives the store: what a call used, also when it was cut.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    pub(crate) host_calls: AtomicU32,
    pub(crate) peak_memory: AtomicU64,
    /// How long its instance took to make.
    pub(crate) instantiating: Clocked,
    /// How long it waited for the host.
    pub(crate) in_host: Clocked,
    /// A control call was refused because the host is draining (DRAIN-1).
    pub(crate) draining: AtomicBool,
    /// A control call is under way: dropping the call now leaves it uncertain (SAND-4). It stays
    /// set when the call ends in the middle of one, by a drop or a panic of the host.
    pub(crate) in_control: AtomicBool,
    /// Control calls that were carried out: they stay done however the call ends.
    pub(crate) carried_out: AtomicU32,
    /// What this call may wait for when its guest has ended (TOOL-3).
    tickets: Mutex<Vec<(String, Later)>>,
}

impl Tally {
    /// Why the control plane has not done what it was asked.
    fn note(&self, refusal: &Refusal) {
        // Who is told when to try again is refused for a tree alone, and goes on.
        if refusal.code == Code::Draining && refusal.retry_after.is_none() {
            self.draining.store(true, Ordering::Relaxed);
        }
    }

    /// What this ticket stands for, if it was given to this call.
    pub(crate) fn ticket(&self, ticket: &str) -> Option<Later> {
        let tickets = self.tickets.lock().unwrap_or_else(PoisonError::into_inner);
        tickets.iter().find(|(name, _)| name == ticket).map(|(_, later)| *later)
    }

    /// What was used of the time from the first room to the end, and of what is counted.
    pub(crate) fn usage(&self, ran: Duration) -> Usage {
        let (instantiating, host) = (self.instantiating.total(), self.in_host.total());
        Usage {
            instantiating: instantiating.into(),
            host: host.into(),
            guest: ran.saturating_sub(instantiating + host).into(),
            host_calls: self.host_calls.load(Ordering::Relaxed),
            peak_memory: self.peak_memory.load(Ordering::Relaxed),
            ..Usage::default()
        }
    }
}

/// The state of one call. The caller is in here and nowhere in what a guest can say (ID-1).
pub(crate) struct CallState {
    caller: Caller,
    key: HostKey,
    pub(crate) plane: Arc<dyn ControlPlane>,
    pub(crate) held: Arc<Held>,
    pub(crate) threads: Threads,
    pub(crate) meter: Meter,
    limits: ToolLimits,
    tally: Arc<Tally>,
    lane: Lane,
    /// Tells the guest, and the host functions it waits in, to stop.
    pub(crate) halt: CancellationToken,
    computed: Computed,
    /// When it let others go first last.
    since: Instant,
    control_calls: u32,
    other_calls: u32,
    /// Bytes it has said to the log, and whether it has said there that it gives up.
    pub(crate) said: usize,
    pub(crate) gave_up: bool,
}

impl CallState {
    pub(crate) fn new(
        call: &ToolCall,
        held: Arc<Held>,
        limits: &ToolLimits,
        tally: &Arc<Tally>,
        permits: Arc<Semaphore>,
        threads: Threads,
        halt: CancellationToken,
    ) -> Self {
        let of = call.activation;
        Self {
            caller: Caller::Agent { agent: of.agent, incarnation: of.incarnation },
            key: HostKey { turn: of.turn, step: call.step, call: call.call, nth: 0 },
            plane: Arc::clone(&call.plane),
            held,
            threads,
            meter: Meter::new(limits, Arc::clone(tally)),
            limits: limits.clone(),
            tally: Arc::clone(tally),
            lane: Lane::new(permits),
            halt,
            computed: Computed::default(),
            since: Instant::now(),
            control_calls: 0,
            other_calls: 0,
            said: 0,
            gave_up: false,
        }
    }

    /// Which call this is, for the log: `turn/step/call`.
    pub(crate) fn place(&self) -> String {
        let HostKey { turn, step, call, .. } = self.key;
        format!("{turn}/{step}/{call}")
    }

    /// The guest has computed for another tick. Gives what it has to wait for before the next.
    pub(crate) fn tick(
        &mut self,
    ) -> Result<std::pin::Pin<Box<dyn Future<Output = ()> + Send>>, Ending> {
        if self.halt.is_cancelled() {
            return Err(Ending::Cancelled);
        }
        if self.computed.tick(self.tally.in_host.total()) > self.limits.ticks() {
            return Err(Ending::ComputedTooLong(self.limits.computing));
        }
        self.since = Instant::now();
        Ok(self.lane.turn(self.halt.clone()))
    }

    /// A call to the control plane begins: who speaks, and the key under which its first answer
    /// is kept (TURN-3).
    pub(crate) async fn enter_control(&mut self) -> Result<(Caller, HostKey), Ending> {
        let nth = self.control_calls;
        self.enter(nth, self.limits.control_calls).await?;
        self.control_calls += 1;
        Ok((self.caller, HostKey { nth, ..self.key }))
    }

    /// A call that only looks at agents begins: who looks.
    pub(crate) async fn enter_look(&mut self) -> Result<Caller, Ending> {
        self.enter_other().await?;
        Ok(self.caller)
    }

    /// Any other call to the host begins.
    pub(crate) async fn enter_other(&mut self) -> Result<(), Ending> {
        self.enter(self.other_calls, self.limits.host_calls).await?;
        self.other_calls += 1;
        Ok(())
    }

    /// Taking over what a guest hands in can take long, and a guest may be made so that it is
    /// nowhere interrupted between two calls. So one that has been at it for a tick lets others go
    /// first, its clock and whoever stops it among them.
    async fn enter(&mut self, before: u32, most: u32) -> Result<(), Ending> {
        if self.since.elapsed() >= TICK {
            self.lane.turn(self.halt.clone()).await;
            self.since = Instant::now();
        }
        self.go_on()?;
        if before >= most {
            return Err(Ending::TooManyHostCalls(most));
        }
        self.tally.host_calls.fetch_add(1, Ordering::Relaxed);
        Ok(())
    }

    /// Ends the call here if it is to stop, so that a guest does nothing after that.
    pub(crate) fn go_on(&self) -> Result<(), Ending> {
        if self.halt.is_cancelled() { Err(Ending::Cancelled) } else { Ok(()) }
    }

    /// Waits for the host, and counts how long. Meanwhile another may compute; one that had its
    /// turn waits for the next before it goes on.
    pub(crate) async fn clocked<T>(&self, answer: impl Future<Output = T>) -> T {
        let had_turn = self.lane.leave();
        let counted = self.tally.in_host.begin();
        let answer = answer.await;
        drop(counted);
        if had_turn {
            self.lane.enter(self.halt.clone()).await;
        }
        answer
    }

    /// Waits for the control plane. A refusal is a value for the guest; an error ends the call.
    pub(crate) async fn ask<T>(
        &self,
        answer: impl Future<Output = Result<T, Refusal>>,
    ) -> Result<Result<T, Refusal>, Ending> {
        // Noted at once: what comes after may be cut.
        let noted = async {
            self.tally.in_control.store(true, Ordering::Relaxed);
            let answer = answer.await;
            self.tally.in_control.store(false, Ordering::Relaxed);
            match &answer {
                Ok(_) => drop(self.tally.carried_out.fetch_add(1, Ordering::Relaxed)),
                Err(refusal) => self.tally.note(refusal),
            }
            answer
        };
        let answer = self.clocked(noted).await;
        self.go_on()?;
        Ok(answer)
    }

    /// A ticket for what this call may wait for. It means something to this call alone, whatever
    /// it is called.
    pub(crate) fn issue(&self, name: impl Into<String>, later: Later) -> String {
        let name = name.into();
        let mut tickets = self.tally.tickets.lock().unwrap_or_else(PoisonError::into_inner);
        tickets.push((name.clone(), later));
        name
    }

    /// Waits for what only looks: cut, it leaves nothing uncertain.
    pub(crate) async fn look<T>(
        &self,
        answer: impl Future<Output = Result<T, Refusal>>,
    ) -> Result<Result<T, Refusal>, Ending> {
        let answer = self.clocked(answer).await;
        answer.as_ref().err().into_iter().for_each(|refusal| self.tally.note(refusal));
        self.go_on()?;
        Ok(answer)
    }
}
