//! How most cases are carried out: a component is loaded, its tool is called once, and what comes
//! of that is looked at.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use switchboard_runtime::Outcome;
use switchboard_sandbox::{Grants, LoadRequest, ToolLimits};
use tokio_util::sync::CancellationToken;

use crate::case::{Case, End, Expected, Fault, Seen};
use crate::ground::{Ground, source};
use crate::guest::Guest;
use crate::plane::{Next, Plane};

/// An attempt in the making.
pub(crate) struct Attempt {
    name: &'static str,
    limit: &'static str,
    component: Box<dyn FnOnce() -> Vec<u8> + Send>,
    tool: &'static str,
    grants: Grants,
    folder: Option<Prepare>,
    limits: ToolLimits,
    arguments: String,
    answers: Vec<Next>,
}

/// Puts files into a folder; what lies above it is outside.
type Prepare = fn(&Path);

/// The usual limits, with less patience.
pub(crate) fn short() -> ToolLimits {
    ToolLimits {
        computing: Duration::from_millis(30),
        wall: Duration::from_secs(10),
        ..ToolLimits::default()
    }
}

/// A guest that is called.
pub(crate) fn guest(limit: &'static str, name: &'static str, guest: Guest) -> Attempt {
    component(limit, name, move || guest.build())
}

/// A component that is loaded, and called if that goes well.
pub(crate) fn component(
    limit: &'static str,
    name: &'static str,
    component: impl FnOnce() -> Vec<u8> + Send + 'static,
) -> Attempt {
    Attempt {
        name,
        limit,
        component: Box::new(component),
        tool: "tool",
        grants: Grants::default(),
        folder: None,
        limits: short(),
        arguments: String::new(),
        answers: vec![],
    }
}

/// A case that is told from its beginning to its end.
pub(crate) fn scene<F>(
    limit: &'static str,
    name: &'static str,
    end: End,
    words: &str,
    attack: impl FnOnce(Arc<Ground>) -> F + Send + 'static,
) -> Case
where
    F: Future<Output = Seen> + Send + 'static,
{
    let attack = Box::new(|ground| Box::pin(attack(ground)) as _);
    Case { name, limit, attack, expected: Expected { end, words: words.to_owned() } }
}

impl Attempt {
    /// This of its tools.
    pub(crate) fn calling(self, tool: &'static str) -> Self {
        Self { tool, ..self }
    }

    pub(crate) fn granted(self, grants: Grants) -> Self {
        Self { grants, ..self }
    }

    /// It may read a folder, which is prepared like this.
    pub(crate) fn reading(self, prepare: Prepare) -> Self {
        Self { folder: Some(prepare), ..self }
    }

    pub(crate) fn within(self, limits: ToolLimits) -> Self {
        Self { limits, ..self }
    }

    pub(crate) fn told(self, arguments: impl Into<String>) -> Self {
        Self { arguments: arguments.into(), ..self }
    }

    /// The control plane answers like this, and then by agreeing.
    pub(crate) fn answered(mut self, next: Next) -> Self {
        self.answers.push(next);
        self
    }

    /// It is called and has to come to this.
    pub(crate) fn ends(self, outcome: Outcome, words: impl Into<String>) -> Case {
        self.case(End::Called(outcome), words.into())
    }

    /// It must not be loaded.
    pub(crate) fn refused(self, fault: Fault, words: impl Into<String>) -> Case {
        self.case(End::Refused(fault), words.into())
    }

    fn case(self, end: End, words: String) -> Case {
        let (name, limit) = (self.name, self.limit);
        let attack = Box::new(|ground| Box::pin(self.carried_out(ground)) as _);
        Case { name, limit, attack, expected: Expected { end, words } }
    }

    async fn carried_out(self, ground: Arc<Ground>) -> Seen {
        let outside = tempfile::tempdir().unwrap();
        let mut grants = self.grants;
        if let Some(prepare) = self.folder {
            let inside = outside.path().join("inside");
            std::fs::create_dir(&inside).unwrap();
            prepare(&inside);
            grants = Grants { workspace: Grants::reading(inside).workspace, ..grants };
        }
        let request = LoadRequest::new(source((self.component)()), grants);
        let tool =
            match ground.load(self.tool, LoadRequest { limits: self.limits, ..request }).await {
                Ok(tool) => tool,
                Err(refused) => return refused,
            };
        let plane = Arc::new(self.answers.into_iter().fold(Plane::default(), Plane::next));
        ground.call(&tool, &self.arguments, &plane, CancellationToken::new()).await.into()
    }
}
