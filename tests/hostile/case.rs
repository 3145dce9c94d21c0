//! What a case is: an attack, what it is aimed at, and how it has to end.

use std::fmt;
use std::sync::Arc;

use switchboard_runtime::{BoxFuture, Outcome};
use switchboard_sandbox::{ComponentError, ImportProblem, LoadError};

use crate::ground::Ground;

/// One row of the corpus.
pub(crate) struct Case {
    pub(crate) name: &'static str,
    /// What it is aimed at.
    pub(crate) limit: &'static str,
    pub(crate) attack: Attack,
    pub(crate) expected: Expected,
}

/// How it is carried out.
pub(crate) type Attack = Box<dyn FnOnce(Arc<Ground>) -> BoxFuture<'static, Seen> + Send>;

/// How it has to end.
pub(crate) struct Expected {
    pub(crate) end: End,
    /// What has to be among the words.
    pub(crate) words: String,
}

/// How it did end.
#[derive(Debug)]
pub(crate) struct Seen {
    pub(crate) end: End,
    /// What the model is told, or whoever wanted to load it.
    pub(crate) words: String,
}

/// The ways to end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// It was called and came to this.
    Called(Outcome),
    /// It was not loaded.
    Refused(Fault),
    /// It was many, each of which was refused, or called and came to an end of its own.
    EachInItsWay,
}

/// Why a component is not loaded: the variants of the sandbox's errors, without what they hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    Unreadable,
    TooLarge,
    Module,
    Malformed,
    TooComplex,
    TooMuchWork,
    NoTool,
    OtherTool,
    Description,
    NotGranted,
    OtherVersion,
    Wasi,
    UnknownFunction,
    UnknownImport,
    NameTaken,
    BadName,
    NoSuchTool,
    Limits,
    Compile,
    Workspace,
    Internal,
}

impl Fault {
    pub(crate) fn of(error: &LoadError) -> Self {
        match error {
            LoadError::Unreadable { .. } => Self::Unreadable,
            LoadError::Component { source, .. } => match source {
                ComponentError::TooLarge { .. } => Self::TooLarge,
                ComponentError::Module => Self::Module,
                ComponentError::Malformed(_) => Self::Malformed,
                ComponentError::TooComplex(_) => Self::TooComplex,
                ComponentError::TooMuchWork { .. } => Self::TooMuchWork,
                ComponentError::NoTool => Self::NoTool,
                ComponentError::OtherTool(_) => Self::OtherTool,
                ComponentError::Description(_) => Self::Description,
            },
            LoadError::Imports { problems, .. } => match &problems[0] {
                ImportProblem::NotGranted { .. } | ImportProblem::FunctionNotGranted { .. } => {
                    Self::NotGranted
                }
                ImportProblem::OtherVersion { .. } => Self::OtherVersion,
                ImportProblem::Wasi { .. } => Self::Wasi,
                ImportProblem::UnknownFunction { .. } => Self::UnknownFunction,
                ImportProblem::Unknown { .. } => Self::UnknownImport,
            },
            LoadError::NameTaken { .. } => Self::NameTaken,
            LoadError::BadName { .. } => Self::BadName,
            LoadError::NoSuchTool { .. } => Self::NoSuchTool,
            LoadError::Limits { .. } => Self::Limits,
            LoadError::Compile { .. } => Self::Compile,
            LoadError::Workspace { .. } => Self::Workspace,
            LoadError::Internal { .. } => Self::Internal,
        }
    }
}

impl Seen {
    pub(crate) fn of_each(words: impl Into<String>) -> Self {
        Self { end: End::EachInItsWay, words: words.into() }
    }
}

impl Expected {
    /// How what was seen is other than that.
    pub(crate) fn missed_by(&self, seen: &Seen) -> Vec<String> {
        let Seen { end, words } = seen;
        let mut missed = Vec::new();
        if *end != self.end {
            missed.push(format!("it has to end as {}, not as {end}: {words}", self.end));
        }
        if !words.contains(&self.words) {
            missed.push(format!("it has to say {:?}, not {words:?}", self.words));
        }
        // A fault of a file is told to whoever chose the file, and may name it.
        if matches!(end, End::Called(_)) {
            missed.extend(leak(words));
        }
        missed
    }
}

/// What a model is told names nothing of the host (SAND-5).
pub(crate) fn leak(words: &str) -> Option<String> {
    const OF_THE_HOST: [&str; 12] = [
        "wasmtime",
        "cranelift",
        "tokio",
        "panicked",
        ".rs",
        "/src",
        "/proc",
        "/home",
        "/usr",
        "backtrace",
        "os error",
        "0x",
    ];
    let folder = std::env::temp_dir().display().to_string();
    let mut words_of_the_host = OF_THE_HOST.into_iter().chain([folder.as_str()]);
    let found = words_of_the_host.find(|word| words.contains(word))?;
    Some(format!("it says {found:?} of the host: {words:?}"))
}

impl fmt::Display for End {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let words = match self {
            Self::Called(outcome) => outcome.as_str().to_owned(),
            Self::Refused(fault) => format!("not loaded: {fault:?}"),
            Self::EachInItsWay => "each in its way".to_owned(),
        };
        out.pad(&words)
    }
}
