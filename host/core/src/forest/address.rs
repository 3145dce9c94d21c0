//! Whom a sender means (SEND-5), and who could be meant instead (REACH-4).

use std::collections::BTreeSet;

use globset::{GlobBuilder, GlobMatcher};

use super::Forest;
use super::close::deleted;
use crate::agent::{Agent, Life};
use crate::ids::{AgentId, IdError};
use crate::kinship::{ReachPolicy, Relationship, Verb, may, relationship};
use crate::message::{Relation, Target};
use crate::name::AgentName;
use crate::refusal::{Candidate, Code, Refusal};

/// Whom an address means that is not for one.
pub(super) struct Addressees {
    /// Those who are this to the sender; without one, whoever it may send to.
    relation: Option<Relation>,
    names: Names,
}

enum Names {
    All,
    Like(GlobMatcher),
}

/// Characters of a pattern: what it becomes grows with it.
const PATTERN_CHARS: usize = 256;

impl Addressees {
    /// None if the target is one agent's address.
    pub(super) fn of(target: &Target) -> Option<Result<Self, Refusal>> {
        let among = |relation, name: &str| {
            let names = Names::of(name)?;
            Some(names.map(|names| Self { relation, names }))
        };
        match target {
            Target::Everyone => Some(Ok(Self { relation: None, names: Names::All })),
            Target::Member(relation, name) => among(Some(*relation), name.as_ref()?),
            Target::Spoken(words) => match words.split_once(':') {
                Some((role, name)) => among(Some(relation(role).ok()?), name),
                None => among(None, words),
            },
            Target::Agent(_) | Target::Origin => None,
        }
    }

    fn has(&self, name: &AgentName) -> bool {
        match &self.names {
            Names::All => true,
            Names::Like(pattern) => pattern.is_match(name.stem()),
        }
    }
}

impl Names {
    /// None if it is one agent's name.
    fn of(name: &str) -> Option<Result<Self, Refusal>> {
        let name = name.trim().to_ascii_lowercase();
        if name == "all" {
            return Some(Ok(Self::All));
        }
        if !is_pattern(&name) {
            return None;
        }
        if name.chars().count() > PATTERN_CHARS {
            let text = format!("a pattern for names has at most {PATTERN_CHARS} characters");
            return Some(Err(Refusal::new(Code::InvalidArgument, text)));
        }
        let pattern = GlobBuilder::new(&name).build();
        Some(pattern.map(|pattern| Self::Like(pattern.compile_matcher())).map_err(|error| {
            let text = format!("`{name}` is no pattern for names: {}", error.kind());
            Refusal::new(Code::InvalidArgument, text)
        }))
    }
}

impl Forest {
    /// Everybody these addressees are for this sender, now.
    pub(super) fn matching(
        &self,
        sender: Option<AgentId>,
        addressees: &Addressees,
    ) -> impl Iterator<Item = AgentId> {
        let kin = match (sender, addressees.relation) {
            (Some(sender), Some(relation)) => self.kindred(sender, Verb::Send, relation),
            (_, _) => self.reachable(sender, Verb::Send),
        };
        kin.into_iter().filter(|id| addressees.has(&self.facts.agent(*id).name))
    }

    /// The one agent `target` names for this caller, whom it may do `verb` to. Not there and not
    /// permitted are one answer.
    pub(super) fn resolve(
        &self,
        caller: Option<AgentId>,
        verb: Verb,
        target: &Target,
    ) -> Result<AgentId, Refusal> {
        let named = match target {
            Target::Agent(id) => Some(*id),
            Target::Member(relation, name) => self.member(caller, verb, *relation, name)?,
            Target::Spoken(words) => self.spoken(caller, verb, words.trim())?,
            Target::Everyone => return Err(not_one("`all`")),
            Target::Origin => self.origin(caller),
        };
        let known = named.filter(|id| self.exists(*id));
        match (caller, known) {
            (Some(caller), Some(id)) if caller == id && verb == Verb::Send => {
                Err(Refusal::new(Code::SelfMessage, "this address is your own; nothing was sent"))
            }
            (Some(caller), Some(id)) if !self.permits(caller, verb, id) => {
                Err(self.unreachable(Some(caller), verb))
            }
            (_, Some(id)) => self.there(verb, id),
            (_, None) => Err(self.unreachable(caller, verb)),
        }
    }

    /// One that is deleted can be deleted again, and nothing else. To whom nothing can be sent, a
    /// send finds out after the sender's own standing (SEND-8, SEND-10).
    fn there(&self, verb: Verb, id: AgentId) -> Result<AgentId, Refusal> {
        let agent = self.facts.agent(id);
        match verb {
            Verb::Send | Verb::Delete => Ok(id),
            Verb::Observe | Verb::Interrupt | Verb::Close | Verb::Shutdown => {
                if agent.deleted {
                    Err(deleted(&agent.name))
                } else {
                    Ok(id)
                }
            }
        }
    }

    fn spoken(
        &self,
        caller: Option<AgentId>,
        verb: Verb,
        words: &str,
    ) -> Result<Option<AgentId>, Refusal> {
        match words.parse::<AgentId>() {
            Ok(id) => return Ok(Some(id)),
            Err(error @ IdError::WrongKind { .. }) => {
                return Err(Refusal::new(Code::InvalidArgument, error.to_string()));
            }
            Err(IdError::Malformed { .. }) => {}
        }
        let folded = words.to_ascii_lowercase();
        if let Some((role, name)) = folded.split_once(':') {
            let relation = relation(role)?;
            let name = Some(name.trim().to_owned()).filter(|name| !name.is_empty());
            return self.member(caller, verb, relation, &name);
        }
        match folded.as_str() {
            "parent" => self.member(caller, verb, Relation::Parent, &None),
            "main" | "root" => Ok(caller.map(|caller| self.facts.agent(caller).root)),
            "self" => Ok(caller),
            "all" => Err(not_one("`all`")),
            pattern if is_pattern(pattern) => Err(not_one("a pattern")),
            name => self.named(caller, verb, name),
        }
    }

    /// Who woke the caller into its open turn.
    fn origin(&self, caller: Option<AgentId>) -> Option<AgentId> {
        self.facts.agent(caller?).turn.as_ref()?.origin
    }

    fn member(
        &self,
        caller: Option<AgentId>,
        verb: Verb,
        relation: Relation,
        name: &Option<String>,
    ) -> Result<Option<AgentId>, Refusal> {
        let Some(agent) = caller else {
            return match name {
                Some(name) => self.named(None, verb, name),
                None => Ok(None),
            };
        };
        let kin = self.kindred(agent, verb, relation);
        // A model writes nothing where it means nobody in particular.
        match name.as_ref().filter(|name| !name.trim().is_empty()) {
            Some(name) => match self.of_name(&kin, name).as_slice() {
                [] => self.gone(caller, verb, Some(relation), name),
                found => self.only(caller, verb, found),
            },
            None => self.only(caller, verb, &kin),
        }
    }

    /// Those who are this to an agent and whom it may do `verb` to.
    fn kindred(&self, id: AgentId, verb: Verb, relation: Relation) -> Vec<AgentId> {
        let agent = self.facts.agent(id);
        let mut kin: Vec<AgentId> = match relation {
            Relation::Parent => agent.parent.into_iter().collect(),
            Relation::Child => agent.children.clone(),
            Relation::Sibling => self.siblings(agent),
        };
        kin.retain(|other| self.permits(id, verb, *other) && !self.facts.agent(*other).deleted);
        kin
    }

    /// The one reachable agent of this name.
    fn named(
        &self,
        caller: Option<AgentId>,
        verb: Verb,
        name: &str,
    ) -> Result<Option<AgentId>, Refusal> {
        let reachable = self.reachable(caller, verb);
        match self.of_name(&reachable, name).as_slice() {
            [] => self.gone(caller, verb, None, name),
            found => self.only(caller, verb, found),
        }
    }

    /// One that had this name, is deleted, and could be reached until then. If another has the name
    /// now, it is not the one that is meant (ID-5).
    fn gone(
        &self,
        caller: Option<AgentId>,
        verb: Verb,
        relation: Option<Relation>,
        name: &str,
    ) -> Result<Option<AgentId>, Refusal> {
        let Ok(name) = AgentName::parse(name.trim()) else {
            return self.only(caller, verb, &[]);
        };
        let parents = match (caller.map(|caller| self.facts.agent(caller)), relation) {
            (None, _) => vec![None],
            (Some(agent), Some(Relation::Child)) => vec![Some(agent.id)],
            (Some(agent), Some(Relation::Sibling)) => vec![agent.parent],
            (Some(_), Some(Relation::Parent)) => vec![],
            (Some(agent), None) => vec![Some(agent.id), agent.parent],
        };
        let permitted = |id: &AgentId| caller.is_none_or(|caller| self.permits(caller, verb, *id));
        let named = |id: &AgentId| self.facts.agent(*id).name == name && permitted(id);
        let found = parents.iter().flat_map(|parent| self.ever_deleted(*parent)).find(named);
        let Some(found) = found else { return self.only(caller, verb, &[]) };
        let beside = self.facts.beside(self.facts.agent(found).parent).iter();
        let mut others = beside.map(|id| self.facts.agent(*id)).filter(|other| !other.deleted);
        match others.find(|other| other.name.stem() == name.stem()) {
            Some(now) if verb != Verb::Delete => Err(
                stale(&name, &now.name).with_candidates(self.candidates(caller, &[now.id], false))
            ),
            Some(_) | None => Ok(Some(found)),
        }
    }

    /// The deleted children of a parent, or roots.
    fn ever_deleted(&self, parent: Option<AgentId>) -> impl Iterator<Item = AgentId> {
        let beside = self.facts.beside(parent).iter();
        let leaving = beside.filter(|id| self.facts.agent(**id).deleted);
        self.facts.gone_below(parent).iter().chain(leaving).copied()
    }

    /// Those of this name; an id names one as well.
    fn of_name(&self, among: &[AgentId], name: &str) -> Vec<AgentId> {
        if let Ok(id) = name.parse() {
            return among.iter().copied().filter(|known| *known == id).collect();
        }
        let Ok(name) = AgentName::parse(name.trim()) else { return Vec::new() };
        among.iter().copied().filter(|id| self.facts.agent(*id).name == name).collect()
    }

    fn only(
        &self,
        caller: Option<AgentId>,
        verb: Verb,
        matching: &[AgentId],
    ) -> Result<Option<AgentId>, Refusal> {
        match matching {
            [] => Err(self.unreachable(caller, verb)),
            [one] => Ok(Some(*one)),
            several => Err(Refusal::new(
                Code::Ambiguous,
                format!("{} agents fit this address; use one of their ids", several.len()),
            )
            .with_candidates(self.candidates(caller, several, true))),
        }
    }

    /// Everybody this caller may do `verb` to, nearest kin first.
    fn reachable(&self, caller: Option<AgentId>, verb: Verb) -> Vec<AgentId> {
        let there = |id: &AgentId| !self.facts.agent(*id).deleted;
        let Some(caller) = caller else {
            return self.facts.roots.iter().copied().filter(there).collect();
        };
        let agent = self.facts.agent(caller);
        let mut kin: Vec<AgentId> =
            agent.parent.into_iter().chain(agent.children.clone()).collect();
        if self.reach != ReachPolicy::Direct {
            kin.extend(self.siblings(agent));
        }
        if self.reach == ReachPolicy::Tree {
            let known: BTreeSet<AgentId> = kin.iter().copied().collect();
            let tree = std::iter::once(agent.root).chain(self.facts.descendants(agent.root));
            kin.extend(tree.filter(|id| !known.contains(id)));
        }
        kin.retain(|id| self.permits(caller, verb, *id) && there(id));
        kin
    }

    fn siblings(&self, agent: &Agent) -> Vec<AgentId> {
        self.facts.beside(agent.parent).iter().copied().filter(|id| *id != agent.id).collect()
    }

    fn permits(&self, caller: AgentId, verb: Verb, target: AgentId) -> bool {
        may(self.reach, verb, relationship(&self.facts, caller, target))
    }

    fn exists(&self, id: AgentId) -> bool {
        self.facts.get(id).is_some_and(|agent| agent.life != Life::Withdrawn)
    }

    /// The one answer for who is not there and who is not to be reached (REACH-4). Whoever it was,
    /// it says how farther kin are reached (REACH-5).
    pub(super) fn unreachable(&self, caller: Option<AgentId>, verb: Verb) -> Refusal {
        let text = match verb {
            Verb::Send => "there is nobody you can send to under this address",
            Verb::Observe => "there is nobody you can look at under this address",
            Verb::Interrupt => "there is nobody you can interrupt under this address",
            Verb::Close => "there is nobody you can close under this address",
            Verb::Shutdown => "there is nobody you can ask to shut down under this address",
            Verb::Delete => "there is nobody you can delete under this address",
        };
        let reachable = self.reachable(caller, verb);
        let hint = match (verb, self.reach) {
            _ if reachable.is_empty() => "",
            (Verb::Send, ReachPolicy::Direct | ReachPolicy::Family) => {
                "; use one of the addresses listed, and to reach farther kin ask the agent between \
                 you to pass it on"
            }
            _ => "; use one of the addresses listed",
        };
        Refusal::new(Code::Unreachable, format!("{text}{hint}"))
            .with_candidates(self.candidates(caller, &reachable, false))
    }

    fn candidates(
        &self,
        caller: Option<AgentId>,
        among: &[AgentId],
        by_id: bool,
    ) -> Vec<Candidate> {
        let candidate = |id: &AgentId| {
            let relation =
                caller.map_or(Relationship::None, |caller| relationship(&self.facts, caller, *id));
            let address = match relation {
                Relationship::Parent if !by_id => "parent".to_owned(),
                _ if by_id => id.to_string(),
                _ => self.facts.agent(*id).name.to_string(),
            };
            Candidate { address, relation: relation.to_string() }
        };
        among.iter().take(self.limits.candidates).map(candidate).collect()
    }
}

fn stale(name: &AgentName, now: &AgentName) -> Refusal {
    let text = format!("the {name} you mean is deleted; another goes by the name of {now} now");
    Refusal::new(Code::StaleName, text)
}

fn is_pattern(name: &str) -> bool {
    name.contains(['*', '?', '[', '{'])
}

fn not_one(what: &str) -> Refusal {
    Refusal::new(
        Code::InvalidArgument,
        format!("{what} is for messages alone; use an id, a name, or `parent`"),
    )
}

fn relation(role: &str) -> Result<Relation, Refusal> {
    match role.trim().to_ascii_lowercase().as_str() {
        "parent" => Ok(Relation::Parent),
        "child" => Ok(Relation::Child),
        "sibling" => Ok(Relation::Sibling),
        _ => Err(Refusal::new(
            Code::InvalidArgument,
            format!("`{role}` is no role; use `child:NAME`, `sibling:NAME` or `parent`"),
        )),
    }
}
