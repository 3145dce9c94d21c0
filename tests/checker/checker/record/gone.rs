//! Those that are gone for good (DELETE-1).

use switchboard_core::{AgentId, DropReason};

use super::{Phase, Record};
use crate::checker::world::{Holds, holds};

impl Record {
    /// What is deleted with one, from now on.
    pub(super) fn delete(&mut self, top: AgentId) -> Holds {
        holds(!self.agents[&top].deleted, "DELETE-1", || format!("{top} is deleted twice"))?;
        for id in self.below(top) {
            self.known(id).deleted = true;
            // Nobody tells it how its messages end.
            let ended: Vec<u64> = self.untold_of(id).collect();
            ended.iter().for_each(|message| _ = self.untold.remove(message));
            self.requests.forget(id);
        }
        Ok(())
    }

    /// Nothing brings back what is deleted, and it does nothing new.
    pub(super) fn not_deleted(&self, id: AgentId, what: &str) -> Holds {
        holds(!self.agents[&id].deleted, "DELETE-1", || format!("{id} is deleted and {what}"))
    }

    /// What it had not read is given up for that reason; a request has ended by then.
    pub(super) fn given_up(&self, id: AgentId, reason: DropReason) -> Holds {
        let fits = matches!(reason, DropReason::Deleted | DropReason::Moot);
        let fits = fits || reason == DropReason::Interrupted;
        let deleted = self.agents[&id].deleted;
        holds(!deleted || fits, "DELETE-1", || format!("{id} is deleted, its mail {reason:?}"))?;
        let early = reason == DropReason::Deleted && !deleted;
        holds(!early, "DELETE-1", || format!("mail of {id} is dropped as if it were deleted"))
    }

    /// What is deleted keeps no mail but what its turn holds until that ends, and is on its way out
    /// or gone.
    ///
    /// # Errors
    /// It waits for something.
    pub(super) fn deleted_keep_nothing(&self) -> Holds {
        for (id, known) in self.agents.iter().filter(|(_, known)| known.deleted) {
            let waits = self.to(*id).find(|(_, mail)| !mail.claimed);
            holds(waits.is_none(), "DELETE-1", || format!("{waits:?} waits for {id}, deleted"))?;
            let leaves = matches!(known.phase, Phase::Closing(_) | Phase::Gone);
            holds(leaves, "DELETE-1", || format!("{id} is deleted and {:?}", known.phase))?;
        }
        Ok(())
    }
}
