//! From text to tables: syntax, unknown keys with the nearest known one, types, and what the file
//! alone can tell about its own references.

use serde::Deserialize;
use switchboard_core::{AgentName, Limits};
use switchboard_sandbox::{Grants, SubagentsGrant, WorkspaceGrant};
use toml::Spanned;
use toml::de::{DeString, DeTable, DeValue};

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
        Some(span) => source.problem(span, what),
        None => Problem { at: None, what },
    };
    Problems { name: source.name.clone(), found: vec![problem] }
}

type Table<'i> = DeTable<'i>;

/// Looks for keys nothing reads.
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
        keys.below::<SandboxTable>("[crew.sandbox]", crew, "sandbox");
    }
    for (name, tool) in members(document, "tools") {
        keys.tool(&format!("tools.{name}"), tool);
    }
    for (name, agent) in members(document, "agents") {
        keys.check::<AgentTable>(&format!("[agents.{name}]"), agent);
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

fn table<'a, 'i>(outer: &'a Table<'i>, key: &str) -> Option<&'a Table<'i>> {
    let found = outer.iter().find(|(name, _)| {
        let name: &str = name.get_ref().as_ref();
        name == key
    });
    found.and_then(|(_, value)| value.get_ref().as_table())
}

fn members<'a, 'i>(
    document: &'a Table<'i>,
    key: &str,
) -> impl Iterator<Item = (&'a str, &'a Table<'i>)> {
    let named = |(name, value): (&'a Spanned<DeString<'i>>, &'a Spanned<DeValue<'i>>)| {
        let name: &str = name.get_ref().as_ref();
        Some((name, value.get_ref().as_table()?))
    };
    table(document, key).into_iter().flat_map(Table::iter).filter_map(named)
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
        assert!(said.starts_with("crew.toml:5:9: invalid type: integer `5`"), "{said}");
    }

    #[test]
    fn bounds_of_the_sandbox_that_are_none_are_named_with_their_line() {
        let with = |line: &str| problems(&GOOD.replace("[agents", &format!("{line}\n[agents")));
        assert_eq!(with("sandbox = { most_effort = 9, crashes_before_rest = 0 }"), "");
        let said = with("sandbox = { most_effort = 0 }");
        assert!(said.starts_with("crew.toml:4:27: invalid value: integer `0`"), "{said}");
        let said = with("sandbox = { crashes_before_rest = -1 }");
        assert!(said.starts_with("crew.toml:4:35: invalid value: integer `-1`"), "{said}");
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
