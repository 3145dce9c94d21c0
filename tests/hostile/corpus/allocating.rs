//! Allocators that do something else. The host calls them in the middle of handing something over.

use switchboard_runtime::Outcome::{ComputedTooLong, Done, InvalidData, OutOfMemory, Trapped};
use switchboard_sandbox::Grants;

use crate::attempt::{Attempt, guest};
use crate::case::Case;
use crate::guest::{ECHO, Guest, send};

pub(crate) fn cases() -> Vec<Case> {
    vec![
        at("an allocator that loops", "(loop $again (br $again)) (unreachable)")
            .ends(ComputedTooLong, "computed for longer than 30ms"),
        at("an allocator that crashes", "(unreachable)").ends(Trapped, "`unreachable`"),
        at("an allocator that calls itself without end", CALLING_ITSELF)
            .ends(Trapped, "call stack exhausted"),
        at("an allocator that takes all memory", TAKING_ALL)
            .ends(OutOfMemory, "more memory than 16777216 bytes"),
        at("an allocator that gives what is outside", "(i32.const -8)")
            .ends(InvalidData, "malformed"),
        at("an allocator that gives the last byte", "(i32.const 131071)")
            .ends(InvalidData, "malformed"),
        at("an allocator that always gives the same", "(i32.const 0)").ends(Done, "hello"),
        sending("an allocator that sends", CALLING_THE_HOST).ends(Trapped, "cannot leave"),
        sending("an allocator that crashes at the receipt", &at_the_receipt("(unreachable)"))
            .ends(Trapped, "Before that, 1 of its requests to other agents was carried out"),
        sending("an allocator that gives nonsense for the receipt", &at_the_receipt(OUTSIDE))
            .ends(InvalidData, "Before that, 1 of its requests to other agents was carried out"),
        sending("an allocator that loops at the receipt", &at_the_receipt(LOOPING))
            .ends(ComputedTooLong, "Before that, 1 of its requests"),
    ]
}

fn at(name: &'static str, realloc: &str) -> Attempt {
    guest("allocator", name, Guest::new(ECHO).allocating(realloc)).told("hello")
}

fn sending(name: &'static str, realloc: &str) -> Attempt {
    let hostile = Guest::sending(send("")).allocating(realloc);
    guest("allocator", name, hostile).granted(Grants::content()).told("hello")
}

const CALLING_ITSELF: &str = r#"
    (i32.add
        (call $allocate (local.get 0) (local.get 1) (local.get 2) (local.get 3))
        (i32.const 1))"#;
const TAKING_ALL: &str =
    "(loop $again (drop (memory.grow (i32.const 1))) (br $again)) (unreachable)";
const CALLING_THE_HOST: &str =
    "(call $send_message (i32.const 2048) (i32.const 4096)) (i32.const 65536)";
const OUTSIDE: &str = "(return (i32.const -8))";
const LOOPING: &str = "(loop $again (br $again))";

/// Twice it is asked for room by the call itself, for the name and the arguments; what follows is
/// the receipt.
fn at_the_receipt(deed: &str) -> String {
    format!(
        "(global.set $heap (i32.add (global.get $heap) (i32.const 1024)))
        (if (i32.gt_u (global.get $heap) (i32.const {})) (then {deed}))
        (global.get $heap)",
        65_536 + 2 * 1_024
    )
}
