//! `doctor`: whether this machine and folder are fit to run crews, and to build tools.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde::Serialize;
use switchboard_core::FORMAT;
use switchboard_ledger::network_file_system;
use switchboard_sandbox::{Allocation, inspect};

use crate::arguments::Doctor;
use crate::assemble::sandbox;
use crate::console::Console;
use crate::crew::builtin::COMPONENTS;
use crate::crew::file::SandboxTable;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::show::paint::Role;
use crate::show::safe;
use crate::show::words::count;

const TARGET: &str = "wasm32-unknown-unknown";

/// One thing that was looked at.
#[derive(Serialize)]
struct Finding {
    what: &'static str,
    state: State,
    found: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    next: Option<String>,
}

#[derive(Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
enum State {
    Good,
    /// It works, but something is slower or missing.
    Lacking,
    /// Crews cannot be run.
    Bad,
}

/// What `--json` says.
#[derive(Serialize)]
struct Report {
    fit: bool,
    findings: Vec<Finding>,
}

pub(super) fn doctor(arguments: Doctor, console: &Console) -> Result<Exit, Failure> {
    let mut findings = vec![versions()];
    findings.extend(engine());
    findings.extend([components(), folder(Path::new(".")), target()]);
    let fit = findings.iter().all(|finding| finding.state != State::Bad);
    if arguments.json {
        console.json(&Report { fit, findings })?;
    } else {
        findings.iter().for_each(|finding| print(finding, console));
        console.line("");
        let words = if fit { "crews can be run here" } else { "crews cannot be run here" };
        console.line(&console.paint.paint(Role::Strong, words));
    }
    Ok(if fit { Exit::Done } else { Exit::Failed })
}

fn print(finding: &Finding, console: &Console) {
    let (mark, role) = match finding.state {
        State::Good => ("ok     ", Role::Good),
        State::Lacking => ("lacking", Role::Warning),
        State::Bad => ("bad    ", Role::Bad),
    };
    let mark = console.paint.paint(role, mark);
    let whole = |text: &str| safe::line(text, usize::MAX);
    console.line(&format!("{mark} {:<12} {}", finding.what, whole(&finding.found)));
    if let Some(next) = &finding.next {
        console.line(&format!("{:20} next: {}", "", whole(next)));
    }
}

impl Finding {
    fn new(what: &'static str, state: State, found: impl Into<String>) -> Self {
        Self { what, state, found: found.into(), next: None }
    }

    fn next(self, next: impl Into<String>) -> Self {
        Self { next: Some(next.into()), ..self }
    }
}

fn versions() -> Finding {
    let version = env!("CARGO_PKG_VERSION");
    Finding::new("version", State::Good, format!("switchboard {version}, ledger format {FORMAT}"))
}

/// Where instances get their memory, and where compiled code is kept.
fn engine() -> Vec<Finding> {
    let sandbox = match sandbox(SandboxTable::default()) {
        Ok(sandbox) => sandbox,
        Err(failure) => return vec![Finding::new("sandbox", State::Bad, failure.to_string())],
    };
    let posture = sandbox.posture();
    let engine = &posture.engine;
    let found = format!("wasmtime {}, {} slots", engine.wasmtime, engine.instances);
    let found = Finding::new("sandbox", State::Good, found);
    let pool = match &engine.allocation {
        Allocation::PooledAndScanned => {
            Finding::new("instances", State::Good, "from a pool, cleaned with pagemap_scan")
        }
        slower @ Allocation::Pooled { .. } => {
            Finding::new("instances", State::Lacking, slower.to_string())
                .next("nothing must be done; Linux 6.7 or newer makes each call some 15 µs faster")
        }
        slower @ Allocation::OnDemand { .. } => {
            Finding::new("instances", State::Lacking, slower.to_string())
                .next("allow more address space (`ulimit -v unlimited`); each call gets faster")
        }
    };
    let cache = match &posture.cache {
        Ok(dir) => Finding::new("code cache", State::Good, dir.display().to_string()),
        Err(why) => Finding::new("code cache", State::Lacking, why.clone())
            .next("set HOME or XDG_CACHE_HOME; without it every start compiles the tools again"),
    };
    vec![found, pool, cache]
}

fn components() -> Finding {
    let broken = COMPONENTS.iter().find_map(|component| {
        inspect(component.bytes).err().map(|error| format!("{}: {error}", component.name))
    });
    match broken {
        None => Finding::new("tools", State::Good, count(COMPONENTS.len(), "built-in component")),
        Some(problem) => Finding::new("tools", State::Bad, problem)
            .next("this binary was built wrong; build it again"),
    }
}

/// Whether a ledger may lie here: locks must be true, and the folder writable.
fn folder(here: &Path) -> Finding {
    if let Some(name) = network_file_system(here) {
        let found = format!("this folder is on {name}, where SQLite's locks cannot be trusted");
        return Finding::new("ledgers", State::Bad, found)
            .next("run in a folder on a local disk, or keep the ledger there: `--ledger FILE`");
    }
    let readonly = std::fs::metadata(here).is_ok_and(|folder| folder.permissions().readonly());
    if readonly {
        return Finding::new("ledgers", State::Bad, "this folder cannot be written to")
            .next("run in another folder, or keep the ledger elsewhere: `--ledger FILE`");
    }
    Finding::new("ledgers", State::Good, "this folder is on a local file system")
}

/// What a tool is compiled for; running tools needs none of it.
fn target() -> Finding {
    let lacking = |found: &str| Finding::new("building", State::Lacking, found);
    match sysroot() {
        None => lacking("there is no rustc here; it is needed only to build tools")
            .next("install Rust, if you want to: https://rustup.rs"),
        Some(root) if root.join("lib/rustlib").join(TARGET).is_dir() => {
            Finding::new("building", State::Good, format!("the target {TARGET} is there"))
        }
        Some(_) => {
            lacking(&format!("the target {TARGET} is not there; only building tools needs it"))
                .next(format!(
                    "`rustup target add {TARGET}`, or scripts/wasm-target in the sources"
                ))
        }
    }
}

fn sysroot() -> Option<PathBuf> {
    let output = Command::new("rustc").args(["--print", "sysroot"]).output().ok()?;
    let path = String::from_utf8(output.stdout).ok()?;
    output.status.success().then(|| PathBuf::from(path.trim()))
}
