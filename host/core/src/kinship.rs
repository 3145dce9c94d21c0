//! Who is kin to whom, and who may do what to whom: two pure functions over durable edges.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::ids::AgentId;

/// The durable parent edges. Any process that has them comes to the same answers (REACH-1).
pub trait Kinship {
    /// The one above `agent`, if it has one.
    fn parent(&self, agent: AgentId) -> Option<AgentId>;
}

/// What the second of two agents is to the first (REACH-1).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Relationship {
    /// Itself.
    Oneself,
    /// The one directly above.
    Parent,
    /// One directly below.
    Child,
    /// One with the same parent; roots are siblings of each other.
    Sibling,
    /// One further above.
    Ancestor,
    /// One further below.
    Descendant,
    /// Another agent under the same root.
    SameTree,
    /// No kin.
    None,
}

impl fmt::Display for Relationship {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::Oneself => "self",
            Self::Parent => "parent",
            Self::Child => "child",
            Self::Sibling => "sibling",
            Self::Ancestor => "ancestor",
            Self::Descendant => "descendant",
            Self::SameTree => "same tree",
            Self::None => "none",
        })
    }
}

/// Who may be reached at all (REACH-2).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ReachPolicy {
    /// Parent and own children.
    #[default]
    Direct,
    /// Those, and siblings.
    Family,
    /// Everybody under the same root.
    Tree,
}

/// What is to be done to the target.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verb {
    /// Hand it a message.
    Send,
    /// Look at it.
    Observe,
    /// Stop its turn.
    Interrupt,
    /// Put it away.
    Close,
    /// Ask it to come to an end (HAND-1).
    Shutdown,
    /// Have it gone for good.
    Delete,
}

impl Verb {
    /// Every verb there is.
    pub const ALL: &[Self] =
        &[Self::Send, Self::Observe, Self::Interrupt, Self::Close, Self::Delete, Self::Shutdown];
}

impl fmt::Display for Verb {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::Send => "send",
            Self::Observe => "observe",
            Self::Interrupt => "interrupt",
            Self::Close => "close",
            Self::Shutdown => "shutdown",
            Self::Delete => "delete",
        })
    }
}

/// What `other` is to `agent` (REACH-1).
pub fn relationship(kin: &impl Kinship, agent: AgentId, other: AgentId) -> Relationship {
    if agent == other {
        return Relationship::Oneself;
    }
    let (above, above_other) = (kin.parent(agent), kin.parent(other));
    if above == Some(other) {
        Relationship::Parent
    } else if above_other == Some(agent) {
        Relationship::Child
    } else if above == above_other {
        Relationship::Sibling
    } else if ancestors(kin, agent).any(|ancestor| ancestor == other) {
        Relationship::Ancestor
    } else if ancestors(kin, other).any(|ancestor| ancestor == agent) {
        Relationship::Descendant
    } else if topmost(kin, agent) == topmost(kin, other) {
        Relationship::SameTree
    } else {
        Relationship::None
    }
}

/// Everybody above `agent`, nearest first.
pub(crate) fn ancestors<K: Kinship>(
    kin: &K,
    agent: AgentId,
) -> impl Iterator<Item = AgentId> + use<'_, K> {
    std::iter::successors(kin.parent(agent), |above| kin.parent(*above))
}

fn topmost(kin: &impl Kinship, agent: AgentId) -> AgentId {
    ancestors(kin, agent).last().unwrap_or(agent)
}

/// Whether one who stands in `relationship` to a target may do `verb` to it (REACH-2). The
/// relationship is the target's to the actor: `Child` means the target is the actor's child.
#[must_use]
pub fn may(policy: ReachPolicy, verb: Verb, relationship: Relationship) -> bool {
    use Relationship::{Ancestor, Child, Descendant, None, Oneself, Parent, SameTree, Sibling};
    match (verb, relationship) {
        (_, Oneself | None) => false,
        (Verb::Send | Verb::Observe, Parent | Child) => true,
        (Verb::Send | Verb::Observe, Sibling) => policy != ReachPolicy::Direct,
        (Verb::Observe, Descendant) => true,
        (Verb::Send, Descendant) | (Verb::Send | Verb::Observe, Ancestor | SameTree) => {
            policy == ReachPolicy::Tree
        }
        (Verb::Interrupt | Verb::Close | Verb::Delete | Verb::Shutdown, Child | Descendant) => true,
        (
            Verb::Interrupt | Verb::Close | Verb::Delete | Verb::Shutdown,
            Parent | Sibling | Ancestor | SameTree,
        ) => false,
    }
}
