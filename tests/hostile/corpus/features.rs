//! What WebAssembly can do and no tool needs. All of it is off: its faults are none of ours.

use crate::attempt::component;
use crate::binary::{with_component, with_module};
use crate::case::{Case, Fault};

pub(crate) fn cases() -> Vec<Case> {
    let modules = MODULES.map(|(name, items, words)| {
        component("features", name, || with_module(items, 0)).refused(Fault::Compile, words)
    });
    let components = COMPONENTS.map(|(name, items, words)| {
        component("features", name, || with_component(items, 0)).refused(Fault::Compile, words)
    });
    modules.into_iter().chain(components).collect()
}

/// Each stands in a module of its own, beside the one of a good tool.
const MODULES: [(&str, &str, &str); 22] = [
    ("vectors", "(func (drop (v128.const i64x2 0 0)))", "SIMD"),
    ("a vector handed in", "(func (param v128))", "SIMD"),
    (
        "vectors that are not exact",
        "(func (param v128) (drop (i8x16.relaxed_swizzle (local.get 0) (local.get 0))))",
        "SIMD",
    ),
    ("shared memory", "(memory 1 1 shared)", "threads"),
    ("atomics", "(memory 1) (func (drop (i32.atomic.load (i32.const 0))))", "threads"),
    ("a fence", "(func (atomic.fence))", "threads"),
    ("tail calls", "(func $f (return_call $f))", "tail calls"),
    ("exceptions", "(tag $t) (func (throw $t))", "exceptions"),
    ("caught exceptions", "(func (block (try_table (catch_all 0))))", "exceptions"),
    ("exceptions of old", "(func try catch_all end)", "exceptions"),
    ("structs", "(type (struct (field i32)))", "gc"),
    ("arrays", "(type (array i8))", "gc"),
    ("types that name each other", "(rec (type $a (func (param (ref $a)))) (type (func)))", "gc"),
    ("small numbers as references", "(func (drop (ref.i31 (i32.const 0))))", "gc"),
    ("any reference", "(func (param anyref))", "gc"),
    ("references that are never null", "(func (param (ref func)))", "function references"),
    ("calls by reference", "(type $t (func)) (func (param (ref null $t)))", "function references"),
    ("two memories", "(memory 1) (memory 1)", "multi"),
    ("memory of 64 bits", "(memory i64 1)", "memory64"),
    ("a table of 64 bits", "(table i64 1 funcref)", "memory64"),
    ("pages of one byte", "(memory 1 (pagesize 1))", "page size"),
    ("numbers of 128 bits", WIDE, "wide arithmetic"),
];

const WIDE: &str = "(func (param i64) (result i64 i64)
    (i64.add128 (local.get 0) (local.get 0) (local.get 0) (local.get 0)))";

/// Each stands in a component of its own inside a good tool.
const COMPONENTS: [(&str, &str, &str); 13] = [
    ("functions that wait", "(type (func async))", "async"),
    ("streams", "(type (stream u8))", "async"),
    ("futures", "(type (future u8))", "async"),
    ("ending a task", "(core func (canon task.cancel))", "async"),
    ("sets of what is waited for", "(core func (canon waitable-set.new))", "async"),
    ("backpressure", "(core func (canon backpressure.inc))", "async"),
    ("what a task keeps", "(core func (canon context.get i32 0))", "async"),
    ("contexts of errors", ERROR_CONTEXT, "error"),
    (
        "threads",
        "(core type $f (func (param i32))) (core func (canon thread.spawn-ref $f))",
        "thread",
    ),
    ("how many threads there are", "(core func (canon thread.available_parallelism))", "thread"),
    ("values", r#"(import "v" (value u32))"#, "value"),
    ("lists of a fixed length", "(type (list u8 4))", "fixed"),
    ("maps", "(type (map string u32))", "map"),
];

const ERROR_CONTEXT: &str = "(core module $m (memory (export \"m\") 1))
    (core instance $i (instantiate $m))
    (core func (canon error-context.drop))";
