//! Cases side by side: a host process waits for its disk half of the time.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Works on two cases at a time and answers in their order.
///
/// # Panics
/// The work on a case did.
pub(crate) fn two_at_a_time<T: Sync, R: Send>(
    cases: &[T],
    work: impl Fn(&T) -> R + Sync,
) -> Vec<R> {
    let (next, done) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    let worker = || {
        while let Some((place, case)) = take(cases, &next) {
            let result = work(case);
            done.lock().expect("nobody panics holding it").push((place, result));
        }
    };
    std::thread::scope(|scope| {
        scope.spawn(worker);
        worker();
    });
    let mut done = done.into_inner().expect("nobody panics holding it");
    done.sort_by_key(|(place, _)| *place);
    done.into_iter().map(|(_, result)| result).collect()
}

fn take<'a, T>(cases: &'a [T], next: &AtomicUsize) -> Option<(usize, &'a T)> {
    let place = next.fetch_add(1, Ordering::Relaxed);
    Some((place, cases.get(place)?))
}
