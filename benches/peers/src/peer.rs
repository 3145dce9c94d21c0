//! Extism with a plugin that does what `send_message` does; see extism-guest/.
//!
//! As it comes: no time limit and no memory limit, which a host that does not trust its plugins
//! would set, and a host function that reads nothing of what it is given.

use extism::{CompiledPlugin, PTR, Plugin, PluginBuilder, UserData, host_fn};
use extism_wasmtime::{Config, InstanceAllocationStrategy, PoolingAllocationConfig};

const GUEST: &[u8] = include_bytes!("../extism-guest.wasm");
const RECEIPT: &str = r#"{"message":"msg_00000-1","to":"agt_00000-1","name":"worker","pending":1}"#;

host_fn!(send(_envelope: String) -> String {
    Ok(RECEIPT.to_owned())
});

/// A plugin whose code is compiled.
pub(crate) struct Compiled(CompiledPlugin);

impl Compiled {
    pub(crate) fn new() -> Self {
        Self::with(Config::new())
    }

    /// With preallocated slots, which Extism leaves to its embedder to ask for.
    pub(crate) fn pooled() -> Self {
        let mut pool = PoolingAllocationConfig::default();
        pool.total_core_instances(256).total_memories(256).total_tables(256);
        pool.max_memory_size(64 << 20).linear_memory_keep_resident(2 << 20);
        let mut config = Config::new();
        config.allocation_strategy(InstanceAllocationStrategy::Pooling(pool));
        Self::with(config)
    }

    fn with(config: Config) -> Self {
        let builder = PluginBuilder::new(GUEST)
            .with_function("send", [PTR], [PTR], UserData::new(()), send)
            .with_wasmtime_config(config)
            .with_cache_disabled();
        Self(builder.compile().unwrap())
    }

    pub(crate) fn plugin(&self) -> Reused {
        Reused(Plugin::new_from_compiled(&self.0).unwrap())
    }
}

/// A plugin that keeps its memory from call to call, and with it what an earlier call left there.
pub(crate) struct Reused(Plugin);

impl Reused {
    pub(crate) fn call(&mut self, arguments: &str) {
        let text: &str = self.0.call("send_message", arguments).unwrap();
        assert!(text.starts_with("Queued for worker"), "{text}");
    }
}
