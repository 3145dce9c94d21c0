//! What a durable message costs through the whole host, and what a restart costs, each beside
//! SQLite doing the same with nothing around it, in one run.
//!
//! `cargo bench -p switchboard-runtime -- 100000` replays that many events instead of a million.
#![allow(clippy::unwrap_used, reason = "a benchmark that cannot run has nothing to say")]

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use rusqlite::{Connection, params};
use switchboard_core::{
    AgentId, Caller, Content, Descriptor, Draft, Event, Forest, HostKey, Id, Limits, Millis, Mode,
    ReachPolicy, Target, WallTime,
};
use switchboard_ledger::{Ledger, LedgerError, Quarantined, Sqlite, Visit};
use switchboard_runtime::{
    Answered, Ask, BoxFuture, ControlPlane, Driver, DriverError, Outcome, Parts, StartDraft,
    Switchboard, ToolCall, ToolHost, ToolResult, ToolSpec,
};
use tokio_util::sync::CancellationToken;

const SENDERS: usize = 64;
const SENDS: u32 = 200;
const EVENTS: usize = 1_000_000;

fn main() {
    let events = std::env::args().find_map(|word| word.parse().ok()).unwrap_or(EVENTS);
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    println!("{:<46}{:>12}{:>12}{:>8}   aim", "", "ours", "raw", "ratio");
    runtime.block_on(durable_sends());
    replaying(events);
}

/// So many senders, each waiting for its receipt before it sends again.
async fn durable_sends() {
    let folder = tempfile::tempdir().unwrap();
    let batches = Batches::default();
    let path = folder.path().join("ours.db");
    let ledger = Sqlite::create(&path).unwrap();
    let ledger = Box::new(Noting { ledger, batches: batches.clone() });
    let (board, _) = Switchboard::open(ledger, parts()).unwrap();
    let pairs = pairs(&board).await;
    batches.lock().unwrap().clear();
    let begun = Instant::now();
    let senders: Vec<_> =
        pairs.into_iter().map(|pair| tokio::spawn(send(board.clone(), pair))).collect();
    for sender in senders {
        sender.await.unwrap();
    }
    let ours = begun.elapsed();
    let sizes = std::mem::take(&mut *batches.lock().unwrap());
    board.stop().await;
    let batches = rows(&path, &sizes);
    let mut raw = RawTable::create(&folder.path().join("raw.db"));
    let begun = Instant::now();
    batches.iter().for_each(|batch| raw.insert(batch));
    let plain = begun.elapsed();
    let sent = SENDERS as f64 * f64::from(SENDS);
    let (ours, plain) = (sent / ours.as_secs_f64(), sent / plain.as_secs_f64());
    let name = format!("durable sends/s, {SENDERS} senders, {} batches", batches.len());
    println!("{name:<46}{ours:>12.0}{plain:>12.0}{:>8.2}   >= 0.8", ours / plain);
}

/// A parent and a child that never finishes its turn.
type Pair = (Caller, AgentId);

async fn pairs(board: &Switchboard) -> Vec<Pair> {
    let mut pairs = Vec::new();
    for number in 0..SENDERS {
        let root = board.register(&format!("root{number}"), descriptor(Mode::Root)).await.unwrap();
        let caller = board
            .inspect(move |forest: &Forest| {
                let incarnation = forest.agent(root).unwrap().incarnation;
                Caller::Agent { agent: root, incarnation }
            })
            .await
            .unwrap();
        let draft = StartDraft {
            agent: "worker".into(),
            description: String::new(),
            prompt: "wait".into(),
            background: true,
            fork: false,
        };
        let started = board.start(caller, key(0), draft).await.unwrap();
        pairs.push((caller, started.agent));
    }
    pairs
}

async fn send(board: Switchboard, (caller, target): Pair) {
    let words = "Reviewed src/lib.rs: two findings. The lock in `take` is dropped before the \
                 write is on the disk, and `open` follows a link that it should refuse.";
    for number in 1..=SENDS {
        let draft = Draft { to: Target::Agent(target), content: Content::text(words) };
        board.send(caller, key(number), draft).await.unwrap();
    }
}

fn key(nth: u32) -> HostKey {
    HostKey { turn: Id::new(switchboard_core::LedgerTag::new(1), 1), step: 0, call: 0, nth }
}

fn descriptor(mode: Mode) -> Descriptor {
    Descriptor { starts: vec!["worker".into()], ..Descriptor::new("worker", mode, "none") }
}

fn parts() -> Parts {
    let mut parts = Parts::new(Arc::new(Thinks), Arc::new(NoTools));
    let (pending, bucket) = (SENDS as usize + 10, SENDS + 10);
    parts.limits = Limits { pending, bucket, bucket_refill: Millis(1), ..Limits::default() };
    let worker = Arc::new(descriptor(Mode::Continuable));
    parts.kinds = BTreeMap::from([("worker".to_owned(), worker)]);
    parts
}

/// Thinks for ever.
struct Thinks;

impl Driver for Thinks {
    fn answer<'a>(
        &'a self,
        _: Ask,
        cancel: CancellationToken,
    ) -> BoxFuture<'a, Result<Answered, DriverError>> {
        Box::pin(async move {
            cancel.cancelled().await;
            Err(DriverError::Failed("stopped".into()))
        })
    }
}

struct NoTools;

impl ToolHost for NoTools {
    fn spec(&self, _: &str) -> Option<ToolSpec> {
        None
    }
    fn call(&self, _: ToolCall, _: CancellationToken) -> BoxFuture<'_, ToolResult> {
        Box::pin(async { ToolResult::plain(Outcome::Refused, "there are no tools") })
    }
}

/// Where each batch ended, and how many events it had.
type Batches = Arc<Mutex<Vec<(u64, usize)>>>;

/// What was written for a record.
struct Row {
    kind: String,
    agent: Option<i64>,
    data: String,
}

/// The rows of these batches, as they lie in the file.
fn rows(path: &Path, batches: &[(u64, usize)]) -> Vec<Vec<Row>> {
    let connection = Connection::open(path).unwrap();
    let mut select = connection
        .prepare("SELECT kind, agent, data FROM events WHERE seq > ?1 AND seq <= ?2 ORDER BY seq")
        .unwrap();
    let mut of = |(last, count): &(u64, usize)| {
        let last = last.cast_signed();
        let places = [last - *count as i64, last];
        let read = select.query_map(places, |row| {
            Ok(Row { kind: row.get(0)?, agent: row.get(1)?, data: row.get(2)? })
        });
        read.unwrap().map(Result::unwrap).collect()
    };
    batches.iter().map(&mut of).collect()
}

/// Notes what is appended, so that plain SQLite can be given the same.
struct Noting {
    ledger: Sqlite,
    batches: Batches,
}

impl Ledger for Noting {
    fn append(&mut self, at: WallTime, batch: &[Event]) -> Result<u64, LedgerError> {
        let last = self.ledger.append(at, batch)?;
        self.batches.lock().unwrap().push((last, batch.len()));
        Ok(last)
    }
    fn replay(&mut self, visit: Visit<'_>) -> Result<Vec<Quarantined>, LedgerError> {
        self.ledger.replay(visit)
    }
    fn agent_events(
        &mut self,
        agent: AgentId,
        visit: Visit<'_>,
    ) -> Result<Vec<Quarantined>, LedgerError> {
        self.ledger.agent_events(agent, visit)
    }
    fn reopen(&mut self) -> Result<(), LedgerError> {
        self.ledger.reopen()
    }
    fn put_document(&mut self, name: &str, text: &str) -> Result<(), LedgerError> {
        self.ledger.put_document(name, text)
    }
    fn document(&mut self, name: &str) -> Result<Option<String>, LedgerError> {
        self.ledger.document(name)
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

    fn insert(&mut self, rows: &[Row]) {
        let transaction = self.0.transaction().unwrap();
        let mut insert = transaction
            .prepare_cached("INSERT INTO events (at, kind, agent, data) VALUES (?1, ?2, ?3, ?4)")
            .unwrap();
        for row in rows {
            insert.execute(params![0, row.kind, row.agent, row.data]).unwrap();
        }
        drop(insert);
        transaction.commit().unwrap();
    }
}

/// A restart's reading: every event parsed and applied, beside a plain scan that parses the same
/// rows.
fn replaying(count: usize) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("ours.db");
    let mut ledger = Sqlite::create(&path).unwrap();
    story::write(&mut ledger, count);
    ledger.checkpoint().unwrap();
    let (mut ours, mut plain) = (Duration::MAX, Duration::MAX);
    let mut read = 0;
    for _ in 0..3 {
        ours = ours.min(timed(|| read = replay(&mut ledger)));
        plain = plain.min(timed(|| assert_eq!(scan(&path), read)));
    }
    let (ours, plain) = (ours.as_secs_f64(), plain.as_secs_f64());
    let name = format!("replay of {read} events, seconds");
    println!("{name:<46}{ours:>12.2}{plain:>12.2}{:>8.2}   <= 2.0", ours / plain);
}

fn replay(ledger: &mut Sqlite) -> usize {
    let mut forest = Forest::replaying(Limits::default(), ReachPolicy::Direct);
    let mut count = 0;
    let mut take_in = |stored: switchboard_ledger::Stored| {
        forest.apply(&stored.event).unwrap();
        count += 1;
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
        std::hint::black_box((seq, at, serde_json::from_str::<Event>(data).unwrap()));
        count += 1;
    }
    count
}

fn timed(work: impl FnOnce()) -> Duration {
    let begun = Instant::now();
    work();
    begun.elapsed()
}

mod story {
    //! A ledger of parents that write to their children, which read and answer.

    use std::sync::Arc;

    use switchboard_core::{
        Activation, AgentId, AgentName, Caller, Command, Content, Draft, Effect, Event, Forest,
        LedgerTag, Limits, Millis, Mode, Monotonic, ReachPolicy, Stamp, StartRequest, StepRecord,
        Target, Ticket, TurnEnd, WallTime,
    };
    use switchboard_ledger::{Ledger, Sqlite};

    const FAMILIES: u64 = 64;

    pub(super) fn write(ledger: &mut Sqlite, count: usize) {
        let (forest, opened) =
            Forest::open(LedgerTag::new(1), Limits::default(), ReachPolicy::Direct);
        let mut teller = Teller { forest, events: vec![opened], now: 0, tickets: 0 };
        let families: Vec<_> = (0..FAMILIES).map(|number| teller.family(number)).collect();
        let mut written = 0;
        while written + teller.events.len() < count {
            teller.now += 60_000;
            for (parent, child) in &families {
                teller.exchange(*parent, *child);
            }
            if teller.events.len() > 4_096 {
                written += teller.events.len();
                ledger.append(WallTime(teller.now), &std::mem::take(&mut teller.events)).unwrap();
            }
        }
        ledger.append(WallTime(teller.now), &teller.events).unwrap();
    }

    struct Teller {
        forest: Forest,
        events: Vec<Event>,
        now: u64,
        tickets: u64,
    }

    impl Teller {
        fn act(&mut self, command: &dyn Fn(Ticket) -> Command) {
            self.tickets += 1;
            let stamp = Stamp {
                wall: WallTime(self.now),
                now: Monotonic(self.now),
                entropy: u128::from(self.tickets),
            };
            let step = self.forest.step(command(Ticket(self.tickets)), stamp);
            self.events.extend(step.events);
            for effect in step.effects {
                if let Effect::Materialise { agent, incarnation } = effect {
                    self.act(&|_| Command::Published { agent, incarnation });
                }
            }
        }

        /// A root and a child that is kept in memory by a helper which works for ever.
        fn family(&mut self, number: u64) -> (AgentId, AgentId) {
            let name = AgentName::new(&format!("root{number}")).unwrap();
            let descriptor = Arc::new(super::descriptor(Mode::Root));
            self.act(&|ticket| Command::Register {
                ticket,
                name: name.clone(),
                descriptor: descriptor.clone(),
            });
            let root = self.newest();
            let child = self.child(root);
            self.child(child);
            self.finish(child);
            (root, child)
        }

        fn newest(&self) -> AgentId {
            self.forest.agents().last().unwrap().id
        }

        fn caller(&self, agent: AgentId) -> Caller {
            Caller::Agent { agent, incarnation: self.forest.agent(agent).unwrap().incarnation }
        }

        fn child(&mut self, parent: AgentId) -> AgentId {
            let caller = self.caller(parent);
            let request = StartRequest {
                kind: "worker".into(),
                descriptor: Some(Arc::new(super::descriptor(Mode::Continuable))),
                description: String::new(),
                prompt: "work".into(),
                background: true,
                fork: false,
            };
            self.act(&|ticket| Command::Start {
                ticket,
                caller,
                key: None,
                request: request.clone(),
            });
            self.newest()
        }

        fn exchange(&mut self, parent: AgentId, child: AgentId) {
            self.send(parent, child);
            self.finish(child);
        }

        fn send(&mut self, from: AgentId, to: AgentId) {
            let caller = self.caller(from);
            let words = "Look at src/lib.rs again: is the lock in `take` dropped too early?";
            let draft = Draft { to: Target::Agent(to), content: Content::text(words) };
            let patience = Millis(8_000);
            self.act(&|ticket| Command::Send {
                ticket,
                caller,
                key: None,
                draft: draft.clone(),
                patience,
            });
        }

        fn finish(&mut self, agent: AgentId) {
            let known = self.forest.agent(agent).unwrap();
            let turn = known.turn.as_ref().unwrap().id;
            let activation = Activation { agent, incarnation: known.incarnation, turn };
            let text = Arc::from("It is: between the lock and the write another thread may take.");
            let record = StepRecord { text, calls: vec![], end: TurnEnd::Completed };
            self.act(&|ticket| Command::RecordStep { ticket, activation, record: record.clone() });
        }
    }
}
