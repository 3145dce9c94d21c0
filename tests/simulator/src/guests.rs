//! The tools of a history: they do what their arguments say, as guests would, and listen to a stop
//! or do not.

use std::sync::Arc;
use std::time::Duration;

use switchboard_core::{
    Caller, Code, Draft, HostKey, Millis, Refusal, Reply, RequestBody, RosterQuery, Scope, Target,
    WaitFor,
};
use switchboard_runtime::{
    BoxFuture, Later, Outcome, RecentQuery, StartDraft, ToolCall, ToolClass, ToolHost, ToolResult,
    ToolSpec,
};
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

use crate::deeds::{Deed, Deeds, LOOK, Letter, TALK, TOUCH};
use crate::panics::end;
use crate::witness::CallId;
use crate::world::Host;

/// The tools of one host.
pub(crate) struct Guests(pub(crate) Arc<Host>);

fn class(tool: &str) -> Option<ToolClass> {
    match tool {
        TALK => Some(ToolClass::Control),
        LOOK => Some(ToolClass::ReadOnly),
        TOUCH => Some(ToolClass::Effectful),
        _ => None,
    }
}

impl ToolHost for Guests {
    fn spec(&self, tool: &str) -> Option<ToolSpec> {
        Some(ToolSpec {
            name: tool.to_owned(),
            description: String::new(),
            input_schema: serde_json::json!({ "type": "object" }),
            class: class(tool)?,
            writes: false,
            plans: false,
            reports: None,
        })
    }

    fn call(&self, call: ToolCall, cancel: CancellationToken) -> BoxFuture<'_, ToolResult> {
        let guest = Guest::of(&self.0, call);
        Box::pin(guest.run(cancel))
    }
}

/// One call under way. Dropped, it is over.
struct Guest {
    host: Arc<Host>,
    call: ToolCall,
    /// Control calls made.
    made: u32,
    /// What its result waits for.
    later: Option<Later>,
}

/// Why a guest stops early.
enum Stop {
    Failed,
    Draining,
}

impl Guest {
    fn of(host: &Arc<Host>, call: ToolCall) -> Self {
        let guest = Self { host: host.clone(), call, made: 0, later: None };
        if !host.is_dead() {
            let (mut witness, book) = (host.world.witness(), host.world.book());
            let effectful = class(&guest.call.tool) == Some(ToolClass::Effectful);
            witness.calls(guest.id(), &guest.call.tool, effectful, &book);
        }
        guest
    }

    fn id(&self) -> CallId {
        (self.call.activation.turn, self.call.step, self.call.call)
    }

    async fn run(mut self, cancel: CancellationToken) -> ToolResult {
        let Ok(Deeds { deeds }) = serde_json::from_str(&self.call.arguments) else {
            return ToolResult::plain(Outcome::Failed, "these are no arguments of mine");
        };
        // One in three hears a stop at once, one at the end of what it does, one never.
        let hears = self.host.world.chance.below(3);
        for deed in deeds {
            if hears == 1 && cancel.is_cancelled() {
                return ToolResult::plain(Outcome::Cancelled, "stopped");
            }
            let done = tokio::select! {
                biased;
                () = cancel.cancelled(), if hears == 0 => {
                    return ToolResult::plain(Outcome::Cancelled, "stopped");
                }
                done = self.perform(deed) => done,
            };
            match done {
                Ok(()) => (),
                Err(Stop::Failed) => return ToolResult::plain(Outcome::Failed, "as wanted"),
                Err(Stop::Draining) => {
                    let stopped = ToolResult::plain(Outcome::Cancelled, "the host drains");
                    return ToolResult { draining: true, ..stopped };
                }
            }
        }
        self.later.map_or(ToolResult::plain(Outcome::Done, "done"), ToolResult::waiting)
    }

    async fn perform(&mut self, deed: Deed) -> Result<(), Stop> {
        match deed {
            Deed::Send(letter) => self.send(letter).await,
            Deed::Start { kind, words, background, fork } => {
                self.start(StartDraft {
                    agent: kind,
                    description: String::new(),
                    prompt: words,
                    background,
                    fork,
                })
                .await
            }
            Deed::Await(millis) => {
                let (on, patience) = (WaitFor::Mail, Some(Millis(millis)));
                self.later = Some(Later { on, patience });
                Ok(())
            }
            Deed::Interrupt { to, cascade } => self.interrupt(to, cascade).await,
            Deed::Wait(millis) => {
                sleep(Duration::from_millis(millis)).await;
                Ok(())
            }
            Deed::Fail => Err(Stop::Failed),
            Deed::Panic => end(),
            Deed::Hang => std::future::pending().await,
            other => self.ask(other).await,
        }
    }

    async fn send(&mut self, letter: Letter) -> Result<(), Stop> {
        let draft = Draft { to: letter.target(), content: letter.content() };
        let (host, key, caller) = (self.host.clone(), self.key(), self.caller());
        let nth = attempt(&host, &letter.words);
        let answer = host.in_time("a send", self.call.plane.send(caller, key, draft)).await;
        let Some(answer) = answer else { return Ok(()) };
        let told = (letter.words.as_str(), nth);
        host.world.witness().sent(told, &answer, &host.world.book());
        go_on(answer.err().as_ref())
    }

    async fn start(&mut self, draft: StartDraft) -> Result<(), Stop> {
        let (words, background) = (draft.prompt.clone(), draft.background);
        let (host, key, caller) = (self.host.clone(), self.key(), self.caller());
        let nth = attempt(&host, &words);
        let answer = host.in_time("a start", self.call.plane.start(caller, key, draft)).await;
        let Some(answer) = answer else { return Ok(()) };
        host.world.witness().started((&words, nth), &answer, &host.world.book());
        if let (Ok(started), false) = (&answer, background) {
            self.later = Some(Later { on: WaitFor::Child(started.agent), patience: None });
        }
        go_on(answer.err().as_ref())
    }

    async fn interrupt(&mut self, to: String, cascade: bool) -> Result<(), Stop> {
        let (host, key, caller) = (self.host.clone(), self.key(), self.caller());
        let plane = self.call.plane.clone();
        let stop = plane.interrupt(caller, key, Target::Spoken(to), None, cascade, None);
        let Some(answer) = host.in_time("an interrupt", stop).await else { return Ok(()) };
        host.world.witness().interrupted(&answer, &host.world.book());
        go_on(answer.err().as_ref())
    }

    /// What leaves no words of its own behind.
    async fn ask(&mut self, deed: Deed) -> Result<(), Stop> {
        let (host, caller) = (self.host.clone(), self.caller());
        let plane = self.call.plane.clone();
        let asked = async {
            match deed {
                Deed::Acknowledge(message) => {
                    plane.acknowledge(caller, self.key(), message, None).await.map(drop)
                }
                Deed::Close(whom) => {
                    plane.close(caller, self.key(), Target::Spoken(whom)).await.map(drop)
                }
                Deed::Delete(whom) => {
                    plane.delete(caller, self.key(), Target::Spoken(whom)).await.map(drop)
                }
                Deed::Shutdown(whom) => {
                    let (reason, cleanup, grace) = ("enough".to_owned(), None, None);
                    let body = RequestBody::Shutdown { reason, cleanup, grace };
                    let key = self.key();
                    plane.request(caller, key, Target::Spoken(whom), body).await.map(drop)
                }
                Deed::Plan(plan) => {
                    let (alternatives, recommendation) = (Vec::new(), None);
                    let body = RequestBody::Plan { plan, alternatives, recommendation };
                    let parent = Target::Spoken("parent".to_owned());
                    plane.request(caller, self.key(), parent, body).await.map(drop)
                }
                Deed::Respond { request, plan, approve } => {
                    let reply = match plan {
                        true => Reply::Plan { approve, feedback: None },
                        false => Reply::Shutdown { approve, cleaned_up: true, report: None },
                    };
                    plane.respond(caller, self.key(), request, reply).await.map(drop)
                }
                Deed::Get(whom) => plane.get_agent(caller, Target::Spoken(whom)).await.map(drop),
                Deed::Standing(message) => plane.message(caller, message).await.map(drop),
                Deed::Recent(whom) => {
                    let target = Target::Spoken(whom);
                    let query = RecentQuery { target, limit: None, max_chars: None, before: None };
                    plane.recent_messages(caller, query).await.map(drop)
                }
                _ => {
                    let query = RosterQuery { scope: Scope::Reachable, limit: None, after: None };
                    plane.list_agents(caller, query).await.map(drop)
                }
            }
        };
        let Some(answer) = host.in_time("a question", asked).await else { return Ok(()) };
        let refusal = answer.err();
        refusal.iter().for_each(|refusal| host.world.witness().count_refusal(refusal));
        go_on(refusal.as_ref())
    }

    fn key(&mut self) -> HostKey {
        let (turn, step, call) = self.id();
        self.made += 1;
        HostKey { turn, step, call, nth: self.made - 1 }
    }

    fn caller(&self) -> Caller {
        let activation = self.call.activation;
        Caller::Agent { agent: activation.agent, incarnation: activation.incarnation }
    }
}

impl Drop for Guest {
    fn drop(&mut self) {
        if !self.host.is_dead() {
            self.host.world.witness().called(self.id());
        }
    }
}

/// Begins an attempt at these words.
pub(crate) fn attempt(host: &Host, words: &str) -> usize {
    let (mut witness, book) = (host.world.witness(), host.world.book());
    witness.attempt(words, &book)
}

fn go_on(refusal: Option<&Refusal>) -> Result<(), Stop> {
    match refusal {
        Some(refusal) if refusal.code == Code::Draining && refusal.retry_after.is_none() => {
            Err(Stop::Draining)
        }
        // Its model hears of it, and may ask again.
        Some(refusal) if refusal.code == Code::Capacity => Err(Stop::Failed),
        Some(_) | None => Ok(()),
    }
}
