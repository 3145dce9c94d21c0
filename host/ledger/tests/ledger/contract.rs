//! What every ledger promises, asked of each there is.

use std::path::PathBuf;

use proptest::prelude::*;
use switchboard_ledger::{Ledger, Memory, Sqlite};
use tempfile::TempDir;

use crate::events::{AT, accepted, agent, all, batch, batches, of_agent, opened, replay};

/// A store that outlives the hosts that open it.
trait Store {
    type Host: Ledger;
    fn empty() -> Self;
    fn host(&self) -> Self::Host;
    fn spoil(&self, seq: u64, text: &str);
}

impl Store for Memory {
    type Host = Self;

    fn empty() -> Self {
        Self::new()
    }

    fn host(&self) -> Self {
        self.clone()
    }

    fn spoil(&self, seq: u64, text: &str) {
        assert!(Memory::spoil(self, seq, text));
    }
}

struct Disk {
    _folder: TempDir,
    path: PathBuf,
}

impl Store for Disk {
    type Host = Sqlite;

    fn empty() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run.db");
        drop(Sqlite::create(&path).unwrap());
        Self { _folder: folder, path }
    }

    fn host(&self) -> Sqlite {
        Sqlite::open(&self.path).unwrap()
    }

    fn spoil(&self, seq: u64, text: &str) {
        let file = rusqlite::Connection::open(&self.path).unwrap();
        let update = "UPDATE events SET data = ?1 WHERE seq = ?2";
        assert_eq!(file.execute(update, (text, seq.cast_signed())).unwrap(), 1);
    }
}

macro_rules! of_every_ledger {
    ($($promise:ident)*) => {
        mod sqlite {
            $(#[test] fn $promise() { super::$promise::<super::Disk>(); })*
        }
        mod memory {
            $(#[test] fn $promise() { super::$promise::<super::Memory>(); })*
        }
    };
}

of_every_ledger! {
    led_1_events_come_back_in_the_order_of_their_batches_with_places_from_1_without_gaps
    led_1_a_bad_record_is_quarantined_and_the_rest_replays
    led_1_an_empty_batch_stores_nothing
    led_2_any_batches_read_back_equal_also_by_the_next_host
    led_4_an_agents_events_are_those_that_belong_to_it_without_the_bad_ones
    documents_are_kept_by_name_and_replaced
}

fn led_1_events_come_back_in_the_order_of_their_batches_with_places_from_1_without_gaps<
    S: Store,
>() {
    let mut host = S::empty().host_of_its_own();
    assert_eq!(host.ledger.append(AT, &[opened()]).unwrap(), 1);
    assert_eq!(host.ledger.append(AT, &batch(&["a", "b"])).unwrap(), 3);
    let (stored, quarantined) = replay(&mut host.ledger);
    assert_eq!(quarantined, []);
    assert_eq!(stored.iter().map(|one| one.seq).collect::<Vec<_>>(), [1, 2, 3]);
    assert!(stored.iter().all(|one| one.at == AT));
    assert_eq!(stored[2].event, accepted(1, "b"));
}

fn led_1_a_bad_record_is_quarantined_and_the_rest_replays<S: Store>() {
    let store = S::empty();
    let mut host = store.host();
    host.append(AT, &batch(&["a", "b", "c", "d", "e"])).unwrap();
    store.spoil(2, "{ half a rec");
    store.spoil(3, r#"{"event":"teleported","agent":"agt_14d2p-1"}"#);
    store.spoil(4, r#"{"event":"published","agent":12,"incarnation":"first"}"#);
    for _ in 0..2 {
        let (stored, quarantined) = replay(&mut host);
        assert_eq!(stored.iter().map(|one| one.seq).collect::<Vec<_>>(), [1, 5]);
        assert_eq!(quarantined.iter().map(|bad| bad.seq).collect::<Vec<_>>(), [2, 3, 4]);
        assert!(quarantined[1].problem.contains("teleported"), "{}", quarantined[1].problem);
    }
    let mut places = Vec::new();
    let bad = host.agent_events(agent(1), &mut |stored| places.push(stored.seq)).unwrap();
    assert_eq!(places, [1, 5]);
    assert_eq!(bad.iter().map(|bad| bad.seq).collect::<Vec<_>>(), [2, 3, 4]);
    assert_eq!(host.agent_events(agent(2), &mut |_| ()).unwrap(), [], "they are not its own");
    assert_eq!(host.append(AT, &batch(&["f"])).unwrap(), 6, "its place stays taken");
}

fn led_1_an_empty_batch_stores_nothing<S: Store>() {
    let mut host = S::empty().host_of_its_own();
    assert_eq!(host.ledger.append(AT, &[]).unwrap(), 0);
    host.ledger.append(AT, &batch(&["a"])).unwrap();
    assert_eq!(host.ledger.append(AT, &[]).unwrap(), 1);
    assert_eq!(all(&mut host.ledger).len(), 1);
}

fn led_2_any_batches_read_back_equal_also_by_the_next_host<S: Store>() {
    proptest!(ProptestConfig::with_cases(32), |(batches in batches())| {
        let store = S::empty();
        let mut host = store.host();
        let mut places = 0;
        for batch in &batches {
            places += batch.len() as u64;
            prop_assert_eq!(host.append(AT, batch).unwrap(), places);
        }
        let events = batches.concat();
        prop_assert_eq!(&all(&mut host), &events);
        drop(host);
        let mut next = store.host();
        prop_assert_eq!(&all(&mut next), &events);
        for number in 1..5 {
            let mut its = events.clone();
            its.retain(|event| event.agent() == Some(agent(number)));
            prop_assert_eq!(of_agent(&mut next, number), its);
        }
    });
}

fn led_4_an_agents_events_are_those_that_belong_to_it_without_the_bad_ones<S: Store>() {
    let store = S::empty();
    let mut host = store.host();
    let for_two = [accepted(2, "b"), accepted(2, "d")];
    let events = [accepted(1, "a"), for_two[0].clone(), accepted(2, "c"), for_two[1].clone()];
    host.append(AT, &events).unwrap();
    store.spoil(3, "null");
    assert_eq!(of_agent(&mut host, 2), for_two);
    assert_eq!(of_agent(&mut host, 3), []);
}

fn documents_are_kept_by_name_and_replaced<S: Store>() {
    let store = S::empty();
    let mut host = store.host();
    assert_eq!(host.document("crew").unwrap(), None);
    host.put_document("crew", "[crew]").unwrap();
    host.put_document("crew", "[crew]\nname = 'Grüße'").unwrap();
    drop(host);
    let kept = store.host().document("crew").unwrap();
    assert_eq!(kept.as_deref(), Some("[crew]\nname = 'Grüße'"));
}

/// A host together with the store it needs to live.
struct Hosted<S: Store> {
    ledger: S::Host,
    _store: S,
}

trait HostOfItsOwn: Store + Sized {
    fn host_of_its_own(self) -> Hosted<Self> {
        Hosted { ledger: self.host(), _store: self }
    }
}

impl<S: Store> HostOfItsOwn for S {}
