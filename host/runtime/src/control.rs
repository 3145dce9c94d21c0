//! The control plane as tools reach it: the board, spoken to by the agents its host knows.

use std::collections::BTreeMap;
use std::sync::Arc;

use switchboard_core::{
    Answer, Caller, Code, Command, Descriptor, Draft, HostKey, Interruption, Receipt, Refusal,
    StartRequest, Started, Target, TurnId,
};

use crate::lanes::Lane;
use crate::plane::{ControlPlane, StartDraft};
use crate::switchboard::{Switchboard, accepted, interrupted};
use crate::tools::BoxFuture;

impl ControlPlane for Switchboard {
    fn send(
        &self,
        caller: Caller,
        key: HostKey,
        draft: Draft,
    ) -> BoxFuture<'_, Result<Receipt, Refusal>> {
        let (key, patience) = (Some(key), self.parts.limits.parking_guest);
        Box::pin(async move {
            let send = |ticket| Command::Send { ticket, caller, key, draft, patience };
            self.call(Lane::Requests, send, accepted).await
        })
    }

    fn interrupt(
        &self,
        caller: Caller,
        key: HostKey,
        target: Target,
        turn: Option<TurnId>,
        cascade: bool,
        reason: Option<String>,
    ) -> BoxFuture<'_, Result<Interruption, Refusal>> {
        let key = Some(key);
        Box::pin(async move {
            let interrupt =
                |ticket| Command::Interrupt { ticket, caller, key, target, turn, cascade, reason };
            self.call(Lane::Control, interrupt, interrupted).await
        })
    }

    fn start(
        &self,
        caller: Caller,
        key: HostKey,
        draft: StartDraft,
    ) -> BoxFuture<'_, Result<Started, Refusal>> {
        let key = Some(key);
        Box::pin(async move {
            let starter = self.descriptor(caller).await?;
            let request = resolve(&self.parts.kinds, &starter, draft)?;
            let start = |ticket| Command::Start { ticket, caller, key, request };
            self.call(Lane::Requests, start, started).await
        })
    }
}

impl Switchboard {
    /// What the caller is. Whether it is the live holder of its agent, the machine decides.
    async fn descriptor(&self, caller: Caller) -> Result<Arc<Descriptor>, Refusal> {
        let Caller::Agent { agent, .. } = caller else {
            return Err(invalid("only an agent starts agents; the person's are registered".into()));
        };
        let found = self.inspect(move |forest| Some(forest.agent(agent)?.descriptor.clone()));
        let unknown = || Refusal::new(Code::Unauthorized, "the calling agent is not live here");
        found.await?.ok_or_else(unknown)
    }
}

/// Makes of a kind's name what is to be started.
fn resolve(
    kinds: &BTreeMap<String, Arc<Descriptor>>,
    starter: &Descriptor,
    draft: StartDraft,
) -> Result<StartRequest, Refusal> {
    if !draft.background {
        let text = "a child in the foreground is not possible yet; pass run_in_background=true";
        return Err(invalid(text.to_owned()));
    }
    let listed = starter.starts.contains(&draft.agent);
    let Some(kind) = kinds.get(&draft.agent).filter(|_| listed) else {
        return Err(invalid(format!(
            "there is no `{}` to start. {}",
            draft.agent,
            choice(starter)
        )));
    };
    let mut descriptor = kind.as_ref().clone();
    if !draft.description.trim().is_empty() {
        descriptor.description = draft.description;
    }
    let prompt = draft.prompt;
    Ok(StartRequest { descriptor: Arc::new(descriptor), prompt, background: true })
}

fn choice(starter: &Descriptor) -> String {
    match starter.starts.as_slice() {
        [] => "You may start no agents.".to_owned(),
        kinds => format!("You may start: {}.", kinds.join(", ")),
    }
}

fn invalid(text: String) -> Refusal {
    Refusal::new(Code::InvalidArgument, text)
}

fn started(answer: Answer) -> Option<Started> {
    match answer {
        Answer::Started(started) => Some(started),
        _ => None,
    }
}
