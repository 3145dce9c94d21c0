//! Small components that take long to compile. Compiling cannot be stopped, so it is not begun.

use std::time::{Duration, Instant};

use switchboard_sandbox::{ComponentError, Grants, LoadError, LoadRequest, Sandbox, SandboxConfig};

use crate::guest::{ECHO, Guest};
use crate::host::{bytes, config};

/// What is beside the code of a good tool in its module.
fn bombs() -> Vec<(&'static str, String)> {
    vec![
        ("loops in each other", loops_in_each_other(180, 150)),
        ("a loop after the other", function("", &"(loop)".repeat(6_000))),
        ("ifs that each set one of many variables", ifs(2_000, 2_000)),
        ("ifs, and few variables", ifs(8_000, 10)),
        ("calls through a table", calls_through_a_table(9_000)),
        ("blocks that hand over many values", handing_over("block", "", 90, 1_000)),
        ("ifs that hand over many values", handing_over("if", "else", 60, 1_000)),
        ("calls that give many values", calls(250, 1_000)),
        ("functions that take and give many values", functions_of_many_values(8)),
        ("functions that do nothing", "(func)".repeat(25_000)),
    ]
}

#[tokio::test]
async fn sand_3_a_component_that_takes_too_long_to_compile_is_refused_before_it_is() {
    for (name, items) in bombs() {
        let begun = Instant::now();
        let error = load(config(), &items).await.unwrap_err();
        let refused = matches!(
            &error,
            LoadError::Component { source: ComponentError::TooMuchWork { most: 8_000_000 }, .. }
        );
        assert!(refused, "{name}: {error}");
        println!("{name}: refused in {:?}", begun.elapsed());
    }
}

#[tokio::test]
async fn sand_3_how_long_compiling_may_take_can_be_set_and_is_said() {
    let strict = SandboxConfig { most_effort: 1_000, ..config() };
    assert_eq!(
        load(strict, "").await.unwrap_err().to_string(),
        "a test cannot be used as a tool: compiling it would be more than 1000 units of work, \
         each about a microsecond: make it smaller, or its functions simpler"
    );
    load(SandboxConfig { most_effort: 10_000, ..config() }, "").await.unwrap();
}

/// For a look at what the estimates are worth.
#[tokio::test]
#[ignore = "it compiles what is refused because that takes long"]
async fn how_long_what_is_refused_would_take() {
    for (name, items) in bombs() {
        let all = SandboxConfig { most_effort: u64::MAX, ..config() };
        let took = load(all, &items).await.unwrap();
        println!("{took:>9.2?} {name}");
    }
}

/// How long it takes to load a good tool with this in it.
async fn load(config: SandboxConfig, items: &str) -> Result<Duration, LoadError> {
    let sandbox = Sandbox::new(config).unwrap();
    let component = Guest::new(ECHO).with(items).build();
    let begun = Instant::now();
    sandbox.load(LoadRequest::new(bytes("a test", component), Grants::default())).await?;
    Ok(begun.elapsed())
}

fn function(locals: &str, body: &str) -> String {
    format!("(func {locals} {body})")
}

fn numbers(count: usize) -> String {
    "i32 ".repeat(count)
}

/// Each variable may be another one each time any of the loops begins again.
fn loops_in_each_other(depth: usize, variables: usize) -> String {
    let again = "(br_if 0 (local.get 0)))".repeat(depth);
    let sets: String = (0..variables).map(add_one).collect();
    function(&"(local i32)".repeat(variables), &format!("{}{sets}{again}", "(loop ".repeat(depth)))
}

fn ifs(count: usize, variables: usize) -> String {
    let each = |place| format!("(if (local.get 0) (then {}))", add_one(place % variables));
    function(&"(local i32)".repeat(variables), &(0..count).map(each).collect::<String>())
}

fn add_one(variable: usize) -> String {
    format!("(local.set {variable} (i32.add (local.get {variable}) (i32.const 1)))")
}

fn calls_through_a_table(count: usize) -> String {
    let calls = "(call_indirect (type $nothing) (i32.const 0))".repeat(count);
    format!("(type $nothing (func)) (table 1 funcref) {}", function("", &calls))
}

/// The values are taken into each of the blocks, and out of it again.
fn handing_over(kind: &str, middle: &str, blocks: usize, values: usize) -> String {
    let asked = if kind == "if" { "local.get 0" } else { "" };
    let left = if kind == "if" { "" } else { "(br_if 0 (local.get 0))" };
    let block = format!("{asked} {kind} (type $many) {middle} {left} end ").repeat(blocks);
    passing(values, &block)
}

fn calls(count: usize, values: usize) -> String {
    let give = "i32.const 0 ".repeat(values);
    let passing = passing(values, &"call $many ".repeat(count));
    format!("{passing} (func $many (type $many) {give})")
}

/// A function that has so many values, does this with all of them, and drops them.
fn passing(values: usize, body: &str) -> String {
    let has = "(i32.load (i32.const 0))".repeat(values);
    let drops = "drop ".repeat(values);
    let all = numbers(values);
    let kind = format!("(type $many (func (param {all}) (result {all})))");
    format!("{kind} {}", function("(local i32)", &format!("{has} {body} {drops}")))
}

fn functions_of_many_values(count: usize) -> String {
    let all = numbers(1_000);
    let each =
        |number| format!(r#"(func (export "f{number}") (param {all}) (result {all}) unreachable)"#);
    (0..count).map(each).collect()
}
