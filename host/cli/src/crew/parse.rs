//! From text to tables: syntax, unknown keys with the nearest known one, types, and what the file
//! alone can tell about its own references.

use serde::Deserialize;
use switchboard_core::{AgentName, Limits, ReachPolicy};
use switchboard_models::{CallTable, RuleTable, ScriptTable};
use switchboard_sandbox::{Access, BodyKind, Grants, SubagentsGrant, WorkspaceGrant};
use toml::Spanned;
use toml::de::DeTable;

use crate::crew::document::{self, Table, list, members, table, value};
use crate::crew::file::{AgentTable, CrewFile, CrewTable, LimitsTable, SandboxTable, ToolTable};
use crate::crew::keys::{keys_of, suggestion};
use crate::crew::source::{Problem, Problems, Source};

/// Reads a crew file.
///
/// # Errors
/// Everything that is wrong with it, by line.
pub fn parse(source: &Source) -> Result<CrewFile, Problems> {
    let document = DeTable::parse(&source.text).map_err(|error| explained(source, &error))?;
    source.judge(unknown_keys(source, document.get_ref()))?;
    let file = CrewFile::deserialize(toml::de::Deserializer::from(document))
        .map_err(|error| explained(source, &error))?;
    source.judge(references(source, &file))?;
    Ok(file)
}

fn explained(source: &Source, error: &toml::de::Error) -> Problems {
    let what = error.message().replace('\n', ", ");
    let problem = match error.span() {
        Some(span) => {
            let keys = document::keys_at(&source.text, span.start);
            let lead = if keys.is_empty() { keys } else { format!("{keys}: ") };
            source.problem(span, format!("{lead}{what}"))
        }
        None => Problem { at: None, what },
    };
    Problems { name: source.name.clone(), found: vec![problem] }
}

/// Looks for keys nothing reads, and for words no key takes.
struct Keys<'a> {
    source: &'a Source,
    found: Vec<Problem>,
}

fn unknown_keys(source: &Source, document: &Table<'_>) -> Vec<Problem> {
    let mut keys = Keys { source, found: Vec::new() };
    keys.check::<CrewFile>("the file", document);
    if let Some(crew) = table(document, "crew") {
        keys.check::<CrewTable>("[crew]", crew);
        keys.below::<Limits>("[crew.limits]", crew, "limits");
        keys.word::<ReachPolicy>("[crew]", crew, "reach");
        keys.below::<SandboxTable>("[crew.sandbox]", crew, "sandbox");
    }
    for (name, tool) in members(document, "tools") {
        keys.tool(&format!("tools.{name}"), tool);
    }
    for (name, agent) in members(document, "agents") {
        keys.check::<AgentTable>(&format!("[agents.{name}]"), agent);
    }
    for (name, script) in members(document, "scripts") {
        keys.script(&format!("scripts.{name}"), script);
    }
    keys.found
}

impl Keys<'_> {
    fn tool(&mut self, path: &str, tool: &Table<'_>) {
        self.check::<ToolTable>(&format!("[{path}]"), tool);
        self.below::<LimitsTable>(&format!("[{path}.limits]"), tool, "limits");
        if let Some(grants) = table(tool, "grants") {
            let inner = |key| format!("[{path}.grants{key}]");
            self.check::<Grants>(&inner(""), grants);
            self.below::<WorkspaceGrant>(&inner(".workspace"), grants, "workspace");
            self.below::<SubagentsGrant>(&inner(".subagents"), grants, "subagents");
            if let Some(workspace) = table(grants, "workspace") {
                self.word::<Access>(&inner(".workspace"), workspace, "access");
            }
            if let Some(subagents) = table(grants, "subagents") {
                self.word::<BodyKind>(&inner(".subagents"), subagents, "kinds");
            }
        }
    }

    fn script(&mut self, path: &str, script: &Table<'_>) {
        self.check::<ScriptTable>(&format!("[{path}]"), script);
        for rule in list(script, "rules").filter_map(|rule| rule.get_ref().as_table()) {
            self.check::<RuleTable>(&format!("[[{path}.rules]]"), rule);
            for call in list(rule, "calls").filter_map(|call| call.get_ref().as_table()) {
                self.check::<CallTable>(&format!("[[{path}.rules.calls]]"), call);
            }
        }
    }

    /// Looks at the word, or the list of words, that a key of this table has.
    fn word<'de, T: Deserialize<'de>>(&mut self, place: &str, outer: &Table<'_>, key: &str) {
        let known = keys_of::<T>();
        let written = value(outer, key).filter(|value| value.get_ref().is_str());
        for word in written.into_iter().chain(list(outer, key)) {
            let Some(written) = word.get_ref().as_str() else { continue };
            if !known.contains(&written) {
                let hint = suggestion(written, known.iter().copied());
                let what = format!("`{key}` in {place} cannot be `{written}`{hint}");
                self.found.push(self.source.problem(word.span(), what));
            }
        }
    }

    fn below<'de, T: Deserialize<'de>>(&mut self, place: &str, outer: &Table<'_>, key: &str) {
        if let Some(inner) = table(outer, key) {
            self.check::<T>(place, inner);
        }
    }

    fn check<'de, T: Deserialize<'de>>(&mut self, place: &str, table: &Table<'_>) {
        let known = keys_of::<T>();
        for key in table.keys() {
            let written: &str = key.get_ref().as_ref();
            if !known.contains(&written) {
                let hint = suggestion(written, known.iter().copied());
                let what = format!("unknown key `{written}` in {place}{hint}");
                self.found.push(self.source.problem(key.span(), what));
            }
        }
    }
}

/// Names that are none, and references to what is not in the file.
fn references(source: &Source, file: &CrewFile) -> Vec<Problem> {
    let mut found = Vec::new();
    let mut name = |written: &Spanned<String>| {
        if let Err(error) = AgentName::new(written.get_ref()) {
            found.push(source.problem(written.span(), error.to_string()));
        }
    };
    name(&file.crew.name);
    file.agents.keys().for_each(&mut name);
    let agents = || file.agents.keys().map(|name| name.get_ref().as_str());
    let mut agent = |what: &str, written: &Spanned<String>| {
        if !file.agents.contains_key(written) {
            let hint = suggestion(written.get_ref(), agents());
            let what = format!("{what} `{}` is no [agents.NAME] here{hint}", written.get_ref());
            found.push(source.problem(written.span(), what));
        }
    };
    agent("the root", &file.crew.root);
    for started in file.agents.values().flat_map(|table| &table.starts) {
        agent("the agent to start", started);
    }
    found.extend(file.agents.values().filter_map(|agent| missing_script(source, file, agent)));
    found
}

fn missing_script(source: &Source, file: &CrewFile, agent: &AgentTable) -> Option<Problem> {
    let script = agent.model.get_ref().strip_prefix("script:")?;
    let known = || file.scripts.keys().map(|name| name.get_ref().as_str());
    if known().any(|name| name == script) {
        return None;
    }
    let hint = suggestion(script, known());
    let what = format!("the script `{script}` is no [scripts.NAME] here{hint}");
    Some(source.problem(agent.model.span(), what))
}

#[cfg(test)]
mod tests {
    use super::parse;
    use crate::crew::source::Source;

    const GOOD: &str = "\
[crew]
name = \"two\"
root = \"lead\"
[agents.lead]
model = \"openai:small\"
starts = [\"lead\"]
";

    fn problems(text: &str) -> String {
        let source = Source { name: "crew.toml".into(), text: text.into(), base: ".".into() };
        parse(&source).map(|_| String::new()).unwrap_or_else(|problems| problems.to_string())
    }

    #[test]
    fn a_crew_whose_agents_start_each_other_in_a_ring_is_fine() {
        assert_eq!(problems(GOOD), "");
    }

    #[test]
    fn an_unknown_key_is_named_with_its_line_and_the_nearest_key() {
        let said = problems(&GOOD.replace("starts", "strats"));
        assert!(
            said.starts_with(
                "crew.toml:6:1: unknown key `strats` in [agents.lead]; did you \
                                  mean `starts`?"
            ),
            "{said}"
        );
    }

    #[test]
    fn all_unknown_keys_are_named_at_once_also_in_inner_tables() {
        let text = format!(
            "{GOOD}[tools.files]\ncomponent = \"builtin:x\"\n\
             grants = {{ workspace = {{ dri = \".\" }} }}\nlimits = {{ memroy = \"1MiB\" }}\n"
        );
        let said = problems(&text);
        assert!(
            said.contains(":9:26: unknown key `dri` in [tools.files.grants.workspace]"),
            "{said}"
        );
        assert!(said.contains(":10:12: unknown key `memroy` in [tools.files.limits]"), "{said}");
        assert!(said.contains("did you mean `memory`?"), "{said}");
    }

    #[test]
    fn a_wrong_type_is_named_with_its_line() {
        let said = problems(&GOOD.replace("\"openai:small\"", "5"));
        assert!(
            said.starts_with("crew.toml:5:9: agents.lead.model: invalid type: integer `5`"),
            "{said}"
        );
    }

    #[test]
    fn a_word_that_a_key_does_not_take_is_named_with_those_it_takes() {
        let said = problems(&GOOD.replace("root =", "reach = \"tere\"\nroot ="));
        let expected = "crew.toml:3:9: `reach` in [crew] cannot be `tere`; did you mean `tree`? \
                        (there is: direct, family, tree)";
        assert!(said.starts_with(expected), "{said}");
        let text = format!(
            "{GOOD}[tools.files]\ncomponent = \"builtin:x\"\n\
             grants = {{ workspace = {{ dir = \".\", access = \"reed\" }}, \
             subagents = {{ kinds = [\"content\", \"interupt\"] }} }}\n"
        );
        let said = problems(&text);
        let access = ":9:46: `access` in [tools.files.grants.workspace] cannot be `reed`";
        assert!(said.contains(access), "{said}");
        let kinds = "`kinds` in [tools.files.grants.subagents] cannot be `interupt`; did you mean";
        assert!(said.contains(kinds), "{said}");
    }

    #[test]
    fn an_unknown_key_of_a_script_is_named_with_its_line_and_the_nearest_key() {
        let script = "[scripts.a]\nlte = {}\n[[scripts.a.rules]]\nsya = \"x\"\n\
                      calls = [{ toll = \"x\" }]\n";
        let said = problems(&format!("{GOOD}{script}"));
        let lines: Vec<&str> = said.lines().collect();
        let starts = [
            "crew.toml:8:1: unknown key `lte` in [scripts.a]; did you mean `let`?",
            "crew.toml:10:1: unknown key `sya` in [[scripts.a.rules]]; did you mean `say`?",
            "crew.toml:11:12: unknown key `toll` in [[scripts.a.rules.calls]]; did you mean",
        ];
        assert_eq!(lines.len(), starts.len(), "{said}");
        assert!(lines.iter().zip(starts).all(|(line, start)| line.starts_with(start)), "{said}");
    }

    #[test]
    fn bounds_of_the_sandbox_that_are_none_are_named_with_their_line() {
        let with = |line: &str| problems(&GOOD.replace("[agents", &format!("{line}\n[agents")));
        assert_eq!(with("sandbox = { most_effort = 9, crashes_before_rest = 0 }"), "");
        let said = with("sandbox = { most_effort = 0 }");
        assert!(
            said.starts_with(
                "crew.toml:4:27: crew.sandbox.most_effort: invalid value: integer `0`"
            ),
            "{said}"
        );
        let said = with("sandbox = { crashes_before_rest = -1 }");
        assert!(
            said.starts_with(
                "crew.toml:4:35: crew.sandbox.crashes_before_rest: invalid value: integer `-1`"
            ),
            "{said}"
        );
        let said = with("sandbox = { most_efort = 9 }");
        assert!(said.starts_with("crew.toml:4:13: unknown key `most_efort` in [crew.sandbox]"));
        assert!(said.contains("did you mean `most_effort`?"), "{said}");
    }

    #[test]
    fn broken_syntax_is_named_with_its_line() {
        let said = problems("[crew\nname = 1\n");
        assert!(said.starts_with("crew.toml:1:"), "{said}");
    }

    #[test]
    fn a_root_that_is_no_agent_is_named_with_the_nearest_one() {
        let said = problems(&GOOD.replace("root = \"lead\"", "root = \"laed\""));
        assert!(said.contains(":3:8: the root `laed` is no [agents.NAME] here"), "{said}");
        assert!(said.contains("did you mean `lead`?"), "{said}");
    }

    #[test]
    fn a_script_that_is_not_there_is_named_with_its_line() {
        let said = problems(&GOOD.replace("openai:small", "script:lead"));
        assert!(said.contains(":5:9: the script `lead` is no [scripts.NAME] here"), "{said}");
    }

    #[test]
    fn a_reserved_word_is_no_name() {
        let said = problems(&GOOD.replace("lead", "parent"));
        assert!(said.contains("`parent` is a reserved word"), "{said}");
    }
}
