//! A small shell for the machine: it performs effects when told to, and after every command
//! checks that replaying what was stored gives the same facts (LED-2).

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use switchboard_core::{
    Activation, Activity, AgentId, AgentName, Answer, CallRecord, Caller, CancelCause, Command,
    Content, Descriptor, Draft, Effect, Event, Forest, HostKey, Interruption, LedgerTag, Limits,
    LoopAnswer, Message, Millis, Mode, Monotonic, ReachPolicy, Receipt, Refusal, Stamp,
    StartRequest, Started, Step, StepRecord, Target, Ticket, Timer, ToolUse, TurnEnd, WallTime,
};

#[derive(Debug)]
pub(crate) struct World {
    pub(crate) forest: Forest,
    pub(crate) log: Vec<Event>,
    pub(crate) effects: VecDeque<Effect>,
    pub(crate) answers: BTreeMap<Ticket, Answer>,
    shadow: Forest,
    limits: Limits,
    reach: ReachPolicy,
    now: u64,
    tickets: u64,
}

/// What a call came to.
#[derive(Debug)]
pub(crate) enum Came<T> {
    To(T),
    Refused(Refusal),
    /// It is parked under this ticket.
    Parked(Ticket),
}

impl<T: std::fmt::Debug> Came<T> {
    #[track_caller]
    pub(crate) fn ok(self) -> T {
        match self {
            Self::To(value) => value,
            other => panic!("expected an acceptance, got {other:?}"),
        }
    }

    #[track_caller]
    pub(crate) fn refused(self) -> Refusal {
        match self {
            Self::Refused(refusal) => refusal,
            other => panic!("expected a refusal, got {other:?}"),
        }
    }

    #[track_caller]
    pub(crate) fn parked(self) -> Ticket {
        match self {
            Self::Parked(ticket) => ticket,
            other => panic!("expected it to wait, got {other:?}"),
        }
    }
}

pub(crate) fn descriptor(kind: &str, mode: Mode) -> Arc<Descriptor> {
    Arc::new(Descriptor {
        kind: kind.into(),
        mode,
        model: "script:none".into(),
        persona: String::new(),
        description: String::new(),
        tools: vec![],
        starts: vec![],
        images: false,
        reports: None,
    })
}

pub(crate) fn call(tool: &str) -> ToolUse {
    ToolUse { tool: tool.into(), arguments: "{}".into() }
}

impl World {
    pub(crate) fn new() -> Self {
        Self::with(Limits::default(), ReachPolicy::Direct)
    }

    pub(crate) fn with(limits: Limits, reach: ReachPolicy) -> Self {
        let limits = limits.checked().unwrap();
        let (forest, opened) = Forest::open(LedgerTag::new(7), limits.clone(), reach);
        let mut shadow = Forest::replaying(limits.clone(), reach);
        shadow.apply(&opened).unwrap();
        Self {
            forest,
            log: vec![opened],
            effects: VecDeque::new(),
            answers: BTreeMap::new(),
            shadow,
            limits,
            reach,
            now: 1_000,
            tickets: 0,
        }
    }

    pub(crate) fn ticket(&mut self) -> Ticket {
        self.tickets += 1;
        Ticket(self.tickets)
    }

    pub(crate) fn pass(&mut self, time: Millis) {
        self.now += time.0;
    }

    /// Decides a command, stores what follows and keeps what is to be done.
    #[track_caller]
    pub(crate) fn act(&mut self, command: Command) -> Step {
        let stamp = Stamp {
            wall: WallTime(1_700_000_000_000 + self.now),
            now: Monotonic(self.now),
            entropy: u128::from(self.now) << 64 | u128::from(self.tickets),
        };
        let step = self.forest.step(command, stamp);
        for event in &step.events {
            let text = serde_json::to_string(event).unwrap();
            let read: Event = serde_json::from_str(&text).unwrap();
            assert_eq!(read, *event, "an event reads back as it was written: {text}");
            assert_eq!(
                serde_json::from_str::<serde_json::Value>(&text).unwrap()["event"],
                event.kind()
            );
            self.shadow.apply(&read).unwrap();
        }
        assert!(self.forest.same_facts(&self.shadow), "replay gives the same facts (LED-2)");
        self.log.extend(step.events.iter().cloned());
        self.effects.extend(step.effects.iter().cloned());
        for (ticket, answer) in &step.answers {
            let twice = self.answers.insert(*ticket, answer.clone());
            assert!(twice.is_none(), "a ticket is answered once: {twice:?}, then {answer:?}");
        }
        step
    }

    /// The host is killed and started again on what was stored.
    pub(crate) fn crash(&mut self) {
        let mut forest = Forest::replaying(self.limits.clone(), self.reach);
        for event in &self.log {
            forest.apply(event).unwrap();
        }
        assert!(forest.same_facts(&self.forest));
        self.forest = forest;
        self.effects.clear();
        let step = self.act(Command::HostStarted);
        let mut ordered: Vec<String> = step
            .effects
            .iter()
            .filter(|effect| !matches!(effect, Effect::SetTimer { .. }))
            .map(|effect| format!("{effect:?}"))
            .collect();
        let mut outstanding: Vec<String> =
            self.forest.outstanding().iter().map(|effect| format!("{effect:?}")).collect();
        ordered.sort();
        outstanding.sort();
        assert_eq!(ordered, outstanding, "recovery performs what is outstanding (LED-4)");
    }

    /// Performs what needs no model: brings agents up and puts them away, until nothing is left.
    pub(crate) fn settle(&mut self) {
        let mut kept = VecDeque::new();
        while let Some(effect) = self.effects.pop_front() {
            match effect {
                Effect::Materialise { agent, incarnation } => {
                    self.act(Command::Published { agent, incarnation });
                }
                Effect::Dispose { agent, incarnation } => {
                    self.act(Command::Disposed { agent, incarnation });
                }
                other => kept.push_back(other),
            }
        }
        self.effects = kept;
    }

    /// The timers that are set and not yet taken.
    pub(crate) fn timers(&self) -> Vec<(Timer, Millis)> {
        let timer = |effect: &Effect| match effect {
            Effect::SetTimer { timer, after } => Some((*timer, *after)),
            _ => None,
        };
        self.effects.iter().filter_map(timer).collect()
    }

    /// Lets the first timer that fits come.
    #[track_caller]
    pub(crate) fn fire(&mut self, fits: impl Fn(&Timer) -> bool) {
        let (timer, after) =
            self.timers().into_iter().find(|(timer, _)| fits(timer)).expect("such a timer is set");
        self.effects.retain(
            |effect| !matches!(effect, Effect::SetTimer { timer: other, .. } if *other == timer),
        );
        self.pass(after);
        self.act(Command::Timer(timer));
    }

    #[track_caller]
    pub(crate) fn root(&mut self, name: &str) -> AgentId {
        let ticket = self.ticket();
        let (name, descriptor) = (AgentName::new(name).unwrap(), descriptor(name, Mode::Root));
        self.act(Command::Register { ticket, name, descriptor });
        self.settle();
        match &self.answers[&ticket] {
            Answer::Registered(agent) => *agent,
            other => panic!("{other:?}"),
        }
    }

    /// Starts a child that is not up yet; nothing is performed.
    pub(crate) fn start(&mut self, parent: AgentId, kind: &str) -> Came<Started> {
        self.start_keyed(parent, kind, None)
    }

    pub(crate) fn start_keyed(
        &mut self,
        parent: AgentId,
        kind: &str,
        key: Option<HostKey>,
    ) -> Came<Started> {
        let ticket = self.ticket();
        let request = StartRequest {
            descriptor: descriptor(kind, Mode::Continuable),
            prompt: format!("be a {kind}"),
            background: true,
        };
        let caller = self.caller(parent);
        self.act(Command::Start { ticket, caller, key, request });
        self.came(ticket, |answer| match answer {
            Answer::Started(started) => Some(started),
            _ => None,
        })
    }

    /// Starts a child and brings it up; its first turn is open.
    #[track_caller]
    pub(crate) fn child(&mut self, parent: AgentId, kind: &str) -> AgentId {
        let child = self.start(parent, kind).ok().agent;
        self.settle();
        child
    }

    pub(crate) fn caller(&self, agent: AgentId) -> Caller {
        let incarnation = self.forest.agent(agent).unwrap().incarnation;
        Caller::Agent { agent, incarnation }
    }

    pub(crate) fn send(&mut self, from: AgentId, to: AgentId, words: &str) -> Came<Receipt> {
        let caller = self.caller(from);
        self.send_as(caller, Target::Agent(to), words, None)
    }

    pub(crate) fn say(&mut self, from: AgentId, to: &str, words: &str) -> Came<Receipt> {
        let caller = self.caller(from);
        self.send_as(caller, Target::Spoken(to.into()), words, None)
    }

    pub(crate) fn instruct(&mut self, to: AgentId, words: &str) -> Came<Receipt> {
        self.send_as(Caller::User, Target::Agent(to), words, None)
    }

    pub(crate) fn send_as(
        &mut self,
        caller: Caller,
        to: Target,
        words: &str,
        key: Option<HostKey>,
    ) -> Came<Receipt> {
        let draft = Draft { to, content: Content::text(words) };
        self.send_draft(caller, draft, key)
    }

    pub(crate) fn send_draft(
        &mut self,
        caller: Caller,
        draft: Draft,
        key: Option<HostKey>,
    ) -> Came<Receipt> {
        let ticket = self.ticket();
        let patience = self.limits.parking_guest;
        self.act(Command::Send { ticket, caller, key, draft, patience });
        self.receipt(ticket)
    }

    /// What the send under this ticket came to by now.
    pub(crate) fn receipt(&self, ticket: Ticket) -> Came<Receipt> {
        self.came(ticket, |answer| match answer {
            Answer::Accepted(receipt) => Some(receipt),
            _ => None,
        })
    }

    pub(crate) fn interrupt(&mut self, by: AgentId, target: AgentId) -> Came<Interruption> {
        let caller = self.caller(by);
        self.interrupt_as(caller, target)
    }

    pub(crate) fn interrupt_as(&mut self, caller: Caller, target: AgentId) -> Came<Interruption> {
        let ticket = self.ticket();
        self.act(Command::Interrupt {
            ticket,
            caller,
            key: None,
            target: Target::Agent(target),
            turn: None,
            cascade: false,
            reason: None,
        });
        self.interruption(ticket)
    }

    pub(crate) fn interruption(&self, ticket: Ticket) -> Came<Interruption> {
        self.came(ticket, |answer| match answer {
            Answer::Interrupted(interruption) => Some(interruption),
            _ => None,
        })
    }

    pub(crate) fn close(&mut self, caller: Caller, target: AgentId) -> Came<AgentId> {
        let ticket = self.ticket();
        self.act(Command::Close { ticket, caller, target: Target::Agent(target) });
        self.came(ticket, |answer| match answer {
            Answer::Closed(agent) => Some(agent),
            _ => None,
        })
    }

    fn came<T>(&self, ticket: Ticket, take: impl Fn(Answer) -> Option<T>) -> Came<T> {
        match self.answers.get(&ticket) {
            None => Came::Parked(ticket),
            Some(Answer::Refused(refusal)) => Came::Refused(refusal.clone()),
            Some(answer) => Came::To(take(answer.clone()).expect("the answer suits the call")),
        }
    }

    /// The loop of the agent's open turn.
    #[track_caller]
    pub(crate) fn activation(&self, agent: AgentId) -> Activation {
        let known = self.forest.agent(agent).unwrap();
        let turn = known.turn.as_ref().expect("a turn is open").id;
        Activation { agent, incarnation: known.incarnation, turn }
    }

    pub(crate) fn at_loop(&mut self, build: impl FnOnce(Ticket) -> Command) -> LoopAnswer {
        let ticket = self.ticket();
        self.act(build(ticket));
        match &self.answers[&ticket] {
            Answer::Loop(answer) => answer.clone(),
            other => panic!("{other:?}"),
        }
    }

    #[track_caller]
    pub(crate) fn claim(&mut self, agent: AgentId) -> LoopAnswer {
        let activation = self.activation(agent);
        self.at_loop(|ticket| Command::Claim { ticket, activation })
    }

    #[track_caller]
    pub(crate) fn record(&mut self, agent: AgentId, text: &str, calls: Vec<ToolUse>) -> LoopAnswer {
        let activation = self.activation(agent);
        let record = StepRecord { text: text.into(), calls, end: TurnEnd::Completed };
        self.at_loop(|ticket| Command::RecordStep { ticket, activation, record })
    }

    /// One step that asks for a tool and gets its result.
    #[track_caller]
    pub(crate) fn step_once(&mut self, agent: AgentId) {
        self.claim(agent);
        self.record(agent, "thinking", vec![call("look")]);
        self.call_done(agent, 0);
    }

    #[track_caller]
    pub(crate) fn call_done(&mut self, agent: AgentId, place: u32) -> LoopAnswer {
        let activation = self.activation(agent);
        let record = CallRecord { outcome: "done".into(), text: "seen".into(), micros: 1 };
        self.at_loop(|ticket| Command::RecordCall { ticket, activation, call: place, record })
    }

    /// Claims, answers without a tool and so ends the turn.
    #[track_caller]
    pub(crate) fn finish(&mut self, agent: AgentId, closing: &str) {
        self.claim(agent);
        assert_eq!(self.record(agent, closing, vec![]), LoopAnswer::TurnOver(TurnEnd::Completed));
    }

    #[track_caller]
    pub(crate) fn end(&mut self, agent: AgentId, end: TurnEnd) -> LoopAnswer {
        let activation = self.activation(agent);
        self.at_loop(|ticket| Command::EndTurn { ticket, activation, end, note: None })
    }

    pub(crate) fn activity(&self, agent: AgentId) -> Activity {
        self.forest.agent(agent).unwrap().activity()
    }

    /// All messages accepted so far.
    pub(crate) fn messages(&self) -> Vec<Message> {
        let accepted = self.log.iter().filter_map(|event| match event {
            Event::Accepted { message, .. } => Some(message.clone()),
            Event::StartAdmitted { prompt, .. } => Some(prompt.clone()),
            Event::Released { notice, .. } => notice.clone(),
            _ => None,
        });
        accepted.collect()
    }

    /// What waits for the agent, as the words of it, notices as their kind.
    pub(crate) fn waiting(&self, agent: AgentId) -> Vec<String> {
        self.forest.agent(agent).unwrap().inbox.items().map(|item| words(&item.message)).collect()
    }

    /// What the open turn has claimed and made no step from.
    #[track_caller]
    pub(crate) fn claimed(&self, agent: AgentId) -> Vec<String> {
        let turn = self.forest.agent(agent).unwrap().turn.as_ref().expect("a turn is open");
        turn.claimed.iter().map(|item| words(&item.message)).collect()
    }

    pub(crate) fn cancels(&self) -> Vec<(AgentId, CancelCause)> {
        let cancel = |effect: &Effect| match effect {
            Effect::CancelTurn { agent, cause, .. } => Some((*agent, *cause)),
            _ => None,
        };
        self.effects.iter().filter_map(cancel).collect()
    }

    pub(crate) fn count(&self, kind: &str) -> usize {
        self.log.iter().filter(|event| event.kind() == kind).count()
    }
}

/// A message in short, for comparing.
pub(crate) fn words(message: &Message) -> String {
    match &message.kind {
        switchboard_core::MessageKind::Notice(notice) => match notice {
            switchboard_core::Notice::Settled { reason, .. } => format!("<settled {reason}>"),
            switchboard_core::Notice::Fates { ended } => format!("<fates {}>", ended.len()),
            switchboard_core::Notice::ChildInterrupted { .. } => "<interrupted>".into(),
            switchboard_core::Notice::StartFailed { .. } => "<start failed>".into(),
        },
        _ => message.content.plain(),
    }
}
