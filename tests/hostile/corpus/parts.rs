//! Components built from more parts, or odder ones, than a tool needs.

use switchboard_runtime::Outcome::{Done, Trapped};

use crate::attempt::{Attempt, component};
use crate::binary::{with_component, with_module};
use crate::case::{Case, Fault};

pub(crate) fn cases() -> Vec<Case> {
    vec![
        at("an idle module", || with_module("", 1)).ends(Done, "hello"),
        at("a part that crashes while it starts", || {
            with_module("(func $start (unreachable)) (start $start)", 1)
        })
        .ends(Trapped, "`unreachable`"),
        at("eight modules more", || with_module("", 8)).refused(Fault::TooComplex, "9 core"),
        at("ten thousand modules more", || with_module("", 10_000))
            .refused(Fault::TooComplex, "10001 core"),
        at("nine components more", || with_component("", 9))
            .refused(Fault::TooComplex, "of components inside it"),
        at("components six deep", || with_component(&inside_each_other(5), 0))
            .refused(Fault::TooComplex, "deeper"),
        at("components ninety deep", || with_component(&inside_each_other(90), 0))
            .refused(Fault::TooComplex, "deeper"),
        at("three times three times eight parts", multiplying)
            .refused(Fault::TooComplex, "core instances and 7 of components"),
        at("ten thousand types", || with_component(&"(type (list u8))".repeat(10_000), 0))
            .ends(Done, "hello"),
        at("a type of two to the power of 18 parts", || with_component(&doubling(18), 0))
            .ends(Done, "hello"),
        at("a type of two to the power of 40 parts", || with_component(&doubling(40), 0))
            .refused(Fault::Compile, "type size"),
        at("a list of lists, a thousand deep", || with_component(&lists(1_000), 0))
            .refused(Fault::Compile, ""),
        at("three thousand functions", || with_module(&"(func)".repeat(3_000), 0))
            .ends(Done, "hello"),
        at("a function of fifty thousand variables", || {
            with_module(&format!("(func {})", "(local i64)".repeat(50_000)), 0)
        })
        .ends(Done, "hello"),
        at("a function of a hundred thousand variables", || {
            with_module(&format!("(func {})", "(local i64)".repeat(100_000)), 0)
        })
        .refused(Fault::Compile, "too many locals"),
        at("a function of three hundred loops in each other", || {
            let loops = "(loop ".repeat(300) + &"(br_if 0 (local.get 0)))".repeat(300);
            with_module(&format!("(func {} {loops})", "(local i32)".repeat(1_000)), 0)
        })
        .refused(Fault::TooMuchWork, "units of work"),
        at("thirty thousand functions", || with_module(&"(func)".repeat(30_000), 0))
            .refused(Fault::TooMuchWork, "units of work"),
        at("a function of a thousand blocks in each other", || {
            with_module(&format!("(func {}{})", "(block ".repeat(1_000), ")".repeat(1_000)), 0)
        })
        .ends(Done, "hello"),
    ]
}

fn at(name: &'static str, hostile: impl FnOnce() -> Vec<u8> + Send + 'static) -> Attempt {
    component("its parts", name, hostile).told("hello")
}

fn inside_each_other(depth: usize) -> String {
    "(component ".repeat(depth) + &")".repeat(depth)
}

/// Few parts in the file, but each is made again for each of the ones around it.
fn multiplying() -> Vec<u8> {
    let parts = "(core module $m) ".to_owned() + &"(core instance (instantiate $m))".repeat(8);
    let thrice = "(instance (instantiate $c))".repeat(3);
    with_component(&format!("(component $c {parts}) {thrice}"), 3)
}

fn doubling(times: usize) -> String {
    let pair = |at| format!("(type $t{at} (tuple $t{before} $t{before}))", before = at - 1);
    "(type $t0 (tuple u8 u8))".to_owned() + &(1..times).map(pair).collect::<String>()
}

fn lists(depth: usize) -> String {
    let list = |at| format!("(type $t{at} (list $t{before}))", before = at - 1);
    "(type $t0 (list u8))".to_owned() + &(1..depth).map(list).collect::<String>()
}
