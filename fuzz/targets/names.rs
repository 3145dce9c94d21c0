//! Whatever names something: printed it reads as the same, in a ledger too, and an address leads
//! to somebody or to a refusal whose own addresses do.
#![no_main]

use std::fmt::{Debug, Display};
use std::str::FromStr;

use libfuzzer_sys::fuzz_target;
use switchboard_core::{
    AgentId, AgentName, Answer, Code, Event, HostKey, MessageId, ReachPolicy, RequestId, TurnId,
};
use switchboard_fuzz::family::Family;

fuzz_target!(|text: &str| {
    let words = [
        printed::<AgentId>(text),
        printed::<MessageId>(text),
        printed::<TurnId>(text),
        printed::<RequestId>(text),
    ];
    assert!(words.iter().flatten().count() <= 1, "an id is of one kind");
    printed::<HostKey>(text);
    if let Ok(name) = AgentName::new(text) {
        assert_eq!(AgentName::new(name.as_str()).as_ref(), Ok(&name));
        assert!(words.iter().all(Option::is_none), "no name is an id");
        named(&name);
    }
    addressed(text);
});

/// How it is printed, if it is one.
fn printed<T>(text: &str) -> Option<String>
where
    T: FromStr<Err: Display> + Display + Debug + PartialEq,
{
    match text.parse::<T>() {
        Ok(read) => {
            let words = read.to_string();
            assert_eq!(words.parse::<T>().ok().as_ref(), Some(&read));
            Some(words)
        }
        Err(error) => {
            assert!(!error.to_string().is_empty());
            None
        }
    }
}

/// Children of such a kind get names that a ledger keeps.
fn named(name: &AgentName) {
    let mut family = Family::new(name.as_str(), ReachPolicy::Direct);
    for _ in 0..3 {
        family.start(name.as_str()).expect("a kind with a name can be started");
    }
    for event in &family.stored {
        let stored = serde_json::to_string(event).expect("an event is JSON");
        let read = serde_json::from_str::<Event>(&stored);
        assert_eq!(&read.expect("a stored event is one"), event);
    }
}

fn addressed(text: &str) {
    for reach in [ReachPolicy::Direct, ReachPolicy::Tree] {
        let mut family = Family::new("helper", reach);
        for by in [None, Some(family.lead)] {
            let Some(Answer::Refused(refusal)) = family.say(by, text) else { continue };
            assert!(!refusal.text.is_empty());
            for candidate in refusal.candidates {
                let answer = family.say(by, &candidate.address);
                let lost =
                    matches!(answer, Some(Answer::Refused(no)) if no.code == Code::Unreachable);
                assert!(!lost, "{} leads nowhere", candidate.address);
            }
        }
    }
}
