//! Guests that ask the host for too much, or crash around asking.

use std::time::Duration;

use switchboard_core::Code;
use switchboard_runtime::Outcome::{
    Done, Failed, Internal, InvalidData, Refused, TimedOut, TooManyHostCalls, Trapped,
};
use switchboard_sandbox::{Grants, ToolLimits};

use crate::attempt::{Attempt, component, guest, short};
use crate::case::Case;
use crate::guest::{ECHO, Guest, send};
use crate::plane::{Next, refusal};

pub(crate) fn cases() -> Vec<Case> {
    vec![
        sending("ten thousand messages", repeated(&sent(""), 10_000))
            .ends(TooManyHostCalls, "64 of its requests to other agents were carried out"),
        reading("ten thousand looks at a file", repeated(&watch("(i32.const 0)"), 10_000))
            .within(ToolLimits { host_calls: 1_000, ..short() })
            .ends(TooManyHostCalls, "it called the host more than 1000 times"),
        sending("a crash before a message", format!("(unreachable) {}", send("")))
            .ends(Trapped, "executed)"),
        sending("a crash after a message", format!("{} (unreachable)", sent("")))
            .ends(Trapped, "1 of its requests to other agents was carried out"),
        sending("a crash after a message nobody took", format!("{} (unreachable)", sent("")))
            .answered(Next::Refuse(refusal(Code::InboxFull)))
            .ends(Trapped, "executed)"),
        sending("nonsense after a message", format!("{} (i32.const -8)", sent("")))
            .ends(InvalidData, "1 of its requests to other agents was carried out"),
        sending("what it is not granted: an interrupt", send(INTERRUPT)).ends(Done, "not-granted"),
        sending("a message of a megabyte", send("")).told("x".repeat(1 << 20)).ends(Done, "yes"),
        sending("a message of ten thousand blocks", send(&blocks(10_000)).as_str())
            .ends(Done, "yes"),
        sending("a message of a million blocks", send(&blocks(1_000_000)).as_str())
            .ends(InvalidData, "malformed"),
        sending("waiting for a message nobody answers", send(""))
            .answered(Next::Hang)
            .within(impatient())
            .ends(TimedOut, "may have been done all the same"),
        reading("waiting 49 days for a file", watch("(i32.const -1)") + "(unreachable)")
            .within(impatient())
            .ends(TimedOut, "it took longer than 50ms"),
        sending("a message at which the host panics", send(""))
            .answered(Next::Panic)
            .ends(Internal, "the host failed to run the tool; its log says why"),
        guest("arguments", "a byte too much", Guest::new(ECHO))
            .told("x".repeat((1 << 20) + 1))
            .ends(Refused, "its arguments have 1048577 bytes, 1048576 are allowed"),
        guest("arguments", "all there may be, into too little memory", Guest::new(ECHO))
            .told("x".repeat(1 << 20))
            .ends(InvalidData, "malformed"),
        shipped("JSON a hundred thousand lists deep", nested(100_000)).ends(Failed, ""),
        shipped("JSON that is cut", r#"{"agent_id": "par"#.to_owned()).ends(Failed, ""),
        shipped("no JSON", "\u{0}\u{1}\u{fffd}".to_owned()).ends(Failed, ""),
        shipped("a number of a million digits", number(1_000_000)).ends(Failed, ""),
        shipped("a name said twice", TWICE.to_owned()).ends(Done, ""),
    ]
}

fn sending(name: &'static str, body: impl Into<String>) -> Attempt {
    let hostile = Guest::sending(body).pages(64);
    guest("host calls", name, hostile).granted(Grants::content()).told("hello")
}

fn reading(name: &'static str, body: impl Into<String>) -> Attempt {
    guest("host calls", name, Guest::reading(body)).reading(|_| ()).told("file")
}

/// The project's own tool, told something else than its schema asks for.
fn shipped(name: &'static str, arguments: String) -> Attempt {
    let dist = concat!(env!("CARGO_MANIFEST_DIR"), "/../plugins/dist/send-message.wasm");
    component("arguments", name, move || std::fs::read(dist).unwrap())
        .calling("send_message")
        .granted(Grants::content())
        .told(arguments)
}

fn impatient() -> ToolLimits {
    ToolLimits { wall: Duration::from_millis(50), ..short() }
}

/// Sends a message and goes on.
fn sent(edits: &str) -> String {
    format!("(drop (block (result i32) {}))", send(edits))
}

fn watch(patience: &str) -> String {
    format!("(call $watch (local.get $args) (local.get $args_len) {patience} (i32.const 4096))")
}

fn repeated(deed: &str, times: u32) -> String {
    format!(
        "(local $done i32)
        (loop $again
            {deed}
            (local.set $done (i32.add (local.get $done) (i32.const 1)))
            (br_if $again (i32.lt_u (local.get $done) (i32.const {times}))))
        (unreachable)"
    )
}

const INTERRUPT: &str = "
    (i64.store (i32.const 2080) (i64.const 0))
    (i32.store8 (i32.const 2072) (i32.const 1))";

/// So many empty blocks instead of one.
fn blocks(count: u32) -> String {
    format!(
        "(i32.store (i32.const 2080) (i32.const 131072))
        (i32.store (i32.const 2084) (i32.const {count}))"
    )
}

fn nested(depth: usize) -> String {
    format!(r#"{{"agent_id": {}{}}}"#, "[".repeat(depth), "]".repeat(depth))
}

fn number(digits: usize) -> String {
    format!(r#"{{"agent_id": "parent", "message": {}}}"#, "9".repeat(digits))
}

const TWICE: &str = r#"{"agent_id": "parent", "agent_id": "child", "message": "hello"}"#;
