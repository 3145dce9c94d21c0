//! The named races: meetings of two things that decide at the same time. What a configuration
//! expects and no path reaches fails the run, so that nothing is proven of what never happens.

use switchboard_core::{
    Agent, AgentId, Answer, ClosingCause, Code, Command, DropReason, Event, Life, LoopAnswer,
    MessageKind, Mode, Notice, Reply, RequestEnd, Step, Stop, Target, Timer, TurnEnd, WaitFor,
    Waited,
};

use super::alphabet::Letter;
use super::laws::any;
use super::shell::At;
use super::world::World;

/// One move, from a state to the next.
pub(crate) struct Passage<'a> {
    pub(crate) before: &'a World,
    pub(crate) letter: &'a Letter,
    pub(crate) after: &'a World,
}

/// A race, and how it is told that a move is one.
pub(crate) struct Race {
    pub(crate) name: &'static str,
    pub(crate) seen: fn(&Passage<'_>) -> bool,
}

macro_rules! races {
    ($($name:ident = $text:literal, $seen:expr;)*) => {
        $(pub(crate) static $name: Race = Race { name: $text, seen: $seen };)*
    };
}

races! {
    SEND_CLOSING = "send meets closing", |it| sends_to(it, closing);
    SEND_STARTING = "send meets starting", |it| {
        sends_to(it, |to| to.life == Life::Starting { first: true })
    };
    SEND_ABSENT = "send brings back", |it| sends_to(it, |to| to.life == Life::Absent);
    RESUME_RESUME = "resume meets resume", |it| {
        sends_to(it, |to| to.life == Life::Starting { first: false })
    };
    SEND_WORKING = "send meets a working agent", |it| sends_to(it, |to| to.turn.is_some());
    FROM_CLOSING = "send from a closing agent", |it| refused(it, Code::ActivationClosing);
    PARENT_GONE = "report to a parent that goes away", |it| refused(it, Code::ParentUnavailable);
    TIMED_OUT = "a send that waits gives up", |it| refused(it, Code::TimedOut);
    WAIT_FAILS = "a send waits for one who cannot come back", |it| refused(it, Code::StartFailed);
    STALE = "a guest of a stay that is over speaks", |it| refused(it, Code::Unauthorized);
    REPEATED = "a call is made again after a crash", |it| told(it, |_, step| {
        step.answers.iter().any(|(_, answer)| match answer {
            Answer::Accepted(receipt) => receipt.repeated,
            Answer::Started(started) => started.repeated,
            Answer::Deleted(deleted) => deleted.repeated,
            Answer::Requested(requested) => requested.repeated,
            Answer::Responded(responded) => responded.repeated,
            _ => false,
        })
    });
    INTERRUPT_COMPLETION = "interrupt meets completion", |it| told(it, |command, step| {
        let interrupted = |id: &AgentId| turn(it, *id).is_some_and(|(_, cut)| cut);
        matches!(command, Command::RecordStep { .. }) && any(step, |event| matches!(event,
            Event::TurnEnded { agent, end: TurnEnd::Completed, .. } if interrupted(agent)))
    });
    INTERRUPT_CALLS = "interrupt meets new calls", |it| told(it, |_, step| {
        any(step, |event| matches!(event, Event::TurnEnded { never_started: true, .. }))
    });
    INTERRUPT_CLAIM = "interrupt meets unconsumed mail", |it| told(it, |_, step| {
        any(step, |event| matches!(event, Event::TurnEnded { dropped, .. } if !dropped.is_empty()))
    });
    INTERRUPT_STARTING = "interrupt meets starting", |it| stopped(it, |stop| {
        stop == Stop::NotStarted
    });
    INTERRUPT_CLOSING = "interrupt meets closing", |it| told(it, |command, _| {
        let target = match command {
            Command::Interrupt { target: Target::Agent(id), .. } => it.before.forest.agent(*id),
            _ => None,
        };
        target.is_some_and(closing)
    });
    INTERRUPT_TWICE = "interrupt meets interrupt", |it| told(it, |command, step| {
        matches!(command, Command::Interrupt { .. }) && any(step, |event| matches!(event,
            Event::InterruptAdmitted { answer, .. } if matches!(answer.target.stop,
                Stop::Cancelling(_)) && turn(it, answer.target.agent).is_some_and(|(_, cut)| cut)))
    });
    INTERRUPT_REBUILT = "interrupt meets an agent that is rebuilt", |it| stopped(it, |stop| {
        matches!(stop, Stop::Cancelling(_))
    }) && told(it, |_, step| any(step, |event| matches!(event, Event::TurnEnded { .. })));
    MAIL_BEHIND_INTERRUPT = "mail between an interrupt and its end", |it| told(it, |_, step| {
        any(step, |event| match event {
            Event::Accepted { message, .. } => {
                message.wakes && turn(it, message.to).is_some_and(|(_, cut)| cut)
            }
            _ => false,
        })
    });
    UNPARK = "new mail brings what was parked", |it| told(it, |_, step| {
        any(step, |event| match event {
            Event::TurnOpened { agent, .. } => {
                it.before.forest.agent(*agent).is_some_and(|agent| agent.inbox.parked() > 0)
            }
            _ => false,
        })
    });
    REPORT_SETTLEMENT = "report before settlement", |it| told(it, |_, step| {
        any(step, |event| match event {
            Event::Released { agent, notice: Some(notice), .. } => {
                it.before.record.to(notice.to).any(|(_, mail)| mail.from == Some(*agent))
            }
            _ => false,
        })
    });
    MAIL_SETTLING = "mail meets the last step", |it| told(it, |_, step| {
        let ended = any(step, |event| matches!(event, Event::TurnEnded { .. }));
        ended && any(step, |event| matches!(event, Event::TurnOpened { .. }))
    });
    REDELIVERED = "mail is shown again", |it| told(it, |_, step| any(step, |event| match event {
        Event::TurnOpened { claim, .. } | Event::Claimed { claim, .. } => {
            claim.messages.iter().any(|shown| shown.delivery > 1)
        }
        _ => false,
    }));
    POISON = "mail is poison", |it| dropped(it, DropReason::Poison);
    EXPIRED = "mail expires", |it| dropped(it, DropReason::Expired);
    LOST = "an agent is given up", |it| told(it, |_, step| any(step, |event| {
        matches!(event, Event::Closing { cause: ClosingCause::Lost, .. })
    }));
    START_FAILS = "a start fails", |it| told(it, |_, step| any(step, |event| {
        matches!(event, Event::StartWithdrawn { reason: DropReason::StartFailed, .. })
    }));
    CLOSE_STARTING = "close meets starting", |it| told(it, |command, step| {
        matches!(command, Command::Close { .. }) && any(step, |event| matches!(event,
            Event::Closing { subtree, .. } if subtree.iter().any(|id| {
                let agent = it.before.forest.agent(*id);
                agent.is_some_and(|agent| matches!(agent.life, Life::Starting { .. }))
            })))
    });
    CLOSE_WORKING = "close meets a turn", |it| told(it, |command, step| {
        matches!(command, Command::Close { .. }) && any(step, |event| matches!(event,
            Event::Closing { subtree, .. } if subtree.iter().any(|id| turn(it, *id).is_some())))
    });
    LATE_PUBLICATION = "late publication", |it| told(it, |command, step| {
        matches!(command, Command::Published { .. }) && step.events.is_empty()
    });
    LOAD_LASTS = "bringing up lasts too long", |it| told(it, |command, step| {
        matches!(command, Command::Timer(Timer::Publication(..))) && !step.events.is_empty()
    });
    ABANDONED = "putting away lasts too long", |it| told(it, |_, step| any(step, |event| {
        matches!(event, Event::Released { abandoned: true, .. })
    }));
    LATE_DISPOSAL = "late disposal", |it| told(it, |command, step| {
        matches!(command, Command::Disposed { .. }) && step.events.is_empty()
    });
    DELETE_RESUME = "delete meets a resume", |it| deletes(it, |agent| {
        agent.life == Life::Starting { first: false }
    });
    DELETE_PARKED_SEND = "delete meets a send that waits", |it| told(it, |command, step| {
        matches!(command, Command::Delete { .. }) && step.answers.iter().any(|(_, answer)| {
            matches!(answer, Answer::Refused(refusal) if refusal.code == Code::Deleted)
        })
    });
    DELETE_CLOSING = "delete meets closing", |it| deletes(it, closing);
    DELETE_CLAIMED = "delete meets claimed mail", |it| deletes(it, |agent| {
        agent.turn.as_ref().is_some_and(|turn| !turn.claimed.is_empty())
    });
    DELETE_STARTING = "delete meets starting", |it| deletes(it, |agent| {
        agent.life == Life::Starting { first: true }
    });
    DELETE_LATE = "late publication of one that is deleted", |it| told(it, |command, _| {
        matches!(command, Command::Published { agent, .. }
            if it.before.forest.agent(*agent).is_some_and(|agent| agent.deleted))
    });
    DELETE_PARENT = "an end with nobody to hear of it", |it| told(it, |_, step| {
        any(step, |event| match event {
            Event::Released { agent, notice: None, .. } => {
                let parent = it.after.known(*agent).parent;
                parent.is_some_and(|parent| it.after.known(parent).deleted)
            }
            _ => false,
        })
    });
    DELETE_AGAIN = "delete meets delete", |it| told(it, |command, step| {
        matches!(command, Command::Delete { .. }) && step.answers.iter().any(|(_, answer)| {
            matches!(answer, Answer::Deleted(closed) if closed.repeated)
        })
    });
    SEND_DELETED = "send meets one that is deleted", |it| told(it, |command, _| {
        matches!(command, Command::Send { .. })
    }) && refused(it, Code::Deleted);
    CRASH_DELETED = "crash between a delete and its release", |it| crash(it)
        && it.before.forest.agents().any(|agent| agent.deleted && closing(agent));
    NAME_AGAIN = "a name is used again", |it| told(it, |_, step| any(step, |event| {
        matches!(event, Event::StartAdmitted { name, .. } if name.stem() != name.as_str())
    }));
    ENDED_FIRST = "a child ends before it is waited for", |it| told(it, |command, step| {
        matches!(command, Command::Wait { .. }) && step.answers.iter().any(|(_, answer)| {
            matches!(answer, Answer::Waited(Waited::Ended(_)))
        })
    });
    INTERRUPT_WAIT = "interrupt meets a wait", |it| told(it, |command, step| {
        matches!(command, Command::Interrupt { .. }) && any(step, |event| matches!(event,
            Event::InterruptAdmitted { answer, .. } if waits(it.before, answer.target.agent)))
    });
    INTERRUPT_RESULT = "interrupt meets the end of a wait", |it| stopped(it, |stop| {
        matches!(stop, Stop::Cancelling(_))
    }) && it.before.forest.agents().any(|agent| {
        agent.descriptor.mode == Mode::OneShot && agent.life == Life::Absent
    });
    CLOSE_RESULT = "the parent goes behind the child it waits for", |it| told(it, |_, step| {
        any(step, |event| match event {
            Event::TurnEnded { agent, end: TurnEnd::Aborted, cut, .. } => {
                !cut.is_empty() && !it.before.known(*agent).children.is_empty()
            }
            _ => false,
        })
    });
    TWO_ENDS = "two children end while their parents wait for a place", |it| {
        let over = |world: &World| world.forest.agents().filter(|agent| {
            agent.descriptor.mode == Mode::OneShot && agent.life == Life::Absent
                && agent.parent.is_some_and(|parent| waits(world, parent))
        }).count();
        over(it.before) < 2 && over(it.after) == 2
    };
    WAIT_PLACE = "a wait is over and there is no place", |it| {
        let over = |world: &World| world.forest.agents().any(|agent| {
            agent.descriptor.mode == Mode::OneShot && agent.life == Life::Absent
                && agent.parent.is_some_and(|parent| waits(world, parent))
        });
        !over(it.before) && over(it.after)
    };
    LAST_WAITS = "the last one at work waits itself", |it| told(it, |command, step| {
        let waits = it.before.forest.agents().any(|agent| waits(it.before, agent.id));
        let nobody = |answer: &Answer| *answer == Answer::Waited(Waited::Nobody);
        let nobody = step.answers.iter().any(|(_, answer)| nobody(answer));
        matches!(command, Command::Wait { on: WaitFor::Mail, .. }) && waits && nobody
    });
    LAST_ENDS = "the last one at work is done", |it| waited(it, &Waited::Nobody)
        && told(it, |command, _| !matches!(command, Command::Wait { .. }));
    NOBODY = "nobody is at work who could write", |it| waited(it, &Waited::Nobody);
    MAIL_CAME = "mail ends a wait", |it| waited(it, &Waited::Mail(1));
    WAIT_LASTS = "a child in the foreground takes too long", |it| {
        it.letter.name == "wait lasts" && told(it, |_, step| any(step, |event| matches!(event,
            Event::Closing { cause: ClosingCause::Closed, .. })))
    };
    CRASH_WAIT = "crash in a wait", |it| crash(it) && it.before.forest.agents().any(|agent| {
        waits(it.before, agent.id)
    });
    CRASH_TOLD = "crash between the end of a wait and its record", |it| crash(it)
        && it.before.forest.agents().any(|agent| {
            let running = it.before.shell.loops.get(&(agent.id, agent.incarnation));
            running.is_some_and(|running| running.at == At::Called) && !agent.children.is_empty()
        });
    AGREED = "an agent agrees to its end", |it| closes(it, |end| {
        matches!(end, RequestEnd::Answered(reply @ Reply::Shutdown { .. }) if reply.approves())
    });
    APPROVED = "a plan is approved", |it| closes(it, |end| {
        matches!(end, RequestEnd::Answered(reply @ Reply::Plan { .. }) if reply.approves())
    });
    FORCED_READ = "the grace is over", |it| {
        closes(it, |end| *end == RequestEnd::Forced)
            && it.before.forest.requests().any(|open| open.claimed.is_some())
    };
    FORCED_UNREAD = "a request is not read in time", |it| {
        closes(it, |end| *end == RequestEnd::Forced)
            && it.before.forest.requests().any(|open| open.claimed.is_none())
    };
    UNANSWERED = "nobody judges a plan", |it| closes(it, |end| *end == RequestEnd::Unanswered);
    ENDS_OTHERWISE = "who is asked ends otherwise", |it| {
        closes(it, |end| *end == RequestEnd::Ended)
    };
    ALREADY_SETTLED = "who is asked has ended", |it| {
        closes(it, |end| *end == RequestEnd::AlreadySettled)
    };
    SUPERSEDED = "a request takes the place of another", |it| {
        closes(it, |end| matches!(end, RequestEnd::Superseded(_)))
    };
    CANCELLED = "a delete meets a request", |it| closes(it, |end| *end == RequestEnd::Cancelled);
    PASSED_ON = "who is to judge goes away", |it| told(it, |_, step| any(step, |event| {
        let request = match event {
            Event::RequestRaised { request, .. } => request,
            Event::Accepted { message, .. } => match &message.kind {
                MessageKind::Request(request) => request,
                _ => return false,
            },
            _ => return false,
        };
        it.before.forest.requests().any(|open| open.request.id == request.id)
    }));
    ANSWER_LATE = "an answer meets the end of its request", |it| {
        refused(it, Code::AlreadyAnswered)
    };
    READ_ONLY = "a change meets a plan", |it| refused(it, Code::ReadOnly);
    CRASH_ASKED = "crash with an open request", |it| {
        crash(it) && it.before.forest.requests().next().is_some()
    };
    CRASH_AGREED = "crash between an answer and its end", |it| crash(it)
        && it.before.forest.agents().any(|agent| {
            agent.life == Life::Closing(ClosingCause::ShutDown)
        });
    PUT_AWAY = "a parked agent is put away", |it| told(it, |_, step| any(step, |event| {
        matches!(event, Event::Closing { cause: ClosingCause::PutAway, .. })
    }));
    QUIET_RELEASE = "a parked one goes with its parent", |it| told(it, |_, step| {
        any(step, |event| match event {
            Event::Released { agent, notice: None, .. } => {
                let before = it.before.forest.agent(*agent);
                let cause = before.map(|agent| agent.life);
                cause == Some(Life::Closing(ClosingCause::Settled))
            }
            _ => false,
        })
    });
    PLACE_WAIT = "due and no place", |it| !any_due(it.before) && any_due(it.after);
    OWED = "rest without acknowledgement", |it| told(it, |_, step| any(step, |event| {
        matches!(event, Event::Accepted { message, .. }
            if matches!(message.kind, MessageKind::Notice(Notice::Unacknowledged { .. })))
    }));
    ACKNOWLEDGED = "acknowledgement", |it| told(it, |_, step| any(step, |event| {
        matches!(event, Event::Accepted { message, .. }
            if matches!(message.kind, MessageKind::Notice(Notice::Acknowledged { .. })))
    }));
    CRASH_CLAIM = "crash between claim and step", |it| {
        crash(it) && it.before.record.mail.values().any(|mail| mail.claimed)
    };
    CRASH_CALL = "crash in a call", |it| crash(it) && it.before.forest.agents().any(|agent| {
        agent.turn.as_ref().is_some_and(|turn| turn.in_flight().next().is_some())
    });
    CRASH_CLOSING = "crash while closing", |it| {
        crash(it) && it.before.forest.agents().any(closing)
    };
    CRASH_STARTING = "crash while starting", |it| crash(it) && it.before.forest.agents().any(
        |agent| matches!(agent.life, Life::Starting { .. })
    );
    CRASH_INTERRUPTED = "crash behind an interrupt", |it| crash(it)
        && it.before.record.agents.values().any(|known| known.turn.is_some_and(|(_, cut)| cut));
    CRASH_PARKED = "crash with a parked agent", |it| {
        crash(it) && it.before.forest.agents().any(Agent::is_parked)
    };
    CRASH_WAITING = "crash while a send waits", |it| {
        crash(it) && it.before.shell.timers.iter().any(|(timer, _)| {
            matches!(timer, Timer::Parking(_))
        })
    };
    CRASH_UNSTORED = "crash before a batch is stored", |it| {
        crash(it) && it.before.shell.held.as_ref().is_some_and(|held| !held.effects.is_empty())
    };
    DRAIN_WAITING = "drain meets a send that waits", |it| {
        it.letter.name == "drain" && refused(it, Code::Draining)
    };
    DRAIN_CLAIMED = "drain meets claimed mail", |it| told(it, |command, step| {
        matches!(command, Command::LoopStopped { .. })
            && any(step, |event| matches!(event, Event::ClaimReturned { .. }))
    });
    DRAIN_CALL = "drain meets a call", |it| refused(it, Code::Draining);
    RESTARTED = "restart after a drain", |it| it.letter.name == "restart";
    STALE_LOOP = "a loop of a turn that is over asks", |it| told(it, |_, step| {
        step.answers.iter().any(|(_, answer)| *answer == Answer::Loop(LoopAnswer::Stop))
    });
}

fn told(it: &Passage<'_>, like: impl Fn(&Command, &Step) -> bool) -> bool {
    it.after.told.iter().any(|(command, step)| like(command, step))
}

/// A send was handed in, and its target was like this.
fn sends_to(it: &Passage<'_>, like: impl Fn(&Agent) -> bool) -> bool {
    told(it, |command, _| match command {
        Command::Send { draft, .. } => match draft.to {
            Target::Agent(to) => it.before.forest.agent(to).is_some_and(&like),
            _ => false,
        },
        _ => false,
    })
}

fn closes(it: &Passage<'_>, like: impl Fn(&RequestEnd) -> bool) -> bool {
    told(it, |_, step| {
        any(step, |event| matches!(event, Event::RequestClosed { end, .. } if like(end)))
    })
}

/// Whether an agent's turn waits in the middle.
fn waits(world: &World, id: AgentId) -> bool {
    let running = world.shell.loops.get(&(id, world.known(id).incarnation));
    running.is_some_and(|running| running.waits_for().is_some())
}

fn waited(it: &Passage<'_>, with: &Waited) -> bool {
    let like = |answer: &Answer| matches!(answer, Answer::Waited(waited) if waited == with);
    told(it, |_, step| step.answers.iter().any(|(_, answer)| like(answer)))
}

/// One is deleted that was like this, by itself or with one above it.
fn deletes(it: &Passage<'_>, like: impl Fn(&Agent) -> bool) -> bool {
    let now_deleted = |agent: &&Agent| {
        !agent.deleted && it.after.forest.agent(agent.id).is_some_and(|after| after.deleted)
    };
    it.before.forest.agents().filter(now_deleted).any(like)
}

fn refused(it: &Passage<'_>, code: Code) -> bool {
    told(it, |_, step| {
        step.answers
            .iter()
            .any(|(_, answer)| matches!(answer, Answer::Refused(refusal) if refusal.code == code))
    })
}

fn stopped(it: &Passage<'_>, like: impl Fn(Stop) -> bool) -> bool {
    let admitted = |event: &Event| match event {
        Event::InterruptAdmitted { answer, .. } => like(answer.target.stop),
        _ => false,
    };
    told(it, |_, step| any(step, admitted))
}

fn dropped(it: &Passage<'_>, why: DropReason) -> bool {
    told(it, |_, step| {
        any(step, |event| matches!(event, Event::Dropped { reason, .. } if *reason == why))
    })
}

fn turn(it: &Passage<'_>, id: AgentId) -> Option<(switchboard_core::TurnId, bool)> {
    it.before.record.agents.get(&id).and_then(|known| known.turn)
}

fn closing(agent: &Agent) -> bool {
    matches!(agent.life, Life::Closing(_))
}

fn crash(it: &Passage<'_>) -> bool {
    it.letter.name == "crash"
}

fn any_due(world: &World) -> bool {
    world
        .forest
        .agents()
        .any(|agent| agent.is_up() && agent.turn.is_none() && agent.inbox.due_since().is_some())
}
