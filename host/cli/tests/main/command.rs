//! A folder of its own for each test, and the command run in it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use tempfile::TempDir;

pub(crate) struct Folder {
    dir: TempDir,
}

/// What a command said and how it ended.
#[derive(Debug)]
pub(crate) struct Said {
    pub(crate) code: i32,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Folder {
    pub(crate) fn new() -> Self {
        Self { dir: tempfile::tempdir().unwrap() }
    }

    pub(crate) fn path(&self) -> &Path {
        self.dir.path()
    }

    pub(crate) fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        path
    }

    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_switchboard"));
        command.args(arguments).current_dir(self.path()).stdin(Stdio::null());
        // Compiled tools are shared by all tests, and by nobody else.
        command.env("XDG_CACHE_HOME", env!("CARGO_TARGET_TMPDIR"));
        command.env_remove("NO_COLOR").env_remove("CLICOLOR_FORCE").env_remove("SWITCHBOARD_LOG");
        command
    }

    pub(crate) fn switchboard(&self, arguments: &[&str]) -> Said {
        self.command(arguments).output().unwrap().into()
    }
}

impl From<Output> for Said {
    fn from(output: Output) -> Self {
        Self {
            code: output.status.code().unwrap_or(-1),
            out: String::from_utf8(output.stdout).unwrap(),
            err: String::from_utf8(output.stderr).unwrap(),
        }
    }
}

/// A crew of one agent that does what these rules say, with the tools that read its folder.
pub(crate) fn crew_of_one(rules: &str) -> String {
    format!(
        "[crew]\nname = \"one\"\nroot = \"solo\"\ninput = \"Begin.\"\n\
         [tools.files]\ncomponent = \"builtin:workspace-files\"\n\
         grants = {{ workspace = {{ dir = \".\", access = \"read\" }} }}\n\
         limits = {{ wall = \"20s\" }}\n\
         [agents.solo]\nmodel = \"script:solo\"\ntools = [\"files\"]\n{rules}"
    )
}

/// It watches a file nobody changes, for as long as it may.
pub(crate) const WATCHES: &str = "
[[scripts.solo.rules]]
name = \"watch\"
unsaid = ['^watch_file ']
calls = [{ tool = \"watch_file\", arguments = { path = \"crew.toml\", deadline_ms = 9000 } }]
[[scripts.solo.rules]]
name = \"stop\"
say = \"Nothing changed.\"
";
