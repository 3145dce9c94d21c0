//! Asking a script once, in the middle of a transcript made by hand.

use std::pin::pin;
use std::task::{Context, Poll, Waker};

use switchboard_core::{AgentId, AgentName, LedgerTag, StepRecord, ToolUse, TurnId};
use switchboard_models::{Models, Script};
use switchboard_runtime::{Ask, Driver, DriverError, Entry, MailSignal};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

pub(crate) fn script(text: &str) -> Script {
    let tables: toml::Table = toml::from_str(text).unwrap();
    Script::parse("test", tables).unwrap()
}

pub(crate) fn read(frames: &[&str]) -> Entry {
    Entry::Read(frames.iter().map(|frame| (*frame).into()).collect())
}

pub(crate) fn said(text: &str) -> Entry {
    Entry::Said { text: text.into(), calls: Vec::new() }
}

pub(crate) fn called(tool: &str, arguments: &str) -> Entry {
    let call = ToolUse { tool: tool.into(), arguments: arguments.into() };
    Entry::Said { text: "".into(), calls: vec![call] }
}

pub(crate) fn returned(tool: &str, text: &str) -> Entry {
    Entry::Returned { call: 0, tool: tool.into(), text: text.into(), failed: false }
}

/// The answer of a script that does not wait.
pub(crate) fn ask(script: &Script, transcript: &[Entry]) -> Result<StepRecord, DriverError> {
    let models = Models::new([("test".to_owned(), script.clone())]);
    answer_now(&models, "script:test", transcript, true).expect("it waits for mail")
}

pub(crate) fn words(script: &Script, transcript: &[Entry]) -> String {
    ask(script, transcript).unwrap().text.to_string()
}

/// The answer, if it is given without waiting for anything further.
pub(crate) fn answer_now(
    models: &Models,
    model: &str,
    transcript: &[Entry],
    mail_waits: bool,
) -> Option<Result<StepRecord, DriverError>> {
    let (_mail, signal) = watch::channel(mail_waits);
    let asked = asking(model, transcript, MailSignal::new(signal));
    let answer = pin!(models.answer(asked, CancellationToken::new()));
    match answer.poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(answered) => Some(answered.map(|answered| answered.record)),
        Poll::Pending => None,
    }
}

pub(crate) fn asking(model: &str, transcript: &[Entry], mail: MailSignal) -> Ask {
    let tag = LedgerTag::new(1);
    Ask {
        agent: AgentId::new(tag, 1),
        name: AgentName::new("tester").unwrap(),
        turn: TurnId::new(tag, 1),
        step: 0,
        model: model.into(),
        persona: String::new(),
        transcript: transcript.to_vec(),
        tools: Vec::new(),
        mail,
    }
}
