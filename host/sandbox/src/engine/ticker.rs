//! The clock of computing time.

use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;

use wasmtime::Engine;

use crate::limits::TICK;

/// A thread that advances the engine's epoch. It is a plain thread and no task: a task would
/// starve together with those it is to save. It holds the engine weakly and goes with it.
#[derive(Debug)]
pub(super) struct Ticker {
    pub(super) name: String,
}

static STARTED: AtomicU32 = AtomicU32::new(0);

impl Ticker {
    pub(super) fn start(engine: &Engine) -> std::io::Result<Self> {
        let name = format!("sb-epoch-{}", STARTED.fetch_add(1, Ordering::Relaxed));
        let engine = engine.weak();
        thread::Builder::new().name(name.clone()).spawn(move || {
            while let Some(engine) = engine.upgrade() {
                engine.increment_epoch();
                drop(engine);
                thread::sleep(TICK);
            }
        })?;
        Ok(Self { name })
    }
}
