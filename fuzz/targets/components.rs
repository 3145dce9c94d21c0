//! Whatever a file holds: it is no tool, and it is said why, or it is loaded or refused in little
//! time and memory; and what was loaded can be called.
#![no_main]

use std::sync::Arc;

use libfuzzer_sys::fuzz_target;
use switchboard_fuzz::bench::{Bench, FOLDER, Refusing};
use switchboard_fuzz::edited::edited;
use switchboard_runtime::Outcome;
use switchboard_sandbox::{Disposal, Grants, inspect};

fuzz_target!(|bytes: &[u8]| {
    let component = edited(bytes);
    let inspection = match inspect(&component) {
        Ok(inspection) => inspection,
        Err(error) => return assert!(!error.to_string().is_empty()),
    };
    assert!(!inspection.description.tools.is_empty());
    let mut bench = Bench::new();
    let Grants { subagents, .. } = Grants::content();
    let grants =
        Grants { subagents, delegation: Disposal::ALL.to_vec(), ..Grants::reading(FOLDER) };
    if let Err(error) = bench.load(component, grants) {
        return assert!(!error.to_string().is_empty());
    }
    for tool in inspection.description.tools.iter().take(2) {
        let result = bench.call(&tool.name, "{}", Arc::new(Refusing::default()));
        assert_ne!(result.outcome, Outcome::Internal, "{}", result.text);
    }
});
