//! The tool by which an agent has another gone for good.

use switchboard_guest::{Arguments, Delegation, Failure, Output, tool};

#[derive(Arguments)]
struct Delete {
    /// Whom to delete: the id or the name of an agent below you.
    target: String,
}

/// Deletes an agent below you, with all that are below it, whatever they are doing. Nobody can
/// write to them any more and nothing brings them back; messages they have not read are dropped.
#[tool]
fn delete_subagent(delete: Delete, host: &impl Delegation) -> Result<Output, Failure> {
    Ok(host.delete(&delete.target)?.told("is deleted"))
}
