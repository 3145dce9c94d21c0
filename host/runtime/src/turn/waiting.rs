//! Results that are still to come when their tool has ended (TOOL-3).

use std::sync::Arc;

use switchboard_core::{
    Answer, Code, Command, EndReason, Millis, Outcome as Ended, Usage, WaitFor, Waited,
};
use tokio::time::Instant;

use super::{Exit, Turn};
use crate::lanes::Lane;
use crate::tools::{Later, Outcome, ToolResult};

impl Turn {
    /// Waits for what the result of a call comes to, and records it. Pulled, the call stays as it
    /// is: one that was cut, or that is made again by the next host.
    pub(super) async fn wait_and_record(
        self: Arc<Self>,
        place: u32,
        asked: ToolResult,
        later: Later,
    ) -> Result<(), Exit> {
        let begun = Instant::now();
        let (outcome, text) = self.wait_for(later).await?;
        let usage = asked.usage + Usage { host: begun.elapsed().into(), ..Usage::default() };
        self.record(place, ToolResult { usage, ..ToolResult::plain(outcome, text) }.record()).await
    }

    async fn wait_for(&self, later: Later) -> Result<(Outcome, String), Exit> {
        let (activation, on) = (self.activation, later.on);
        let patience = later.patience.unwrap_or(self.parts.limits.foreground);
        let wait = |ticket| Command::Wait { ticket, activation, on, patience };
        let answer = tokio::select! {
            biased;
            () = self.reins.until_pulled() => {
                self.hold()?;
                return Err(Exit::Left);
            }
            answer = self.lanes.ask(Lane::Control, wait) => answer,
        };
        match self.told(answer)? {
            Answer::Waited(waited) => Ok(words(on, waited, patience)),
            Answer::Refused(refusal) if refusal.code == Code::WouldDeadlock => {
                Ok((Outcome::Failed, refusal.to_string()))
            }
            // The ledger is lost, or the host stops: the call is made again.
            _ => Err(Exit::Over),
        }
    }
}

fn words(on: WaitFor, waited: Waited, patience: Millis) -> (Outcome, String) {
    let done = |text: &str| (Outcome::Done, text.to_owned());
    match (waited, on) {
        (Waited::Mail(1), _) => done("A message is there. You read it with your next step."),
        (Waited::Mail(many), _) => (
            Outcome::Done,
            format!("{many} messages are there. You read them with your next step."),
        ),
        (Waited::Ended(ended), WaitFor::Child(child)) => came_to(&child.to_string(), &ended),
        (Waited::Ended(ended), WaitFor::Mail | WaitFor::Answer(_)) => came_to("it", &ended),
        (Waited::Answered, _) => done("The answer is there. You read it with your next step."),
        (Waited::Nobody, _) => done(
            "Nobody who could write to you is at work now, so waiting does not help. Go on with \
             what you have, or give somebody a task.",
        ),
        (Waited::TimedOut, WaitFor::Answer(request)) => {
            (Outcome::Done, format!("{request} is not answered after {patience}. You can go on."))
        }
        (Waited::TimedOut, WaitFor::Mail | WaitFor::Child(_)) => (
            Outcome::Done,
            format!("Nothing came within {patience}. You can go on, or wait again."),
        ),
    }
}

/// What a child came to; whatever it wrote is kept, also where it did not finish.
fn came_to(child: &str, ended: &Ended) -> (Outcome, String) {
    let wrote = ended.closing.as_deref();
    let how = match ended.reason {
        EndReason::Completed => {
            let nothing = || format!("{child} has finished and wrote nothing at the end.");
            return (Outcome::Done, wrote.map_or_else(nothing, str::to_owned));
        }
        EndReason::Ceiling => "reached a limit and did not finish",
        EndReason::Refusal => "declined",
        EndReason::Error => "failed",
        EndReason::Aborted => "was stopped and did not finish",
    };
    let kept = wrote.map_or_else(
        || " It wrote nothing.".to_owned(),
        |words| format!(" What it wrote until then:\n{words}"),
    );
    (Outcome::Failed, format!("{child} {how}.{kept}"))
}
