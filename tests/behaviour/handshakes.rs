//! The crews whose agents ask each other for an answer: to have a plan approved, to come to an end.

use switchboard_core::{
    ClosingCause, Event, MessageKind, Notice, Reply, RequestBody, RequestEnd, TurnEnd,
};

use crate::HOST;
use crate::harness::{CLASSES, Death, Folder, Told};

fn told(crew: &str) -> Told {
    let folder = Folder::of(&[]);
    let ledger = folder.ledger(crew);
    let ended = HOST.built_in(crew, &folder, &ledger);
    assert!(ended.status.success(), "{}", ended.complaint);
    let told = Told::of(&ledger);
    assert_eq!(told.problems(), [] as [&str; 0]);
    told
}

/// How the requests ended, in order.
fn ends(told: &Told) -> Vec<RequestEnd> {
    let end = |event: &Event| match event {
        Event::RequestClosed { end, .. } => Some(end.clone()),
        _ => None,
    };
    told.events().filter_map(end).collect()
}

/// How often the agent was told how a request of its ended.
fn notices(told: &Told, name: &str) -> usize {
    let reader = told.agent(name);
    let closed = |event: &&Event| match event {
        Event::Accepted { message, .. } => {
            let notice = &message.kind;
            let closed = matches!(notice, MessageKind::Notice(Notice::RequestClosed { .. }));
            closed && message.to == reader
        }
        _ => false,
    };
    told.events().filter(closed).count()
}

#[test]
fn hand_2_a_plan_is_refused_revised_approved_and_carried_out() {
    let told = told("approval");
    let plans = told.chronicle.messages.values().filter_map(|mail| match &mail.message.kind {
        MessageKind::Request(request) => match &request.body {
            RequestBody::Plan { plan, .. } => Some(plan.as_str()),
            RequestBody::Shutdown { .. } => None,
        },
        _ => None,
    });
    let plans: Vec<_> = plans.collect();
    assert_eq!(plans, ["I start a painter for every brick.", "I start one painter for the wall."]);
    let approved: Vec<bool> = ends(&told)
        .iter()
        .map(|end| matches!(end, RequestEnd::Answered(reply) if reply.approves()))
        .collect();
    assert_eq!(approved, [false, true]);
    assert_eq!(notices(&told, "worker"), 2);
    assert_eq!(told.report(), "the wall is painted, by one painter.");
}

#[test]
fn hand_2_what_would_change_something_is_refused_until_the_plan_is_approved() {
    let told = told("approval");
    let results = told.results("worker");
    let (outcome, text) = results[0];
    assert_eq!(outcome, "failed", "{text}");
    assert!(text.contains("until a plan of yours is approved"), "{text}");
    let started = results.iter().filter(|(_, text)| text.starts_with("Started painter")).count();
    assert_eq!(started, 1);
    let at = |kind: &str| told.events().position(|event| event.kind() == kind);
    let approved = told.events().position(|event| {
        matches!(event, Event::RequestClosed { end: RequestEnd::Answered(reply), .. }
            if reply.approves())
    });
    let painter = told.events().position(
        |event| matches!(event, Event::StartAdmitted { name, .. } if name.as_str() == "painter"),
    );
    assert!(at("start-admitted") < approved && approved < painter);
}

#[test]
fn hand_1_one_agrees_one_refuses_and_one_that_says_nothing_is_put_away_by_force() {
    let told = told("shutdown");
    let ends = ends(&told);
    let agreed = ends.iter().any(|end| {
        matches!(end, RequestEnd::Answered(Reply::Shutdown { approve: true, cleaned_up: true, .. }))
    });
    let refused = ends
        .iter()
        .any(|end| matches!(end, RequestEnd::Answered(Reply::Shutdown { approve: false, .. })));
    assert!(agreed && refused && ends.contains(&RequestEnd::Forced), "{ends:?}");
    assert_eq!((ends.len(), notices(&told, "lead")), (3, 3));
    let away = |event: &Event| match event {
        Event::Closing { agent, cause, .. } => Some((*agent, *cause)),
        _ => None,
    };
    let away: Vec<_> = told.events().filter_map(away).collect();
    for (name, cause) in [
        ("tidy", ClosingCause::ShutDown),
        ("stubborn", ClosingCause::Settled),
        ("silent", ClosingCause::ShutDown),
    ] {
        assert!(away.contains(&(told.agent(name), cause)), "{name}: {away:?}");
    }
    let (_, turn) = told.chronicle.last_turn(told.agent("stubborn")).unwrap();
    assert_eq!(turn.end.as_ref().map(|(end, _)| *end), Some(TurnEnd::Completed));
    let lines = ["- tidy agreed: all is written down.", "- stubborn refused: one thing is left."];
    assert!(lines.iter().all(|line| told.report().contains(line)), "{}", told.report());
}

#[test]
fn hand_1_the_call_by_which_an_agent_agrees_to_end_is_done() {
    let told = told("shutdown");
    let results = told.results("tidy");
    let (outcome, text) = results.last().unwrap();
    assert_eq!(*outcome, "done");
    assert!(text.contains("you come to an end"), "{text}");
}

/// Runs a crew until its host is killed there, and goes on with the ledger.
fn killed(crew: &str, kind: &str, nth: usize, class: &str) -> Told {
    let folder = Folder::of(&[]);
    let ledger = folder.ledger(crew);
    let (class, kind) = (class.to_owned(), kind.to_owned());
    let death = Death { class, kind, nth };
    let at = format!("{death:?}");
    assert!(HOST.built_in_to(crew, &folder, &ledger, death).was_killed(), "{at}");
    let ended = HOST.resume(&folder, &ledger);
    assert!(ended.status.success(), "{at}: {}", ended.complaint);
    let told = Told::of(&ledger);
    assert_eq!(told.problems(), [] as [&str; 0], "{at}");
    told
}

#[test]
fn hand_2_a_host_that_is_killed_forgets_no_plan_and_no_answer() {
    for (kind, nth) in [("request-closed", 1), ("request-closed", 2), ("accepted", 2)] {
        for (class, _) in CLASSES {
            let told = killed("approval", kind, nth, class);
            assert_eq!(told.report(), "the wall is painted, by one painter.");
            let started = told.results("worker").into_iter();
            let started = started.filter(|(_, text)| text.starts_with("Started painter"));
            assert_eq!(started.count(), 1, "{kind} {nth} {class}");
            assert_eq!((ends(&told).len(), notices(&told, "worker")), (2, 2));
        }
    }
}

#[test]
fn hand_1_a_host_that_is_killed_behind_an_end_tells_once_and_puts_away() {
    for nth in [1, 3] {
        for (class, _) in CLASSES {
            let told = killed("shutdown", "request-closed", nth, class);
            assert_eq!((ends(&told).len(), notices(&told, "lead")), (3, 3), "{nth} {class}");
            assert!(told.report().contains("- silent was put away by force"));
        }
    }
}
