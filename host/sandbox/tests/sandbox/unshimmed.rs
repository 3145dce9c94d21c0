//! A component as nobody's tools make it: a part of it calls the host with nothing in between at
//! which its computing could be interrupted.

use std::time::Duration;

use switchboard_runtime::Outcome;
use switchboard_sandbox::{Grants, LoadRequest, ToolLimits};
use wasmparser::{CanonicalFunction, ComponentAlias, ExternalKind, Parser, Payload};

use crate::guest::{ECHO, Guest, leb};
use crate::host::{bytes, run, sandbox};

/// How many things of a kind there are, which is the number of the next.
#[derive(Default)]
struct Counts {
    modules: usize,
    instances: usize,
    functions: usize,
}

impl Counts {
    fn of(component: &[u8]) -> Self {
        let (mut counts, mut depth) = (Self::default(), 0);
        for payload in Parser::new(0).parse_all(component) {
            match payload.unwrap() {
                Payload::Version { .. } => depth += 1,
                Payload::End(_) => depth -= 1,
                Payload::ModuleSection { .. } if depth == 1 => counts.modules += 1,
                Payload::InstanceSection(section) if depth == 1 => {
                    counts.instances += section.count() as usize;
                }
                Payload::ComponentAliasSection(section) if depth == 1 => {
                    let aliases = section.into_iter().map(Result::unwrap);
                    counts.functions += aliases.filter(is_core_function).count();
                }
                Payload::ComponentCanonicalSection(section) if depth == 1 => {
                    let functions = section.into_iter().map(Result::unwrap);
                    counts.functions += functions.filter(is_lowered).count();
                }
                _ => (),
            }
        }
        counts
    }
}

fn is_core_function(alias: &ComponentAlias<'_>) -> bool {
    let ComponentAlias::CoreInstanceExport { kind, .. } = alias else { return false };
    *kind == ExternalKind::Func
}

fn is_lowered(function: &CanonicalFunction) -> bool {
    matches!(function, CanonicalFunction::Lower { .. })
}

fn section(component: &mut Vec<u8>, kind: u8, bytes: &[u8]) {
    component.push(kind);
    leb(component, bytes.len());
    component.extend_from_slice(bytes);
}

/// Adds a module to one that imports `diag`, which gets `log` as it is and does this as it starts.
fn at_start(mut component: Vec<u8>, body: &str) -> Vec<u8> {
    let module = format!(
        r#"(module (import "d" "log" (func $log (param i32 i32 i32)))
            (func $start {body}) (start $start))"#
    );
    let Counts { modules, instances, functions } = Counts::of(&component);
    section(&mut component, 1, &wat::parse_str(module).unwrap());
    // One function: the first of the imported ones, lowered with the first memory, as UTF-8.
    section(&mut component, 8, &[1, 0x01, 0x00, 0, 2, 0x00, 0x03, 0]);
    // One instance with nothing but that function, and one of the module with that.
    let mut made = vec![2, 0x01, 1, 3];
    made.extend_from_slice(b"log");
    made.push(0);
    leb(&mut made, functions);
    made.push(0x00);
    leb(&mut made, modules);
    made.extend_from_slice(&[1, 1, b'd', 0x12]);
    leb(&mut made, instances);
    section(&mut component, 2, &made);
    component
}

#[tokio::test]
async fn sand_3_a_guest_that_gives_the_host_much_to_take_over_lets_others_go_first() {
    let guest = Guest::telling(ECHO).pages(200).build();
    let sandbox = sandbox();
    let limits = ToolLimits { wall: Duration::from_millis(100), ..ToolLimits::default() };
    let much = "(call $log (i32.const 0) (i32.const 131072) (i32.const 12582912))".repeat(4_000);
    let source = bytes("a test", at_start(guest, &much));
    let diag = Grants { diag: true, ..Grants::default() };
    sandbox.load(LoadRequest { limits, ..LoadRequest::new(source, diag) }).await.unwrap();
    let result = run(&sandbox, "").await;
    assert_eq!(result.outcome, Outcome::TimedOut, "the clock went on beside it");
}

#[tokio::test]
async fn sand_4_what_goes_wrong_while_a_tool_starts_is_told_as_what_it_is() {
    let log = |level: u32, at: u32, length: u32| {
        format!("(call $log (i32.const {level}) (i32.const {at}) (i32.const {length}))")
    };
    let no_text = "the tool is faulty: it handed over text that is not UTF-8";
    let malformed = "the tool is faulty: it handed over data that is malformed, or more of it than \
                     may pass at once";
    let crashed = "the tool crashed while it started (wasm trap: wasm `unreachable` instruction \
                   executed)";
    for (body, outcome, told) in [
        (log(0, 5_000, 1), Outcome::InvalidData, no_text),
        (log(0, 131_000, 1_000), Outcome::InvalidData, malformed),
        (log(9, 64, 3), Outcome::InvalidData, malformed),
        ("(unreachable)".to_owned(), Outcome::Trapped, crashed),
    ] {
        let guest = Guest::telling(ECHO).with(r#"(data (i32.const 5000) "\ff")"#).build();
        let sandbox = sandbox();
        let source = bytes("a test", at_start(guest, &body));
        let diag = Grants { diag: true, ..Grants::default() };
        sandbox.load(LoadRequest::new(source, diag)).await.unwrap();
        let result = run(&sandbox, "").await;
        assert_eq!((result.outcome, result.text.as_str()), (outcome, told), "{body}");
    }
}
