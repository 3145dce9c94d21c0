//! The tool as its host calls it.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use list_agents::Component;
use switchboard_guest::fake::{self, Inquiry, Shown};
use switchboard_guest::observation::{Candidate, Page, Query, Refusal, Row};
use switchboard_guest::{Block, Failure, Reply, Value, json};

fn call(arguments: Value, host: &fake::Observation) -> Result<Reply, Failure> {
    Component::call("list_agents", &arguments.to_string(), host)
}

fn row(name: &str, can: &[&str]) -> Row {
    Row {
        agent: "agt_2".into(),
        name: name.into(),
        relationship: "child".into(),
        depth: 1,
        description: "Reviews a.rs".into(),
        activity: "running".into(),
        pending: 1,
        obligations: 0,
        messages: 4,
        last_summary: Some("I read it.".into()),
        can: can.iter().map(|verb| (*verb).into()).collect(),
        extra: Vec::new(),
    }
}

fn page(rows: Vec<Row>, next: Option<&str>) -> Result<Shown, Refusal> {
    Ok(Shown::Page(Page { rows, next: next.map(Into::into), extra: Vec::new() }))
}

/// The lines and the data a model gets for a page, and what the host was asked.
fn listed(arguments: Value, shown: Result<Shown, Refusal>) -> (String, Value, Query) {
    let host = fake::Observation::answering([shown]);
    let reply = call(arguments, &host);
    let Ok(Reply::Now(output)) = reply else { panic!("an answer was expected: {reply:?}") };
    let [Block::Text(text)] = &output.blocks[..] else { panic!("one block was expected") };
    let [Inquiry::ListAgents(query)] = &host.asked()[..] else { panic!("one question") };
    (text.clone(), output.structured.unwrap().parse().unwrap(), query.clone())
}

#[test]
fn obs_1_each_agent_has_a_line_with_what_it_is_for_and_wrote_last_below_it() {
    let bare = Row { description: String::new(), last_summary: None, ..row("tester", &[]) };
    let rows = vec![row("reviewer", &["send", "observe"]), bare];
    let (text, data, _) = listed(json!({}), page(rows, None));
    let expected = "reviewer (agt_2): child, depth 1, running, 1 waiting, 4 messages so far; \
        you can: send, observe\n  for: Reviews a.rs\n  wrote last: I read it.\n\
        tester (agt_2): child, depth 1, running, 1 waiting, 4 messages so far; you can: nothing";
    assert_eq!(text, expected);
    let expected = json!({
        "agent_id": "agt_2", "name": "reviewer", "relationship": "child", "depth": 1,
        "description": "Reviews a.rs", "activity": "running", "pending": 1, "obligations": 0,
        "messages": 4,
        "can": ["send", "observe"], "last_summary": "I read it.",
    });
    assert_eq!(data["agents"][0], expected);
    assert_eq!(data["agents"][1].get("last_summary"), None);
    assert_eq!(data.get("next_cursor"), None);
}

#[test]
fn children_are_listed_unless_another_scope_is_said() {
    let bare =
        |scope: &str| Query { scope: scope.into(), limit: None, cursor: None, extra: Vec::new() };
    assert_eq!(listed(json!({}), page(vec![], None)).2, bare("children"));
    for scope in ["children", "descendants", "reachable"] {
        let query = listed(json!({ "scope": scope }), page(vec![], None)).2;
        assert_eq!(query, bare(scope));
    }
    let host = fake::Observation::answering([]);
    let failure = call(json!({ "scope": "everybody" }), &host).unwrap_err();
    assert_eq!(failure.code, "invalid-argument");
}

#[test]
fn a_page_that_is_not_the_last_says_how_to_go_on() {
    let arguments = json!({ "limit": 1, "cursor": "agt_1" });
    let (text, data, query) = listed(arguments, page(vec![row("a", &[])], Some("agt_2")));
    assert!(text.ends_with("\n(there are more: go on with the cursor `agt_2`)"), "{text}");
    assert_eq!(data["next_cursor"], "agt_2");
    assert_eq!((query.limit, query.cursor.as_deref()), (Some(1), Some("agt_1")));
}

#[test]
fn an_empty_list_says_that_there_is_nobody() {
    assert_eq!(listed(json!({}), page(vec![], None)).0, "(nobody)");
}

#[test]
fn a_refusal_is_a_failure_that_says_who_can_be_looked_at() {
    let candidate = Candidate { address: "parent".into(), relation: "parent".into() };
    let refusal = Refusal {
        code: "unreachable".into(),
        text: "There is nobody.".into(),
        retry: false,
        retry_after_ms: None,
        uncertain: false,
        candidates: vec![candidate],
        extra: Vec::new(),
    };
    let host = fake::Observation::answering([Err(refusal)]);
    let failure = call(json!({}), &host).unwrap_err();
    assert_eq!(failure.text, "There is nobody. You can look at `parent` (parent).");
}

#[test]
fn obs_1_looking_is_said_to_change_nothing() {
    let description: Value = Component::DESCRIPTION.parse().unwrap();
    assert_eq!(description["world"], "observation-tool");
    assert_eq!(description["tools"][0]["annotations"]["read_only"], true);
}
