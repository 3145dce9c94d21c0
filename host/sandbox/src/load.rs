//! From bytes to tools: each step looks before the next one acts, and nothing of the guest runs.

use std::borrow::Cow;
use std::fs::File;
use std::io::{self, Read};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use switchboard_runtime::ToolSpec;
use wasmtime::Engine;
use wasmtime::component::Component;

use crate::breaker::Breaker;
use crate::cache::Cache;
use crate::catalog::{Body, NameMap, Tool, named};
use crate::component::{Digest, Inspection, inspect};
use crate::effort;
use crate::engine::{MEMORIES, TABLES};
use crate::error::{ComponentError, LoadError};
use crate::generated::PluginPre;
use crate::grants::{BodyKind, Grants};
use crate::imports;
use crate::limits::ToolLimits;
use crate::state::Held;
use crate::workspace::Folder;

/// Where a component comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// The caller has it.
    Bytes {
        /// What people call it: `builtin:send-message`.
        name: String,
        /// The component.
        bytes: Cow<'static, [u8]>,
    },
    /// It is in a file.
    Path(PathBuf),
}

impl Source {
    pub(crate) fn name(&self) -> String {
        match self {
            Self::Bytes { name, .. } => name.clone(),
            Self::Path(path) => path.display().to_string(),
        }
    }
}

/// A component to load, and how.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoadRequest {
    /// Where it comes from.
    pub source: Source,
    /// Names for tools that are not to have their own.
    pub names: NameMap,
    /// What it is granted.
    pub grants: Grants,
    /// What one call of it may use.
    pub limits: ToolLimits,
}

impl LoadRequest {
    /// A component with its own names and the usual limits.
    pub fn new(source: Source, grants: Grants) -> Self {
        Self { source, names: NameMap::new(), grants, limits: ToolLimits::default() }
    }
}

/// What was loaded.
#[derive(Clone, Debug, PartialEq)]
pub struct LoadedTools {
    /// The component's digest.
    pub digest: Digest,
    /// Its tools, under the names they go by here.
    pub tools: Vec<ToolSpec>,
    /// Whether its code was there already.
    pub cached: bool,
}

/// Where tools are made.
#[derive(Clone)]
pub(crate) struct Workshop {
    pub(crate) engine: Engine,
    pub(crate) cache: Option<Cache>,
    pub(crate) most_bytes: u64,
    pub(crate) most_effort: u64,
    pub(crate) most_memory: u64,
}

/// Compiling cannot be stopped; when it takes so long, the log says so.
const LONG: Duration = Duration::from_secs(5);

impl Workshop {
    /// Makes the tools of a component. It blocks.
    pub(crate) fn make(&self, request: LoadRequest) -> Result<(Vec<Tool>, bool), LoadError> {
        let component = request.source.name();
        let bytes = self.bytes(&request.source)?;
        let inspection = inspect(&bytes).map_err(not_a_tool(&component))?;
        let limits = request.limits.check(self.most_memory, inspection.core_instances);
        limits.map_err(|source| LoadError::Limits { component: component.clone(), source })?;
        check_imports(&component, &inspection, &request.grants)?;
        let names = named(&component, &inspection.description.tools, &request.names)?;
        let held = Arc::new(held(&component, &request.grants)?);
        let (code, cached) = self.code(&component, &bytes, &inspection.digest)?;
        check_resources(&code).map_err(not_a_tool(&component))?;
        let linked = self.link(&component, &code, &request.grants)?;
        let limits = request.limits;
        let body = Arc::new(Body { digest: inspection.digest, linked, held, limits });
        let tools = inspection.description.tools.into_iter().zip(names).map(|(tool, name)| Tool {
            spec: ToolSpec {
                name,
                description: tool.description,
                input_schema: tool.input_schema,
                class: request.grants.class(),
                writes: request.grants.writes() || tool.annotations.writes,
                plans: request.grants.sends(BodyKind::PlanRequest),
                reports: tool.reports.map(|example| example.to_string()),
            },
            own_name: tool.name,
            component: component.clone(),
            body: Arc::clone(&body),
            breaker: Breaker::default(),
        });
        Ok((tools.collect(), cached))
    }

    fn bytes(&self, source: &Source) -> Result<Cow<'static, [u8]>, LoadError> {
        let bytes = match source {
            Source::Bytes { bytes, .. } => bytes.clone(),
            Source::Path(path) => self.read(path)?.into(),
        };
        self.check_size(source, bytes.len() as u64)?;
        Ok(bytes)
    }

    /// What a file holds, and no more of it than is allowed and a byte. Only of a regular one: a
    /// pipe is waited for, and a device may have no end.
    fn read(&self, path: &Path) -> Result<Vec<u8>, LoadError> {
        let unreadable = |source: io::Error| {
            let path = path.to_owned();
            LoadError::Unreadable { path, source }
        };
        let file = open_at_once(path).map_err(unreadable)?;
        let found = file.metadata().map_err(unreadable)?;
        if !found.is_file() {
            let problem = "it is not a regular file: name the file of the component";
            return Err(unreadable(io::Error::new(io::ErrorKind::InvalidInput, problem)));
        }
        self.check_size(&Source::Path(path.to_owned()), found.len())?;
        let mut bytes = Vec::new();
        let most = self.most_bytes.saturating_add(1);
        file.take(most).read_to_end(&mut bytes).map_err(unreadable)?;
        Ok(bytes)
    }

    fn check_size(&self, source: &Source, bytes: u64) -> Result<(), LoadError> {
        let most = self.most_bytes;
        if bytes <= most {
            return Ok(());
        }
        Err(not_a_tool(&source.name())(ComponentError::TooLarge { bytes, most }))
    }

    /// The component's code, and whether it was kept from an earlier run.
    fn code(
        &self,
        component: &str,
        bytes: &[u8],
        digest: &Digest,
    ) -> Result<(Component, bool), LoadError> {
        let kept = self.cache.as_ref().and_then(|cache| cache.load(&self.engine, digest));
        if let Some(code) = kept {
            return Ok((code, true));
        }
        self.check_effort(component, bytes)?;
        let begun = Instant::now();
        let code = Component::from_binary(&self.engine, bytes).map_err(compile(component))?;
        if begun.elapsed() > LONG {
            let took = begun.elapsed();
            tracing::warn!(component, %digest, ?took, "compiling took long");
        }
        if let Some(cache) = &self.cache {
            cache.store(&self.engine, digest, &code);
        }
        Ok((code, false))
    }

    /// Compiling cannot be stopped, so what would take too long is not begun.
    fn check_effort(&self, component: &str, bytes: &[u8]) -> Result<(), LoadError> {
        let most = self.most_effort;
        let effort = effort::of(bytes, most).map_err(|error| compile(component)(error.into()))?;
        if effort <= most {
            return Ok(());
        }
        Err(not_a_tool(component)(ComponentError::TooMuchWork { most }))
    }

    fn link(
        &self,
        component: &str,
        code: &Component,
        grants: &Grants,
    ) -> Result<PluginPre<crate::state::CallState>, LoadError> {
        let problems = imports::check_functions(code, &self.engine, grants);
        if !problems.is_empty() {
            return Err(LoadError::Imports { component: component.to_owned(), problems });
        }
        imports::link(&self.engine, grants)
            .and_then(|linker| linker.instantiate_pre(code))
            .and_then(PluginPre::new)
            .map_err(compile(component))
    }
}

/// Opens a file without waiting for whoever may write to it.
fn open_at_once(path: &Path) -> io::Result<File> {
    let without_waiting = rustix::fs::OFlags::NONBLOCK.bits().cast_signed();
    File::options().read(true).custom_flags(without_waiting).open(path)
}

fn check_imports(
    component: &str,
    inspection: &Inspection,
    grants: &Grants,
) -> Result<(), LoadError> {
    let problems = imports::check(&inspection.imports, grants);
    if problems.is_empty() {
        return Ok(());
    }
    Err(LoadError::Imports { component: component.to_owned(), problems })
}

/// With a pool the compiler refuses such a component; without one every call of it would fail. So
/// it is refused here.
fn check_resources(code: &Component) -> Result<(), ComponentError> {
    let too_complex = |problem: &str| Err(ComponentError::TooComplex(problem.to_owned()));
    let Some(needed) = code.resources_required() else {
        return too_complex("it makes instances of modules it does not have itself");
    };
    let (memories, tables) = (needed.num_memories, needed.num_tables);
    if memories > MEMORIES || tables > TABLES {
        return too_complex(&format!(
            "it has {memories} memories and {tables} tables, at most {MEMORIES} and {TABLES} are \
             allowed"
        ));
    }
    Ok(())
}

fn held(component: &str, grants: &Grants) -> Result<Held, LoadError> {
    let kinds = grants.subagents.as_ref().map(|grant| grant.kinds.clone()).unwrap_or_default();
    let Some(grant) = &grants.workspace else { return Ok(Held { kinds, folder: None }) };
    let folder = Folder::open(&grant.dir).map_err(|source| LoadError::Workspace {
        component: component.to_owned(),
        dir: grant.dir.clone(),
        source,
    })?;
    Ok(Held { kinds, folder: Some(Arc::new(folder)) })
}

fn not_a_tool(component: &str) -> impl FnOnce(ComponentError) -> LoadError {
    let component = component.to_owned();
    |source| LoadError::Component { component, source }
}

fn compile(component: &str) -> impl FnOnce(wasmtime::Error) -> LoadError {
    let component = component.to_owned();
    |source| LoadError::Compile { component, source }
}
