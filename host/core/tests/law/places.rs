//! RES-5: a tree has so many places, each held by an open turn.

use switchboard_core::{AgentId, Code, Effect, Limits, ReachPolicy, TurnEnd};

use crate::world::{World, call};

fn limited(limits: Limits) -> (World, AgentId) {
    let mut world = World::with(limits, ReachPolicy::Direct);
    let lead = world.root("lead");
    (world, lead)
}

#[test]
fn res_5_due_agents_wait_for_a_place_and_the_longest_due_comes_first() {
    let (mut world, lead) = limited(Limits { places: 2, ..Limits::default() });
    let started = ["a", "b"].map(|kind| world.child(lead, kind));
    world.instruct(lead, "third").ok();
    world.instruct(started[0], "fourth").ok();
    assert!(world.known(lead).turn.is_none(), "acceptance does not fail for want of a place");
    world.finish(started[0], "done");
    assert!(world.known(lead).turn.is_some(), "it was due before the next turn of `a`");
    assert!(world.known(started[0]).turn.is_none());
    world.finish(started[1], "done");
    assert_eq!(world.claimed(started[0]), ["fourth"]);
}

#[test]
fn res_5_eight_turns_run_in_a_tree_and_another_tree_has_places_of_its_own() {
    let mut world = World::new();
    let lead = world.root("lead");
    let children: Vec<AgentId> = (0..8).map(|_| world.child(lead, "worker")).collect();
    assert!(children.iter().all(|child| world.known(*child).turn.is_some()));
    world.instruct(lead, "go").ok();
    assert!(world.known(lead).turn.is_none());
    let other = world.root("other");
    world.instruct(other, "go").ok();
    assert!(world.known(other).turn.is_some());
    world.interrupt(lead, children[3]).ok();
    world.end(children[3], TurnEnd::Interrupted);
    assert!(world.known(lead).turn.is_some(), "a parked agent holds no place");
}

#[test]
fn res_5_only_starts_are_refused_and_the_text_names_the_limit_and_the_holders() {
    let (mut world, lead) = limited(Limits { places: 2, ..Limits::default() });
    let (one, _) = (world.child(lead, "one"), world.child(lead, "two"));
    let refusal = world.start(lead, "three").refused();
    assert_eq!(refusal.code, Code::Capacity);
    assert!(refusal.code.retry());
    assert!(refusal.text.contains("2 places") && refusal.text.contains("one, two"), "{refusal}");
    world.send(lead, one, "hi").ok();
    world.record(one, "done", vec![call("look")]);
    world.call_done(one, 0);
    world.finish(one, "done");
    world.start(lead, "three").ok();
}

#[test]
fn res_5_places_are_held_over_a_restart() {
    let (mut world, lead) = limited(Limits { places: 1, ..Limits::default() });
    let child = world.child(lead, "worker");
    world.step_once(child);
    world.instruct(lead, "go").ok();
    world.crash();
    world.settle();
    let runs = world.effects.iter().filter(|effect| matches!(effect, Effect::RunTurn { .. }));
    assert_eq!(runs.count(), 1);
    world.finish(child, "done");
    assert_eq!(world.claimed(lead), ["go"]);
}
