//! Which driver answers for a model.

use std::collections::BTreeMap;

use switchboard_runtime::{Answered, Ask, BoxFuture, Driver, DriverError, MailSignal};
use tokio_util::sync::CancellationToken;

use crate::script::{Place, Script, Within};

/// Asks the model an agent's descriptor names: `script:NAME` is a script of this host.
#[derive(Clone, Debug, Default)]
pub struct Models {
    scripts: BTreeMap<String, Script>,
}

/// A model, found by its name.
enum Model<'a> {
    Script(&'a str, &'a Script),
}

impl Models {
    /// The models of a host that has these scripts.
    pub fn new(scripts: impl IntoIterator<Item = (String, Script)>) -> Self {
        Self { scripts: scripts.into_iter().collect() }
    }

    /// Refuses a model that no driver answers for, so that a host can say so before it starts.
    ///
    /// # Errors
    /// Which models there are instead.
    pub fn check(&self, model: &str) -> Result<(), DriverError> {
        self.find(model).map(drop)
    }

    fn find<'a>(&'a self, model: &'a str) -> Result<Model<'a>, DriverError> {
        match model.split_once(':') {
            Some(("script", name)) => match self.scripts.get(name) {
                Some(script) => Ok(Model::Script(name, script)),
                None => Err(self.no_script(name)),
            },
            _ => Err(DriverError::Failed(format!(
                "no driver answers for model `{model}`; a model is written `script:NAME`"
            ))),
        }
    }

    fn no_script(&self, name: &str) -> DriverError {
        let known: Vec<_> = self.scripts.keys().map(|known| format!("`{known}`")).collect();
        DriverError::Failed(if known.is_empty() {
            format!("there is no script `{name}`; there is none at all")
        } else {
            format!("there is no script `{name}`; there are {}", known.join(", "))
        })
    }
}

impl Driver for Models {
    fn answer<'a>(
        &'a self,
        ask: Ask,
        cancel: CancellationToken,
    ) -> BoxFuture<'a, Result<Answered, DriverError>> {
        Box::pin(async move {
            match self.find(&ask.model)? {
                Model::Script(name, script) => scripted(name, script, &ask, cancel).await,
            }
        })
    }
}

async fn scripted(
    name: &str,
    script: &Script,
    ask: &Ask,
    cancel: CancellationToken,
) -> Result<Answered, DriverError> {
    let reaction = script.react(ask.name.as_str(), &ask.transcript);
    let reaction = reaction.within(Place::Script(name.to_owned()));
    let reaction = reaction.map_err(|error| DriverError::Failed(error.to_string()))?;
    if reaction.hold {
        mail(ask.mail.clone(), cancel).await?;
    }
    Ok(Answered { record: reaction.record })
}

/// Waits until mail waits. What it says is not asked: the answer was made before.
async fn mail(mut signal: MailSignal, cancel: CancellationToken) -> Result<(), DriverError> {
    tokio::select! {
        biased;
        () = cancel.cancelled() => {
            Err(DriverError::Failed("stopped while it waited for mail".into()))
        }
        () = signal.arrived() => Ok(()),
    }
}
