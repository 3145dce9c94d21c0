//! The tool by which an agent writes to its family: by role and name, or to all.

use switchboard_guest::subagents::{Content, Envelope, Member, Relation, Target};
use switchboard_guest::{Argument, Arguments, Failure, Output, Subagents, tool};

#[derive(Argument)]
enum Role {
    Parent,
    Sibling,
    Child,
}

#[derive(Arguments)]
struct Message {
    /// What to tell. Whoever reads it sees this text and nothing else of your work.
    message: String,
    /// What the receiver is to you. Leave it out to name one by name or id alone, or to write to
    /// `all` you can reach.
    receiver_role: Option<Role>,
    /// The receiver's name or id; with the role `parent` leave it out. `all` is everybody of the
    /// role, and a pattern like `review-*` everybody whose name fits.
    receiver_name: Option<String>,
}

/// Sends a message to your parent, a sibling or a child, or to all of them, and wakes who is idle.
/// You get a receipt for each at once, which says that the message was accepted and not that it was
/// read; an answer comes as a message.
#[tool(reports(message = "what you found or did", receiver_role = "parent"))]
fn agent_message(message: Message, host: &impl Subagents) -> Result<Output, Failure> {
    let Message { message, receiver_role, receiver_name } = message;
    let to = match (receiver_role.map(relation), receiver_name) {
        (None, None) => return Err(nobody()),
        (None, Some(name)) => Target::spoken(name),
        (Some(role), name) => Target::Member(Member { role, name }),
    };
    Ok(host.send_message(&Envelope::new(to, Content::text(message)))?.into())
}

fn relation(role: Role) -> Relation {
    match role {
        Role::Parent => Relation::Parent,
        Role::Sibling => Relation::Sibling,
        Role::Child => Relation::Child,
    }
}

fn nobody() -> Failure {
    Failure::invalid_argument(
        "Nobody is named: give `receiver_role`, `receiver_name`, or both; `receiver_name` may be \
         `all`.",
    )
}
