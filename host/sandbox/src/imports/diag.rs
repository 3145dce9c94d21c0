//! `diag`: a tool's words for the log. They are a stranger's: cut, and made harmless in a line.

use crate::generated::switchboard::plugin::diag::{Host, Level};
use crate::state::CallState;
use crate::words::line;

/// Bytes of all a call says, and what a line takes besides its text. A log has no end of its own,
/// and a tool may call the host thousands of times.
const ALL: usize = 64 << 10;
const LINE: usize = 64;

impl Host for CallState {
    async fn log(&mut self, level: Level, text: String) -> wasmtime::Result<()> {
        self.enter_other().await?;
        let (text, of) = (line(&text), self.place());
        let before = self.said;
        self.said = before.saturating_add(text.len() + LINE);
        if self.said > ALL {
            if before <= ALL {
                tracing::warn!(%of, "a tool says more than is kept of one call");
            }
            return Ok(());
        }
        match level {
            Level::Debug => tracing::debug!(%of, text, "a tool says"),
            Level::Info => tracing::info!(%of, text, "a tool says"),
            Level::Warn => tracing::warn!(%of, text, "a tool says"),
            Level::Error => tracing::error!(%of, text, "a tool says"),
        }
        Ok(())
    }

    async fn panicked(&mut self, message: String, file: String, at: u32) -> wasmtime::Result<()> {
        self.enter_other().await?;
        // A tool gives up once.
        if std::mem::replace(&mut self.gave_up, true) {
            return Ok(());
        }
        let (message, file, of) = (line(&message), line(&file), self.place());
        tracing::error!(%of, message, file, line = at, "a tool panicked");
        Ok(())
    }
}
