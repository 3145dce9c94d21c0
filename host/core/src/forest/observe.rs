//! Looking at agents (OBS): who is there and what they are about. Nothing here changes a fact, and
//! a page costs what it shows, however many there are.

use super::Forest;
use crate::agent::Agent;
use crate::command::Caller;
use crate::descriptor::Mode;
use crate::facts::Facts;
use crate::ids::AgentId;
use crate::kinship::{ReachPolicy, Relationship, Verb, ancestors, may, relationship};
use crate::message::Target;
use crate::refusal::{Code, Refusal};
use crate::roster::{Roster, RosterQuery, Row, Scope, line};

impl Forest {
    /// One page of those the caller may observe (REACH-2).
    ///
    /// # Errors
    /// `unauthorized` for a stay that is over (ID-2); `invalid-argument` for a limit out of range
    /// or a place that is in no page of this roster.
    pub fn roster(&self, caller: Caller, query: RosterQuery) -> Result<Roster, Refusal> {
        let asking = self.live_caller(caller)?;
        let limit = rows(query.limit)?;
        let mut walk = self.walk(asking, query.scope, query.after)?;
        let ids: Vec<AgentId> = walk.by_ref().take(limit).collect();
        let next = ids.last().copied().filter(|_| walk.next().is_some());
        Ok(Roster { rows: ids.iter().map(|id| self.row(asking, *id)).collect(), next })
    }

    /// One agent, as the caller may see it.
    ///
    /// # Errors
    /// `unauthorized` for a stay that is over (ID-2); `unreachable` for who is not there or not to
    /// be observed (REACH-4), and what else is wrong with the address.
    pub fn observed(&self, caller: Caller, target: &Target) -> Result<Row, Refusal> {
        let asking = self.live_caller(caller)?;
        let id = self.resolve(asking, Verb::Observe, target)?;
        Ok(self.row(asking, id))
    }

    fn row(&self, asking: Option<AgentId>, id: AgentId) -> Row {
        let agent = self.facts.agent(id);
        let relationship = self.kin(asking, id);
        let permitted = |verb: &Verb| {
            let may = asking.is_none() || may(self.reach, *verb, relationship);
            may && (*verb != Verb::Send || agent.descriptor.mode != Mode::OneShot)
        };
        Row {
            agent: id,
            name: agent.name.clone(),
            relationship,
            depth: agent.depth,
            description: line(&agent.descriptor.description).unwrap_or_default(),
            activity: agent.activity(),
            pending: u32::try_from(agent.inbox.len()).unwrap_or(u32::MAX),
            obligations: u32::try_from(agent.owes.len() + self.requests_for(Some(id)).count())
                .unwrap_or(u32::MAX),
            messages: agent.messages,
            last_words: agent.last_words.clone(),
            may: Verb::ALL.iter().copied().filter(permitted).collect(),
        }
    }

    fn kin(&self, asking: Option<AgentId>, id: AgentId) -> Relationship {
        asking.map_or(Relationship::None, |asking| relationship(&self.facts, asking, id))
    }

    /// Everybody of a scope whom this caller may observe, in the order of a roster.
    fn walk(
        &self,
        asking: Option<AgentId>,
        scope: Scope,
        after: Option<AgentId>,
    ) -> Result<impl Iterator<Item = AgentId>, Refusal> {
        let mut parts = self.parts(asking.map(|asking| self.facts.agent(asking)), scope);
        if let Some(after) = after {
            let holds = |part: &Part| part.holds(&self.facts, after);
            parts.drain(..parts.iter().position(holds).ok_or_else(foreign)?);
        }
        let all = Walk { facts: &self.facts, parts: parts.into_iter().peekable(), after };
        let permitted = move |id: &AgentId| {
            let there = !self.facts.agent(*id).deleted;
            there && (asking.is_none() || may(self.reach, Verb::Observe, self.kin(asking, *id)))
        };
        Ok(all.filter(permitted))
    }

    /// What a roster consists of. The parts have no agent in common but the caller.
    fn parts(&self, asking: Option<&Agent>, scope: Scope) -> Vec<Part> {
        let own = asking.map(|agent| agent.id);
        let (Scope::Reachable, Some(agent)) = (scope, asking) else {
            return vec![match scope {
                Scope::Children => Part::Level(own),
                Scope::Descendants | Scope::Reachable => Part::Below(own),
            }];
        };
        let parent = agent.parent.map(Part::One);
        match (self.reach, parent) {
            (ReachPolicy::Direct, parent) => parent.into_iter().chain([Part::Below(own)]).collect(),
            (ReachPolicy::Tree, Some(_)) => {
                vec![Part::One(agent.root), Part::Below(Some(agent.root))]
            }
            (ReachPolicy::Family | ReachPolicy::Tree, parent) => {
                let rest = [Part::Level(agent.parent), Part::Below(own)];
                parent.into_iter().chain(rest).collect()
            }
        }
    }
}

/// Agents beside or below one another. Without a top it is all of the forest.
#[derive(Clone, Copy, Debug)]
enum Part {
    One(AgentId),
    /// Those directly below, by id.
    Level(Option<AgentId>),
    /// All below, each in front of those below it.
    Below(Option<AgentId>),
}

impl Part {
    fn first(self, facts: &Facts) -> Option<AgentId> {
        match self {
            Self::One(id) => Some(id),
            Self::Level(top) | Self::Below(top) => facts.beside(top).first().copied(),
        }
    }

    /// The one behind this one, which was in the part once.
    fn after(self, facts: &Facts, id: AgentId) -> Option<AgentId> {
        match self {
            Self::One(_) => None,
            Self::Level(_) => beside(facts, id),
            Self::Below(top) => below(facts, top, id),
        }
    }

    fn holds(self, facts: &Facts, id: AgentId) -> bool {
        let Some(agent) = facts.get(id) else { return false };
        match self {
            Self::One(one) => one == id,
            Self::Level(top) => agent.parent == top,
            Self::Below(None) => true,
            Self::Below(Some(top)) => ancestors(facts, id).any(|above| above == top),
        }
    }
}

/// Goes through parts one after the other.
struct Walk<'a> {
    facts: &'a Facts,
    parts: std::iter::Peekable<std::vec::IntoIter<Part>>,
    /// Where it is in the part it is at.
    after: Option<AgentId>,
}

impl Iterator for Walk<'_> {
    type Item = AgentId;

    fn next(&mut self) -> Option<AgentId> {
        while let Some(part) = self.parts.peek() {
            self.after = match self.after {
                None => part.first(self.facts),
                Some(id) => part.after(self.facts, id),
            };
            if self.after.is_some() {
                return self.after;
            }
            self.parts.next();
        }
        None
    }
}

/// The next one with the same parent. It is found by its id, so one whose start was withdrawn
/// meanwhile has a next one too.
fn beside(facts: &Facts, id: AgentId) -> Option<AgentId> {
    let level = facts.beside(facts.agent(id).parent);
    level.get(level.partition_point(|other| *other <= id)).copied()
}

fn below(facts: &Facts, top: Option<AgentId>, id: AgentId) -> Option<AgentId> {
    let first = facts.agent(id).children.first().copied();
    first.or_else(|| {
        let up = std::iter::once(id).chain(ancestors(facts, id));
        up.take_while(|at| Some(*at) != top).find_map(|at| beside(facts, at))
    })
}

fn rows(limit: Option<u32>) -> Result<usize, Refusal> {
    let limit = limit.unwrap_or(Roster::USUAL);
    if (1..=Roster::MOST).contains(&limit) {
        return Ok(limit as usize);
    }
    let text = format!("a page has 1 to {} agents, not {limit}; the rest follows", Roster::MOST);
    Err(Refusal::new(Code::InvalidArgument, text))
}

/// Whoever it names, if anybody: that it is not in this roster is all that is said (REACH-4).
fn foreign() -> Refusal {
    let text = "this cursor belongs to another list; leave it out to begin at the first page";
    Refusal::new(Code::InvalidArgument, text)
}
