//! Requests that want one answer, as people see them in a ledger.

use switchboard_cli::ledgers::Reading;
use switchboard_cli::show::book::Book;
use switchboard_cli::show::line::line;
use switchboard_cli::show::paint::Paint;
use switchboard_cli::verify::verify;
use switchboard_core::{
    AgentId, AgentName, Event, Handshake, Id, LedgerTag, MessageKind, Millis, Notice, Relationship,
    Reply, Request, RequestBody, RequestEnd, RequestId, Sender, WallTime,
};

use crate::events::{agent, by, message, numbered, story};

fn id(number: u64) -> RequestId {
    Id::new(LedgerTag::new(7), number)
}

fn request(number: u64, body: RequestBody) -> Request {
    Request { id: id(number), body, within: Millis(30_000), replaces: None }
}

fn shutdown() -> RequestBody {
    RequestBody::Shutdown { reason: "It is late.".into(), cleanup: None, grace: None }
}

fn plan() -> RequestBody {
    RequestBody::Plan { plan: "I paint.".into(), alternatives: vec![], recommendation: None }
}

/// The lead asks its helper to come to an end.
fn asked() -> Event {
    let from = by(1, "lead", Relationship::Parent);
    let kind = MessageKind::Request(request(1, shutdown()));
    Event::Accepted { message: message(5, from, 2, kind, ""), terms: None }
}

fn refused(by: Option<AgentId>) -> Event {
    let report = Some("Not yet.".to_owned());
    let reply = Reply::Shutdown { approve: false, cleaned_up: false, report };
    closed(RequestEnd::Answered(reply), by)
}

fn closed(end: RequestEnd, by: Option<AgentId>) -> Event {
    let digest = shutdown().digest();
    Event::RequestClosed { agent: agent(2), request: id(1), end, digest, by, key: None }
}

fn lines(events: Vec<Event>) -> Vec<String> {
    let behind = events.len();
    let mut book = Book::default();
    let all = story().into_iter().map(|stored| stored.event).chain(events);
    let told = numbered(all.collect());
    let told = told.iter().map(|stored| {
        book.learn(&stored.event);
        line(&book, Paint::OFF, stored)
    });
    let told: Vec<_> = told.collect();
    told[told.len() - behind..].to_vec()
}

fn problems(events: Vec<Event>) -> Vec<String> {
    let all = story().into_iter().map(|stored| stored.event).chain(events);
    let (path, events, quarantined) = ("some.db".into(), numbered(all.collect()), vec![]);
    let (limits, reach, misfiled) = Default::default();
    let reading = Reading { path, events, quarantined, misfiled, limits, reach };
    let checks = verify(&reading).checks.into_iter();
    let wanted = checks.filter(|check| check.promise.starts_with("a request ends once"));
    wanted.flat_map(|check| check.problems).collect()
}

#[test]
fn a_request_and_how_it_ended_are_a_line_each() {
    let kind = Handshake::Shutdown;
    let asked_of = Some((agent(2), AgentName::new("helper").unwrap()));
    let end = RequestEnd::Forced;
    let digest = shutdown().digest();
    let notice = Notice::RequestClosed { request: id(1), kind, digest, asked: asked_of, end };
    let kind = MessageKind::Notice(notice);
    let told = Event::Accepted { message: message(6, Sender::Host, 1, kind, ""), terms: None };
    let told = lines(vec![asked(), refused(Some(agent(2))), told]);
    let ends = [
        "lead           → helper request: come to an end (req_00007-1): “It is late.” \
         (msg_00007-5, steers)",
        "helper         req_00007-1 was refused: “Not yet.”",
        "host           → lead notice: req_00007-1, for helper to come to an end, had no answer \
         in time: put a… (msg_00007-6, steers)",
    ];
    for (line, end) in told.iter().zip(ends) {
        assert!(line.ends_with(end), "{line}");
    }
}

#[test]
fn hand_2_what_the_person_is_asked_is_a_line_that_says_so() {
    let (request, by) = (request(1, plan()), Some(agent(1)));
    let at = WallTime(0);
    let raised = Event::RequestRaised { agent: agent(1), request, by, key: None, at };
    let told = lines(vec![raised]).remove(0);
    let wanted = "lead           asks person to approve a plan (req_00007-1): “I paint.”";
    assert!(told.ends_with(wanted), "{told}");
}

#[test]
fn hand_3_a_request_that_is_answered_twice_or_by_another_is_found() {
    assert_eq!(problems(vec![asked(), refused(Some(agent(2)))]), [""; 0]);
    let twice = problems(vec![asked(), refused(Some(agent(2))), refused(Some(agent(2)))]);
    assert_eq!(twice, ["record 24: req_00007-1 ends unasked"]);
    let by_another = problems(vec![asked(), refused(Some(agent(1)))]);
    assert_eq!(by_another, ["record 23: req_00007-1 is answered by another"]);
    let again = problems(vec![asked(), closed(RequestEnd::Forced, None), asked()]);
    assert_eq!(again, ["record 24: req_00007-1 is asked again behind its end"]);
}
