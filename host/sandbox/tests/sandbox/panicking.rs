//! Tools written in Rust that panic: what the log has of it, and what the model has. They are in
//! `tests/guests`, built as tools are.

use std::fs;
use std::sync::Arc;

use switchboard_runtime::{Outcome, ToolHost, ToolResult};
use switchboard_sandbox::{Grants, LoadRequest, Sandbox, Source};

use crate::host::{call, in_time, sandbox};
use crate::log::Log;
use crate::plane::Plane;

async fn loaded(name: &str, grants: Grants) -> Sandbox {
    let dist = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/guests/dist");
    let bytes = fs::read(format!("{dist}/{name}.wasm")).unwrap();
    let source = Source::Bytes { name: name.to_owned(), bytes: bytes.into() };
    let sandbox = sandbox();
    sandbox.load(LoadRequest::new(source, grants)).await.unwrap();
    sandbox
}

async fn ask(sandbox: &Sandbox, tool: &str, words: &str) -> ToolResult {
    let arguments = format!(r#"{{"words": "{words}"}}"#);
    let plane = Arc::<Plane>::default();
    in_time(sandbox.call(call(tool, &arguments, &plane), Default::default())).await
}

#[tokio::test]
async fn sand_5_a_tool_in_rust_without_an_import_tells_the_log_where_it_panicked() {
    let log = Log::default();
    let _listening = log.listen();
    let sandbox = loaded("panics", Grants::content()).await;
    let well = ask(&sandbox, "report_second", "two words").await;
    assert_eq!(well.outcome, Outcome::Done, "{}", well.text);
    assert!(!log.text().contains("a tool failed"));
    let result = ask(&sandbox, "report_second", "alone").await;
    assert_eq!(result.outcome, Outcome::Trapped);
    assert_eq!(
        result.text,
        "the tool crashed: it panicked in `panics::second_word`. Change what you ask of it, or do \
         without it"
    );
    let told = log.text();
    let failed = told.lines().find(|line| line.contains("a tool failed")).unwrap();
    let (inner, outer) = failed.split_once("panics::second_word").unwrap();
    assert!(inner.contains("core::panicking::"), "the innermost first: {failed}");
    assert!(outer.contains("switchboard:plugin/tool@0.1.0#call"), "to the outermost: {failed}");
}

#[tokio::test]
async fn sand_5_a_tool_in_rust_that_is_granted_the_log_tells_it_why_and_where() {
    let log = Log::default();
    let _listening = log.listen();
    let sandbox = loaded("panics-aloud", Grants { diag: true, ..Grants::default() }).await;
    assert_eq!(ask(&sandbox, "second_of", "two words").await.text, "words");
    let result = ask(&sandbox, "second_of", "alone").await;
    assert_eq!(result.outcome, Outcome::Trapped);
    assert!(!result.text.contains("two words"), "that is for the log: {}", result.text);
    let told = log.text();
    let panicked = told.lines().find(|line| line.contains("a tool panicked")).unwrap();
    assert!(panicked.contains("a sentence has two words"), "{panicked}");
    assert!(panicked.contains("panics-aloud/src/lib.rs"), "{panicked}");
    let source = include_str!("../../../../tests/guests/panics-aloud/src/lib.rs");
    let at = source.lines().position(|line| line.contains(".expect(")).unwrap() + 1;
    assert!(panicked.contains(&format!("line={at}")), "{panicked}");
}
