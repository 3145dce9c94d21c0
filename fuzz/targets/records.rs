//! A ledger whose records are whatever they are. The first byte says how they came about: as text,
//! a record a line, or as facts in any order. What can be read is written down as it was read, and
//! a host that is started on it may leave records out, and never panics.
#![no_main]

use libfuzzer_sys::arbitrary::Unstructured;
use libfuzzer_sys::fuzz_target;
use switchboard_core::{Event, WallTime};
use switchboard_fuzz::made;
use switchboard_fuzz::restart::restart;
use switchboard_ledger::{Ledger, Memory};

fuzz_target!(|input: &[u8]| {
    let mut bytes = Unstructured::new(input);
    match bytes.arbitrary() {
        Ok(b't') => {
            let text = String::from_utf8_lossy(&input[1..]);
            let lines: Vec<&str> = text.lines().collect();
            restart(&read(&lines), || false);
        }
        Ok(_) => {
            let facts = facts(&mut bytes);
            restart(&written(&facts), || bytes.arbitrary().unwrap_or(false));
        }
        Err(_) => (),
    }
});

const MOST: usize = 200;

fn facts(bytes: &mut Unstructured<'_>) -> Vec<Event> {
    let made = std::iter::from_fn(|| (!bytes.is_empty()).then(|| made::event(bytes).ok())?);
    std::iter::once(made::opened()).chain(made.take(MOST)).collect()
}

/// What a ledger reads after these were written to it: the same.
fn written(facts: &[Event]) -> Vec<Event> {
    let mut ledger = Memory::new();
    ledger.append(WallTime(1), facts).expect("a fact can be written down");
    let read = replay(&mut ledger);
    assert_eq!(read, facts, "a fact reads as it was written");
    read
}

/// What a ledger makes of records of these texts.
fn read(lines: &[&str]) -> Vec<Event> {
    let mut ledger = Memory::new();
    let blank = vec![Event::HostStarted; lines.len()];
    ledger.append(WallTime(1), &blank).expect("a fact can be written down");
    for (seq, line) in (1..).zip(lines) {
        assert!(ledger.spoil(seq, line));
    }
    written(&replay(&mut ledger))
}

fn replay(ledger: &mut Memory) -> Vec<Event> {
    let mut read = Vec::new();
    let bad = ledger.replay(&mut |stored| read.push(stored.event)).expect("memory can be read");
    assert!(bad.iter().all(|record| !record.problem.is_empty()));
    read
}
