//! Guests that want more than there is for them.

use std::sync::Arc;

use switchboard_runtime::Outcome::{Done, OutOfMemory};
use switchboard_sandbox::{Grants, SandboxConfig, ToolLimits};
use tokio_util::sync::CancellationToken;

use crate::attempt::{Attempt, component, guest, scene, short};
use crate::binary::with_module;
use crate::case::{Case, End, Fault};
use crate::ground::{Ground, config};
use crate::guest::{ECHO, Guest};

const GONE: End = End::Called(OutOfMemory);
const TOO_MUCH: &str = "the tool was stopped: it wanted more memory than 16777216 bytes";
const TOO_MANY: &str = "the tool was stopped: it wanted more than 10000 table elements";

pub(crate) fn cases() -> Vec<Case> {
    vec![
        scene("memory", "four gigabytes where nothing is pooled", GONE, TOO_MUCH, |_| async {
            let ground = Ground::with(SandboxConfig { pooling: false, ..config() }).await;
            let four = Guest::new(ECHO).pages(65_536);
            let tool = ground.have(four, Grants::default(), short()).await;
            ground.call(&tool, "", &Arc::default(), CancellationToken::new()).await.into()
        }),
        at("growing page by page", growing("(memory.grow (i32.const 1))"))
            .ends(OutOfMemory, TOO_MUCH),
        at("growing by all there can be", growing("(memory.grow (i32.const 65535))"))
            .ends(OutOfMemory, TOO_MUCH),
        at("growing by less than nothing", growing("(memory.grow (i32.const -1))"))
            .ends(OutOfMemory, TOO_MUCH),
        component("memory", "growing past its own word, which only fails", || {
            let fails = "(if (i32.ne (memory.grow (i32.const 2)) (i32.const -1))
                (then (unreachable)))";
            with_module(&format!("(memory 1 2) (func $start {fails}) (start $start)"), 1)
        })
        .told("hello")
        .ends(Done, "hello"),
        at("beginning with more than it may have", Guest::new(ECHO).pages(257))
            .ends(OutOfMemory, TOO_MUCH),
        at("beginning with more than anything may have", Guest::new(ECHO).pages(20_000))
            .refused(Fault::Compile, "memory"),
        at("beginning with four gigabytes", Guest::new(ECHO).pages(65_536))
            .refused(Fault::Compile, "memory"),
        component("memory", "a second memory that takes what is left", || {
            with_module("(memory 255)", 1)
        })
        .ends(OutOfMemory, TOO_MUCH),
        component("memory", "a second memory that grows without end", || {
            let grow = "(loop $again (drop (memory.grow (i32.const 1))) (br $again))";
            let module = format!("(memory 1) (func $start {grow}) (start $start)");
            with_module(&module, 1)
        })
        .ends(OutOfMemory, TOO_MUCH),
        component("memory", "a memory in each of eight parts", || with_module("(memory 1)", 7))
            .refused(Fault::Compile, "memories"),
        at("a table that grows without end", growing(GROW_TABLE).with("(table 1 funcref)"))
            .ends(OutOfMemory, TOO_MANY),
        at("a table that grows at once", growing(TABLE_AT_ONCE).with("(table 1 funcref)"))
            .ends(OutOfMemory, TOO_MANY),
        at("four tables that are too large together", tables(4, 2_501)).ends(OutOfMemory, TOO_MANY),
        at("five tables", tables(5, 1)).refused(Fault::Compile, "tables"),
        at("a table of ten thousand and one", tables(1, 10_001)).refused(Fault::Compile, "table"),
        at("a table of four billion", tables(1, u32::MAX)).refused(Fault::Compile, "table"),
        at("more memory than is set for it", Guest::new(ECHO).pages(3))
            .within(ToolLimits { memory: 2 << 16, ..short() })
            .ends(OutOfMemory, "more memory than 131072 bytes"),
    ]
}

fn at(name: &'static str, hostile: Guest) -> Attempt {
    guest("memory", name, hostile)
}

const GROW_TABLE: &str = "(table.grow (ref.null func) (i32.const 100))";
const TABLE_AT_ONCE: &str = "(table.grow (ref.null func) (i32.const -1))";

fn growing(grow: &str) -> Guest {
    Guest::new(format!("(loop $again (drop {grow}) (br $again)) (unreachable)"))
}

fn tables(count: usize, elements: u32) -> Guest {
    Guest::new(ECHO).with(&format!("(table {elements} funcref)").repeat(count))
}
