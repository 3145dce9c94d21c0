//! `diag`: what a tool says to whoever runs the host.

use switchboard_runtime::Outcome;
use switchboard_sandbox::{Grants, ToolLimits};

use crate::guest::Guest;
use crate::host::{limited, run, with};
use crate::log::Log;

fn diag() -> Grants {
    Grants { diag: true, ..Grants::default() }
}

const FILE: &str = r#"(data (i32.const 5000) "src/lib.rs")"#;
const PANIC: &str = "(call $panicked (local.get $args) (local.get $args_len)
    (i32.const 5000) (i32.const 10) (i32.const 7)) (unreachable)";

#[tokio::test]
async fn sand_5_a_panic_tells_the_log_its_words_and_its_place_and_the_model_neither() {
    let log = Log::default();
    let _listening = log.listen();
    let result = run(&with(Guest::telling(PANIC).with(FILE), diag()).await, "no words").await;
    assert_eq!(result.outcome, Outcome::Trapped);
    assert!(!result.text.contains("no words") && !result.text.contains("src/lib.rs"), "{result:?}");
    let told = log.text();
    assert!(told.contains("a tool panicked"), "{told}");
    assert!(told.contains("no words") && told.contains("src/lib.rs") && told.contains("line=7"));
}

#[tokio::test]
async fn sand_6_what_a_tool_says_cannot_forge_a_line_of_the_log() {
    let log = Log::default();
    let _listening = log.listen();
    let say = "(call $log (i32.const 3) (local.get $args) (local.get $args_len))
        (call $say (i32.const 64) (i32.const 3))";
    let sandbox = with(Guest::telling(say), diag()).await;
    let result = run(&sandbox, "well\n2026-12-01 ERROR forged\u{1b}[31m").await;
    assert_eq!((result.outcome, result.text.as_str()), (Outcome::Done, "yes"));
    let told = log.text();
    assert_eq!(told.lines().filter(|line| line.contains("forged")).count(), 1, "{told}");
    assert!(told.lines().all(|line| !line.starts_with("2026-12-01 ERROR")), "{told}");
    assert!(!told.contains('\u{1b}'), "{told}");
    let harmless = "well\u{fffd}2026-12-01 ERROR forged\u{fffd}[31m";
    assert!(told.contains(harmless), "whatever the subscriber does by itself: {told}");
}

#[tokio::test]
async fn sand_3_a_tool_fills_the_log_no_further_than_it_may_call_the_host() {
    let log = Log::default();
    let _listening = log.listen();
    let again = "(loop $again (call $log (i32.const 2) (local.get $args) (local.get $args_len))
        (br $again)) (unreachable)";
    let limits = ToolLimits { host_calls: 10, ..ToolLimits::default() };
    let sandbox = limited(Guest::telling(again), diag(), limits).await;
    let result = run(&sandbox, "again").await;
    assert_eq!(result.outcome, Outcome::TooManyHostCalls);
    assert_eq!(log.text().lines().filter(|line| line.contains("a tool says")).count(), 10);
}

#[tokio::test]
async fn sand_5_a_crash_puts_no_more_of_a_tools_names_into_the_log_than_fits_a_line() {
    let log = Log::default();
    let _listening = log.listen();
    let down = format!(
        "(func $down (@name \"{}\") (param i32)
            (if (i32.eqz (local.get 0)) (then (unreachable)))
            (call $down (i32.sub (local.get 0) (i32.const 1)))
            (i32.store (i32.const 8192) (local.get 0)))",
        "x".repeat(90_000)
    );
    let guest = Guest::new("(call $down (i32.const 30)) (i32.const 0)").with(&down);
    let result = run(&with(guest, Grants::default()).await, "").await;
    assert_eq!(result.outcome, Outcome::Trapped);
    let told = log.text();
    assert!(told.contains("a tool failed") && told.contains("unreachable"), "the cause is told");
    assert!(told.len() < 8 << 10, "{} bytes", told.len());
}

#[tokio::test]
async fn sand_3_a_call_says_so_much_to_the_log_and_then_no_more_but_that_it_panics() {
    let log = Log::default();
    let _listening = log.listen();
    let again = format!(
        "(local $n i32)
        (loop $again
            (call $log (i32.const 2) (i32.const 8192) (i32.const 4096))
            (local.set $n (i32.add (local.get $n) (i32.const 1)))
            (br_if $again (i32.lt_u (local.get $n) (i32.const 4000))))
        {PANIC}"
    );
    let result = run(&with(Guest::telling(again).with(FILE), diag()).await, "no words").await;
    assert_eq!(result.outcome, Outcome::Trapped);
    let told = log.text();
    assert_eq!(told.matches("a tool says more").count(), 1);
    assert!(told.contains("a tool panicked") && told.contains("no words"));
    assert!(told.len() < 300 << 10, "{} bytes", told.len());
}

#[tokio::test]
async fn what_a_tool_says_stands_in_the_log_at_the_level_it_has_for_it() {
    let log = Log::default();
    let _listening = log.listen();
    let say = |level| format!("(call $log (i32.const {level}) (i32.const 64) (i32.const 3))");
    let all =
        format!("{} (call $say (i32.const 64) (i32.const 3))", [0, 1, 2, 3].map(say).concat());
    run(&with(Guest::telling(all), diag()).await, "").await;
    let told = log.text();
    let said = told.lines().filter(|line| line.contains("a tool says"));
    let levels = said.map(|line| line.split_whitespace().nth(1).unwrap());
    assert_eq!(levels.collect::<Vec<_>>(), ["DEBUG", "INFO", "WARN", "ERROR"]);
}

#[tokio::test]
async fn sand_6_a_tool_says_once_and_in_a_line_that_it_panics() {
    let log = Log::default();
    let _listening = log.listen();
    let twice = PANIC.replace("(unreachable)", "").repeat(2) + "(unreachable)";
    run(&with(Guest::telling(twice).with(FILE), diag()).await, "no\nwords").await;
    let told = log.text();
    assert_eq!(told.matches("a tool panicked").count(), 1);
    assert!(told.contains("no\u{fffd}words"), "and in a line: {told}");
}
