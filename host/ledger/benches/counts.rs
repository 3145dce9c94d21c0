//! How many instructions a record takes on its way into the file and back, SQLite's included:
//! see `scripts/instructions` and host/core/benches/counts.rs.
#![allow(clippy::unwrap_used)]

#[path = "ledger/sends.rs"]
mod sends;

use std::hint::black_box;

use sends::{AT, sends};
use switchboard_core::Event;
use switchboard_ledger::{Ledger, Sqlite};

const RECORDS: usize = 6_400;
const BATCH: usize = 64;

fn main() {
    let events = sends(0, RECORDS, 64);
    let folder = tempfile::tempdir().unwrap();
    let mut ledger = Sqlite::create(folder.path().join("counts.db")).unwrap();
    match std::env::args().nth(1).as_deref() {
        Some("write") => measured(|| write(&mut ledger, &events)),
        Some("read") => {
            write(&mut ledger, &events);
            measured(|| read(&mut ledger));
        }
        // What `cargo bench` says, which runs everything: here that is nothing.
        _ => return,
    }
    println!("{RECORDS}");
}

fn write(ledger: &mut Sqlite, events: &[Event]) {
    for batch in events.chunks(BATCH) {
        ledger.append(AT, batch).unwrap();
    }
}

fn read(ledger: &mut Sqlite) {
    ledger.replay(&mut |stored| drop(black_box(stored))).unwrap();
}

/// Callgrind knows it by its name.
#[inline(never)]
fn measured<Made>(work: impl FnOnce() -> Made) -> Made {
    black_box(work())
}
