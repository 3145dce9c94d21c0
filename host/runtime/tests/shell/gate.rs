//! A gate: a test lets somebody reach it, looks around, and opens it.

use std::sync::Arc;

use tokio::sync::watch;

/// A gate that is shut until it is opened, and counts who came to it.
#[derive(Clone)]
pub(crate) struct Gate(Arc<watch::Sender<(usize, bool)>>);

impl Gate {
    pub(crate) fn shut() -> Self {
        Self(Arc::new(watch::Sender::new((0, false))))
    }

    pub(crate) fn open(&self) {
        self.0.send_modify(|(_, open)| *open = true);
    }

    pub(crate) fn close(&self) {
        self.0.send_modify(|(_, open)| *open = false);
    }

    /// Comes to the gate and waits until it is open.
    pub(crate) async fn pass(&self) {
        let mut seen = self.0.subscribe();
        self.0.send_modify(|(came, _)| *came += 1);
        seen.wait_for(|(_, open)| *open).await.unwrap();
    }

    /// How many have come.
    pub(crate) fn came(&self) -> usize {
        self.0.borrow().0
    }

    /// Returns once so many have come.
    pub(crate) async fn reached(&self, count: usize) {
        self.0.subscribe().wait_for(|(came, _)| *came >= count).await.unwrap();
    }

    /// The same for a thread without a runtime; one that has to wait must not have one.
    pub(crate) fn pass_blocking(&self) {
        if self.0.borrow().1 {
            return self.0.send_modify(|(came, _)| *came += 1);
        }
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(self.pass());
    }
}
