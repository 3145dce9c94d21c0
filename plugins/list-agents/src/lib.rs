//! The tool by which an agent sees who is there.

use switchboard_guest::observation::Query;
use switchboard_guest::{Argument, Arguments, Failure, Observation, Output, tool};

#[derive(Argument)]
enum Scope {
    Children,
    Descendants,
    Reachable,
}

#[derive(Arguments)]
struct List {
    /// Whom to list: the agents you started, all below you, or everybody you can look at;
    /// `children` if left out.
    scope: Option<Scope>,
    /// At most so many agents, 1 to 50; 20 if left out.
    limit: Option<u32>,
    /// Where to go on, as the list before said; the beginning if left out.
    cursor: Option<String>,
}

/// Lists agents: who they are, what they are doing, what they wrote last, and what you can do to
/// each. Looking at an agent does not wake it.
#[tool(read_only)]
fn list_agents(list: List, host: &impl Observation) -> Result<Output, Failure> {
    let scope = match list.scope {
        Some(Scope::Children) | None => "children",
        Some(Scope::Descendants) => "descendants",
        Some(Scope::Reachable) => "reachable",
    };
    let List { limit, cursor, .. } = list;
    let query = Query { scope: scope.into(), limit, cursor, extra: Vec::new() };
    Ok(host.list_agents(&query)?.into())
}
