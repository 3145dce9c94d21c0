//! The components the project ships, under the grants they are for.

use std::fs;
use std::sync::Arc;

use switchboard_core::{
    Caller, Content, Draft, Incarnation, Millis, RosterQuery, Scope, Target, WaitFor,
};
use switchboard_runtime::{
    Later, Outcome, RecentQuery, StartDraft, ToolClass, ToolHost, ToolResult,
};
use switchboard_sandbox::{Disposal, Grants, LoadRequest, Sandbox, Source, inspect};

use crate::host::{call, in_time, sandbox};
use crate::plane::{Asked, Plane, agent};

fn component(name: &str) -> Vec<u8> {
    let dist = concat!(env!("CARGO_MANIFEST_DIR"), "/../../plugins/dist");
    fs::read(format!("{dist}/{name}.wasm")).unwrap()
}

pub(crate) async fn shipped(name: &str, grants: Grants) -> Sandbox {
    let sandbox = sandbox();
    let source = Source::Bytes { name: name.to_owned(), bytes: component(name).into() };
    sandbox.load(LoadRequest::new(source, grants)).await.unwrap();
    sandbox
}

pub(crate) async fn run(
    sandbox: &Sandbox,
    tool: &str,
    arguments: &str,
    plane: &Arc<Plane>,
) -> ToolResult {
    in_time(sandbox.call(call(tool, arguments, plane), Default::default())).await
}

#[tokio::test]
async fn tool_1_send_message_sends_what_it_is_told() {
    let sandbox = shipped("send-message", Grants::content()).await;
    let plane = Arc::default();
    let arguments = r#"{"agent_id": "parent", "message": "done"}"#;
    let result = run(&sandbox, "send_message", arguments, &plane).await;
    assert_eq!(result.outcome, Outcome::Done, "{}", result.text);
    let draft = Draft { to: Target::Spoken("parent".to_owned()), content: Content::text("done") };
    let asked = plane.asked();
    let [Asked::Send(caller, key, sent)] = &asked[..] else { panic!("{asked:?}") };
    assert_eq!(*caller, Caller::Agent { agent: agent(), incarnation: Incarnation(3) });
    assert_eq!((key.nth, sent), (0, &draft));
    let spec = sandbox.spec("send_message").unwrap();
    assert!(spec.reports.unwrap().contains("{parent}"), "set_5: it says how to report with it");
}

#[tokio::test]
async fn tool_1_interrupt_agent_interrupts_and_can_do_nothing_else() {
    let sandbox = shipped("interrupt-agent", Grants::interrupt()).await;
    let plane = Arc::default();
    let tool = inspect(&component("interrupt-agent")).unwrap().description.tools.remove(0);
    let result = run(&sandbox, &tool.name, r#"{"agent_id": "reviewer"}"#, &plane).await;
    assert_eq!(result.outcome, Outcome::Done, "{}", result.text);
    let asked = plane.asked();
    assert!(
        matches!(&asked[..], [Asked::Interrupt(_, _, Target::Spoken(to), _)] if to == "reviewer")
    );
}

#[tokio::test]
async fn tool_1_acknowledge_acknowledges_and_sand_2_nothing_granted_otherwise_does() {
    let arguments = r#"{"message_id": "msg_00007-4", "note": "on it"}"#;
    let long = arguments.replace("on it", &"x".repeat(1_001));
    let plane = Arc::default();
    let sandbox = shipped("acknowledge", Grants::acknowledge()).await;
    let result = run(&sandbox, "acknowledge", arguments, &plane).await;
    assert_eq!(result.outcome, Outcome::Done, "{}", result.text);
    let asked = plane.asked();
    let [Asked::Acknowledge(_, _, message, note)] = &asked[..] else { panic!("{asked:?}") };
    assert_eq!((message.to_string().as_str(), note.as_deref()), ("msg_00007-4", Some("on it")));
    for (grants, arguments, code) in [
        (Grants::content(), arguments, "not-granted"),
        (Grants::interrupt(), arguments, "not-granted"),
        (Grants::acknowledge(), r#"{"message_id": "agt_00007-4"}"#, "invalid-argument"),
        (Grants::acknowledge(), long.as_str(), "invalid-argument"),
    ] {
        let plane = Arc::default();
        let sandbox = shipped("acknowledge", grants).await;
        let result = run(&sandbox, "acknowledge", arguments, &plane).await;
        assert!(result.text.starts_with(code), "{}", result.text);
        assert_eq!(plane.asked().len(), 0);
    }
}

#[tokio::test]
async fn tool_1_subagent_starts_a_child() {
    let sandbox = shipped("subagent", Grants::starting()).await;
    let plane = Arc::default();
    let inspection = inspect(&component("subagent")).unwrap();
    assert_eq!(inspection.imports, ["switchboard:plugin/delegation@0.1.0"]);
    let arguments = r#"{"description": "a look", "prompt": "Look.", "agent": "reviewer",
        "run_in_background": true}"#;
    let result = run(&sandbox, "subagent", arguments, &plane).await;
    assert_eq!(result.outcome, Outcome::Done, "{}", result.text);
    let asked = plane.asked();
    let [Asked::Start(_, _, StartDraft { agent, .. })] = &asked[..] else { panic!("{asked:?}") };
    assert_eq!(agent, "reviewer");
    // It would be stored with the child.
    let long = arguments.replace("a look", &"x".repeat(1_001));
    let result = run(&sandbox, "subagent", &long, &plane).await;
    assert_eq!(result.outcome, Outcome::Failed);
    assert!(result.text.contains("at most 1000 characters"), "{}", result.text);
    assert_eq!(plane.asked(), []);
}

#[tokio::test]
async fn tool_1_close_agent_and_delete_subagent_end_an_agent() {
    let tools = [
        ("close-agent", "close_agent", "agent_id", Grants::closing()),
        ("delete-subagent", "delete_subagent", "target", Grants::deleting()),
    ];
    for (component, tool, argument, grants) in tools {
        let sandbox = shipped(component, grants).await;
        let plane = Arc::default();
        let arguments = format!(r#"{{"{argument}": "reviewer#2"}}"#);
        let result = run(&sandbox, tool, &arguments, &plane).await;
        assert_eq!(result.outcome, Outcome::Done, "{}", result.text);
        let target = Target::Spoken("reviewer#2".into());
        match (&plane.asked()[..], tool) {
            ([Asked::Close(_, _, to)], "close_agent")
            | ([Asked::Delete(_, _, to)], "delete_subagent") => assert_eq!(*to, target),
            (asked, _) => panic!("{asked:?}"),
        }
        let long = format!(r#"{{"{argument}": "{}"}}"#, "x".repeat(257));
        let result = run(&sandbox, tool, &long, &plane).await;
        assert!(result.text.contains("at most 256 characters"), "{}", result.text);
        assert_eq!(plane.asked(), []);
    }
}

#[tokio::test]
async fn tool_3_a_start_in_the_foreground_is_answered_with_what_it_waits_for() {
    for (component, tool, grants) in [
        ("subagent", "subagent", Grants::starting()),
        ("subagent-fork", "subagent_fork", Grants::forking()),
    ] {
        let sandbox = shipped(component, grants).await;
        let plane = Arc::default();
        let kind = if tool == "subagent" { r#""agent": "reviewer","# } else { "" };
        let arguments = format!(
            r#"{{{kind} "description": "", "prompt": "Look.", "run_in_background": false}}"#
        );
        let result = run(&sandbox, tool, &arguments, &plane).await;
        let later = Later { on: WaitFor::Child(agent()), patience: None };
        assert_eq!(result.later, Some(later), "{}", result.text);
        let asked = plane.asked();
        let [Asked::Start(_, _, draft)] = &asked[..] else { panic!("{asked:?}") };
        assert_eq!((draft.background, draft.fork), (false, tool == "subagent_fork"));
        let result = run(&sandbox, tool, &arguments.replace("false", "true"), &plane).await;
        assert_eq!((result.outcome, result.later), (Outcome::Done, None), "{}", result.text);
    }
}

#[tokio::test]
async fn obs_3_wait_for_messages_waits_ten_seconds_to_an_hour() {
    let sandbox = shipped("wait-for-messages", Grants::observing()).await;
    let plane = Arc::default();
    let waits = [("{}", 30_000), (r#"{"timeout_ms": 10000}"#, 10_000)];
    for (arguments, patience) in
        waits.into_iter().chain([(r#"{"timeout_ms": 3600000}"#, 3_600_000)])
    {
        let result = run(&sandbox, "wait_for_messages", arguments, &plane).await;
        let later = Later { on: WaitFor::Mail, patience: Some(Millis(patience)) };
        assert_eq!(result.later, Some(later), "{}", result.text);
    }
    for refused in [r#"{"timeout_ms": 9999}"#, r#"{"timeout_ms": 3600001}"#] {
        let result = run(&sandbox, "wait_for_messages", refused, &plane).await;
        assert_eq!((result.outcome, result.later), (Outcome::Failed, None));
        assert!(result.text.contains("10000 to 3600000"), "{}", result.text);
    }
}

#[tokio::test]
async fn fate_1_message_status_says_what_became_of_a_message_and_hides_those_of_others() {
    let sandbox = shipped("message-status", Grants::observing()).await;
    let plane = Arc::default();
    let mine = r#"{"message_id": "msg_00007-1"}"#;
    let result = run(&sandbox, "message_status", mine, &plane).await;
    assert_eq!(result.outcome, Outcome::Failed);
    assert!(result.text.starts_with("not-found: msg_00007-1 is no message"), "{}", result.text);
    let wrong = r#"{"message_id": "agt_00007-1"}"#;
    let result = run(&sandbox, "message_status", wrong, &plane).await;
    assert!(result.text.starts_with("invalid-argument"), "{}", result.text);
}

#[tokio::test]
async fn sand_1_each_function_of_delegation_is_granted_by_itself() {
    let tools = ["subagent", "subagent-fork", "close-agent", "delete-subagent"];
    let grants = [Grants::starting(), Grants::forking(), Grants::closing(), Grants::deleting()];
    for (place, name) in tools.into_iter().enumerate() {
        for (other, grants) in grants.iter().enumerate() {
            let sandbox = sandbox();
            let bytes = component(name).into();
            let source = Source::Bytes { name: name.to_owned(), bytes };
            let loaded = sandbox.load(LoadRequest::new(source, grants.clone())).await;
            match (loaded, place == other) {
                (Ok(_), true) => {}
                (Err(error), false) => {
                    let word = Disposal::ALL[place].as_str();
                    let line = format!(r#"grants = {{ delegation = ["{word}"] }}"#);
                    assert!(error.to_string().contains(&line), "{error}");
                }
                (loaded, _) => panic!("{name}: {loaded:?}"),
            }
        }
    }
}

#[tokio::test]
async fn obs_1_list_agents_shows_a_page_of_those_it_asks_for() {
    let sandbox = shipped("list-agents", Grants::observing()).await;
    let plane = Arc::default();
    let arguments = r#"{"scope": "reachable", "limit": 3, "cursor": "agt_00007-1"}"#;
    let result = run(&sandbox, "list_agents", arguments, &plane).await;
    assert_eq!(result.outcome, Outcome::Done, "{}", result.text);
    let line = "reviewer (agt_00007-1): child, depth 1, parked, 2 waiting, 1 to acknowledge, 3 \
        messages so far; you can: send, observe\n  for: Reviews\n  wrote last: I read it.";
    assert!(result.text.starts_with(line), "{}", result.text);
    assert!(result.text.contains("go on with the cursor `agt_00007-1`"), "{}", result.text);
    let caller = Caller::Agent { agent: agent(), incarnation: Incarnation(3) };
    let query = RosterQuery { scope: Scope::Reachable, limit: Some(3), after: Some(agent()) };
    assert_eq!(plane.asked(), [Asked::List(caller, query)]);
    assert_eq!(sandbox.spec("list_agents").unwrap().class, ToolClass::ReadOnly);
}

#[tokio::test]
async fn obs_1_agent_observe_shows_an_agent_and_its_messages() {
    let sandbox = shipped("agent-observe", Grants::observing()).await;
    let plane = Arc::default();
    let result = run(&sandbox, "get_agent", r#"{"target": "parent"}"#, &plane).await;
    assert!(result.text.starts_with("reviewer (agt_00007-1): child"), "{}", result.text);
    let arguments = r#"{"target": "child:reviewer", "max_chars": 100, "cursor": "12.3"}"#;
    let result = run(&sandbox, "recent_messages", arguments, &plane).await;
    assert_eq!(result.outcome, Outcome::Done, "{}", result.text);
    let heads: Vec<_> = result.text.lines().filter(|line| line.starts_with('[')).collect();
    let cut = "cut: 5 of 9 characters]";
    let expected = [
        format!("[task from its parent reviewer (agt_00007-1), {cut}"),
        format!("[instruction from the user, {cut}"),
        format!("[unreadable, {cut}"),
        format!("[wrote, called look (done), send (under way), {cut}"),
        format!("[interrupted, {cut}"),
        format!("[unreadable, {cut}"),
    ];
    assert_eq!(heads, expected);
    let caller = Caller::Agent { agent: agent(), incarnation: Incarnation(3) };
    let target = |words: &str| Target::Spoken(words.to_owned());
    let query = RecentQuery {
        target: target("child:reviewer"),
        limit: None,
        max_chars: Some(100),
        before: Some("12.3".parse().unwrap()),
    };
    let asked = [Asked::Get(caller, target("parent")), Asked::Recent(caller, query)];
    assert_eq!(plane.asked(), asked);
}

#[tokio::test]
async fn a_workspace_tool_lists_reads_searches_and_watches() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("notes.txt"), "one\nneedle\n").unwrap();
    let sandbox = shipped("workspace-files", Grants::reading(folder.path())).await;
    let calls = [
        ("list_files", "{}", "notes.txt"),
        ("read_file", r#"{"path": "notes.txt"}"#, "needle"),
        ("search_files", r#"{"pattern": "n..dle"}"#, "notes.txt:2: needle"),
        ("watch_file", r#"{"path": "notes.txt", "deadline_ms": 1}"#, ""),
    ];
    for (tool, arguments, said) in calls {
        let result = run(&sandbox, tool, arguments, &Arc::default()).await;
        assert_eq!(result.outcome, Outcome::Done, "{tool}: {}", result.text);
        assert!(result.text.contains(said), "{tool}: {}", result.text);
    }
    let gone = run(&sandbox, "read_file", r#"{"path": "../x"}"#, &Arc::default()).await;
    assert_eq!(gone.outcome, Outcome::Failed);
    assert!(gone.text.starts_with("outside: "), "{}", gone.text);
}

#[tokio::test]
async fn sand_1_no_shipped_component_loads_without_its_grant() {
    for name in [
        "send-message",
        "interrupt-agent",
        "subagent",
        "list-agents",
        "agent-observe",
        "workspace-files",
    ] {
        let source = Source::Bytes { name: name.to_owned(), bytes: component(name).into() };
        let error = sandbox().load(LoadRequest::new(source, Grants::default())).await.unwrap_err();
        assert!(error.to_string().contains("grants = {"), "{error}");
    }
}
