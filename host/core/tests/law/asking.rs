//! Waiting for an answer (HAND-4), and what children in the foreground take up.

use std::sync::Arc;

use switchboard_core::{
    AgentId, Answer, Code, Command, Descriptor, Limits, Mode, Relation, Reply, RequestBody,
    RequestId, StartRequest, Target, WaitFor, Waited,
};

use crate::wait::{lead, start, wait, waited};
use crate::world::{World, call, descriptor};

fn ask(world: &mut World, by: AgentId, to: Target, body: RequestBody) -> RequestId {
    let (ticket, caller) = (world.ticket(), world.caller(by));
    world.act(Command::Request { ticket, caller, key: None, to, body });
    match &world.answers[&ticket] {
        Answer::Requested(asked) => asked.request,
        other => panic!("{other:?}"),
    }
}

fn shutdown() -> RequestBody {
    RequestBody::Shutdown { reason: "enough".to_owned(), cleanup: None, grace: None }
}

#[test]
fn hand_4_a_wait_that_would_close_a_circle_is_refused_with_those_who_wait_for_one_another() {
    let (mut world, lead) = lead(Limits::default(), 1);
    let child = world.child(lead, "reviewer");
    let asked = ask(&mut world, lead, Target::Agent(child), shutdown());
    let first = wait(&mut world, lead, WaitFor::Answer(asked));
    world.step_once(child);
    world.record(child, "", vec![call("plan")]);
    let plan = RequestBody::Plan {
        plan: "tidy up".to_owned(),
        alternatives: Vec::new(),
        recommendation: None,
    };
    let planned = ask(&mut world, child, Target::Member(Relation::Parent, None), plan);
    let circle = wait(&mut world, child, WaitFor::Answer(planned));
    match &world.answers[&circle] {
        Answer::Refused(refusal) => {
            assert_eq!(refusal.code, Code::WouldDeadlock);
            let both = refusal.text.contains(&lead.to_string())
                && refusal.text.contains(&child.to_string());
            assert!(both, "{}", refusal.text);
        }
        other => panic!("{other:?}"),
    }
    assert_eq!(waited(&world, first), None, "who waits already is not told");
    assert!(world.forest.requests().any(|open| open.request.id == planned), "it stays asked for");
}

#[test]
fn hand_4_a_wait_for_an_answer_ends_with_the_request() {
    let (mut world, lead) = lead(Limits::default(), 1);
    let child = world.child(lead, "reviewer");
    let asked = ask(&mut world, lead, Target::Agent(child), shutdown());
    let waits = wait(&mut world, lead, WaitFor::Answer(asked));
    assert_eq!(waited(&world, waits), None);
    let (ticket, caller) = (world.ticket(), world.caller(child));
    let reply = Reply::Shutdown { approve: false, cleaned_up: false, report: None };
    world.act(Command::Respond { ticket, caller, key: None, request: asked, reply });
    assert_eq!(waited(&world, waits), Some(Waited::Answered));
}

#[test]
fn hand_2_one_that_has_its_plans_approved_is_not_started_in_the_foreground() {
    let (mut world, lead) = lead(Limits::default(), 1);
    let careful = descriptor("worker", Mode::Continuable);
    let careful = Descriptor { plan_required: true, ..careful.as_ref().clone() };
    let request = StartRequest {
        kind: "worker".to_owned(),
        descriptor: Some(Arc::new(careful)),
        description: String::new(),
        prompt: "be careful".to_owned(),
        background: false,
        fork: false,
    };
    let refused = world.start_request(world.caller(lead), request, None).refused();
    assert_eq!(refused.code, Code::InvalidArgument);
    assert!(refused.text.contains("run_in_background to true"), "{}", refused.text);
}

#[test]
fn start_2_a_one_shot_child_that_has_run_its_task_takes_up_no_room() {
    let (mut world, lead) = lead(Limits { children: 1, ..Limits::default() }, 3);
    for nth in 0..3 {
        let key = world.key(lead, nth);
        let child = start(&mut world, lead, "reviewer", Some(key));
        world.settle();
        world.finish(child, "Done.");
        world.settle();
        world.crash();
        world.settle();
    }
}
