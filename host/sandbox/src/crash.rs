//! Where a guest crashed, as far as the names of its functions say. It takes no import, so it is
//! there for tools that may do nothing but send.

use std::fmt::{self, Write as _};

use wasmtime::WasmBacktrace;

/// The functions a guest was in when it crashed, the innermost first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Crash {
    frames: Vec<String>,
}

/// Names told, and characters of one: a guest chooses its own.
const NAMES: usize = 12;
const LONGEST: usize = 100;
/// What a language brings along; where it gives up is not where the fault is.
const LANGUAGE: [&str; 8] =
    ["core::", "std::", "alloc::", "<core::", "<std::", "<alloc::", "__rust", "rust_"];
/// The functions of it that a panic goes through.
const PANIC: [&str; 4] = ["core::panicking::", "std::panicking::", "rust_panic", "__rustc::rust_"];

impl Crash {
    /// Out of the error wasmtime gives for it.
    pub(crate) fn of(error: &wasmtime::Error) -> Self {
        let trace = error.downcast_ref::<WasmBacktrace>();
        let frames = trace.into_iter().flat_map(WasmBacktrace::frames).take(NAMES);
        let named = frames.map(|frame| match frame.func_name() {
            Some(name) => plain(format_args!("{:#}", rustc_demangle::demangle(name))),
            None => format!("function {}", frame.func_index()),
        });
        Self { frames: named.collect() }
    }

    /// Whether there is anything to tell.
    pub(crate) fn is_empty(&self) -> bool {
        self.frames.is_empty()
    }

    /// Whether the tool gave up by itself.
    pub(crate) fn is_panic(&self) -> bool {
        self.frames.iter().any(|name| PANIC.iter().any(|start| name.starts_with(start)))
    }

    /// All of it in a line, for the log.
    pub(crate) fn trace(&self) -> String {
        self.frames.join(" < ")
    }

    /// The innermost function that is the tool's own.
    fn place(&self) -> Option<&str> {
        let own = |name: &&String| !LANGUAGE.iter().any(|start| name.starts_with(start));
        self.frames.iter().find(own).map(String::as_str)
    }
}

impl fmt::Display for Crash {
    /// What a model is told of a panic.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.place() {
            Some(place) => write!(out, "it panicked in `{place}`"),
            None => out.write_str("it panicked"),
        }
    }
}

/// A name as it can stand in a line and in a model's mouth. No more of it is made than is told: a
/// short name can stand for a very long one.
fn plain(name: fmt::Arguments<'_>) -> String {
    let mut plain = Plain(String::new());
    // Its error says that the rest is left out.
    let _ = plain.write_fmt(name);
    plain.0
}

struct Plain(String);

impl fmt::Write for Plain {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        for letter in text.chars() {
            if self.0.len() == LONGEST {
                return Err(fmt::Error);
            }
            self.0.push(if letter.is_ascii_graphic() || letter == ' ' { letter } else { '?' });
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::{Crash, plain};

    fn crash(frames: &[&str]) -> Crash {
        Crash { frames: frames.iter().map(|name| (*name).to_owned()).collect() }
    }

    #[test]
    fn a_panic_is_told_with_the_innermost_function_of_the_tools_own() {
        let crash =
            crash(&["core::panicking::panic_fmt", "core::option::unwrap_failed", "shout::loud"]);
        assert_eq!(crash.to_string(), "it panicked in `shout::loud`");
    }

    #[test]
    fn sand_5_a_name_a_guest_chose_is_harmless_in_a_line() {
        assert_eq!(plain(format_args!("a\u{202e}b\nc\u{1b}[31m")), "a?b?c?[31m");
        assert_eq!(plain(format_args!("{}", "x".repeat(1_000))).len(), 100);
    }
}
