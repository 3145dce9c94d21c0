//! The engine all tools run on: what it can do is probed once, at start, and kept for `doctor`.

mod posture;
mod ticker;

use wasmtime::{
    Config, Enabled, Engine, Instance, InstanceAllocationStrategy, Module, PoolingAllocationConfig,
    Store, WasmFeatures,
};

use crate::limits::{INSTANCES, TABLE_ELEMENTS};
pub use posture::{Allocation, EngineReport};
use ticker::Ticker;

/// What the engine is made for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct EngineConfig {
    /// How many tools may have an instance at once.
    pub(crate) instances: u32,
    /// The most memory any tool may be given.
    pub(crate) most_memory: u64,
    /// Bytes of stack a guest may use.
    pub(crate) stack: usize,
    /// Whether to try for preallocated slots at all.
    pub(crate) pooling: bool,
    /// Whether to ask the kernel which pages were written.
    pub(crate) page_scan: bool,
}

/// One component has at most this many memories and tables: what tools need, and no more.
pub(crate) const MEMORIES: u32 = 2;
pub(crate) const TABLES: u32 = 4;
/// What WebAssembly can do and no tool needs.
const OFF: [WasmFeatures; 12] = [
    WasmFeatures::SIMD,
    WasmFeatures::RELAXED_SIMD,
    WasmFeatures::TAIL_CALL,
    WasmFeatures::MULTI_MEMORY,
    WasmFeatures::MEMORY64,
    WasmFeatures::THREADS,
    WasmFeatures::SHARED_EVERYTHING_THREADS,
    WasmFeatures::GC,
    WasmFeatures::FUNCTION_REFERENCES,
    WasmFeatures::EXCEPTIONS,
    WasmFeatures::STACK_SWITCHING,
    WasmFeatures::CM_ASYNC,
];

/// What a guest may be made of: what the engine has by itself, without what is off.
pub(crate) fn features() -> WasmFeatures {
    let all = WasmFeatures::WASM3 | WasmFeatures::COMPONENT_MODEL;
    OFF.into_iter().fold(all, WasmFeatures::difference)
}

const CORE_INSTANCES: u32 = INSTANCES as u32;

/// Bytes of stack that are left for the host when a guest that has used up its own calls it: it
/// runs on the same stack, and beyond the end of that the process dies.
const HOST_STACK: usize = 1536 << 10;

/// What an instance that ends keeps in memory for the next one, where only the pages it wrote
/// have to be cleaned.
const KEPT_MEMORY: usize = 2 << 20;
const KEPT_TABLE: usize = 64 << 10;
/// How many emptied slots are given back at once where that needs a system call each.
const BATCH: usize = 16;

/// An engine with its clock.
#[derive(Debug)]
pub(crate) struct Machine {
    pub(crate) engine: Engine,
    pub(crate) report: EngineReport,
}

impl Machine {
    /// The best engine this computer gives.
    pub(crate) fn start(config: &EngineConfig) -> wasmtime::Result<Self> {
        let (engine, allocation) = probe(config, tried)?;
        let ticker = Ticker::start(&engine)?;
        let report = EngineReport {
            wasmtime: "48",
            allocation,
            instances: config.instances,
            most_memory: config.most_memory,
            stack: config.stack,
            ticker: ticker.name,
        };
        Ok(Self { engine, report })
    }
}

/// Tries what is fastest first. What cannot be had here is no error, but its reason is kept: a
/// computer may lack the kernel, or the address space, for it.
fn probe(
    config: &EngineConfig,
    tried: impl Fn(&Config) -> wasmtime::Result<Engine>,
) -> wasmtime::Result<(Engine, Allocation)> {
    let off = |what: &str| format!("the {what} is switched off");
    let mut reasons = Vec::new();
    if !config.pooling {
        let engine = tried(&base(config))?;
        return Ok((engine, Allocation::OnDemand { reasons: vec![off("pool")] }));
    }
    if config.page_scan {
        match tried(&pooling(config, Enabled::Yes)) {
            Ok(engine) => return Ok((engine, Allocation::PooledAndScanned)),
            Err(why) => reasons.push(format!("no page scan: {why}")),
        }
    } else {
        reasons.push(off("page scan"));
    }
    match tried(&pooling(config, Enabled::No)) {
        Ok(engine) => return Ok((engine, Allocation::Pooled { reasons })),
        Err(why) => reasons.push(format!("no pool: {why}")),
    }
    Ok((tried(&base(config))?, Allocation::OnDemand { reasons }))
}

/// An engine that was seen to make an instance.
fn tried(config: &Config) -> wasmtime::Result<Engine> {
    /// A module with a memory of one page.
    const TINY: &[u8] = b"\0asm\x01\0\0\0\x05\x03\x01\0\x01";
    let engine = Engine::new(config)?;
    let module = Module::from_binary(&engine, TINY)?;
    let mut store = Store::new(&engine, ());
    store.set_epoch_deadline(1);
    Instance::new(&mut store, &module, &[])?;
    Ok(engine)
}

fn base(limits: &EngineConfig) -> Config {
    let mut config = Config::new();
    config.epoch_interruption(true);
    config.concurrency_support(false);
    config.memory_init_cow(true);
    config.max_wasm_stack(limits.stack);
    config.async_stack_size(limits.stack.saturating_add(HOST_STACK));
    for feature in OFF {
        config.wasm_features(feature, false);
    }
    config
}

fn pooling(limits: &EngineConfig, scan: Enabled) -> Config {
    let mut pool = PoolingAllocationConfig::default();
    pool.total_component_instances(limits.instances)
        .total_stacks(limits.instances)
        .max_core_instances_per_component(CORE_INSTANCES)
        .total_core_instances(limits.instances * CORE_INSTANCES)
        .max_memories_per_component(MEMORIES)
        .total_memories(limits.instances * MEMORIES)
        .max_memory_size(usize::try_from(limits.most_memory).unwrap_or(usize::MAX))
        .max_tables_per_component(TABLES)
        .max_tables_per_module(TABLES)
        .total_tables(limits.instances * TABLES)
        .table_elements(TABLE_ELEMENTS as usize)
        .pagemap_scan(scan);
    match scan {
        Enabled::Yes | Enabled::Auto => {
            pool.linear_memory_keep_resident(KEPT_MEMORY).table_keep_resident(KEPT_TABLE)
        }
        // Without the scan, keeping memory only moves the cost to clearing all of it.
        Enabled::No => pool.decommit_batch_size(BATCH),
    };
    let mut config = base(limits);
    config.allocation_strategy(InstanceAllocationStrategy::Pooling(pool));
    config
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    /// What is found where so many of the ways to have an engine cannot be gone.
    fn found(impossible: u32) -> wasmtime::Result<String> {
        let config = EngineConfig {
            instances: 2,
            most_memory: 1 << 20,
            stack: 64 << 10,
            pooling: true,
            page_scan: true,
        };
        let left = Cell::new(impossible);
        let (_, allocation) = probe(&config, |_| match left.get() {
            0 => Ok(Engine::default()),
            more => {
                left.set(more - 1);
                Err(wasmtime::Error::msg(format!("way {}", impossible - more + 1)))
            }
        })?;
        Ok(allocation.to_string())
    }

    #[test]
    fn what_cannot_be_had_here_is_done_without_and_said_with_its_reason() {
        assert_eq!(found(0).unwrap(), "pool with page scan");
        assert_eq!(found(1).unwrap(), "pool (no page scan: way 1)");
        assert_eq!(found(2).unwrap(), "on demand (no page scan: way 1; no pool: way 2)");
        assert_eq!(found(3).unwrap_err().to_string(), "way 3");
    }
}
