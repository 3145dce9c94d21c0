//! What the ledger costs beside SQLite itself, all measured in one run, since a disk's speed on
//! another day says nothing.
//!
//! `cargo bench -p switchboard-ledger -- 100000` replays that many events instead of a million.
#![allow(clippy::unwrap_used)]

mod sends;

use std::hint::black_box;
use std::path::Path;
use std::time::{Duration, Instant};

use rusqlite::{Connection, params};
use sends::{AT, sends};
use switchboard_core::Event;
use switchboard_ledger::{Ledger, Sqlite};

const EVENTS: usize = 1_000_000;
const BATCH: usize = 64;
/// Batches in one round; rounds of ours and of plain SQLite take turns.
const BATCHES: usize = 5;
const ROUNDS: usize = 200;

fn main() {
    let events = std::env::args().find_map(|word| word.parse().ok()).unwrap_or(EVENTS);
    println!("{:<46}{:>12}{:>12}{:>8}   aim", "", "ours", "raw", "ratio");
    for agents in [8, 64, 1024] {
        appending(agents);
    }
    replaying(events);
}

/// Durable sends: how many a second, beside plain inserts of the same rows that were written
/// down as text before, into a table without an index.
fn appending(agents: u64) {
    let folder = tempfile::tempdir().unwrap();
    let mut ledger = Sqlite::create(folder.path().join("ours.db")).unwrap();
    let mut raw = RawTable::create(&folder.path().join("raw.db"));
    let (mut ours, mut plain) = (Duration::ZERO, Duration::ZERO);
    for round in 0..ROUNDS {
        let first = (round * BATCH * BATCHES) as u64;
        let events = sends(first, BATCH * BATCHES, agents);
        ours += timed(|| events.chunks(BATCH).for_each(|batch| append(&mut ledger, batch)));
        let rows = events.iter().map(RawRow::of).collect::<Vec<_>>();
        plain += timed(|| rows.chunks(BATCH).for_each(|batch| raw.insert(batch)));
    }
    let sent = (ROUNDS * BATCHES * BATCH) as f64;
    let (ours, plain) = (sent / ours.as_secs_f64(), sent / plain.as_secs_f64());
    let name = format!("durable sends/s, batches of {BATCH}, {agents} agents");
    println!("{name:<46}{ours:>12.0}{plain:>12.0}{:>8.2}   >= 0.8", ours / plain);
}

/// Replay: how long all events take, beside a plain scan of the same rows that parses the same
/// texts.
fn replaying(count: usize) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("ours.db");
    let mut ledger = Sqlite::create(&path).unwrap();
    let events = sends(0, count, 64);
    events.chunks(4096).for_each(|batch| append(&mut ledger, batch));
    drop(events);
    ledger.checkpoint().unwrap();
    let (mut ours, mut plain) = (Duration::MAX, Duration::MAX);
    for _ in 0..3 {
        ours = ours.min(timed(|| assert_eq!(replay(&mut ledger), count)));
        plain = plain.min(timed(|| assert_eq!(scan(&path), count)));
    }
    let (ours, plain) = (ours.as_secs_f64(), plain.as_secs_f64());
    let name = format!("replay of {count} events, seconds");
    println!("{name:<46}{ours:>12.2}{plain:>12.2}{:>8.2}   <= 2.0", ours / plain);
}

fn replay(ledger: &mut Sqlite) -> usize {
    let mut count = 0;
    let mut take_in = |stored| {
        count += 1;
        black_box(stored);
    };
    assert_eq!(ledger.replay(&mut take_in).unwrap(), []);
    count
}

fn scan(path: &Path) -> usize {
    let connection = Connection::open(path).unwrap();
    let mut select = connection.prepare("SELECT seq, at, data FROM events ORDER BY seq").unwrap();
    let mut rows = select.query([]).unwrap();
    let mut count = 0;
    while let Some(row) = rows.next().unwrap() {
        let (seq, at) = (row.get::<_, i64>(0).unwrap(), row.get::<_, i64>(1).unwrap());
        let data = row.get_ref(2).unwrap().as_str().unwrap();
        black_box((seq, at, serde_json::from_str::<Event>(data).unwrap()));
        count += 1;
    }
    count
}

fn append(ledger: &mut Sqlite, batch: &[Event]) {
    ledger.append(AT, batch).unwrap();
}

fn timed(work: impl FnOnce()) -> Duration {
    let start = Instant::now();
    work();
    start.elapsed()
}

/// The rows of a batch, ready to be bound.
struct RawRow {
    kind: &'static str,
    agent: Option<i64>,
    data: String,
}

impl RawRow {
    fn of(event: &Event) -> Self {
        let data = serde_json::to_string(event).unwrap();
        Self {
            kind: event.kind(),
            agent: event.agent().map(|agent| agent.number().cast_signed()),
            data,
        }
    }
}

/// The least that is durable: a table, a prepared insert, a transaction a batch.
struct RawTable(Connection);

impl RawTable {
    fn create(path: &Path) -> Self {
        let connection = Connection::open(path).unwrap();
        connection
            .execute_batch(
                "PRAGMA journal_mode = WAL;
                 PRAGMA synchronous = FULL;
                 CREATE TABLE events
                     (seq INTEGER PRIMARY KEY, at INTEGER, kind TEXT, agent INTEGER, data TEXT);",
            )
            .unwrap();
        Self(connection)
    }

    fn insert(&mut self, rows: &[RawRow]) {
        let transaction = self.0.transaction().unwrap();
        let mut insert = transaction
            .prepare_cached("INSERT INTO events (at, kind, agent, data) VALUES (?1, ?2, ?3, ?4)")
            .unwrap();
        for row in rows {
            let at = AT.0.cast_signed();
            insert.execute(params![at, row.kind, row.agent, row.data]).unwrap();
        }
        drop(insert);
        transaction.commit().unwrap();
    }
}
