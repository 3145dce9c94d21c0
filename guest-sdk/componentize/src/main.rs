//! The command that makes components of tools.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result};
use clap::Parser;
use switchboard_componentize::{Crate, Record, check, sources, workspace};

/// Makes WebAssembly components of the crates of tools.
#[derive(Debug, Parser)]
#[command(arg_required_else_help = true)]
struct Arguments {
    /// The folders of the crates to build
    #[arg(required_unless_present_any = ["all", "check"])]
    crates: Vec<PathBuf>,
    /// Build every crate in plugins/ and tests/guests/, each into the folder dist beside it, and
    /// record what they were made of
    #[arg(long, conflicts_with = "crates")]
    all: bool,
    /// Write nothing: say whether the components are those that the sources give
    #[arg(long, conflicts_with_all = ["crates", "all"])]
    check: bool,
    /// Where the components of these crates go
    #[arg(long, value_name = "DIR", default_value = "plugins/dist")]
    out: PathBuf,
}

/// The folders whose crates' components are committed, in `dist` beside them: the tools that are
/// shipped, and guests of the tests.
const FOLDERS: [&str; 2] = ["plugins", "tests/guests"];

fn main() -> ExitCode {
    match run(&Arguments::parse()) {
        Ok(code) => code,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &Arguments) -> Result<ExitCode> {
    if arguments.check {
        return compare();
    }
    if arguments.all {
        for folder in FOLDERS {
            build_all(Path::new(folder))?;
        }
        return Ok(ExitCode::SUCCESS);
    }
    make_folder(&arguments.out)?;
    for folder in &arguments.crates {
        build(&Crate::open(folder)?, &arguments.out)?;
    }
    Ok(ExitCode::SUCCESS)
}

fn make_folder(out: &Path) -> Result<()> {
    fs::create_dir_all(out).with_context(|| format!("cannot make {}", out.display()))
}

fn build_all(folder: &Path) -> Result<()> {
    let workspace = workspace(Path::new("."))?;
    let folder = &workspace.join(folder);
    let out = folder.join("dist");
    make_folder(&out)?;
    let mut record = Record::new(sources(&workspace, folder)?);
    for plugin in Crate::all(folder)? {
        let component = build(&plugin, &out)?;
        record.add(&format!("{}.wasm", plugin.name()), &component);
    }
    record.write(&out)
}

fn build(plugin: &Crate, out: &Path) -> Result<Vec<u8>> {
    let component = plugin.component()?;
    let path = out.join(plugin.name()).with_extension("wasm");
    fs::write(&path, &component).with_context(|| format!("cannot write {}", path.display()))?;
    eprintln!("{} ({} KiB)", path.display(), component.len() / 1024);
    Ok(component)
}

fn compare() -> Result<ExitCode> {
    let workspace = workspace(Path::new("."))?;
    let mut code = ExitCode::SUCCESS;
    for folder in FOLDERS.map(|folder| workspace.join(folder)) {
        let dist = folder.join("dist");
        let verdict = check(&workspace, &folder, &dist)?;
        for note in &verdict.notes {
            eprintln!("note: {note}");
        }
        for fault in &verdict.faults {
            eprintln!("error: {fault}");
        }
        if verdict.faults.is_empty() {
            eprintln!("the components in {} are up to date", dist.display());
        } else {
            code = ExitCode::FAILURE;
        }
    }
    if code != ExitCode::SUCCESS {
        eprintln!("run `cargo run -p switchboard-componentize -- --all` and commit what it writes");
    }
    Ok(code)
}
