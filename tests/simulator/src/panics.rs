//! Panics: those a seed wants, and those it does not.

use std::cell::RefCell;
use std::sync::Once;

thread_local! {
    /// What panicked on this thread otherwise than a seed wanted it.
    static PANICS: RefCell<Vec<String>> = const { RefCell::new(Vec::new()) };
}

/// Unwinds as a panic does, and does not come by the panic hook: it is wanted.
pub(crate) fn end() -> ! {
    std::panic::resume_unwind(Box::new("as the seed wants it"))
}

/// From now on a panic of this thread is noticed, also one that something catches.
pub(crate) fn notice() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            PANICS.with_borrow_mut(|panics| panics.push(panic.to_string()));
            before(panic);
        }));
    });
    PANICS.take();
}

/// Those that nobody wanted.
pub(crate) fn take() -> Vec<String> {
    PANICS.take()
}
