//! REACH: who may do what to whom.

use std::collections::BTreeSet;

use proptest::prelude::*;
use switchboard_core::{
    AgentId, Caller, Code, Id, Kinship, LedgerTag, Limits, ReachPolicy, Refusal, Relationship,
    Target, Verb, may, relationship,
};

use crate::world::World;

/// Parent edges alone: agent number n has the parent at n - 1.
#[derive(Clone, Debug)]
struct Edges(Vec<Option<usize>>);

fn id(number: usize) -> AgentId {
    Id::new(LedgerTag::new(7), number as u64)
}

impl Kinship for Edges {
    fn parent(&self, agent: AgentId) -> Option<AgentId> {
        self.0[agent.number() as usize - 1].map(id)
    }
}

/// Any forest of up to twelve: each agent's parent came before it.
fn edges() -> impl Strategy<Value = Edges> {
    let choices = proptest::collection::vec(any::<prop::sample::Index>(), 1..12);
    choices.prop_map(|choices| {
        let parent = |(place, choice): (usize, prop::sample::Index)| {
            Some(choice.index(place + 1)).filter(|parent| *parent > 0)
        };
        Edges(choices.into_iter().enumerate().map(parent).collect())
    })
}

impl Edges {
    fn ids(&self) -> impl Iterator<Item = AgentId> + use<> {
        (1..=self.0.len()).map(id)
    }

    fn above(&self, agent: AgentId) -> BTreeSet<AgentId> {
        match self.parent(agent) {
            None => BTreeSet::new(),
            Some(parent) => self.above(parent).into_iter().chain([parent]).collect(),
        }
    }

    /// The relationship by its definition, slowly.
    fn oracle(&self, one: AgentId, other: AgentId) -> Relationship {
        let top = |agent| {
            self.ids().find(|root| {
                self.parent(*root).is_none() && (*root == agent || self.above(agent).contains(root))
            })
        };
        let cases = [
            (one == other, Relationship::Oneself),
            (self.parent(one) == Some(other), Relationship::Parent),
            (self.parent(other) == Some(one), Relationship::Child),
            (self.parent(one) == self.parent(other), Relationship::Sibling),
            (self.above(one).contains(&other), Relationship::Ancestor),
            (self.above(other).contains(&one), Relationship::Descendant),
            (top(one) == top(other), Relationship::SameTree),
        ];
        cases.into_iter().find(|(holds, _)| *holds).map_or(Relationship::None, |(_, kin)| kin)
    }
}

fn inverse(kin: Relationship) -> Relationship {
    match kin {
        Relationship::Parent => Relationship::Child,
        Relationship::Child => Relationship::Parent,
        Relationship::Ancestor => Relationship::Descendant,
        Relationship::Descendant => Relationship::Ancestor,
        same => same,
    }
}

proptest! {
    #[test]
    fn reach_1_the_relationship_is_what_the_edges_say(edges in edges()) {
        for one in edges.ids() {
            for other in edges.ids() {
                let kin = relationship(&edges, one, other);
                prop_assert_eq!(kin, edges.oracle(one, other), "{} and {}", one, other);
                prop_assert_eq!(relationship(&edges, other, one), inverse(kin));
            }
        }
    }

    #[test]
    fn reach_2_a_wider_policy_takes_nothing_away(edges in edges()) {
        for one in edges.ids() {
            for other in edges.ids() {
                let kin = relationship(&edges, one, other);
                for verb in [Verb::Send, Verb::Observe, Verb::Interrupt, Verb::Close] {
                    let [direct, family, tree] = POLICIES.map(|policy| may(policy, verb, kin));
                    prop_assert!(direct <= family && family <= tree, "{:?} {:?}", verb, kin);
                }
            }
        }
    }
}

const POLICIES: [ReachPolicy; 3] = [ReachPolicy::Direct, ReachPolicy::Family, ReachPolicy::Tree];
const KIN: [Relationship; 8] = [
    Relationship::Oneself,
    Relationship::Parent,
    Relationship::Child,
    Relationship::Sibling,
    Relationship::Ancestor,
    Relationship::Descendant,
    Relationship::SameTree,
    Relationship::None,
];

/// A row: what `may` says for each of [`KIN`], in order.
fn row(policy: ReachPolicy, verb: Verb) -> String {
    KIN.iter().map(|kin| if may(policy, verb, *kin) { 'y' } else { '-' }).collect()
}

#[test]
fn reach_2_who_may_send_under_each_policy() {
    assert_eq!(row(ReachPolicy::Direct, Verb::Send), "-yy-----");
    assert_eq!(row(ReachPolicy::Family, Verb::Send), "-yyy----");
    assert_eq!(row(ReachPolicy::Tree, Verb::Send), "-yyyyyy-");
}

#[test]
fn reach_2_who_may_observe_under_each_policy() {
    assert_eq!(row(ReachPolicy::Direct, Verb::Observe), "-yy--y--");
    assert_eq!(row(ReachPolicy::Family, Verb::Observe), "-yyy-y--");
    assert_eq!(row(ReachPolicy::Tree, Verb::Observe), "-yyyyyy-");
}

#[test]
fn reach_2_interrupt_close_and_delete_are_for_those_above_under_every_policy() {
    for policy in POLICIES {
        assert_eq!(row(policy, Verb::Interrupt), "--y--y--");
        assert_eq!(row(policy, Verb::Close), "--y--y--");
        assert_eq!(row(policy, Verb::Delete), "--y--y--");
    }
}

/// A root with two children, the first of which has a child; and another root.
fn family(reach: ReachPolicy) -> (World, [AgentId; 5]) {
    let mut world = World::with(Limits::default(), reach);
    let lead = world.root("lead");
    let (one, two) = (world.child(lead, "one"), world.child(lead, "two"));
    let below = world.child(one, "below");
    let stranger = world.root("stranger");
    (world, [lead, one, two, below, stranger])
}

/// To whom of the family each of it can send, each seen from its start.
fn sendable(reach: ReachPolicy) -> Vec<String> {
    let (mut world, all) = family(reach);
    let mut rows = Vec::new();
    for from in all {
        let mut row = String::new();
        for to in all {
            world.pass(switchboard_core::Millis::seconds(5));
            row.push(match world.send(from, to, "hi") {
                crate::world::Came::To(_) => 'y',
                other => match other.refused().code {
                    Code::SelfMessage => 's',
                    Code::Unreachable => '-',
                    code => panic!("{code}"),
                },
            });
        }
        rows.push(row);
    }
    rows
}

#[test]
fn reach_2_direct_is_the_parent_and_direct_children() {
    assert_eq!(sendable(ReachPolicy::Direct), ["syy--", "ys-y-", "y-s--", "-y-s-", "----s"]);
}

#[test]
fn reach_2_family_adds_siblings_and_roots_are_siblings_of_each_other() {
    assert_eq!(sendable(ReachPolicy::Family), ["syy-y", "ysyy-", "yys--", "-y-s-", "y---s"]);
}

#[test]
fn reach_2_tree_adds_all_under_the_same_root() {
    assert_eq!(sendable(ReachPolicy::Tree), ["syyyy", "ysyy-", "yysy-", "yyys-", "y---s"]);
}

#[test]
fn reach_2_closing_is_for_ancestors_of_any_depth_and_the_person() {
    let (mut world, [lead, one, two, below, stranger]) = family(ReachPolicy::Tree);
    for (by, target) in [(one, lead), (one, two), (below, one), (stranger, below), (two, two)] {
        let caller = world.caller(by);
        assert_eq!(world.close(caller, target).refused().code, Code::Unreachable);
    }
    let caller = world.caller(lead);
    assert_eq!(world.close(caller, below).ok().agent, below);
    assert_eq!(world.close(Caller::User, two).ok().agent, two);
}

#[test]
fn reach_3_a_parked_send_is_checked_again_when_it_is_decided_again() {
    let mut world = World::new();
    let lead = world.root("lead");
    let child = world.start(lead, "reviewer").ok().agent;
    let ticket = world.send(lead, child, "hi").parked();
    world.interrupt(lead, child).ok();
    assert_eq!(world.receipt(ticket).refused().code, Code::Unreachable, "there is nobody now");
}

/// A refusal without what the caller itself wrote in it.
fn same(one: &Refusal, other: &Refusal) {
    assert_eq!(one, other, "not there and not permitted are one answer");
}

#[test]
fn reach_4_not_there_and_not_permitted_are_one_answer_for_every_kin_and_verb() {
    let (mut world, [lead, one, two, below, stranger]) = family(ReachPolicy::Direct);
    let nobody = Id::new(lead.tag(), 99);
    for (from, to) in [(one, two), (lead, below), (below, lead), (below, two), (one, stranger)] {
        let missing = world.send(from, nobody, "hi").refused();
        same(&world.send(from, to, "hi").refused(), &missing);
    }
    for (from, to) in [(one, two), (one, lead), (below, lead), (one, stranger), (one, one)] {
        let missing = world.interrupt(from, nobody).refused();
        same(&world.interrupt(from, to).refused(), &missing);
        let caller = world.caller(from);
        let missing = world.close(caller, nobody).refused();
        same(&world.close(caller, to).refused(), &missing);
    }
}

#[test]
fn reach_4_a_role_tells_no_more_than_a_name() {
    let (mut world, [_, one, two, below, _]) = family(ReachPolicy::Direct);
    let missing = world.say(one, "nobody", "hi").refused();
    for address in ["two", "sibling:two", "sibling:nobody", "child:two", "parent:two", "sibling:"] {
        same(&world.say(one, address, "hi").refused(), &missing);
    }
    let third = world.child(world.known(two).parent.unwrap(), "three");
    same(&world.say(one, "sibling:", "hi").refused(), &missing);
    assert!(world.known(third).is_up());
    let missing = world.say(below, "sibling:", "hi").refused();
    assert_eq!(missing.code, Code::Unreachable);
}

#[test]
fn reach_4_candidates_are_those_the_caller_can_reach_and_at_most_ten() {
    let mut world = World::with(Limits { places: 64, ..Limits::default() }, ReachPolicy::Direct);
    let lead = world.root("lead");
    let child = world.child(lead, "first");
    let below = world.child(child, "below");
    let refusal = world.say(child, "nobody", "hi").refused();
    let named = |refusal: &Refusal| {
        let pair = |one: &switchboard_core::Candidate| (one.address.clone(), one.relation.clone());
        refusal.candidates.iter().map(pair).collect::<Vec<_>>()
    };
    let pair = |address: &str, relation: &str| (address.to_owned(), relation.to_owned());
    assert_eq!(named(&refusal), [pair("parent", "parent"), pair("below", "child")]);
    assert_eq!(world.say(below, "nobody", "hi").refused().candidates.len(), 1);
    for _ in 0..11 {
        world.child(lead, "more");
    }
    let refusal = world.say(lead, "nobody", "hi").refused();
    assert_eq!(refusal.candidates.len(), 10);
    let first = named(&refusal)[0].0.clone();
    world.say(lead, &first, "a candidate is an address that works").ok();
}

#[test]
fn reach_4_a_withdrawn_start_is_nobody() {
    let mut world = World::new();
    let lead = world.root("lead");
    let child = world.start(lead, "reviewer").ok().agent;
    world.interrupt(lead, child).ok();
    let nobody = Id::new(lead.tag(), 99);
    let missing = world.send(lead, nobody, "hi").refused();
    same(&world.send(lead, child, "hi").refused(), &missing);
    same(&world.say(lead, "reviewer", "hi").refused(), &missing);
    let gone = world.send_as(Caller::User, Target::Agent(child), "hi", None).refused();
    assert_eq!(gone.code, Code::Unreachable);
}

#[test]
fn reach_5_farther_kin_are_told_to_relay_through_the_agent_between() {
    let (mut world, [lead, _, _, below, _]) = family(ReachPolicy::Direct);
    for (from, to) in [(lead, below), (below, lead)] {
        let refusal = world.send(from, to, "hi").refused();
        assert!(refusal.text.contains("ask the agent between you to pass it on"), "{refusal}");
    }
    let (mut world, [lead, _, _, below, _]) = family(ReachPolicy::Tree);
    world.send(lead, below, "no need to relay here").ok();
}
