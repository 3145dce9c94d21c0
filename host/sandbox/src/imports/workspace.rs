//! `workspace`: reading one folder.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::{Instant, MissedTickBehavior, interval, timeout_at};
use tokio_util::sync::CancellationToken;

use crate::generated::switchboard::plugin::workspace as wit;
use crate::outcome::Ending;
use crate::state::CallState;
use crate::workspace::{
    Change, Entry, Failure, Findings, Folder, Hit, Kind, Listing, Query, State, Text,
};

/// How often a watched file is looked at.
const LOOK: Duration = Duration::from_millis(50);

impl wit::Host for CallState {
    async fn list(
        &mut self,
        path: String,
        recursive: bool,
        limit: u32,
    ) -> wasmtime::Result<Result<wit::Listing, wit::Failure>> {
        self.enter_other().await?;
        let listing = self
            .clocked(self.blocking(move |folder, stop| folder.list(&path, recursive, limit, stop)))
            .await?;
        Ok(listing.map(listed).map_err(failed))
    }

    async fn read(
        &mut self,
        path: String,
        first_line: u32,
        lines: u32,
    ) -> wasmtime::Result<Result<wit::Text, wit::Failure>> {
        self.enter_other().await?;
        let text = self
            .clocked(self.blocking(move |folder, _| folder.read(&path, first_line, lines)))
            .await?;
        Ok(text.map(read).map_err(failed))
    }

    async fn search(
        &mut self,
        request: wit::SearchRequest,
    ) -> wasmtime::Result<Result<wit::Findings, wit::Failure>> {
        self.enter_other().await?;
        let wit::SearchRequest { pattern, path, ignore_case, limit, extra } = request;
        if let Some((key, _)) = extra.first() {
            return Ok(Err(unknown_key(key)));
        }
        let query = Query { pattern, path, ignore_case, limit };
        let findings =
            self.clocked(self.blocking(move |folder, stop| folder.search(&query, stop))).await?;
        Ok(findings.map(found).map_err(failed))
    }

    async fn watch(
        &mut self,
        path: String,
        deadline_ms: u32,
    ) -> wasmtime::Result<Result<wit::Change, wit::Failure>> {
        self.enter_other().await?;
        let change =
            self.clocked(self.watched(path, Duration::from_millis(deadline_ms.into()))).await?;
        Ok(change.map(changed).map_err(failed))
    }
}

impl CallState {
    /// Does what blocks on a thread for that, if there is one. The thread is told to stop when the
    /// call is.
    async fn blocking<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Folder, &CancellationToken) -> Result<T, Failure> + Send + 'static,
    ) -> Result<Result<T, Failure>, Ending> {
        let folder = Arc::clone(self.held.folder.as_ref().ok_or(Ending::Internal)?);
        let stop = self.halt.child_token();
        let _told_when_dropped = stop.clone().drop_guard();
        let done = self.threads.run(move || work(&folder, &stop)).await;
        self.go_on()?;
        let Ok(done) = done else { return Ok(Err(Failure::busy())) };
        done.map_err(|error| {
            tracing::error!(%error, "reading a workspace panicked");
            Ending::Internal
        })
    }

    /// Looks at a file until it is another, or `patience` is over. A look that has begun when the
    /// time runs out is the last one.
    async fn watched(
        &self,
        path: String,
        patience: Duration,
    ) -> Result<Result<Change, Failure>, Ending> {
        let deadline = Instant::now() + patience;
        let before = match self.state(path.clone()).await? {
            Ok(before) => before,
            Err(failure) => return Ok(Err(failure)),
        };
        let mut looks = interval(LOOK);
        looks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            let late = timeout_at(deadline, looks.tick()).await.is_err();
            match self.state(path.clone()).await?.map(|now| before.change(now)) {
                Ok(Change::Unchanged) if !late => {}
                change => return Ok(change),
            }
        }
    }

    async fn state(&self, path: String) -> Result<Result<State, Failure>, Ending> {
        self.blocking(move |folder, _| folder.state(&path)).await
    }
}

fn listed(listing: Listing) -> wit::Listing {
    let entries = listing.entries.into_iter().map(|Entry { path, kind, size }| wit::Entry {
        path,
        kind: match kind {
            Kind::File => wit::EntryKind::File,
            Kind::Folder => wit::EntryKind::Folder,
            Kind::Other => wit::EntryKind::Other,
        },
        size,
    });
    wit::Listing { entries: entries.collect(), more: listing.more }
}

fn read(text: Text) -> wit::Text {
    let Text { content, first_line, total_lines, more } = text;
    wit::Text { content, first_line, total_lines, more }
}

fn found(findings: Findings) -> wit::Findings {
    let Findings { hits, files_searched, more } = findings;
    let hits = hits.into_iter().map(|Hit { path, line, text }| wit::Hit { path, line, text });
    wit::Findings { hits: hits.collect(), files_searched, more }
}

fn changed(change: Change) -> wit::Change {
    match change {
        Change::Changed => wit::Change::Changed,
        Change::Created => wit::Change::Created,
        Change::Removed => wit::Change::Removed,
        Change::Unchanged => wit::Change::Unchanged,
    }
}

fn failed(failure: Failure) -> wit::Failure {
    let retry = failure.passes();
    let Failure { code, text } = failure;
    wit::Failure { code: code.to_owned(), text, retry, extra: vec![] }
}

fn unknown_key(key: &str) -> wit::Failure {
    wit::Failure {
        code: "invalid-argument".to_owned(),
        text: format!("this host does not know `{key}` in `extra`; leave it out"),
        retry: false,
        extra: vec![],
    }
}
