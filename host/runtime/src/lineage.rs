//! Where the parts of a transcript lie: with the agent, its children, and whom it goes on from.

use switchboard_core::{AgentId, Forest, TurnId};

/// An agent, and what has to be read for its transcript.
#[derive(Clone, Debug)]
pub(crate) struct Lineage {
    pub(crate) agent: AgentId,
    /// Every child it ever had: what the host says of the end of their stays is stored with them.
    pub(crate) children: Vec<AgentId>,
    /// Its parent, and the last of the parent's turns that it knows of (START-3).
    pub(crate) seed: Option<(Box<Lineage>, TurnId)>,
}

impl Lineage {
    /// None for an agent that is not there. It is as deep as agents may be.
    pub(crate) fn of(forest: &Forest, agent: AgentId) -> Option<Self> {
        let known = forest.agent(agent)?;
        let parent = known.seed.zip(known.parent);
        let seed =
            parent.and_then(|(turn, parent)| Some((Box::new(Self::of(forest, parent)?), turn)));
        Some(Self { agent, children: known.ever_children(), seed })
    }
}
