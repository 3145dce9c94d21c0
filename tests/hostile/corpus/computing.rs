//! Guests that do not come to an end by themselves, or only by crashing.

use switchboard_runtime::Outcome::{ComputedTooLong, Trapped};
use switchboard_sandbox::ToolLimits;

use crate::attempt::{Attempt, guest, short};
use crate::case::Case;
use crate::guest::{ECHO, Guest, SPIN};

const TOO_LONG: &str = "the tool was stopped: it computed for longer than 30ms";

pub(crate) fn cases() -> Vec<Case> {
    vec![
        at("a loop without end", Guest::new(SPIN)).ends(ComputedTooLong, TOO_LONG),
        at("a loop before it is called", starting("(loop $again (br $again))"))
            .ends(ComputedTooLong, TOO_LONG),
        at("a loop after its answer", after("(loop $again (br $again))"))
            .ends(ComputedTooLong, TOO_LONG),
        at("a function that calls itself twice, 64 deep", calling_itself(TWICE))
            .ends(ComputedTooLong, TOO_LONG),
        at("all of its memory filled again, 3,000 times in a row", filling())
            .within(ToolLimits { memory: 64 << 20, ..short() })
            .ends(ComputedTooLong, TOO_LONG),
        at("a function that calls itself without end", calling_itself(ENDLESS))
            .ends(Trapped, "call stack exhausted"),
        at("two that call each other through a table", calling_each_other())
            .ends(Trapped, "call stack exhausted"),
        at("one with 4,000 variables that calls itself", calling_itself(&laden()))
            .ends(Trapped, "call stack exhausted"),
        at("a crash", Guest::new("(unreachable)")).ends(Trapped, "`unreachable`"),
        at("a crash before it is called", starting("(unreachable)")).ends(Trapped, "`unreachable`"),
        at("a crash after its answer", after("(unreachable)")).ends(Trapped, "`unreachable`"),
        at("a division by nothing", Guest::new("(i32.div_u (i32.const 1) (i32.const 0))"))
            .ends(Trapped, "divide by zero"),
        at("a call of no function", calling_nothing()).ends(Trapped, "uninitialized element"),
    ]
}

fn at(name: &'static str, hostile: Guest) -> Attempt {
    guest("computing", name, hostile)
}

/// It does this while its instance is made.
fn starting(body: &str) -> Guest {
    Guest::new(ECHO).with(&format!("(func $start {body}) (start $start)"))
}

/// It does this when the host has its answer and tells it to clean up.
fn after(body: &str) -> Guest {
    let export = r#"(export "cabi_post_switchboard:plugin/tool@0.1.0#call")"#;
    Guest::new(ECHO).with(&format!("(func {export} (param i32) {body})"))
}

/// `$down` is called with 64, and is not to return.
fn calling_itself(down: &str) -> Guest {
    Guest::new("(call $down (i32.const 64)) (unreachable)").with(down)
}

const TWICE: &str = "(func $down (param $more i32)
    (if (i32.eqz (local.get $more)) (then (return)))
    (call $down (i32.sub (local.get $more) (i32.const 1)))
    (call $down (i32.sub (local.get $more) (i32.const 1))))";

const ENDLESS: &str = "(func $down (param i32)
    (call $down (i32.add (local.get 0) (i32.const 1)))
    (i32.store (i32.const 8192) (local.get 0)))";

fn laden() -> String {
    format!(
        "(func $down (param i32) {}
            (local.set 2000 (i64.extend_i32_u (local.get 0)))
            (call $down (i32.add (local.get 0) (i32.const 1)))
            (i64.store (i32.const 8192) (local.get 2000)))",
        "(local i64)".repeat(4_000)
    )
}

fn calling_each_other() -> Guest {
    let each = |name, other| {
        let after = "(i32.store8 (i32.const 8192) (i32.const 1))";
        format!("(func {name} (call_indirect (i32.const {other})) {after})")
    };
    Guest::new("(call $one) (unreachable)")
        .with("(table funcref (elem $one $two))")
        .with(&each("$one", 1))
        .with(&each("$two", 0))
}

fn calling_nothing() -> Guest {
    Guest::new("(call_indirect (i32.const 0)) (unreachable)").with("(table 1 funcref)")
}

/// Each of these takes long and is one instruction.
fn filling() -> Guest {
    let fill = "(memory.fill (i32.const 0) (i32.const 1) (i32.const 67108864))";
    Guest::new(fill.repeat(3_000) + "(unreachable)").pages(1_024)
}
