//! `plugin inspect`: what a component is, without running it.

use serde::Serialize;
use switchboard_sandbox::{BodyKind, Disposal, Inspection, ToolDescription, inspect as look};

use crate::arguments::Inspect;
use crate::console::Console;
use crate::crew::builtin::{Builtin, COMPONENTS, PREFIX};
use crate::crew::keys::nearest;
use crate::crew::resolved::Origin;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::show::paint::Role;
use crate::show::safe;
use crate::show::words::list;

pub(super) fn inspect(arguments: &Inspect, console: &Console) -> Result<Exit, Failure> {
    let origin = Origin::parse(&arguments.file);
    let bytes = origin.bytes().map_err(|failure| unreadable(failure, &origin))?;
    let inspection = look(&bytes).map_err(|error| {
        Failure::new(format!("`{}` is no tool", arguments.file))
            .because(error)
            .next("look at one that is: `switchboard plugin inspect builtin:send-message`")
    })?;
    if arguments.json {
        console.json(&Report::new(&arguments.file, &inspection))?;
    } else {
        print(&arguments.file, &inspection, console);
    }
    Ok(Exit::Done)
}

/// Nothing is there under this name; perhaps something is under a name like it.
fn unreadable(failure: Failure, origin: &Origin) -> Failure {
    let bare = match origin {
        Origin::Builtin(name) => Some(name.as_str()),
        Origin::File(path) => path.file_stem().and_then(|stem| stem.to_str()),
    };
    let known = COMPONENTS.iter().map(|builtin| builtin.name);
    let meant = bare.and_then(|bare| nearest(bare, known)).unwrap_or("send-message");
    let failure = failure.exiting(Exit::Usage);
    let failure = match origin {
        Origin::Builtin(_) => failure,
        Origin::File(_) => failure.next("check the path of the component"),
    };
    failure.next(format!("look at a built-in one: `switchboard plugin inspect {PREFIX}{meant}`"))
}

fn print(file: &str, inspection: &Inspection, console: &Console) {
    let head = |text: &str| console.paint.paint(Role::Strong, &format!("{text:<9}"));
    let short = |text: &String| safe::line(text, 120);
    let description = &inspection.description;
    console.line(&format!("{} {}", head("component"), safe::name(file)));
    console.line(&format!("{} {} bytes", head("size"), inspection.size));
    console.line(&format!("{} sha256:{}", head("digest"), inspection.digest));
    let (world, sdk) = (short(&description.world), short(&description.sdk));
    console.line(&format!("{} world {world}, SDK {sdk}", head("built for")));
    let imports = match inspection.imports.as_slice() {
        [] => "nothing: it can only compute".to_owned(),
        imports => list(imports.iter().map(short)),
    };
    console.line(&format!("{} {imports}", head("imports")));
    console.line(&format!("{} {}", head("exports"), list(inspection.exports.iter().map(short))));
    description.tools.iter().for_each(|tool| print_tool(tool, console));
    console.line("");
    console.line(&console.paint.paint(Role::Strong, "in a crew file"));
    let lines = crew_lines(file, inspection);
    console.lines(lines.iter().map(|line| format!("  {}", safe::name(line))));
}

fn print_tool(tool: &ToolDescription, console: &Console) {
    console.line("");
    console
        .line(&console.paint.paint(Role::Strong, &format!("tool {}", safe::line(&tool.name, 64))));
    let text = safe::paragraphs(&tool.description);
    console.lines(text.lines().map(|line| format!("  {line}")));
    let schema = serde_json::to_string_pretty(&tool.input_schema).unwrap_or_default();
    console.lines(safe::paragraphs(&schema).lines().map(|line| format!("  {line}")));
    if let Some(example) = &tool.reports {
        console
            .line(&format!("  reports to a parent with {}", safe::line(&example.to_string(), 96)));
    }
}

/// What to write into a crew file to have this tool.
fn crew_lines(file: &str, inspection: &Inspection) -> Vec<String> {
    let mut lines = vec!["[tools.mine]".to_owned(), format!("component = {file:?}")];
    match granted(file) {
        Some(line) => lines.push(line),
        None => lines.extend(inspection.grants_needed.iter().map(|line| (*line).to_owned())),
    }
    lines
}

/// What a built-in component is granted that asks for a part of an interface: which kinds of
/// envelope it sends, or what it does to agents, no component says of itself.
fn granted(file: &str) -> Option<String> {
    let grants = Builtin::find(file.strip_prefix(PREFIX)?)?.grants?();
    if !grants.delegation.is_empty() {
        let words: Vec<_> = grants.delegation.into_iter().map(Disposal::as_str).collect();
        return Some(format!("grants = {{ delegation = {words:?} }}"));
    }
    let kinds: Vec<_> = grants.subagents?.kinds.into_iter().map(BodyKind::as_str).collect();
    Some(format!("grants = {{ subagents = {{ kinds = {kinds:?} }} }}"))
}

/// What `--json` says.
#[derive(Serialize)]
struct Report<'a> {
    component: &'a str,
    size: usize,
    digest: String,
    imports: &'a [String],
    exports: &'a [String],
    world: &'a str,
    sdk: &'a str,
    tools: &'a [ToolDescription],
    crew_file: Vec<String>,
}

impl<'a> Report<'a> {
    fn new(file: &'a str, inspection: &'a Inspection) -> Self {
        Self {
            component: file,
            size: inspection.size,
            digest: inspection.digest.to_string(),
            imports: &inspection.imports,
            exports: &inspection.exports,
            world: &inspection.description.world,
            sdk: &inspection.description.sdk,
            tools: &inspection.description.tools,
            crew_file: crew_lines(file, inspection),
        }
    }
}
