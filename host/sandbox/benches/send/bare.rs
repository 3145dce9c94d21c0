//! Wasmtime alone: a pool, a fresh store for each call, epochs on, an import that does nothing.

use wasmtime::component::{Component, Linker};
use wasmtime::{
    Config, Enabled, Engine, InstanceAllocationStrategy, PoolingAllocationConfig, Store,
};

use super::message::COMPONENT;
use generated::switchboard::plugin::subagents;

#[allow(clippy::all, clippy::unwrap_used, missing_debug_implementations, unreachable_pub)]
mod generated {
    wasmtime::component::bindgen!({
        path: "../../wit",
        world: "control-tool",
        imports: { default: async | trappable },
        exports: { default: async },
    });
}

pub(crate) struct Bare {
    engine: Engine,
    linked: generated::ControlToolPre<Nothing>,
}

/// The host there is not.
struct Nothing;

impl subagents::Host for Nothing {
    async fn send_message(
        &mut self,
        _: subagents::Envelope,
    ) -> wasmtime::Result<Result<subagents::Answer, subagents::Refusal>> {
        Ok(Ok(subagents::Answer::Accepted(subagents::Receipt {
            message: "msg_00000-1".into(),
            to: "agt_00000-1".into(),
            name: "worker".into(),
            delivery: subagents::Delivery::Queued,
            accepted_at_ms: 0,
            pending: 1,
            budget_left: 1,
            request: None,
            repeated: false,
            extra: vec![],
        })))
    }
}

impl Bare {
    pub(crate) fn new() -> Self {
        let engine = Engine::new(&config(Enabled::Yes))
            .or_else(|_| Engine::new(&config(Enabled::No)))
            .unwrap();
        let component = Component::from_binary(&engine, COMPONENT).unwrap();
        let mut linker = Linker::new(&engine);
        subagents::add_to_linker::<_, wasmtime::component::HasSelf<Nothing>>(
            &mut linker,
            |nothing| nothing,
        )
        .unwrap();
        let linked = linker.instantiate_pre(&component).unwrap();
        Self { engine, linked: generated::ControlToolPre::new(linked).unwrap() }
    }

    pub(crate) async fn call(&self, arguments: &str) {
        let mut store = Store::new(&self.engine, Nothing);
        store.set_epoch_deadline(1);
        let tool = self.linked.instantiate_async(&mut store).await.unwrap();
        let exports = tool.switchboard_plugin_tool();
        exports.call_call(&mut store, "send_message", arguments).await.unwrap().unwrap();
    }
}

fn config(scan: Enabled) -> Config {
    let mut pool = PoolingAllocationConfig::default();
    pool.total_component_instances(256).max_memory_size(64 << 20).pagemap_scan(scan);
    if matches!(scan, Enabled::Yes) {
        pool.linear_memory_keep_resident(2 << 20).table_keep_resident(64 << 10);
    }
    let mut config = Config::new();
    config.epoch_interruption(true);
    config.concurrency_support(false);
    config.allocation_strategy(InstanceAllocationStrategy::Pooling(pool));
    config
}
