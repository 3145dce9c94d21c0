//! Whoever pushes the owner on, and whenever: nothing is lost, and nobody is taken along.

use std::sync::Arc;

use tokio::sync::{mpsc, oneshot};

use super::{Baton, POLLS};
use crate::caught::Panicked;

const CALLERS: u64 = 4;
const NOTES: u64 = 40_000;

type Note = (u64, oneshot::Sender<u64>);

/// Hands in a note as the lanes do.
fn put(baton: &Arc<Baton>, notes: &mpsc::Sender<Note>, of: u64) {
    let (reply, mut answer) = oneshot::channel();
    let Some(held) = baton.take() else { return notes.blocking_send((of, reply)).unwrap() };
    match notes.try_send((of, reply)) {
        Ok(()) => held.push(POLLS),
        Err(refused) => {
            drop(held);
            return notes.blocking_send(refused.into_inner()).unwrap();
        }
    }
    // One who found it free has his answer already, unless its time slice was over.
    assert_ne!(answer.try_recv(), Err(oneshot::error::TryRecvError::Closed));
}

/// LED-4, SEND-12: each note is taken in once, whoever pushes the owner on, and however they
/// come between each other.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn every_note_is_taken_in_once_however_many_push_the_owner_on_at_once() {
    let baton = Arc::new(Baton::default());
    let (notes, mut mailbox) = mpsc::channel::<Note>(16);
    let (total, counted) = oneshot::channel();
    let owner = async move {
        let (mut sum, mut taken) = (0, 0);
        while let Some((of, reply)) = mailbox.recv().await {
            sum += of;
            taken += 1;
            let _ = reply.send(of);
        }
        total.send((taken, sum)).unwrap();
    };
    let task = tokio::spawn(baton.clone().carry(Box::pin(owner)));
    let callers: Vec<_> = (1..=CALLERS)
        .map(|of| {
            let (baton, notes) = (baton.clone(), notes.clone());
            std::thread::spawn(move || (0..NOTES).for_each(|_| put(&baton, &notes, of)))
        })
        .collect();
    callers.into_iter().for_each(|caller| caller.join().unwrap());
    drop(notes);
    task.await.unwrap().unwrap();
    let sum_of_callers = CALLERS * (CALLERS + 1) / 2;
    assert_eq!(counted.await, Ok((CALLERS * NOTES, NOTES * sum_of_callers)));
}

/// LED-3: a panic ends the owner and its task, and takes nobody along who pushed it.
#[tokio::test]
async fn an_owner_that_panics_under_the_hand_of_another_ends_with_its_task() {
    let baton = Arc::new(Baton::default());
    let (notes, mut mailbox) = mpsc::channel::<Note>(16);
    let owner = async move {
        mailbox.recv().await;
        panic!("as the test wants it");
    };
    let task = tokio::spawn(baton.clone().carry(Box::pin(owner)));
    tokio::task::yield_now().await;
    let (reply, answer) = oneshot::channel();
    let held = baton.take().expect("nobody is at it");
    notes.try_send((1, reply)).unwrap();
    held.push(POLLS);
    assert!(answer.await.is_err());
    let Panicked(words) = task.await.unwrap().unwrap_err();
    assert_eq!(words, "as the test wants it");
    assert!(notes.is_closed() && baton.take().is_none());
}

/// A runtime that is dropped takes the owner along, and with it what it holds.
#[test]
fn an_owner_ends_with_the_runtime_of_its_task() {
    let baton = Arc::new(Baton::default());
    let (notes, mut mailbox) = mpsc::channel::<()>(1);
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let owner = async move { while mailbox.recv().await.is_some() {} };
    runtime.spawn(baton.clone().carry(Box::pin(owner)));
    runtime.block_on(tokio::task::yield_now());
    drop(runtime);
    assert!(notes.is_closed() && baton.take().is_none());
}
