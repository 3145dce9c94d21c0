//! `init`: writes a crew file to begin with.

use std::fs::{self, OpenOptions};
use std::io::{ErrorKind, Write};
use std::path::Path;

use crate::arguments::Init;
use crate::console::Console;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::show::safe;

/// The file that is written.
const TEMPLATE: &str = include_str!("init/crew.toml");

pub(super) fn init(arguments: &Init, console: &Console) -> Result<Exit, Failure> {
    let path = arguments.dir.join("crew.toml");
    if arguments.dir.is_file() {
        let file = safe::name(&arguments.dir.display().to_string());
        return Err(Failure::usage(format!("`{file}` is a file, and `init` takes a folder"))
            .next("write crew.toml into this folder: `switchboard init`")
            .next("name another folder: `switchboard init DIR`"));
    }
    fs::create_dir_all(&arguments.dir).map_err(|error| {
        Failure::new(format!("cannot make the folder `{}`", arguments.dir.display()))
            .because(error)
            .next("name a folder you may write to: `switchboard init DIR`")
    })?;
    write_new(&path)?;
    let shown = shown(&path);
    console.line(&format!("wrote {shown}: two agents, a folder to read, every line explained"));
    console.line("");
    console.line("next:");
    console.line(&format!("  switchboard run {shown}"));
    console.line(&format!("  $EDITOR {shown}"));
    Ok(Exit::Done)
}

/// Writes the file only if there is none: whether there is one and making it are one step.
fn write_new(path: &Path) -> Result<(), Failure> {
    let shown = shown(path);
    let failed = |error: std::io::Error| {
        if error.kind() == ErrorKind::AlreadyExists {
            return Failure::new(format!("`{shown}` is there already and is left as it is"))
                .next(format!("run it: `switchboard run {shown}`"))
                .next("write another one: `switchboard init OTHER-DIR`");
        }
        Failure::new(format!("cannot write `{shown}`"))
            .because(error)
            .next("name a folder you may write to: `switchboard init DIR`")
    };
    let mut file = OpenOptions::new().write(true).create_new(true).open(path).map_err(failed)?;
    file.write_all(TEMPLATE.as_bytes()).map_err(failed)
}

fn shown(path: &Path) -> String {
    safe::name(&path.strip_prefix("./").unwrap_or(path).display().to_string())
}
