//! What the shipped tools may ask of a host, as a person sees it before running them.

use std::fs;

use switchboard_sandbox::inspect;
use switchboard_tests::workspace;

/// Each shipped component, and all of what it could ever ask for.
const SHIPPED: &[(&str, &str)] = &[
    ("interrupt-agent", "switchboard:plugin/subagents@0.1.0"),
    ("send-message", "switchboard:plugin/subagents@0.1.0"),
    ("subagent", "switchboard:plugin/delegation@0.1.0"),
    ("workspace-files", "switchboard:plugin/workspace@0.1.0"),
];

#[test]
fn tool_1_each_shipped_component_has_exactly_one_import() {
    let dist = workspace().join("plugins/dist");
    for (name, import) in SHIPPED {
        let bytes = fs::read(dist.join(format!("{name}.wasm"))).unwrap();
        assert_eq!(inspect(&bytes).unwrap().imports, [*import], "{name}");
    }
}

#[test]
fn no_component_is_shipped_that_is_not_looked_at_here() {
    let entries = fs::read_dir(workspace().join("plugins/dist")).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut shipped: Vec<_> =
        names.filter_map(|name| name.strip_suffix(".wasm").map(str::to_owned)).collect();
    shipped.sort();
    assert_eq!(shipped, SHIPPED.iter().map(|(name, _)| *name).collect::<Vec<_>>());
}
