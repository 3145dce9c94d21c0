//! Answers that are held until mail waits.

use std::time::Duration;

use switchboard_core::StepRecord;
use switchboard_models::Models;
use switchboard_runtime::{Driver, DriverError, MailSignal};
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use crate::asking::{answer_now, asking, read, script};

const HOLDING: &str = "rules = [{ hold = true, say = 'There is mail.' }]";
/// Far longer than any of this takes; a held answer that is not released fails the test.
const PATIENCE: Duration = Duration::from_secs(20);

struct Held {
    mail: watch::Sender<bool>,
    cancel: CancellationToken,
    answer: JoinHandle<Result<StepRecord, DriverError>>,
}

impl Held {
    fn new() -> Self {
        let (mail, signal) = watch::channel(false);
        let cancel = CancellationToken::new();
        let models = models();
        let stop = cancel.clone();
        let answer = tokio::spawn(async move {
            let asked = asking("script:test", &[read(&["Begin."])], MailSignal::new(signal));
            models.answer(asked, stop).await.map(|answered| answered.record)
        });
        Self { mail, cancel, answer }
    }

    async fn answer(self) -> Result<StepRecord, DriverError> {
        tokio::time::timeout(PATIENCE, self.answer).await.expect("it is released").unwrap()
    }
}

fn models() -> Models {
    Models::new([("test".to_owned(), script(HOLDING))])
}

#[test]
fn a_held_answer_is_not_given_while_no_mail_waits() {
    assert!(answer_now(&models(), "script:test", &[read(&["Begin."])], false).is_none());
}

#[test]
fn a_held_answer_is_given_at_once_if_mail_waits_already() {
    let answer = answer_now(&models(), "script:test", &[read(&["Begin."])], true);
    assert_eq!(&*answer.unwrap().unwrap().text, "There is mail.");
}

#[tokio::test]
async fn a_held_answer_is_given_when_mail_comes() {
    let held = Held::new();
    held.mail.send(true).unwrap();
    assert_eq!(&*held.answer().await.unwrap().text, "There is mail.");
}

#[tokio::test]
async fn a_held_answer_ends_without_mail_when_it_is_cancelled() {
    let held = Held::new();
    held.cancel.cancel();
    let error = held.answer().await.unwrap_err();
    assert_eq!(error.to_string(), "stopped while it waited for mail");
}
