//! What a component may import: checked by name before anything is linked, because the linker has
//! one and the same message for a missing grant, another version and a missing function (SAND-1).

mod delegation;
mod diag;
mod observation;
mod subagents;
mod workspace;

use wasmtime::component::types::ComponentItem;
use wasmtime::component::{Component, HasSelf, Linker};
use wasmtime::{Engine, Result};

use crate::generated::switchboard::plugin as wit;
use crate::grants::{Grants, Interface};
use crate::state::CallState;

/// What is wrong with one import.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ImportProblem {
    /// This host has it, the grants do not.
    #[error(
        "it imports `{import}`, which is not granted; to grant it, add to the tool's table in the \
         crew file: {line}"
    )]
    NotGranted {
        /// The import.
        import: String,
        /// The line to add.
        line: &'static str,
    },
    /// This host has it, and of its interface something else is granted.
    #[error(
        "it uses `{function}` of `{import}`, which is not granted; to grant it, write in the \
         tool's table in the crew file: {line}"
    )]
    FunctionNotGranted {
        /// The import.
        import: String,
        /// The function.
        function: String,
        /// The line that grants it.
        line: &'static str,
    },
    /// This host has another version of it.
    #[error("it imports `{import}`, this host has `{ours}`: build it again for this host")]
    OtherVersion {
        /// The import.
        import: String,
        /// What there is.
        ours: String,
    },
    /// It is of the interface to operating systems.
    #[error(
        "it imports `{import}`, and no WASI is granted to any tool: build it for \
         wasm32-unknown-unknown with `switchboard-guest`"
    )]
    Wasi {
        /// The import.
        import: String,
    },
    /// The interface is there, but this function is not in it.
    #[error(
        "it uses `{function}` of `{import}`, which this host does not have yet: use a newer host"
    )]
    UnknownFunction {
        /// The import.
        import: String,
        /// The function.
        function: String,
    },
    /// This host has nothing of that name.
    #[error("it imports `{import}`, which this host does not have; tools may import {}", all())]
    Unknown {
        /// The import.
        import: String,
    },
}

const PACKAGE: &str = "switchboard:plugin/";
const VERSION: &str = "0.1.0";

/// What is wrong with the imports of a component, under these grants.
pub(crate) fn check(imports: &[String], grants: &Grants) -> Vec<ImportProblem> {
    imports.iter().filter_map(|import| problem(import, grants)).collect()
}

fn problem(import: &str, grants: &Grants) -> Option<ImportProblem> {
    let owned = import.to_owned();
    if import.starts_with("wasi:") {
        return Some(ImportProblem::Wasi { import: owned });
    }
    let Some(interface) = interface(import) else {
        return Some(ImportProblem::Unknown { import: owned });
    };
    if !compatible(import) {
        return Some(ImportProblem::OtherVersion { import: owned, ours: full_name(interface) });
    }
    let line = interface.grant_line();
    (!grants.permits(interface)).then_some(ImportProblem::NotGranted { import: owned, line })
}

/// The lines that grant what these imports want, as far as this host has it.
pub(crate) fn grants_needed(imports: &[String]) -> Vec<&'static str> {
    imports.iter().filter_map(|import| interface(import)).map(Interface::grant_line).collect()
}

/// Whether a name of our package has a version that is compatible with ours.
pub(crate) fn compatible(name: &str) -> bool {
    name.rsplit_once('@')
        .and_then(|(_, version)| version.strip_prefix("0.1."))
        .is_some_and(|patch| !patch.is_empty() && patch.bytes().all(|digit| digit.is_ascii_digit()))
}

/// The functions it wants of interfaces we have, and which we do not have or it is not granted.
pub(crate) fn check_functions(
    component: &Component,
    engine: &Engine,
    grants: &Grants,
) -> Vec<ImportProblem> {
    let ty = component.component_type();
    let mut problems = Vec::new();
    for (import, item) in ty.imports(engine) {
        let (Some(interface), ComponentItem::ComponentInstance(instance)) =
            (interface(import), item.ty)
        else {
            continue;
        };
        for (function, item) in instance.exports(engine) {
            if !matches!(item.ty, ComponentItem::ComponentFunc(_)) {
                continue;
            }
            let known = interface.functions().contains(&function);
            let lacking = grants.lacks(interface, function);
            let (import, function) = (import.to_owned(), function.to_owned());
            match lacking {
                _ if !known => problems.push(ImportProblem::UnknownFunction { import, function }),
                None => (),
                Some(line) => {
                    problems.push(ImportProblem::FunctionNotGranted { import, function, line });
                }
            }
        }
    }
    problems
}

/// A linker that has what is granted and nothing else.
pub(crate) fn link(engine: &Engine, grants: &Grants) -> Result<Linker<CallState>> {
    let mut linker = Linker::new(engine);
    if grants.permits(Interface::Subagents) {
        wit::subagents::add_to_linker::<_, HasSelf<CallState>>(&mut linker, |state| state)?;
    }
    if grants.permits(Interface::Delegation) {
        wit::delegation::add_to_linker::<_, HasSelf<CallState>>(&mut linker, |state| state)?;
    }
    if grants.permits(Interface::Observation) {
        wit::observation::add_to_linker::<_, HasSelf<CallState>>(&mut linker, |state| state)?;
    }
    if grants.permits(Interface::Workspace) {
        wit::workspace::add_to_linker::<_, HasSelf<CallState>>(&mut linker, |state| state)?;
    }
    if grants.permits(Interface::Diag) {
        wit::diag::add_to_linker::<_, HasSelf<CallState>>(&mut linker, |state| state)?;
    }
    Ok(linker)
}

fn interface(import: &str) -> Option<Interface> {
    let (name, _) = import.strip_prefix(PACKAGE)?.split_once('@')?;
    Interface::ALL.into_iter().find(|interface| interface.name() == name)
}

fn full_name(interface: Interface) -> String {
    format!("{PACKAGE}{}@{VERSION}", interface.name())
}

fn all() -> String {
    Interface::ALL.map(|interface| format!("`{}`", full_name(interface))).join(", ")
}
