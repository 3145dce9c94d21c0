//! Whatever a model writes as a tool's arguments, and whatever the host answers the tool: the call
//! ends as one of a closed set, and never by a fault of the host. The first byte says which tool,
//! the second which code a refusal has.
#![no_main]

use std::cell::RefCell;
use std::sync::Arc;

use libfuzzer_sys::fuzz_target;
use switchboard_cli::crew::builtin::COMPONENTS;
use switchboard_core::Code;
use switchboard_fuzz::bench::{Bench, FOLDER, Refusing};
use switchboard_runtime::Outcome;
use switchboard_sandbox::Grants;

const TOOLS: &[&str] = &[
    "send_message",
    "interrupt_agent",
    "subagent",
    "list_files",
    "read_file",
    "search_files",
    "watch_file",
    "list_agents",
    "get_agent",
    "recent_messages",
];

thread_local! {
    static BENCH: RefCell<Bench> = RefCell::new(shipped());
}

/// The built-in tools, under the grants they are for.
fn shipped() -> Bench {
    let mut bench = Bench::new();
    for component in COMPONENTS {
        let grants = component.grants.map_or_else(|| Grants::reading(FOLDER), |grants| grants());
        bench.load(component.bytes.to_vec(), grants).expect("a built-in tool can be loaded");
    }
    bench
}

fuzz_target!(|input: (u8, u8, &str)| {
    let (tool, code, arguments) = input;
    let tool = TOOLS[usize::from(tool) % TOOLS.len()];
    let code = Code::ALL[usize::from(code) % Code::ALL.len()];
    let result =
        BENCH.with_borrow_mut(|bench| bench.call(tool, arguments, Arc::new(Refusing(code))));
    let host = matches!(result.outcome, Outcome::Internal | Outcome::Unknown);
    assert!(!host, "{tool}: {:?}: {}", result.outcome, result.text);
    assert!(result.text.len() <= 33 << 10, "it is cut to what a model is shown");
});
