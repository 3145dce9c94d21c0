//! Looking at agents as a crew does it: through the built-in tools, which need no grant of a table.

use crate::harness::{Folder, Told};
use switchboard_core::Event;

use crate::HOST;

/// A lead starts a reader and a writer; when both are put away it looks at them. The writer looks
/// at whomever it can.
const CREW: &str = r#"
[crew]
name = "seen"
reach = "direct"
root = "lead"
input = "Begin."
[agents.lead]
model = "script:lead"
description = "Leads"
tools = ["subagent", "list_agents", "get_agent", "recent_messages"]
starts = ["reader", "writer"]
[agents.reader]
model = "script:reader"
[agents.writer]
model = "script:writer"
tools = ["list_agents", "get_agent"]

[[scripts.lead.rules]]
unsaid = ['^subagent ']
[[scripts.lead.rules.calls]]
tool = "subagent"
[scripts.lead.rules.calls.arguments]
agent = "reader"
description = "Reads a.rs"
prompt = "Read."
run_in_background = true
[[scripts.lead.rules.calls]]
tool = "subagent"
[scripts.lead.rules.calls.arguments]
agent = "writer"
description = "Writes b.rs"
prompt = "Write."
run_in_background = true

[[scripts.lead.rules]]
seen = ['^Your child reader \(', '^Your child writer \(']
unsaid = ['^list_agents ']
calls = [
    { tool = "list_agents", arguments = { limit = 1 } },
    { tool = "get_agent", arguments = { target = "child:reader" } },
    { tool = "recent_messages", arguments = { target = "reader", limit = 1 } },
    { tool = "recent_messages", arguments = { target = "nobody" } },
]
[[scripts.lead.rules]]
say = "Seen."

[[scripts.reader.rules]]
say = "Read it all."

[[scripts.writer.rules]]
unsaid = ['^list_agents ']
calls = [
    { tool = "list_agents", arguments = { scope = "reachable" } },
    { tool = "get_agent", arguments = { target = "reader" } },
]
[[scripts.writer.rules]]
say = "Written."
"#;

fn told(crew: &str) -> Told {
    let folder = Folder::of(&[]);
    let ledger = folder.ledger("seen");
    let ended = HOST.crew(&folder, crew, &ledger);
    assert!(ended.status.success(), "{}", ended.complaint);
    let told = Told::of(&ledger);
    assert_eq!(told.problems(), [] as [&str; 0]);
    told
}

#[test]
fn obs_1_a_lead_sees_its_children_that_are_put_away_and_brings_none_of_them_back() {
    let told = told(CREW);
    let results = told.results("lead");
    let [_, _, (_, listed), (_, one), (_, recent), (outcome, nobody)] = &results[..] else {
        panic!("{results:?}");
    };
    let reader = told.agent("reader");
    let row = format!(
        "reader ({reader}): child, depth 1, absent, 0 waiting, 1 messages so far; you can: send, \
         observe, interrupt, close, delete, shutdown\n  for: Reads a.rs\n  wrote last: Read it all."
    );
    assert_eq!(*listed, format!("{row}\n(there are more: go on with the cursor `{reader}`)"));
    assert_eq!(*one, row);
    let head = format!("The last messages of reader ({reader}), newest last:\n[wrote]\n> Read it");
    assert!(recent.starts_with(&head), "{recent}");
    assert!(recent.contains("(there are older ones: go on with the cursor `"), "{recent}");
    assert_eq!(*outcome, "failed");
    assert!(nobody.starts_with("unreachable: "), "{nobody}");
    assert!(!told.events().any(|event| matches!(event, Event::ResumeOrdered { .. })));
}

#[test]
fn obs_2_a_sibling_is_seen_only_if_the_crews_policy_permits_it() {
    let seen = |crew: &str| {
        let told = told(crew);
        let results = told.results("writer");
        let [(_, listed), (outcome, _)] = results[..] else { panic!("{results:?}") };
        let names = |line: &str| line.split_once(" (").map(|(name, _)| name.to_owned());
        let agents = listed.lines().filter(|line| !line.starts_with(' ')).filter_map(names);
        (agents.collect::<Vec<_>>(), outcome.to_owned())
    };
    assert_eq!(seen(CREW), (vec!["lead".to_owned()], "failed".to_owned()));
    let both = vec!["lead".to_owned(), "reader".to_owned()];
    assert_eq!(seen(&CREW.replace("\"direct\"", "\"family\"")), (both, "done".to_owned()));
}
