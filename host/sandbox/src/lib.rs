//! Where tools run: WebAssembly components that can do what they are granted and nothing else.
//!
//! A [`Sandbox`] loads components into a catalog of tools and calls them. Each call has an
//! instance of its own, made from code that is compiled and linked once, under limits on
//! everything it can use up. What a tool may ask of the host comes in with the call, as its
//! [`ControlPlane`](switchboard_runtime::ControlPlane); who speaks is part of the call too, and
//! nothing a guest can say.
//!
//! The modules stand in reading order.
#![warn(missing_docs)]

mod limits;
mod grants;
mod words;
mod crash;
mod outcome;
mod breaker;
mod metadata;
mod clocked;
mod component;
mod engine;
mod effort;
mod cache;
mod generated;
mod workspace;
mod room;
mod lane;
mod threads;
mod memory;
mod state;
mod imports;
mod error;
mod catalog;
mod load;
mod call;
mod sandbox;

pub use catalog::NameMap;
pub use component::{Digest, Inspection, inspect};
pub use engine::{Allocation, EngineReport};
pub use error::{ComponentError, LoadError};
pub use grants::{Access, BodyKind, Disposal, Grants, SubagentsGrant, WorkspaceGrant};
pub use imports::ImportProblem;
pub use limits::{LimitError, ToolLimits};
pub use load::{LoadRequest, LoadedTools, Source};
pub use metadata::{Annotations, Description, ToolDescription};
pub use sandbox::{Posture, Sandbox, SandboxConfig, SandboxError};
