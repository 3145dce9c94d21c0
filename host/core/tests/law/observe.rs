//! OBS: looking at agents, which changes nothing and shows nobody who is not to be seen.

use std::collections::BTreeSet;

use proptest::prelude::*;
use switchboard_core::{
    Activity, Agent, AgentId, Caller, Code, Forest, Id, Incarnation, Kinship, LedgerTag, Life,
    Limits, ReachPolicy, Refusal, Relationship, RosterQuery, Row, Scope, Target, TurnEnd, Verb,
    may, relationship,
};

use crate::send::one_shot;
use crate::world::{World, call};

/// The edges a forest has, for the functions that say who may see whom.
struct Edges<'a>(&'a Forest);

impl Kinship for Edges<'_> {
    fn parent(&self, agent: AgentId) -> Option<AgentId> {
        self.0.agent(agent)?.parent
    }
}

impl World {
    fn page(&self, caller: Caller, query: RosterQuery) -> (Vec<AgentId>, Option<AgentId>) {
        let roster = self.forest.roster(caller, query).unwrap();
        (roster.rows.iter().map(|row| row.agent).collect(), roster.next)
    }

    /// Everybody of a scope, in pages of so many. Between them `meanwhile` happens.
    fn pages(
        &mut self,
        of: AgentId,
        scope: Scope,
        limit: u32,
        mut meanwhile: impl FnMut(&mut Self),
    ) -> Vec<AgentId> {
        let mut query = RosterQuery { scope, limit: Some(limit), after: None };
        let mut seen = Vec::new();
        loop {
            let (ids, next) = self.page(self.caller(of), query);
            assert!(ids.len() <= limit as usize);
            seen.extend(ids);
            if next.is_none() {
                return seen;
            }
            query.after = next;
            meanwhile(self);
        }
    }

    fn row(&self, of: AgentId, target: AgentId) -> Row {
        self.forest.observed(self.caller(of), &Target::Agent(target)).unwrap()
    }

    fn unseen(&self, of: AgentId, target: &Target) -> Refusal {
        self.forest.observed(self.caller(of), target).unwrap_err()
    }

    /// What a person finds written about an agent.
    fn last_words(&self, agent: AgentId) -> Option<String> {
        let row = self.forest.observed(Caller::User, &Target::Agent(agent)).unwrap();
        row.last_words.as_deref().map(str::to_owned)
    }
}

fn all(scope: Scope) -> RosterQuery {
    RosterQuery { scope, limit: None, after: None }
}

/// A forest of up to fifteen: each a root, or the child of one before it.
fn grown(reach: ReachPolicy, choices: &[prop::sample::Index]) -> World {
    let limits = Limits { depth: 15, places: 256, children: 256, ..Limits::default() };
    let mut world = World::with(limits, reach);
    let mut agents: Vec<AgentId> = Vec::new();
    for (place, choice) in choices.iter().enumerate() {
        let parent = choice.index(place + 1).checked_sub(1);
        agents.push(match parent {
            None => world.root(&format!("root{place}")),
            Some(parent) => world.child(agents[parent], "worker"),
        });
    }
    world
}

fn policies() -> impl Strategy<Value = ReachPolicy> {
    prop_oneof![Just(ReachPolicy::Direct), Just(ReachPolicy::Family), Just(ReachPolicy::Tree)]
}

fn choices() -> impl Strategy<Value = Vec<prop::sample::Index>> {
    proptest::collection::vec(any::<prop::sample::Index>(), 1..15)
}

/// What each scope has to list for this agent, by its definition.
fn expected(world: &World, reach: ReachPolicy, of: AgentId, scope: Scope) -> BTreeSet<AgentId> {
    let listed = |other: &&Agent| {
        let kin = relationship(&Edges(&world.forest), of, other.id);
        let within = match scope {
            Scope::Children => kin == Relationship::Child,
            Scope::Descendants => matches!(kin, Relationship::Child | Relationship::Descendant),
            Scope::Reachable => true,
        };
        other.life != Life::Withdrawn && within && may(reach, Verb::Observe, kin)
    };
    world.forest.agents().filter(listed).map(|other| other.id).collect()
}

const SCOPES: [Scope; 3] = [Scope::Children, Scope::Descendants, Scope::Reachable];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn reach_2_a_roster_lists_exactly_those_who_may_be_observed_each_once(
        reach in policies(), choices in choices(), limit in 1_u32..6,
    ) {
        let mut world = grown(reach, &choices);
        let agents: Vec<AgentId> = world.forest.agents().map(|agent| agent.id).collect();
        for of in agents {
            for scope in SCOPES {
                let seen = world.pages(of, scope, limit, |_| ());
                let set: BTreeSet<AgentId> = seen.iter().copied().collect();
                prop_assert_eq!(set.len(), seen.len(), "each once: {:?}", seen);
                prop_assert_eq!(set, expected(&world, reach, of, scope), "{} {:?}", of, scope);
            }
        }
    }

    #[test]
    fn obs_1_a_walk_finds_all_who_were_there_once_also_while_agents_come_and_go(
        reach in policies(), choices in choices(), limit in 1_u32..4,
        parents in proptest::collection::vec(any::<prop::sample::Index>(), 4),
    ) {
        let mut world = grown(reach, &choices);
        let agents: Vec<AgentId> = world.forest.agents().map(|agent| agent.id).collect();
        for of in &agents {
            let before = expected(&world, reach, *of, Scope::Reachable);
            let mut parents = parents.iter();
            let seen = world.pages(*of, Scope::Reachable, limit, |world| {
                let Some(parent) = parents.next() else { return };
                let parent = agents[parent.index(agents.len())];
                world.child(parent, "helper");
                let withdrawn = world.start(parent, "doomed").ok().agent;
                world.interrupt(parent, withdrawn).ok();
            });
            let set: BTreeSet<AgentId> = seen.iter().copied().collect();
            prop_assert_eq!(set.len(), seen.len(), "each once: {:?}", seen);
            prop_assert!(set.is_superset(&before), "{:?} and {:?}", before, seen);
        }
    }

    #[test]
    fn reach_4_one_agent_is_shown_to_exactly_those_who_may_observe_it(
        reach in policies(), choices in choices(),
    ) {
        let world = grown(reach, &choices);
        let agents: Vec<AgentId> = world.forest.agents().map(|agent| agent.id).collect();
        for of in &agents {
            let missing = world.unseen(*of, &Target::Agent(Id::new(of.tag(), 99)));
            for target in &agents {
                let kin = relationship(&Edges(&world.forest), *of, *target);
                if may(reach, Verb::Observe, kin) {
                    prop_assert_eq!(world.row(*of, *target).relationship, kin);
                } else {
                    prop_assert_eq!(&world.unseen(*of, &Target::Agent(*target)), &missing);
                }
            }
        }
    }
}

#[test]
fn obs_1_parents_come_first_then_siblings_then_those_below_in_their_order() {
    let mut world = World::with(Limits { places: 64, ..Limits::default() }, ReachPolicy::Family);
    let lead = world.root("lead");
    let [one, two, three] = ["one", "two", "three"].map(|kind| world.child(lead, kind));
    let low = world.child(two, "low");
    let deep = world.child(low, "deep");
    let last = world.child(two, "other");
    let listed = world.page(world.caller(two), all(Scope::Reachable));
    assert_eq!(listed, (vec![lead, one, three, low, deep, last], None));
    let person = world.page(Caller::User, all(Scope::Descendants));
    assert_eq!(person.0, [lead, one, two, low, deep, last, three]);
    assert_eq!(world.page(Caller::User, all(Scope::Children)).0, [lead]);
}

#[test]
fn obs_1_a_cursor_whose_agent_was_withdrawn_still_goes_on_behind_it() {
    let mut world = World::with(Limits { places: 64, ..Limits::default() }, ReachPolicy::Direct);
    let lead = world.root("lead");
    let one = world.child(lead, "one");
    let doomed = world.start(lead, "doomed").ok().agent;
    let two = world.child(lead, "two");
    world.effects.clear();
    let query = RosterQuery { limit: Some(2), ..all(Scope::Children) };
    assert_eq!(world.page(world.caller(lead), query), (vec![one, doomed], Some(doomed)));
    let again = RosterQuery { after: Some(doomed), ..query };
    assert_eq!(world.page(world.caller(lead), again), (vec![two], None));
}

#[test]
fn obs_1_each_agent_is_listed_as_what_it_is_and_a_withdrawn_one_not_at_all() {
    let mut world = World::with(Limits { places: 64, ..Limits::default() }, ReachPolicy::Direct);
    let lead = world.root("lead");
    let [running, absent, closing] = ["one", "two", "three"].map(|kind| world.child(lead, kind));
    world.close(Caller::User, absent).ok();
    world.end(absent, TurnEnd::Aborted);
    world.settle();
    world.close(Caller::User, closing).ok();
    let withdrawn = world.start(lead, "doomed").ok().agent;
    world.interrupt(lead, withdrawn).ok();
    let starting = world.start(lead, "first").ok().agent;
    let rows = world.forest.roster(world.caller(lead), all(Scope::Children)).unwrap().rows;
    let seen: Vec<_> = rows.iter().map(|row| (row.agent, row.activity)).collect();
    let expected = [
        (running, Activity::Running),
        (absent, Activity::Absent),
        (closing, Activity::Closing),
        (starting, Activity::Starting),
    ];
    assert_eq!(seen, expected);
    let gone = world.unseen(lead, &Target::Agent(withdrawn));
    assert_eq!(gone, world.unseen(lead, &Target::Agent(Id::new(lead.tag(), 99))));
}

#[test]
fn obs_1_a_row_says_what_its_agent_is_and_what_the_caller_can_do_to_it() {
    let mut world = World::with(Limits { places: 64, ..Limits::default() }, ReachPolicy::Direct);
    let lead = world.root("lead");
    let child = world.child(lead, "one");
    let below = world.child(child, "below");
    world.send(lead, child, "and this").ok();
    let row = world.row(lead, child);
    assert_eq!((row.name.as_str(), row.depth, row.relationship), ("one", 1, Relationship::Child));
    assert_eq!((row.activity, row.pending, row.messages), (Activity::Running, 1, 2));
    assert_eq!(row.may, Verb::ALL);
    assert_eq!(world.row(lead, below).may, Verb::ALL[1..]);
    assert_eq!(world.row(child, lead).may, [Verb::Send, Verb::Observe]);
    let person = world.forest.observed(Caller::User, &Target::Agent(below)).unwrap();
    assert_eq!((person.relationship, person.may.len()), (Relationship::None, Verb::ALL.len()));
}

#[test]
fn obs_1_nobody_is_said_to_be_written_to_who_takes_no_messages() {
    let mut world = World::new();
    let lead = world.root("lead");
    let one = one_shot(&mut world, lead, "one");
    assert_eq!(world.row(lead, one).may, Verb::ALL[1..]);
}

#[test]
fn obs_1_a_row_has_the_last_thing_its_agent_wrote_in_one_short_line() {
    let mut world = World::new();
    let lead = world.root("lead");
    let child = world.child(lead, "reviewer");
    assert_eq!(world.last_words(child), None);
    world.claim(child);
    world.record(child, "I read\n\n\tthe \u{1b}[31mfile.", vec![call("look")]);
    assert_eq!(world.last_words(child).as_deref(), Some("I read the [31mfile."));
    world.call_done(child, 0);
    world.record(child, "  \n", vec![call("look")]);
    assert_eq!(world.last_words(child).as_deref(), Some("I read the [31mfile."));
    world.call_done(child, 0);
    world.finish(child, &"é".repeat(201));
    world.settle();
    let cut = format!("{}…", "é".repeat(199));
    assert_eq!(world.activity(child), Activity::Absent);
    assert_eq!(world.last_words(child), Some(cut.clone()));
    world.crash();
    assert_eq!(world.last_words(child), Some(cut));
}

#[test]
fn obs_1_exactly_two_hundred_characters_are_not_cut() {
    let mut world = World::new();
    let lead = world.root("lead");
    let child = world.child(lead, "reviewer");
    let most = "é".repeat(200);
    world.finish(child, &most);
    assert_eq!(world.last_words(child), Some(most));
}

#[test]
fn obs_1_a_page_has_one_to_fifty_rows_and_twenty_unless_it_is_said() {
    let mut world = World::with(Limits { places: 64, ..Limits::default() }, ReachPolicy::Direct);
    let lead = world.root("lead");
    let children: Vec<AgentId> = (0..51).map(|_| world.start(lead, "one").ok().agent).collect();
    let page = |limit| {
        let query = RosterQuery { limit, ..all(Scope::Children) };
        world.forest.roster(world.caller(lead), query)
    };
    assert_eq!(page(None).unwrap().next, Some(children[19]));
    assert_eq!(page(Some(50)).unwrap().next, Some(children[49]));
    for limit in [0, 51, u32::MAX] {
        let refusal = page(Some(limit)).unwrap_err();
        assert_eq!(refusal.code, Code::InvalidArgument);
        assert!(refusal.text.contains("1 to 50"), "{refusal}");
    }
}

#[test]
fn reach_4_a_cursor_tells_nothing_about_an_agent_that_is_not_in_the_list() {
    let mut world = World::with(Limits { places: 64, ..Limits::default() }, ReachPolicy::Direct);
    let lead = world.root("lead");
    let [one, two] = ["one", "two"].map(|kind| world.child(lead, kind));
    let below = world.child(two, "below");
    let stranger = world.root("stranger");
    let refused = |after: AgentId, scope| {
        let query = RosterQuery { after: Some(after), ..all(scope) };
        world.forest.roster(world.caller(one), query).unwrap_err()
    };
    let foreign = Id::new(LedgerTag::new(8), below.number());
    for scope in SCOPES {
        let missing = refused(Id::new(lead.tag(), 99), scope);
        assert_eq!(missing.code, Code::InvalidArgument);
        for hidden in [two, below, stranger, foreign] {
            assert_eq!(refused(hidden, scope), missing);
        }
    }
}

#[test]
fn reach_4_an_address_in_words_shows_no_more_than_an_id() {
    let mut world = World::with(Limits { places: 64, ..Limits::default() }, ReachPolicy::Direct);
    let lead = world.root("lead");
    let [one, _two] = ["one", "two"].map(|kind| world.child(lead, kind));
    let seen =
        |words: &str| world.forest.observed(world.caller(one), &Target::Spoken(words.to_owned()));
    let missing = seen("nobody").unwrap_err();
    assert_eq!((missing.code, missing.candidates.len()), (Code::Unreachable, 1));
    for address in ["two", "sibling:two", "sibling:nobody", "self"] {
        assert_eq!(seen(address).unwrap_err(), missing, "{address}");
    }
    assert_eq!(seen("parent").unwrap().agent, lead);
    let from_above = Target::Spoken("child:two".into());
    let row = world.forest.observed(world.caller(lead), &from_above).unwrap();
    assert_eq!(row.name.as_str(), "two");
}

#[test]
fn id_2_a_stay_that_is_over_looks_at_nothing() {
    let mut world = World::new();
    let lead = world.root("lead");
    let child = world.child(lead, "one");
    let stale = Caller::Agent { agent: child, incarnation: Incarnation(7) };
    let page = world.forest.roster(stale, all(Scope::Reachable)).unwrap_err();
    let one = world.forest.observed(stale, &Target::Agent(lead)).unwrap_err();
    assert_eq!((page.code, one.code), (Code::Unauthorized, Code::Unauthorized));
}

#[test]
fn obs_1_a_start_that_failed_shows_its_parent_no_row() {
    let mut world = World::new();
    let lead = world.root("lead");
    let child = world.start(lead, "one").ok().agent;
    world.fail(child);
    assert_eq!(world.page(world.caller(lead), all(Scope::Descendants)), (vec![], None));
}
