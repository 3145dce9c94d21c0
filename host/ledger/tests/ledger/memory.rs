//! The faults a test can order.

use switchboard_ledger::{Fault, Ledger, Memory};

use crate::events::{AT, all, batch, replay};

#[test]
fn led_3_an_append_that_fails_before_storing_leaves_nothing() {
    let mut host = Memory::new();
    host.fail_append(2, Fault::BeforeStoring);
    host.append(AT, &batch(&["a"])).unwrap();
    host.append(AT, &batch(&["b", "c"])).unwrap_err();
    assert_eq!(all(&mut host.clone()), batch(&["a"]));
}

#[test]
fn led_3_an_append_that_fails_after_storing_leaves_all_and_sounds_the_same() {
    let (mut before, mut after) = (Memory::new(), Memory::new());
    before.fail_append(1, Fault::BeforeStoring);
    after.fail_append(1, Fault::AfterStoring);
    let [nothing, everything] =
        [&mut before, &mut after].map(|host| host.append(AT, &batch(&["a", "b"])).unwrap_err());
    assert_eq!(nothing, everything, "nobody can tell which it was");
    assert_eq!(all(&mut after.clone()), batch(&["a", "b"]));
}

#[test]
fn led_3_after_a_failed_append_no_other_is_taken_until_it_is_opened_again() {
    let mut host = Memory::new();
    host.fail_append(1, Fault::BeforeStoring);
    host.append(AT, &batch(&["a"])).unwrap_err();
    let refused = host.append(AT, &batch(&["a"])).unwrap_err();
    assert!(refused.problem.contains("opened again"), "{refused}");
    host.reopen().unwrap();
    assert_eq!(host.append(AT, &batch(&["a"])).unwrap(), 1);
}

#[test]
fn a_replay_fails_once_when_it_is_told_to() {
    let mut host = Memory::new();
    host.append(AT, &batch(&["a"])).unwrap();
    host.fail_replay();
    host.replay(&mut |_| panic!("it reads nothing")).unwrap_err();
    assert_eq!(replay(&mut host).0.len(), 1);
}

#[test]
fn a_clone_is_a_restarted_host_on_the_same_store() {
    let store = Memory::new();
    let mut host = store.clone();
    host.append(AT, &batch(&["a"])).unwrap();
    drop(host);
    assert_eq!((store.len(), store.is_empty()), (1, false));
    assert_eq!(store.clone().append(AT, &batch(&["b"])).unwrap(), 2);
    assert!(!store.spoil(3, "there is no such record"));
}
