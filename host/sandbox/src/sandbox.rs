//! The sandbox as its embedder sees it.

use std::num::NonZeroU32;
use std::path::PathBuf;
use std::time::Duration;

use switchboard_runtime::{BoxFuture, ToolCall, ToolHost, ToolResult, ToolSpec};
use tokio_util::sync::CancellationToken;

use crate::cache::Cache;
use crate::call::{Runner, ended};
use crate::catalog::Catalog;
use crate::engine::{EngineConfig, EngineReport, Machine};
use crate::error::LoadError;
use crate::load::{LoadRequest, LoadedTools, Workshop};
use crate::outcome::Ending;

/// How a sandbox is set up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SandboxConfig {
    /// How many slots for instances there are; three quarters of them are given to calls.
    pub instances: u32,
    /// How many calls of one agent have a slot at once; its others wait until one of these ends.
    /// None: a sixteenth of what is given to calls, and at least four.
    pub agent_share: Option<NonZeroU32>,
    /// The most memory any tool may be given, in bytes.
    pub most_memory: u64,
    /// Bytes of stack a guest may use.
    pub stack: usize,
    /// The largest component that is loaded, in bytes.
    pub most_component: u64,
    /// How much work compiling a component may be, in units of about a microsecond: it cannot be
    /// stopped once it has begun. Code that means well is about five units a byte.
    pub most_effort: u64,
    /// How many threads may read and search files at once. A tokio runtime has 512 for all that
    /// blocks in its program, unless it is told otherwise.
    pub file_threads: u32,
    /// How long a call waits for its agent's share and for a slot before it is refused, and for a
    /// thread before it is told that there is none.
    pub patience: Duration,
    /// Crashes in a row after which a tool rests for the agent that it crashes for (SAND-4): a
    /// second, and after each further one twice as long, up to a minute. None: it never rests.
    pub crashes_before_rest: Option<NonZeroU32>,
    /// Whether to try for preallocated slots; off, each call asks the operating system.
    pub pooling: bool,
    /// Whether to ask the kernel which pages a call wrote; off, all it may have written is cleaned.
    pub page_scan: bool,
    /// The folder for compiled code; without one, each start compiles again.
    pub cache: Option<PathBuf>,
}

impl Default for SandboxConfig {
    fn default() -> Self {
        Self {
            instances: 256,
            agent_share: None,
            most_memory: 256 << 20,
            stack: 512 << 10,
            most_component: 16 << 20,
            most_effort: 8_000_000,
            file_threads: 64,
            patience: Duration::from_secs(5),
            crashes_before_rest: NonZeroU32::new(5),
            pooling: true,
            page_scan: true,
            cache: None,
        }
    }
}

/// The engine cannot be had on this computer.
#[derive(Debug, thiserror::Error)]
#[error("the sandbox cannot start: {source:#}")]
pub struct SandboxError {
    source: wasmtime::Error,
}

/// What is on, for `switchboard doctor`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Posture {
    /// What the engine turned out to be able to do here.
    pub engine: EngineReport,
    /// The folder for compiled code, or why there is none.
    pub cache: Result<PathBuf, String>,
}

/// Loads components and calls their tools.
pub struct Sandbox {
    catalog: Catalog,
    workshop: Workshop,
    runner: Runner,
    posture: Posture,
}

impl std::fmt::Debug for Sandbox {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("Sandbox").field("posture", &self.posture).finish_non_exhaustive()
    }
}

impl Sandbox {
    /// Starts the engine and finds out what it can do here.
    ///
    /// # Errors
    /// When this computer cannot run WebAssembly at all.
    pub fn new(config: SandboxConfig) -> Result<Self, SandboxError> {
        let machine = Machine::start(&EngineConfig {
            instances: config.instances,
            most_memory: config.most_memory,
            stack: config.stack,
            pooling: config.pooling,
            page_scan: config.page_scan,
        })
        .map_err(|source| SandboxError { source })?;
        let runner = Runner::new(&config);
        let (cache, cache_report) = open_cache(config.cache);
        Ok(Self {
            catalog: Catalog::default(),
            workshop: Workshop {
                engine: machine.engine,
                cache,
                most_bytes: config.most_component,
                most_effort: config.most_effort,
                most_memory: config.most_memory,
            },
            runner,
            posture: Posture { engine: machine.report, cache: cache_report },
        })
    }

    /// What is on.
    pub fn posture(&self) -> &Posture {
        &self.posture
    }

    /// Loads a component: all of its tools, or none. Nothing of it runs.
    ///
    /// # Errors
    /// What is wrong with it and what to do, with every import that is not granted (SAND-1).
    pub async fn load(&self, request: LoadRequest) -> Result<LoadedTools, LoadError> {
        let component = request.source.name();
        let workshop = self.workshop.clone();
        // Compiling takes long and cannot be paused: not on a thread that calls depend on.
        let made = tokio::task::spawn_blocking(move || workshop.make(request)).await;
        let (tools, cached) = made.map_err(|error| {
            tracing::error!(component, %error, "loading a component panicked");
            LoadError::Internal { component }
        })??;
        let digest = tools[0].body.digest;
        let specs = tools.iter().map(|tool| tool.spec.clone()).collect();
        self.catalog.add(tools)?;
        Ok(LoadedTools { digest, tools: specs, cached })
    }
}

/// A cache that cannot be used is a slower start, not a failed one.
fn open_cache(dir: Option<PathBuf>) -> (Option<Cache>, Result<PathBuf, String>) {
    let Some(dir) = dir else { return (None, Err("none is set".to_owned())) };
    match Cache::open(&dir) {
        Ok(cache) => (Some(cache), Ok(dir)),
        Err(error) => (None, Err(format!("{} is not used: {error}", dir.display()))),
    }
}

impl ToolHost for Sandbox {
    fn spec(&self, tool: &str) -> Option<ToolSpec> {
        self.catalog.find(tool).map(|tool| tool.spec.clone())
    }

    fn call(&self, call: ToolCall, cancel: CancellationToken) -> BoxFuture<'_, ToolResult> {
        Box::pin(async move {
            match self.catalog.find(&call.tool) {
                Some(tool) => self.runner.run(&tool, &call, &cancel).await,
                None => ended(Ending::NoSuchTool(call.tool)),
            }
        })
    }
}
