//! What `bindgen!` makes of the WIT package. Nothing of it leaves the crate.
#![allow(
    clippy::all,
    clippy::unwrap_used,
    missing_debug_implementations,
    missing_docs,
    unreachable_pub,
    reason = "generated"
)]

wasmtime::component::bindgen!({
    path: "../../wit",
    inline: "
        package switchboard:host;
        world plugin {
            import switchboard:plugin/subagents@0.1.0;
            import switchboard:plugin/delegation@0.1.0;
            import switchboard:plugin/observation@0.1.0;
            import switchboard:plugin/diag@0.1.0;
            import switchboard:plugin/workspace@0.1.0;
            export switchboard:plugin/tool@0.1.0;
        }
    ",
    world: "switchboard:host/plugin",
    imports: { default: async | trappable },
    exports: { default: async },
});
