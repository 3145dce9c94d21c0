//! Words for whoever runs the host.

pub use crate::generated::switchboard::plugin::diag::Level;

/// Writes a line to the host's log, where no model sees it. It needs `#[tool(diag)]`, which also
/// has panics logged, and the grant `diag`. Outside of a component, in a test, it goes to stderr.
pub fn log(level: Level, text: &str) {
    #[cfg(target_arch = "wasm32")]
    crate::generated::switchboard::plugin::diag::log(level, text);
    #[cfg(not(target_arch = "wasm32"))]
    eprintln!("{level:?}: {text}");
}

/// Has a panic tell the host its words before it ends the call.
#[doc(hidden)]
#[cfg(target_arch = "wasm32")]
pub fn tell_of_panics() {
    use crate::generated::switchboard::plugin::diag::panicked;

    std::panic::set_hook(Box::new(|panic| {
        let message = panic.payload_as_str().unwrap_or("it gave no words");
        let (file, line) = panic.location().map_or(("", 0), |place| (place.file(), place.line()));
        panicked(message, file, line);
    }));
}
