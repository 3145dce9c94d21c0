//! Who may reach whom is a line of the crew file, and nothing a guest can say changes it.

use crate::harness::{Folder, Told};

use crate::HOST;

/// A lead starts a reader, then a writer, who greets the reader.
const CREW: &str = r#"
[crew]
name = "kin"
reach = "direct"
root = "lead"
input = "Begin."
[agents.lead]
model = "script:lead"
tools = ["subagent"]
starts = ["reader", "writer"]
[agents.reader]
model = "script:reader"
[agents.writer]
model = "script:writer"
tools = ["send_message"]

[[scripts.lead.rules]]
unsaid = ['^subagent ']
[[scripts.lead.rules.calls]]
tool = "subagent"
[scripts.lead.rules.calls.arguments]
agent = "reader"
description = "Reads"
prompt = "Read."
run_in_background = true
[[scripts.lead.rules.calls]]
tool = "subagent"
[scripts.lead.rules.calls.arguments]
agent = "writer"
description = "Writes"
prompt = "Write."
run_in_background = true
[[scripts.lead.rules]]
say = "Begun."

[[scripts.reader.rules]]
say = "Read."

[[scripts.writer.rules]]
unsaid = ['^send_message ']
calls = [{ tool = "send_message", arguments = { agent_id = "reader", message = "Hello." } }]
[[scripts.writer.rules]]
say = "Written."
"#;

fn told(crew: &str) -> Told {
    let folder = Folder::of(&[]);
    let ledger = folder.ledger("kin");
    let ended = HOST.crew(&folder, crew, &ledger);
    assert!(ended.status.success(), "{}", ended.complaint);
    let told = Told::of(&ledger);
    assert_eq!(told.problems(), [] as [&str; 0]);
    told
}

#[test]
fn send_7_a_sibling_is_reached_only_if_the_crews_policy_permits_it() {
    let direct = told(CREW);
    let [(outcome, text)] = direct.results("writer")[..] else { panic!("one call") };
    assert_eq!(outcome, "failed");
    assert!(text.starts_with("unreachable: "), "{text}");
    assert_eq!(direct.mail("Hello.").count(), 0);
    let family = told(&CREW.replace("\"direct\"", "\"family\""));
    assert_eq!(family.results("writer")[0].0, "done");
    assert_eq!(family.mail("Hello.").count(), 1);
}

#[test]
fn reach_4_one_who_is_there_and_not_for_you_answers_as_one_who_is_not_there() {
    let nobody = told(&CREW.replace("agent_id = \"reader\"", "agent_id = \"nobody\""));
    let there = told(CREW);
    let text = |told: &Told| {
        let id = told.agent("lead").tag().to_string();
        told.results("writer")[0].1.replace(&id, "").replace("`nobody`", "`reader`")
    };
    assert_eq!(text(&there), text(&nobody));
}
