//! What can be wrong with a component, and with loading it. Every text names what is wrong and
//! what to do about it.

use std::path::PathBuf;

use crate::imports::ImportProblem;
use crate::limits::LimitError;

/// Why a file is no tool.
#[derive(Debug, thiserror::Error)]
pub enum ComponentError {
    /// It is larger than the host takes.
    #[error("it has {bytes} bytes, at most {most} are allowed")]
    TooLarge {
        /// Its size.
        bytes: u64,
        /// The limit.
        most: u64,
    },
    /// It is a core module.
    #[error(
        "it is a core WebAssembly module, not a component: make one of it with \
         `switchboard-componentize`"
    )]
    Module,
    /// It is no WebAssembly at all, or damaged.
    #[error("it is not a WebAssembly component: {0}")]
    Malformed(String),
    /// It is built from more parts than a tool needs.
    #[error("it is too complex for a tool: {0}")]
    TooComplex(String),
    /// Compiling it would take too long.
    #[error(
        "compiling it would be more than {most} units of work, each about a microsecond: make it \
         smaller, or its functions simpler"
    )]
    TooMuchWork {
        /// The limit.
        most: u64,
    },
    /// It exports no tool.
    #[error(
        "it does not export `switchboard:plugin/tool@0.1.0`, so there is nothing to call: build \
         it with `switchboard-guest`"
    )]
    NoTool,
    /// It exports the tool interface of another version.
    #[error("it exports `{0}`, this host calls `switchboard:plugin/tool@0.1.0`: build it again")]
    OtherTool(String),
    /// What it says of itself is missing or wrong.
    #[error("its section `switchboard:tool` {0}")]
    Description(String),
}

/// Why tools could not be loaded.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// The file could not be read.
    #[error("cannot read {path}: {source}", path = path.display())]
    Unreadable {
        /// Which.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// It is no tool.
    #[error("{component} cannot be used as a tool: {source}")]
    Component {
        /// Which.
        component: String,
        /// What is wrong with it.
        source: ComponentError,
    },
    /// It wants what it is not granted, or what this host has not (SAND-1).
    #[error("{component} cannot be loaded: {}", join(problems))]
    Imports {
        /// Which.
        component: String,
        /// What is wrong with each import.
        problems: Vec<ImportProblem>,
    },
    /// Its limits cannot be kept.
    #[error("{component} cannot be loaded: {source}")]
    Limits {
        /// Which.
        component: String,
        /// What is wrong.
        source: LimitError,
    },
    /// The folder it is to read is not there.
    #[error(
        "{component} is granted the folder {dir}, which cannot be opened: {source}",
        dir = dir.display()
    )]
    Workspace {
        /// Which.
        component: String,
        /// The folder.
        dir: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// A name is taken.
    #[error(
        "{component} has a tool `{name}`, and {holder} has one too: give one of them another \
         name, for example `as = \"{name}_2\"`"
    )]
    NameTaken {
        /// Whose tool it is.
        component: String,
        /// The name.
        name: String,
        /// Who has it.
        holder: String,
    },
    /// A name is given to a tool that is not there.
    #[error("{component} has no tool `{name}`; it has {}", named(there))]
    NoSuchTool {
        /// Which component.
        component: String,
        /// The name.
        name: String,
        /// The tools it has.
        there: Vec<String>,
    },
    /// A name no model provider takes.
    #[error("{component}: `{name}` is not a tool's name: use 1 to 64 of a-z, A-Z, 0-9, `_`, `-`")]
    BadName {
        /// Which component.
        component: String,
        /// The name.
        name: String,
    },
    /// It does not compile or link, for a reason no check above knows.
    #[error("{component} does not compile: {source:#}")]
    Compile {
        /// Which.
        component: String,
        /// Why.
        source: wasmtime::Error,
    },
    /// The host failed.
    #[error("loading {component} failed in the host; its log says why")]
    Internal {
        /// Which.
        component: String,
    },
}

fn join(problems: &[ImportProblem]) -> String {
    problems.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
}

fn named(tools: &[String]) -> String {
    tools.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}
