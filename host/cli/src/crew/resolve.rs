//! From what is written to what it comes to: components read and looked at, tools found by name,
//! folders made absolute, models checked.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use switchboard_core::{Content, Descriptor, Mode, Refusal, ReportTool};
use switchboard_models::{Models, Script};
use switchboard_sandbox::{Digest, Grants, ToolDescription, inspect};
use toml::Spanned;

use crate::crew::builtin::{Builtin, COMPONENTS, PREFIX};
use crate::crew::document;
use crate::crew::file::{AgentTable, CrewFile, LimitsTable, ToolTable};
use crate::crew::keys::suggestion;
use crate::crew::resolved::{CallLimits, Origin, ResolvedComponent, ResolvedCrew};
use crate::crew::source::{Problem, Problems, Source};
use crate::crew::units;
use crate::failure::Failure;

/// What the command line says over the crew file's head.
#[derive(Clone, Debug, Default)]
pub struct Overrides {
    /// The folder of all workspace grants.
    pub workspace: Option<PathBuf>,
    /// What the person says.
    pub input: Option<String>,
}

/// Resolves a crew file.
///
/// # Errors
/// Everything that is wrong, by line.
pub fn resolve(
    asked: &str,
    source: &Source,
    file: &CrewFile,
    overrides: Overrides,
) -> Result<ResolvedCrew, Failure> {
    let workspace = overrides.workspace.as_deref().map(existing_folder).transpose()?;
    let mut resolver = Resolver::new(source, workspace);
    resolver.tables(file);
    let agents = resolver.agents(file);
    let scripts = resolver.scripts(file);
    resolver.check_models(file, &scripts);
    resolver.check_calls(&agents, &scripts);
    let Resolver { found, tables, .. } = resolver;
    source.judge(found)?;
    let given = overrides.input.or_else(|| file.crew.input.clone());
    let input = given.filter(|input| !input.trim().is_empty()).ok_or_else(no_input)?;
    file.crew.limits.clone().checked().map_err(|error| limits_contradict(source, file, &error))?;
    // Said now: in a ledger it would be refused again at every attempt to go on.
    Content::text(input.clone()).check(&file.crew.limits).map_err(|refusal| refused(&refusal))?;
    Ok(ResolvedCrew {
        name: file.crew.name.get_ref().clone(),
        asked: asked.to_owned(),
        reach: file.crew.reach,
        limits: file.crew.limits.clone(),
        sandbox: file.crew.sandbox,
        root: file.crew.root.get_ref().clone(),
        input,
        agents,
        components: tables
            .into_iter()
            .filter(|table| table.used)
            .map(|table| table.component)
            .collect(),
        scripts: scripts.into_iter().map(|(name, (_, tables))| (name, tables)).collect(),
    })
}

fn no_input() -> Failure {
    Failure::usage("there is nothing to tell the root")
        .next("say it: `--input TEXT`")
        .next("write it into the crew file: `input = \"...\"` in [crew]")
}

fn refused(input: &Refusal) -> Failure {
    Failure::usage("the root cannot be told this input")
        .because(input)
        .next("put the long part into a file of the workspace, and say where it is")
        .next("allow more: `[crew.limits]` in the crew file")
}

fn limits_contradict(
    source: &Source,
    file: &CrewFile,
    error: &switchboard_core::LimitError,
) -> Failure {
    let problem = source.problem(file.crew.name.span(), format!("[crew.limits]: {error}"));
    Problems { name: source.name.clone(), found: vec![problem] }.into()
}

fn existing_folder(dir: &Path) -> Result<PathBuf, Failure> {
    let wrong = |why: String| {
        Failure::usage(format!("cannot use the workspace `{}`", dir.display()))
            .because(why)
            .next("name a folder that is there: `--workspace DIR`")
    };
    let full = dir.canonicalize().map_err(|error| wrong(error.to_string()))?;
    if full.is_dir() { Ok(full) } else { Err(wrong("it is not a folder".to_owned())) }
}

/// A component of the crew, and its tools under the names they go by there.
struct Loaded {
    /// The table's name; none for a built-in that needs none.
    table: Option<String>,
    component: ResolvedComponent,
    tools: Vec<(String, ToolDescription)>,
    used: bool,
}

struct Resolver<'a> {
    source: &'a Source,
    workspace: Option<PathBuf>,
    found: Vec<Problem>,
    tables: Vec<Loaded>,
    /// Tables with a problem of their own: what refers to them is no second one.
    broken: Vec<String>,
}

/// The scripts by name, each with the tables it was read from as a ledger keeps them.
type Scripts = BTreeMap<String, (Script, serde_json::Value)>;

impl<'a> Resolver<'a> {
    fn new(source: &'a Source, workspace: Option<PathBuf>) -> Self {
        let (found, tables, broken) = (Vec::new(), Vec::new(), Vec::new());
        Self { source, workspace, found, tables, broken }
    }

    fn tables(&mut self, file: &CrewFile) {
        let own = builtins();
        for (name, table) in &file.tools {
            let loaded = self.table(name.get_ref(), table).and_then(|loaded| {
                let taken = taken(&loaded, &own, &self.tables);
                let refused = |what| self.source.problem(table.component.span(), what);
                taken.map_or(Ok(loaded), |what| Err(refused(what)))
            });
            match loaded {
                Ok(loaded) => self.tables.push(loaded),
                Err(problem) => {
                    self.found.push(problem);
                    self.broken.push(name.get_ref().clone());
                }
            }
        }
        self.tables.extend(own);
    }

    fn table(&self, name: &str, table: &ToolTable) -> Result<Loaded, Problem> {
        let at = |what: String| self.source.problem(table.component.span(), what);
        let origin = match Origin::parse(table.component.get_ref()) {
            Origin::Builtin(name) => known_builtin(name).map_err(at)?,
            Origin::File(path) => {
                let path = self.source.base.join(path);
                let missing =
                    |error| at(format!("there is no component `{}`: {error}", path.display()));
                Origin::File(path.canonicalize().map_err(missing)?)
            }
        };
        let grants = self.grants(table)?;
        let limits = self.limits(&table.limits)?;
        let mut loaded =
            load(Some(name.to_owned()), origin, grants, table.names.clone(), limits).map_err(at)?;
        loaded.used = true;
        Ok(loaded)
    }

    fn grants(&self, table: &ToolTable) -> Result<Grants, Problem> {
        let Some(written) = &table.grants else { return Ok(Grants::default()) };
        let mut grants = written.get_ref().clone();
        if let Some(workspace) = &mut grants.workspace {
            let dir = self.source.base.join(&workspace.dir);
            workspace.dir = match &self.workspace {
                Some(chosen) => chosen.clone(),
                None => existing_folder(&dir).map_err(|_| {
                    let what =
                        format!("the workspace `{}` is not a folder that is there", dir.display());
                    self.source.problem(written.span(), what)
                })?,
            };
        }
        Ok(grants)
    }

    fn limits(&self, table: &LimitsTable) -> Result<CallLimits, Problem> {
        let usual = CallLimits::default();
        let millis = |text: &str| units::time(text).map(units::millis);
        Ok(CallLimits {
            memory: self.quantity(table.memory.as_ref(), units::size)?.unwrap_or(usual.memory),
            wall_ms: self.quantity(table.wall.as_ref(), millis)?.unwrap_or(usual.wall_ms),
            computing_ms: self
                .quantity(table.computing.as_ref(), millis)?
                .unwrap_or(usual.computing_ms),
        })
    }

    fn quantity(
        &self,
        text: Option<&Spanned<String>>,
        read: impl Fn(&str) -> Result<u64, String>,
    ) -> Result<Option<u64>, Problem> {
        let read = |text: &Spanned<String>| {
            read(text.get_ref()).map_err(|what| self.source.problem(text.span(), what))
        };
        text.map(read).transpose()
    }

    fn agents(&mut self, file: &CrewFile) -> BTreeMap<String, Descriptor> {
        let agents = file.agents.iter();
        agents.map(|(name, table)| (name.get_ref().clone(), self.agent(name, table))).collect()
    }

    fn agent(&mut self, name: &Spanned<String>, table: &AgentTable) -> Descriptor {
        let mut tools = Vec::new();
        let mut reports = None;
        for entry in &table.tools {
            for (tool, description) in self.entry(entry) {
                reports = reports.or_else(|| report_tool(&tool, &description));
                if !tools.contains(&tool) {
                    tools.push(tool);
                }
            }
        }
        Descriptor {
            kind: name.get_ref().clone(),
            mode: Mode::Continuable,
            model: table.model.get_ref().clone(),
            persona: table.prompt.clone(),
            description: table.description.clone(),
            tools,
            starts: table.starts.iter().map(|kind| kind.get_ref().clone()).collect(),
            images: table.images,
            plan_required: table.plan_required,
            reports,
        }
    }

    /// The tools an entry of an agent's `tools` stands for: all of a table, or the one so named.
    fn entry(&mut self, entry: &Spanned<String>) -> Vec<(String, ToolDescription)> {
        let wanted = entry.get_ref();
        if let Some(table) = self.tables.iter().find(|table| table.table.as_ref() == Some(wanted)) {
            return table.tools.clone();
        }
        for table in &mut self.tables {
            if let Some(tool) = table.tools.iter().find(|(name, _)| name == wanted) {
                table.used = true;
                return vec![tool.clone()];
            }
        }
        if self.broken.contains(wanted) {
            return Vec::new();
        }
        let tables = self.tables.iter().filter_map(|table| table.table.as_deref());
        let tools =
            self.tables.iter().flat_map(|table| &table.tools).map(|(name, _)| name.as_str());
        let hint = suggestion(wanted, tables.chain(tools));
        let what = format!("`{wanted}` is neither a [tools.NAME] here nor a tool of one{hint}");
        self.found.push(self.source.problem(entry.span(), what));
        Vec::new()
    }

    fn scripts(&mut self, file: &CrewFile) -> Scripts {
        let mut scripts = Scripts::new();
        for (name, tables) in &file.scripts {
            let name = name.get_ref();
            match Script::parse(name, tables.get_ref().clone()) {
                Ok(script) => {
                    let kept = serde_json::to_value(tables.get_ref()).unwrap_or_default();
                    scripts.insert(name.clone(), (script, kept));
                }
                Err(error) => {
                    let what = error.to_string().replace('\n', ", ");
                    let problem = self.in_script(name, &error.path(), what);
                    self.found.push(problem);
                }
            }
        }
        scripts
    }

    fn in_script(&self, script: &str, path: &[String], what: String) -> Problem {
        let keys = ["scripts", script].into_iter().chain(path.iter().map(String::as_str));
        let span = document::locate(&self.source.text, keys);
        self.source.problem(span.unwrap_or_default(), what)
    }

    /// Looks for tools that a script calls and no agent with that script has. A tool that only
    /// some of them have is refused to the others when they call it.
    fn check_calls(&mut self, agents: &BTreeMap<String, Descriptor>, scripts: &Scripts) {
        if !self.found.is_empty() {
            return;
        }
        for (name, (script, _)) in scripts {
            let model = format!("script:{name}");
            let its = agents.values().filter(|agent| agent.model == model);
            let tools: BTreeSet<&str> =
                its.clone().flat_map(|agent| &agent.tools).map(String::as_str).collect();
            let users: Vec<_> = its.map(|agent| format!("`{}`", agent.kind)).collect();
            if users.is_empty() {
                continue;
            }
            for (rule, call, tool) in script.calls().filter(|(_, _, tool)| !tools.contains(tool)) {
                let hint = suggestion(tool, tools.iter().copied());
                let (rule, call) = (rule.to_string(), call.to_string());
                let path = ["rules".into(), rule, "calls".into(), call, "tool".into()];
                let what = format!("{} has no tool `{tool}`{hint}", users.join(" or "));
                let problem = self.in_script(name, &path, what);
                self.found.push(problem);
            }
        }
    }

    fn check_models(&mut self, file: &CrewFile, scripts: &Scripts) {
        if !self.found.is_empty() {
            return;
        }
        let models =
            Models::new(scripts.iter().map(|(name, (script, _))| (name.clone(), script.clone())));
        for agent in file.agents.values() {
            if let Err(error) = models.check(agent.model.get_ref()) {
                self.found.push(self.source.problem(agent.model.span(), error.to_string()));
            }
        }
    }
}

/// The built-in components nobody needs a table for.
fn builtins() -> Vec<Loaded> {
    let load = |builtin: &Builtin| {
        let origin = Origin::Builtin(builtin.name.to_owned());
        load(None, origin, builtin.grants?(), BTreeMap::new(), CallLimits::default()).ok()
    };
    COMPONENTS.iter().filter_map(load).collect()
}

/// Why a table cannot be had beside these. A tool's name means one tool: a component says itself
/// what its tools are called, and must not get what an agent meant for another by that.
fn taken(new: &Loaded, own: &[Loaded], tables: &[Loaded]) -> Option<String> {
    let own = own.iter().filter(|own| own.component.origin != new.component.origin);
    let others: Vec<_> = own.chain(tables).collect();
    let holder = |name: &str| {
        others.iter().find(|other| other.tools.iter().any(|(tool, _)| tool == name)).copied()
    };
    if let Some(table) = &new.table
        && holder(table).is_some_and(|other| other.table.is_none())
    {
        return Some(format!("[tools.{table}] has the name of a built-in tool; rename the table"));
    }
    let clash = |(name, tool): &(String, ToolDescription)| {
        let (origin, other) = (new.component.origin.name(), holder(name)?);
        let of = other.table.as_ref().map_or("built in".into(), |table| format!("[tools.{table}]"));
        let own = &tool.name;
        let say = format!("give it another name: as = {{ {own} = \"...\" }}");
        Some(format!("`{origin}` has a tool `{name}`, a name that is taken ({of}); {say}"))
    };
    new.tools.iter().find_map(clash)
}

fn known_builtin(name: String) -> Result<Origin, String> {
    let known = || COMPONENTS.iter().map(|builtin| builtin.name);
    if known().any(|builtin| builtin == name) {
        return Ok(Origin::Builtin(name));
    }
    let hint = suggestion(&name, known());
    Err(format!("there is no built-in component `{PREFIX}{name}`{hint}"))
}

fn load(
    table: Option<String>,
    origin: Origin,
    grants: Grants,
    names: BTreeMap<String, String>,
    limits: CallLimits,
) -> Result<Loaded, String> {
    let bytes = origin.bytes().map_err(|failure| failure.to_string())?;
    let inspection =
        inspect(&bytes).map_err(|error| format!("`{}` is no tool: {error}", origin.name()))?;
    let named = |tool: ToolDescription| {
        (names.get(&tool.name).cloned().unwrap_or_else(|| tool.name.clone()), tool)
    };
    let tools = inspection.description.tools.into_iter().map(named).collect();
    let digest = Digest::of(&bytes).to_string();
    let component = ResolvedComponent { origin, digest, grants, names, limits };
    Ok(Loaded { table, component, tools, used: false })
}

fn report_tool(tool: &str, description: &ToolDescription) -> Option<ReportTool> {
    let example = description.reports.as_ref()?;
    Some(ReportTool { tool: tool.to_owned(), example: example.to_string() })
}
