//! What wit-bindgen makes of the contract. Nothing outside the crate names it but the code that
//! the macros write; authors see the re-exports that the other modules choose.
#![allow(missing_docs, missing_debug_implementations, unreachable_pub, clippy::all)]

// One world with every interface: a component imports those functions alone that its tools call,
// since the linker drops the others and the encoder imports only what is left.
wit_bindgen::generate!({
    inline: r#"
        package switchboard:sdk;
        world component {
            import switchboard:plugin/subagents@0.1.0;
            import switchboard:plugin/delegation@0.1.0;
            import switchboard:plugin/observation@0.1.0;
            import switchboard:plugin/diag@0.1.0;
            import switchboard:plugin/workspace@0.1.0;
            export switchboard:plugin/tool@0.1.0;
        }
    "#,
    path: "../../wit",
    generate_all,
    additional_derives: [PartialEq],
    pub_export_macro: true,
    export_macro_name: "export_component",
});
