//! The place where all parts of a host are put together: models, sandbox, machine.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use switchboard_models::{Models, Script};
use switchboard_runtime::Parts;
use switchboard_sandbox::{Digest, LoadError, LoadRequest, Sandbox, SandboxConfig, Source};

use crate::console::Console;
use crate::crew::file::SandboxTable;
use crate::crew::resolved::{Origin, ResolvedComponent, ResolvedCrew};
use crate::exit::Exit;
use crate::failure::Failure;

/// Everything a board needs to run this crew.
///
/// # Errors
/// A component is not what it was, is no tool, or wants what it is not granted.
pub async fn parts(crew: &ResolvedCrew, console: &Console) -> Result<Parts, Failure> {
    let sandbox = sandbox(crew.sandbox)?;
    for component in &crew.components {
        load(&sandbox, component, console).await?;
    }
    let kinds = crew.agents.iter();
    let kinds = kinds.map(|(name, kind)| (name.clone(), Arc::new(kind.clone())));
    let mut parts = Parts::new(Arc::new(models(crew)?), Arc::new(sandbox));
    parts.kinds = kinds.collect();
    parts.limits = crew.limits.clone();
    parts.reach = crew.reach;
    Ok(parts)
}

/// The sandbox of this machine, with compiled code kept between runs.
///
/// # Errors
/// This machine cannot run WebAssembly.
pub fn sandbox(asked: SandboxTable) -> Result<Sandbox, Failure> {
    let config = SandboxConfig { cache: cache(), ..asked.config() };
    Sandbox::new(config).map_err(|error| {
        Failure::new("cannot start the sandbox")
            .because(error)
            .next("see what this machine has: `switchboard doctor`")
    })
}

/// Where compiled code is kept: in the person's cache folder, or nowhere.
fn cache() -> Option<PathBuf> {
    let set =
        |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|dir| dir.is_absolute());
    let base = set("XDG_CACHE_HOME").or_else(|| Some(set("HOME")?.join(".cache")))?;
    Some(base.join("switchboard").join("code"))
}

fn models(crew: &ResolvedCrew) -> Result<Models, Failure> {
    let mut scripts = BTreeMap::new();
    for (name, tables) in &crew.scripts {
        let script = Script::parse(name, tables).map_err(|error| {
            Failure::new(format!("the script `{name}` cannot be used")).because(error)
        })?;
        scripts.insert(name.clone(), script);
    }
    Ok(Models::new(scripts))
}

async fn load(
    sandbox: &Sandbox,
    component: &ResolvedComponent,
    console: &Console,
) -> Result<(), Failure> {
    let name = component.origin.name();
    let bytes = component.origin.bytes().map_err(|failure| match component.origin {
        Origin::Builtin(_) => failure.next("use the version of switchboard the run began with"),
        Origin::File(_) => failure.next("put the file where it was"),
    })?;
    check_digest(component, &Digest::of(&bytes).to_string(), console)?;
    let request = LoadRequest {
        source: Source::Bytes { name: name.clone(), bytes },
        names: component.names.clone(),
        grants: component.grants.clone(),
        limits: component.limits.into(),
    };
    let waiting = Waiting::begin(&name, *console);
    let loaded = sandbox.load(request).await;
    waiting.end();
    let loaded = loaded.map_err(|error| {
        let ungranted = matches!(error, LoadError::Imports { .. });
        Failure::new("cannot load the crew's tools")
            .because(error)
            .next(format!("see what it needs: `switchboard plugin inspect {name}`"))
            .exiting(if ungranted { Exit::Usage } else { Exit::Failed })
    })?;
    if !loaded.cached {
        console.note(&format!("compiled {name}"));
    }
    Ok(())
}

/// A ledger's tools are the ones it was begun with. Those of the binary may be newer, which is
/// said; a file that changed may do something else than what the run relied on.
fn check_digest(
    component: &ResolvedComponent,
    found: &str,
    console: &Console,
) -> Result<(), Failure> {
    if found == component.digest {
        return Ok(());
    }
    let name = component.origin.name();
    match &component.origin {
        Origin::Builtin(_) => {
            console.warn(&format!("{name} is another version than the one the run began with"));
            Ok(())
        }
        Origin::File(_) => Err(Failure::new(format!("the component `{name}` has changed"))
            .because(format!(
                "the run began with sha256:{}, it is sha256:{found}",
                component.digest
            ))
            .next("put the one it began with back")
            .next("begin anew: `switchboard run CREW --new`")),
    }
}

/// Says that something takes long, once it does.
struct Waiting(tokio::task::JoinHandle<()>);

impl Waiting {
    fn begin(name: &str, console: Console) -> Self {
        let text = format!("compiling {name}, which is done once ...");
        Self(tokio::spawn(async move {
            tokio::time::sleep(std::time::Duration::from_millis(700)).await;
            console.note(&text);
        }))
    }

    fn end(self) {
        self.0.abort();
    }
}
