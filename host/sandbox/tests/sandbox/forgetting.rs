//! What one call leaves behind for the next: nothing, wherever its instance gets its memory.

use switchboard_runtime::Outcome;
use switchboard_sandbox::{Allocation, Grants, LoadRequest, Sandbox, SandboxConfig};

use crate::guest::Guest;
use crate::host::{bytes, config, run};

/// Told to write, it writes all over what it has: its data, the memory behind that up to its end,
/// the memory it grows by, a global, and its table, which it lets grow too. Otherwise it crashes if
/// it finds anything of that.
const WRITES_OR_LOOKS: &str = "
    (local $at i32)
    (if (i32.eq (i32.load8_u (local.get $args)) (i32.const 119))
        (then
            (drop (memory.grow (i32.const 4)))
            (memory.fill (i32.const 131072) (i32.const 255) (i32.const 1179648))
            (i32.store (i32.const 72) (i32.const -1))
            (global.set $kept (i32.const 9))
            (table.set $found (i32.const 1) (ref.func $allocate))
            (drop (table.grow $found (ref.func $allocate) (i32.const 90)))
            (return (call $say (i32.const 64) (i32.const 3)))))
    (if (i32.ne (memory.size) (i32.const 16)) (then (unreachable)))
    (if (i32.ne (i32.load8_u (i32.const 72)) (i32.const 112)) (then (unreachable)))
    (if (i32.ne (global.get $kept) (i32.const 1)) (then (unreachable)))
    (if (i32.ne (table.size $found) (i32.const 10)) (then (unreachable)))
    (if (i32.eqz (ref.is_null (table.get $found (i32.const 1)))) (then (unreachable)))
    (local.set $at (i32.const 131072))
    (loop $next
        (if (i64.ne (i64.load (local.get $at)) (i64.const 0)) (then (unreachable)))
        (local.set $at (i32.add (local.get $at) (i32.const 8)))
        (br_if $next (i32.lt_u (local.get $at) (i32.const 1048576))))
    (drop (memory.grow (i32.const 4)))
    (loop $next
        (if (i64.ne (i64.load (local.get $at)) (i64.const 0)) (then (unreachable)))
        (local.set $at (i32.add (local.get $at) (i32.const 8)))
        (br_if $next (i32.lt_u (local.get $at) (i32.const 1310720))))
    (drop (table.grow $found (ref.null func) (i32.const 90)))
    (local.set $at (i32.const 0))
    (loop $next
        (if (i32.eqz (ref.is_null (table.get $found (local.get $at)))) (then (unreachable)))
        (local.set $at (i32.add (local.get $at) (i32.const 1)))
        (br_if $next (i32.lt_u (local.get $at) (i32.const 100))))
    (call $say (i32.const 68) (i32.const 2))";

/// A sandbox with one slot, so that each call has the one of the call before.
async fn forgets(config: SandboxConfig) -> Allocation {
    let sandbox = Sandbox::new(SandboxConfig { instances: 1, ..config }).unwrap();
    let guest = Guest::new(WRITES_OR_LOOKS)
        .with("(global $kept (mut i32) (i32.const 1)) (table $found 10 funcref)")
        .pages(16);
    let source = bytes("a test", guest.build());
    sandbox.load(LoadRequest::new(source, Grants::default())).await.unwrap();
    for _ in 0..16 {
        assert_eq!(run(&sandbox, "write").await.text, "yes");
        let looked = run(&sandbox, "look").await;
        assert_eq!((looked.outcome, looked.text.as_str()), (Outcome::Done, "no"));
    }
    sandbox.posture().engine.allocation.clone()
}

#[tokio::test]
async fn tool_2_a_new_instance_sees_nothing_an_old_one_wrote() {
    println!("{}", forgets(config()).await);
}

#[tokio::test]
async fn tool_2_nor_does_it_where_pages_are_cleaned_without_being_looked_at() {
    let allocation = forgets(SandboxConfig { page_scan: false, ..config() }).await;
    assert_eq!(allocation.to_string(), "pool (the page scan is switched off)");
}

#[tokio::test]
async fn tool_2_nor_does_it_where_nothing_is_pooled() {
    let allocation = forgets(SandboxConfig { pooling: false, ..config() }).await;
    assert_eq!(allocation.to_string(), "on demand (the pool is switched off)");
}
